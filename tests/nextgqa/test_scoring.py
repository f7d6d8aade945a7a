"""The metrics, by hand."""

import pytest

from tempbench_lmms.nextgqa import imports, official, scoring
from tempbench_lmms.record import evaluate

DOC = {
    "question_id": "v_1",
    "video_id": "v",
    "type": "CW",
    "duration": 30.0,
    "question": "why did he smile",
    "options": ["fun", "joy", "wind", "rain", "joy"],
    "answer": "B",
    "windows": [[0.0, 4.0], [10.0, 20.0]],
}
# Against [0, 4] and [10, 20]. The second span lies half in the second window, the third wholly: IoU 5/10. The
# last has its best IoU (4/8) and IoP (4/8) with the first window.
REPLIES = [
    ('{"answer": "B", "span": [10, 20]}', 1.0, 1.0),
    ('{"answer": "A", "span": [15, 25]}', 5 / 15, 0.5),
    ('{"answer": "E", "span": [12, 17]}', 0.5, 1.0),
    ('{"answer": "B", "span": [22, 30]}', 0.0, 0.0),
    ('{"answer": "B", "span": [20, 10]}', 0.0, 0.0),
    ('{"answer": "B", "span": [12, 12]}', 0.0, 1.0),
    ('{"answer": "B"}', 0.0, 0.0),
    ('{"answer": "B", "span": [0, 8]}', 0.5, 0.5),
]


def records(ask="both"):
    return [
        scoring.record(DOC | {"question_id": f"v_{i}", "video_id": str(i)}, reply, ask=ask)
        for i, (reply, _, _) in enumerate(REPLIES)
    ]


def value(name, found=None):
    return evaluate(scoring.METRICS[name], records() if found is None else found)


@pytest.mark.parametrize(("reply", "iou", "iop_"), REPLIES)
def test_overlaps_of_a_reply(reply, iou, iop_):
    found = scoring.record(DOC, reply)
    assert (found["iou"], found["iop"]) == (pytest.approx(iou), pytest.approx(iop_))
    # Officially the same: these windows are no instants.
    assert (found["iou_official"], found["iop_official"]) == (found["iou"], found["iop"])


def test_shares_over_all_questions():
    # Letters: B, A, E (its text is the right one's, too), then five times B: 7 of 8.
    assert value("acc") == 7 / 8
    # Of these, IoP of at least 0.5: the first, third, sixth and last.
    assert value("acc_gqa") == 4 / 8
    assert value("miop") == pytest.approx((1 + 0.5 + 1 + 0 + 0 + 1 + 0 + 0.5) / 8)
    assert value("miou") == pytest.approx((1 + 1 / 3 + 0.5 + 0 + 0 + 0 + 0 + 0.5) / 8)
    assert value("iop_at_30") == value("iop_at_50") == 5 / 8
    assert value("iou_at_30") == 4 / 8
    assert value("iou_at_50") == 3 / 8
    assert value("parse_rate") == value("span_parse_rate") == 7 / 8
    assert value("answer_parse_rate") == 1
    assert (value("n_reversed"), value("n_failed"), value("n_questions")) == (1, 0, 8)


def test_official_numbers_leave_out_what_has_no_span():
    # Seven questions have a span; E is wrong: the first, sixth and last of seven are right and grounded.
    assert value("acc_gqa_official") == 42.9
    assert value("iop_at_50_official") == 71.4
    assert value("miou_official") == 33.3
    # 6 of 8: E is not the right letter.
    assert value("acc_official") == 75.0
    assert value("miou_official", []) != value("miou_official", [])  # NaN
    assert value("acc_official", []) != value("acc_official", [])


def test_groups():
    found = [one | {"type": kind} for one, kind in zip(records(), ["CW", "TN", "TP", "TC"] * 2, strict=True)]
    # Of the first and fifth, both right, the first is grounded.
    assert value("acc_why", found) == value("acc_causal", found) == 1
    assert value("acc_gqa_why", found) == 1 / 2
    assert value("acc_next", found) == 1 / 2
    assert value("acc_gqa_temporal", found) == 3 / 6
    assert value("acc_how", found) != value("acc_how", found)


@pytest.mark.parametrize(("ask", "correct"), [("answer", 7), ("span", 5), ("ground", 5), ("both", 4)])
def test_what_is_right_depends_on_what_was_asked(ask, correct):
    assert sum(one["correct"] for one in records(ask)) == correct


def test_an_iop_below_one_half_grounds_nothing():
    # [16, 26] lies with 4 of 10 seconds in [10, 20]; [15, 25] with one half.
    below, half = '{"answer": "B", "span": [16, 26]}', '{"answer": "B", "span": [15, 25]}'
    for ask in ("both", "span"):
        assert [scoring.record(DOC, reply, ask=ask)["correct"] for reply in (below, half)] == [0, 1]
    found = [scoring.record(DOC, reply) for reply in (below, below, half)]
    assert value("acc_gqa", found) == 1 / 3
    assert value("acc_gqa_official", found) == 33.3
    # Officially the answer to a question that is not grounded is not looked up, and need not be there.
    truths, answers = {"v_1": [[10, 20]]}, {"v_2": {"answer": 0, "prediction": 0}}
    assert official.score(truths, {"v_1": [16, 26]}, answers)["acc_gqa"] == 0


def test_official_overlap_of_an_instant_with_a_reversed_span():
    assert official.overlap((5, 5), (6, 4)) == (0, 0)


@pytest.mark.parametrize("prediction", [1, "B", "joy"])
def test_a_prediction_is_a_number_a_letter_or_a_text(prediction):
    assert imports.letter_of(DOC, prediction) == "B"


@pytest.mark.parametrize("prediction", [5, -1, True, "F", "none of them", None, [1]])
def test_a_prediction_that_is_no_option(prediction):
    assert imports.letter_of(DOC, prediction) is None
