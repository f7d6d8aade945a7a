"""The draw of whole groups that the `_lite` tasks ask about."""

from collections import Counter

from tempbench_lmms.metrics import sampling

STRATA = {f"{i:04}": f"stratum {i % 7 % 3}" for i in range(1000)}


def test_strata_keep_their_shares():
    drawn = sampling.drawn(STRATA)
    assert len(drawn) == 100
    for stratum, n in Counter(STRATA.values()).items():
        assert abs(sum(STRATA[group] == stratum for group in drawn) - n / 10) < 1


def test_the_draw_is_that_of_its_version():
    # Who changes the draw gives it another name: results under `lite-1` are about these groups.
    assert sampling.LITE == "lite-1"
    assert sorted(sampling.drawn(STRATA))[:8] == [
        *("0021", "0028", "0042", "0046"),
        *("0049", "0053", "0057", "0058"),
    ]
    assert sampling.drawn(dict(reversed(STRATA.items()))) == sampling.drawn(STRATA)
    assert sampling.drawn(STRATA, "another") != sampling.drawn(STRATA)


def test_small_tables():
    assert len(sampling.drawn(dict.fromkeys(map(str, range(50)), ""))) == sampling.LEAST
    assert len(sampling.drawn(dict.fromkeys("abc", ""))) == 3
    assert sampling.drawn({}) == set()


def test_every_group_is_as_likely_as_any():
    taken = Counter(group for i in range(500) for group in sampling.drawn(STRATA, f"draw {i}"))
    # 500 draws of a tenth: 50 each, with a standard deviation of 6.7.
    assert len(taken) == 1000
    assert 20 < min(taken.values()) <= max(taken.values()) < 85
