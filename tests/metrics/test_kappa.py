"""Kappas by hand, and Fleiss' own example."""

import math

import pytest

from tempbench_lmms.metrics.kappa import cohen_kappa, fleiss_kappa, same_share

# Fleiss 1971, Table 1: thirty patients, six psychiatrists, five diagnoses (depression, personality disorder,
# schizophrenia, neurosis, other).
FLEISS = (
    "00060 03003 01401 00006 03030 20400 00402 20310 20040 00006 "
    "10050 11040 03300 10050 02031 00501 30012 51000 02040 10203 "
    "00006 01050 02013 20040 10041 05010 40002 02040 10500 00006 "
)


def answers_of(table):
    return [[category for category, n in enumerate(row) for _ in range(int(n))] for row in table.split()]


def test_fleiss_example():
    rows = answers_of(FLEISS)
    totals = [sum(row.count(category) for row in rows) for category in range(5)]
    assert totals == [26, 26, 30, 55, 43]  # the table's last row: .144 .144 .167 .306 .239 of 180
    assert same_share(rows) == pytest.approx(0.5556, abs=5e-5)
    assert fleiss_kappa(rows) == pytest.approx(0.430, abs=5e-4)  # the paper's kappa


def test_fleiss_by_hand():
    # Three respondents, two questions: AAB has 1 of 3 pairs alike, BBB all. P = (1/3 + 1) / 2 = 2/3.
    # A 2 of 6, B 4 of 6: P_e = 1/9 + 4/9 = 5/9. kappa = (6/9 - 5/9) / (4/9) = 1/4.
    assert fleiss_kappa(["AAB", "BBB"]) == pytest.approx(0.25)


def test_fleiss_of_two_respondents():
    # P = 1/2; A 3 of 4: P_e = 9/16 + 1/16 = 10/16. kappa = (8/16 - 10/16) / (6/16) = -1/3.
    assert fleiss_kappa(["AA", "AB"]) == pytest.approx(-1 / 3)


def test_cohen_by_hand():
    # Equal in 3 of 4: p_o = 3/4. A's share is 2/4 and 1/4, B's 2/4 and 3/4: p_e = 1/8 + 3/8 = 1/2.
    assert cohen_kappa("AABB", "ABBB") == pytest.approx(0.5)
    assert cohen_kappa("AB", "BA") == pytest.approx(-1)
    assert cohen_kappa([(1, 2), (2, 1)], [(1, 2), (2, 1)]) == pytest.approx(1)


def test_undefined():
    assert math.isnan(cohen_kappa("AAA", "AAA"))
    assert math.isnan(cohen_kappa("", ""))
    assert math.isnan(fleiss_kappa(["AAA", "AAA"]))
    assert math.isnan(fleiss_kappa([]))
    assert math.isnan(same_share([]))


def test_rows_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match="same number"):
        fleiss_kappa(["AAA", "AB"])
    with pytest.raises(ValueError, match="at least two"):
        fleiss_kappa(["A", "B"])
