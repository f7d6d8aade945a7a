"""Overlap of time intervals, by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tempbench_lmms.metrics.spans import best_iop, best_iou, iop, iou, official_iou

SECONDS = st.integers(0, 50).map(lambda tenths: tenths / 2)
INTERVALS = st.tuples(SECONDS, SECONDS).map(lambda ends: (min(ends), max(ends)))


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        # [10, 15] is shared; the union is [8, 20].
        ((8, 15), (10, 20), 5 / 12),
        # One inside the other: 2 of 10 seconds.
        ((13, 15), (10, 20), 0.2),
        ((10, 20), (10, 20), 1),
        # They touch, or lie apart: nothing is shared.
        ((10, 15), (15, 20), 0),
        ((1, 2), (15, 20), 0),
        # An instant in an interval has no length; two instants are one moment or two.
        ((12, 12), (10, 20), 0),
        ((3, 3), (3, 3), 1),
        ((3, 3), (4, 4), 0),
        # Half a second in all, of which half is shared.
        ((3, 3.5), (3.25, 3.5), 0.5),
        ((20, 10), (5, 25), 0),
        ((5, 25), (20, 10), 0),
        # From the earliest start to the latest end of these there is no time, yet one is reversed.
        ((20, 10), (10, 10), 0),
    ],
)
def test_by_hand(one: tuple[float, float], other: tuple[float, float], expected: float) -> None:
    assert iou(one, other) == iou(other, one) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("predicted", "truth", "expected"),
    [
        # 3 of 4 seconds, from either side; all; none, touching and apart.
        ((10, 14), (11, 20), 0.75),
        ((10, 14), (2, 13), 0.75),
        ((10, 14), (10, 14), 1),
        ((10, 14), (14, 20), 0),
        ((10, 14), (16, 20), 0),
        # An instant at either end, within, before and after.
        ((3, 3), (3, 5), 1),
        ((5, 5), (3, 5), 1),
        ((4, 4), (3, 5), 1),
        ((2, 2), (3, 5), 0),
        ((6, 6), (3, 5), 0),
        ((3, 3), (3, 3), 1),
        # An instant takes none of a prediction; what is reversed overlaps nothing.
        ((1, 5), (3, 3), 0),
        ((20, 10), (5, 30), 0),
        ((5, 30), (20, 10), 0),
        ((15, 15), (20, 10), 0),
    ],
)
def test_share_of_the_prediction_by_hand(
    predicted: tuple[float, float], truth: tuple[float, float], expected: float
) -> None:
    assert iop(predicted, truth) == expected


def test_the_best_of_several_and_of_none() -> None:
    # 0.5, 0.2 and 0.
    assert best_iou((10, 20), [(10, 15), (18, 20), (30, 40)]) == 0.5
    assert best_iou((10, 20), []) == 0
    assert official_iou((10, 20), []) == 0
    # 0.5, 0.2 and 0 of the prediction.
    assert best_iop((10, 20), [(18, 40), (0, 15), (30, 40)]) == 0.5
    assert best_iop((10, 20), []) == 0


@pytest.mark.parametrize(
    ("predicted", "truths", "expected"),
    [
        ((8, 15), [(10, 20)], 5 / 12),
        ((10, 15), [(15, 20)], 0),
        # Apart, the union is 2 + 5 and the hull 19: 0 either way.
        ((1, 3), [(15, 20)], 0),
        # 1 of 7 seconds, 4 of 7: the second one is chosen.
        ((4, 10), [(3, 5), (6, 11)], 4 / 7),
        ((4, 10), [(6, 11), (3, 5)], 4 / 7),
        # 6 of 60, 10 of 14: where an interval lies does not count, only how long it is.
        ((50, 60), [(0, 56), (48, 62)], 10 / 14),
        # Both share a third of their union with it, 3 of 9: the first one wins, and the numbers are the same.
        ((10, 16), [(7, 13), (13, 19)], 1 / 3),
        # 0 / 0 is the largest share, and then 0.
        ((3, 3), [(1, 5), (3, 3)], 0),
    ],
)
def test_official_by_hand(
    predicted: tuple[float, float], truths: list[tuple[float, float]], expected: float
) -> None:
    assert official_iou(predicted, truths) == pytest.approx(expected)


@given(INTERVALS, st.lists(INTERVALS, min_size=1, max_size=4))
def test_the_official_rule_differs_at_instants_alone(
    predicted: tuple[float, float], truths: list[tuple[float, float]]
) -> None:
    if predicted[0] < predicted[1]:
        assert official_iou(predicted, truths) == pytest.approx(best_iou(predicted, truths))


@given(INTERVALS, INTERVALS)
def test_as_counted_on_a_grid(one: tuple[float, float], other: tuple[float, float]) -> None:
    """Quarters of a second, of which both, or one of the two, hold the middle."""
    middles = [quarter / 4 + 0.125 for quarter in range(100)]
    held = [sum(start < middle < end for start, end in (one, other)) for middle in middles]
    if any(held):
        assert iou(one, other) == pytest.approx(held.count(2) / sum(map(bool, held)))
