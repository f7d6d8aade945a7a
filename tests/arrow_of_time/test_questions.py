"""The prompts, the parser, the metrics and the frames of the arrow of time."""

import pytest

from tempbench_lmms.arrow_of_time import hooks, parser, prompts, scoring
from tempbench_lmms.data.roots import mini_root
from tempbench_lmms.data.tables import read_rows

ROWS = read_rows(mini_root("arrow_of_time") / "test")


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("F", "F"),
        ("Observation: the ball rolls forward and gains height.\nConclusion: it is played backward.\nB", "B"),
        ("It is not played forward.", "B"),
        ("<think>B? No.</think>\n**F**", "F"),
        ("F or B", None),
        ("I cannot tell.", None),
    ],
)
def test_replies(reply, answer):
    assert parser.read(reply).value == answer


def test_metrics_by_hand():
    # Four clips both ways: "F" throughout but for one right "B", and one reply that says nothing.
    replies = ["F"] * 8
    replies[1], replies[3] = "B", "I cannot tell."
    found = [scoring.record(row, reply) for row, reply in zip(ROWS, replies, strict=False)]
    assert scoring.METRICS["accuracy"](found).value == 5 / 8
    assert scoring.METRICS["pair_accuracy"](found).value == 1 / 4
    # Four hits; six answers say F, and four clips are: 2 * 4 / 10. One hit; one answer, four clips: 2 / 5.
    assert scoring.METRICS["f1_forward"](found).value == 0.8
    assert scoring.METRICS["f1_backward"](found).value == 0.4
    assert scoring.METRICS["forward_rate"](found).value == 6 / 7
    assert scoring.METRICS["n_cut"](found[:-1]) == 1


def test_both_roads_ask_with_the_official_words():
    system, user = hooks.doc_to_messages(ROWS[0], {"media": "video"})
    said = system["content"][0]["text"], user["content"][0]["text"]
    assert said == (prompts.SYSTEM, prompts.INSTRUCTION)
    assert hooks.doc_to_text(ROWS[0], {"media": "video"}) == "".join(said)
    assert user["content"][1]["type"] == "video"


def test_a_clip_and_its_reversal_differ_in_their_order_alone():
    for forward, backward in zip(ROWS[::2], ROWS[1::2], strict=True):
        frames, reverse = (
            hooks.doc_to_visual(row, {"media": "frames", "rate": 8}) for row in (forward, backward)
        )
        assert len(frames) == 25
        pictures = [one.tobytes() for one in frames]
        assert pictures != pictures[::-1]
        for one, other in zip(frames, reverse[::-1], strict=True):
            difference = [abs(a - b) for a, b in zip(one.tobytes(), other.tobytes(), strict=True)]
            assert sum(difference) / len(difference) < 3  # of 255: what the codec does


def test_frames_at_a_rate_shuffled_and_alone():
    at_rate = hooks.doc_to_visual(ROWS[0], {"media": "frames", "rate": 4})
    assert len(at_rate) == 13  # every second one of 25 at 8 a second
    shuffled = hooks.doc_to_visual(ROWS[0], {"media": "frames", "rate": 4, "shuffled": True})
    pictures = [[one.tobytes() for one in frames] for frames in (at_rate, shuffled)]
    assert pictures[0] != pictures[1]
    assert sorted(pictures[0]) == sorted(pictures[1])
    (middle,) = hooks.doc_to_visual(ROWS[0], {"media": "frames", "frames": 1, "places": "segments"})
    assert middle.tobytes() == pictures[0][6]
