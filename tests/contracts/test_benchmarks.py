"""The benchmarks: what the table says of a target, and the budgets of each part of the project."""

import pytest

from benchmarks import size, timing


def test_no_part_is_larger_than_its_budget(capsys):
    assert size.main() == 0, capsys.readouterr().out


@pytest.mark.parametrize(
    ("values", "target", "said"),
    [
        ([4.9, 6, 7], {"at_least": 5}, "at least 5: met"),
        ([4, 4, 6], {"at_least": 5}, "at least 5: missed"),
        ([1, 1.2, 1.4], {"at_most": 1.3}, "at most 1.3: met"),
        ([1], {"at_most": 0}, "at most 0: missed"),
        ([1], {}, ""),
    ],
)
def test_a_target_is_met_where_the_median_meets_it(values, target, said):
    assert list(timing.table([timing.Row("what", values, "x", **target)]))[2].endswith(f"| {said} |")
