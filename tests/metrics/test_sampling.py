"""The draw of whole groups that the `_lite` tasks ask about."""

from collections import Counter

import pytest

from tempbench_lmms.metrics import sampling

STRATA = {f"{i:04}": f"stratum {i % 7 % 3}" for i in range(1000)}


def test_strata_keep_their_shares():
    drawn = sampling.drawn(STRATA)
    assert abs(len(drawn) - 100) < 3
    for stratum, n in Counter(STRATA.values()).items():
        assert abs(sum(STRATA[group] == stratum for group in drawn) - n / 10) < 1


def test_the_draw_is_that_of_its_version():
    # Who changes the draw gives it another name: results under `lite-1` are about these groups.
    assert sampling.LITE == "lite-1"
    assert sorted(sampling.drawn(STRATA))[:8] == [
        *("0022", "0026", "0029", "0041"),
        *("0053", "0069", "0075", "0077"),
    ]
    assert sampling.drawn(dict(reversed(STRATA.items()))) == sampling.drawn(STRATA)
    assert sampling.drawn(STRATA, "another") != sampling.drawn(STRATA)


@pytest.mark.parametrize("missing", [1, 5, 20])
@pytest.mark.parametrize("strata", [STRATA, {group: f"{int(group) ** 2 // 20_000}" for group in STRATA}])
def test_a_table_without_some_groups_has_the_same_draw_otherwise(missing, strata):
    whole = sampling.drawn(strata)
    for seed in range(10):
        gone = {*sampling.shuffled(strata, f"missing {seed}")[:missing]}
        part = sampling.drawn({group: own for group, own in strata.items() if group not in gone})
        # Those that are gone, and as many in their strata, may be replaced; nothing else moves.
        assert len(whole - gone - part) <= 0.1 * missing + 3


def test_a_group_is_drawn_in_every_table_that_has_it():
    """Tables of one test have other strata, and fewer groups, than the table of all tests."""
    whole = sampling.drawn(STRATA)
    for n in (300, 600):
        some = {group: f"{own}, another" for group, own in STRATA.items() if int(group) < n}
        part = sampling.drawn(some)
        both = whole & part
        assert len(both) > 0.75 * len(whole & some.keys())
        assert len(both) > 0.75 * len(part)


def test_strata_of_less_than_one_group_give_their_share_together():
    strata = STRATA | {f"single {i}": f"of its own {i}" for i in range(200)}
    drawn = sampling.drawn(strata)
    assert abs(sum(group.startswith("single") for group in drawn) - 20) <= 1


def test_a_stratum_whose_share_is_a_group_has_its_own():
    strata = {f"{name} {i}": f"stratum {name}" for name in range(20) for i in range(12)}
    drawn = Counter(strata[group] for group in sampling.drawn(strata))
    assert len(drawn) == 20
    assert set(drawn.values()) <= {1, 2}


def test_rounding_up_is_as_frequent_as_the_fraction_asks():
    # A tenth of 17 groups: 1.7 on average; 0.46 / sqrt(400) = 0.023.
    drawn = [
        len(sampling.drawn(dict.fromkeys(map(str, range(17)), ""), f"draw {i}", least=1)) for i in range(400)
    ]
    assert {*drawn} == {1, 2}
    assert sum(drawn) / 400 == pytest.approx(1.7, abs=0.07)


def test_a_group_is_shuffled_once():
    assert sorted(sampling.shuffled("abcab", "seed")) == ["a", "b", "c"]


def test_small_tables():
    assert len(sampling.drawn(dict.fromkeys(map(str, range(50)), ""))) == sampling.LEAST
    assert len(sampling.drawn({str(i): f"stratum {i}" for i in range(50)})) == sampling.LEAST
    # Rounding down in each stratum leaves too few, which the other groups make up for.
    assert all(
        len(sampling.drawn({str(i): f"{i % 4}" for i in range(n)}, f"draw {n}")) >= sampling.LEAST
        for n in range(10, 120)
    )
    assert len(sampling.drawn(dict.fromkeys("abc", ""))) == 3
    assert sampling.drawn({}) == set()


@pytest.mark.slow
def test_every_group_is_as_likely_as_any():
    strata = dict([*STRATA.items()][:300])
    taken = Counter(group for i in range(500) for group in sampling.drawn(strata, f"draw {i}"))
    # 500 draws of a tenth: 50 each, with a standard deviation of 6.7.
    assert len(taken) == 300
    assert 20 < min(taken.values()) <= max(taken.values()) < 85
