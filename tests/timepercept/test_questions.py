import itertools
import math
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hf_datasets.timepercept import questions
from hf_datasets.timepercept.series import Series, Shot
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness.respondents import REPLIES
from tempbench_lmms.timepercept import scoring
from tempbench_lmms.timepercept.card import RANKINGS, TESTS, TIU, TOU
from tempbench_lmms.timepercept.rows import row_problems

from .conftest import make_series


@pytest.fixture(scope="module")
def rows(many_series):
    return questions.build(many_series, many_series, "test", questions.Rules(count=200, seed=1))


@pytest.mark.slow
@pytest.mark.parametrize("test", TESTS)
def test_two_hundred_sound_questions(rows, test):
    assert len(rows[test]) == 200
    assert [problem for row in rows[test] for problem in row_problems(row)] == []
    # One question a place before a place is asked about again.
    if test in TOU:
        assert len({row["places"][0] for row in rows[test]}) == 200


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ("tal", {str(i): 40 for i in range(1, 6)}),
        ("sov", {"True": 100, "False": 100}),
        ("pov", {"True": 100, "False": 100}),
        ("tpl", {"A": 100, "B": 100}),
        ("ice", dict.fromkeys("ABCDE", 40)),
        ("pic", {"True": 100, "False": 100}),
        ("eii", dict.fromkeys("ABCD", 50)),
    ],
)
def test_answers_are_balanced(rows, test, expected):
    assert Counter(row["answer"] for row in rows[test]) == expected


def test_anomalies_are_balanced_over_kinds_and_places(rows):
    assert set(Counter((row["kind"], row["answer"]) for row in rows["tal"]).values()) == {20}


def test_exactly_one_image_is_out_of_order(rows):
    for row in rows["tal"]:
        own = [row["places"][0] in url for url in row["images"]]
        fitting = []
        for left_out in range(5):
            rest = [i for i in range(5) if i != left_out]
            dates = [row["dates"][i] for i in rest]
            if all(own[i] for i in rest) and dates == sorted(dates):
                fitting.append(left_out + 1)
        assert fitting == [int(row["answer"])]


def test_isr_answer_lists_labels_from_earliest_to_latest(rows):
    for row in rows["isr"]:
        labels = [int(label) for label in row["answer"].split(", ")]
        dates = [row["dates"][label - 1] for label in labels]
        assert dates == sorted(dates)
        assert row["dates"] != dates


def test_order_verification(rows):
    for test in ("sov", "pov"):
        for row in rows[test]:
            assert (row["dates"] == sorted(row["dates"])) == (row["answer"] == "True")


def test_tpl_query_lies_where_the_answer_says(rows):
    for row in rows["tpl"]:
        first, third, fifth, query = row["dates"]
        assert first < third < fifth
        assert (first < query < third) if row["answer"] == "A" else (third < query < fifth)


def days_of(row):
    from datetime import date

    days = [date.fromisoformat(day) for day in row["dates"]]
    return (
        [(later - earlier).days for earlier, later in itertools.batched(days, 2)]
        if hasattr(itertools, "batched")
        else [(days[i + 1] - days[i]).days for i in range(0, len(days), 2)]
    )


@pytest.mark.parametrize("test", TIU)
def test_intervals_are_those_of_the_dates(rows, test):
    for row in rows[test]:
        assert row["days"] == days_of(row)
        assert len(set(row["days"])) == len(row["days"])
        assert len(row["places"]) == len(row["days"])


def test_interval_answers(rows):
    for row in rows["ice"]:
        assert scoring.interval_class(row["days"][0]) == row["answer"] == row["kind"]
    for row in rows["pic"]:
        assert (row["days"][0] > row["days"][1]) == (row["answer"] == "True")
    for row in rows["ipr"]:
        ranked = [row["days"]["ABC".index(letter)] for letter in row["answer"].split(", ")]
        assert ranked == sorted(ranked)
    for row in rows["eii"]:
        assert row["days"]["ABCD".index(row["answer"])] == max(row["days"])


@pytest.mark.slow
@pytest.mark.parametrize(("runs", "least"), [(4, 30), pytest.param(10, 79, marks=pytest.mark.exhaustive)])
def test_chance_falls_into_the_bands(rows, runs, least):
    # 95 % bands of random answers to 200 questions: p +- 1.96 sqrt(p (1 - p) / 200) for accuracies; for
    # PNR 0.893 to 1.120 (2,000 pairs of fives) and 0.837 to 1.194 (600 pairs of threes).
    bands = {"isr": (0.893, 1.120), "ipr": (0.837, 1.194)}
    inside = 0
    for test in TESTS:
        for seed in range(runs):
            records = [scoring.record(row, REPLIES["chance"](row, test, seed)) for row in rows[test]]
            if test in RANKINGS:
                low, high = bands[test]
                value = scoring.pnr(records).value
            else:
                share = 1 / len(rows[test][0]["choices"])
                half = 1.96 * math.sqrt(share * (1 - share) / 200)
                low, high, value = share - half, share + half, scoring.accuracy(records).value
            inside += low <= value <= high
    # Each is inside with a chance of 95 %: fewer than 79 of 90, or 30 of 36, is a matter of two in 1,000.
    assert inside >= least


def test_pictures_without_dates_have_no_intervals():
    shots = tuple(Shot(f"r/{i}.png", i, str(i), None) for i in range(6))
    ranked = [Series(f"r{i}", "series", "", shots) for i in range(3)]
    rows = questions.build(ranked, [], "test", questions.Rules(count=4, seed=1), TOU)
    assert all(rows.values())
    with pytest.raises(TempbenchError, match="ranks and no dates"):
        questions.build(ranked, ranked, "test", questions.Rules(count=4, seed=1))


@settings(max_examples=settings().max_examples // 8)
@pytest.mark.slow
@given(
    st.lists(st.lists(st.integers(0, 3000), min_size=2, max_size=9, unique=True), min_size=1, max_size=6),
    st.integers(0, 99),
)
def test_any_series_give_sound_questions(days, seed):
    places = [make_series(f"p{i}", sorted(of_place)) for i, of_place in enumerate(days)]
    rows = questions.build(places, places, "test", questions.Rules(count=6, seed=seed))
    assert [problem for found in rows.values() for row in found for problem in row_problems(row)] == []
