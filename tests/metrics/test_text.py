"""Numeric distance, the order of events, and scores of embeddings, by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tempbench_lmms.metrics import text
from tempbench_lmms.metrics.text import (
    clauses_in_order,
    event_order,
    event_positions,
    numeric_distance,
)

# (predicted, gold, score): 1 - |p - g| / (g + 1), not below 0; worked examples of the specification.
WORKED = [(3, 3, 1), (5, 3, 0.5), (0, 3, 0.25), (2, 1, 0.5), (7, 3, 0), (8, 3, 0), (1, 0, 0), (None, 3, 0)]


def test_worked_examples() -> None:
    for predicted, gold, score in WORKED:
        assert numeric_distance(predicted, gold) == score
    assert sum(numeric_distance(p, g) for p, g, _ in WORKED) / 8 == 0.28125
    assert numeric_distance(8, 3, clamp=False) == -0.25
    assert numeric_distance(10**400, 3) == 0


@given(st.integers(-100, 100), st.integers(0, 50))
def test_bounds_and_perfection(predicted: int, gold: int) -> None:
    score = numeric_distance(predicted, gold)
    assert 0 <= score <= 1
    assert (score == 1) == (predicted == gold)
    assert (score > 0) == (-1 < predicted < 2 * gold + 1)


EVENTS = ["the red ball grows", "the blue square rises to the top", "the green triangle blinks"]


@pytest.mark.parametrize(
    ("caption", "right"),
    [
        (
            "The red ball grows, then the blue square rises, and finally the green triangle blinks.",
            3,
        ),
        ("First the red ball grows. The blue square rises. Lastly, the green triangle blinks.", 3),
        (
            "After the red ball grows, the blue square rises. Then the green triangle is blinking.",
            3,
        ),
        (
            "The green triangle blinks after the blue square rises. Before that, the red ball grew, growing.",
            3,
        ),
        (
            "Before the green triangle blinks, the blue square rises. Earlier, the red ball grows.",
            3,
        ),
        ("The green triangle blinks. The blue square rises to the top. The red ball grows.", 0),
        # ball-square and ball-triangle are right, square-triangle is not.
        ("The red ball grows. The green triangle blinks. The blue square rises to the top.", 2),
        ("The red ball grows and the blue square rises to the top.", 1),
        ("A cat sleeps.", 0),
        ("", 0),
    ],
)
def test_event_order(caption: str, right: int) -> None:
    assert event_order(caption, EVENTS) == (right, 3)


def test_clauses_in_order_follows_before_and_after() -> None:
    assert clauses_in_order("Before it stops, the train turns.") == ["the train turns", "it stops"]
    assert clauses_in_order("The train stops after it turns.") == ["it turns", "the train stops"]
    assert clauses_in_order("Once it turns, the train stops.") == ["it turns", "the train stops"]
    assert clauses_in_order("It turns until the train stops.") == ["it turns", "the train stops"]
    assert clauses_in_order("") == []


def test_a_sentence_without_words_is_passed_over() -> None:
    assert clauses_in_order("\n\nIt stops. ,. Before that, it turns.") == ["it turns", "it stops"]


@pytest.mark.parametrize(
    "items", ["- {}\n- {}\n- {}", "1. {}\n2. {}\n3. {}", "* {}\n\n  * {}\n* {}", "10) {}\n11) {}\n12) {}"]
)
def test_an_item_of_a_list_is_a_sentence(items: str) -> None:
    listed = items.format("It stops", "**Before that**, it turns", "The bell\nrings at 3")
    assert clauses_in_order(listed) == ["it turns", "it stops", "the bell\nrings at 3"]


def test_clauses_are_looked_into_four_deep() -> None:
    after = clauses_in_order("After a, after b, after c, after d, after e, f.")
    assert after == ["a", "b", "c", "d", "after e, f"]
    before = clauses_in_order("Before a, before b, before c, before d, before e, f.")
    assert before == ["before e, f", "d", "c", "b", "a"]


def test_positions_of_events() -> None:
    caption = "The red ball grows. The blue square rises, then nothing."
    # Words that only join others do not count: ball stands second of red, ball, grow.
    events = ["a ball", "the square rises", "a triangle", "the red square turns"]
    # Half of an event's weight is enough. "red" stands in one event, "turn" in one, "square" in two: of
    # 1 + 1 / 2 + 1 the first clause has 1, which is less than half; so has none.
    assert event_positions(caption, events) == [(0, 1), (1, 1), None, None]
    assert event_positions(caption, ["red square"], threshold=0.5) == [(0, 0)]
    assert event_positions(caption, ["red square"], threshold=0.6) == [None]


@given(st.text(max_size=300), st.lists(st.text(max_size=30), max_size=5))
def test_event_order_takes_anything(caption: str, events: list[str]) -> None:
    right, pairs = event_order(caption, events)
    assert pairs == len(events) * (len(events) - 1) // 2
    assert 0 <= right <= pairs


def test_events_told_in_one_breath_are_in_no_order() -> None:
    assert event_order("The ball rolls.", ["the ball rolls", "a ball rolls"]) == (0, 1)


def test_a_single_event_has_no_order() -> None:
    assert event_order("The ball rolls.", ["the ball rolls"]) == (0, 0)


def test_long_captions_are_quick() -> None:
    event_order("the ball rolls, and then after " * 5_000, EVENTS)
    event_order("after " * 5_000, EVENTS)


FRAMES = [[1, 0, 0], [0, 2, 0], [3, 0, 0], [0, 0, 0], [2, 2, 0], *[[0, 0, 0]] * 3]


def test_worked_example() -> None:
    # Mean of the frames: (1 + 3 + 2, 2 + 2, 0) / 8 = (.75, .5, 0). Against (1, 0, 0): .75 / sqrt(.8125).
    # Middle frame (2, 2, 0) against (.6, .8, 0): 2.8 / sqrt(8).
    assert text.video_embedding(FRAMES).tolist() == [0.75, 0.5, 0]
    video = text.clip_score(text.video_embedding(FRAMES), [1, 0, 0])
    frame = text.clip_score(FRAMES[4], [0.6, 0.8, 0])
    assert video == pytest.approx(0.8320502943378437)
    assert frame == pytest.approx(0.9899494936611665)
    assert text.clip_gain(video, frame) == pytest.approx(-0.15950227797921124)


def test_worked_example_official() -> None:
    # The captions of a second video change this one's score, and the sign of its gain.
    video = text.official_clip_score(text.video_embedding(FRAMES), [[1, 0, 0], [0, 1, 0]])
    frame = text.official_clip_score(FRAMES[4], [[0.6, 0.8, 0], [0, 0, 1]])
    assert video == pytest.approx(0.9805806756909201)
    assert frame == pytest.approx(0.7)
    assert text.clip_gain(video, frame) == pytest.approx(0.4008295367013146)


sizes = st.floats(-5, 5).filter(lambda one: one == 0 or abs(one) > 1e-3)
vectors = st.lists(sizes, min_size=3, max_size=3)


@given(vectors, vectors, st.floats(0.1, 10))
def test_bounds_scale_and_one_caption(picture: list[float], caption: list[float], scale: float) -> None:
    score = text.clip_score(picture, caption)
    assert 0 <= score <= 1 + 1e-9
    assert text.official_clip_score(picture, [caption]) == pytest.approx(score, abs=1e-9)
    assert text.clip_score(np.array(picture) * scale, caption) == pytest.approx(score, abs=1e-6)


def test_no_gain_over_nothing() -> None:
    assert np.isnan(text.clip_gain(0.3, 0.0))
    assert text.clip_score([0, 0], [1, 0]) == 0
    assert text.clip_gain(0.3, 0.3) == 0
