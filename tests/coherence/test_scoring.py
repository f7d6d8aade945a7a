"""The metrics, by hand."""

import math

import pytest

from tempbench_lmms.coherence import scoring
from tempbench_lmms.record import evaluate

ROW = {
    "question_id": "q",
    "type": "count",
    "scene": "human",
    "video": "v",
    "question": "How many?",
    "options": ["1", "2", "3"],
    "answer": "C",
    "reference": None,
    "reference_source": None,
}


def _asked_as(row: dict, condition: str) -> dict:
    asked = {"question_id": f"{row['question_id']}/{condition}", "condition": condition}
    return row | asked | {"base_id": row["question_id"]}


def answers(question: str, replies: dict[str, str], **row: object) -> list[dict]:
    asked = {**ROW, "question_id": question, "video": f"video {question}", **row}
    return [scoring.record(_asked_as(asked, condition), reply) for condition, reply in replies.items()]


def curve(*replies: str) -> dict[str, str]:
    return dict(zip(("4f", "8f", "12f", "16f"), replies, strict=True))


RECORDS = [
    *answers("a", curve("A", "A", "C", "C")),  # scores 0 0 1 1
    *answers("b", curve("C", "B", "C", "?"), scene="object"),  # scores 1 0 1 0, the last unread
    *answers("c", {"4f": "C", "8f": "C"}, type="rotation", options=["x", "y", "z"]),  # cut off
]


def value(name: str, records: list[dict] | None = None) -> float:
    return evaluate(scoring.METRICS[name], RECORDS if records is None else records)


def test_budgets() -> None:
    assert value("accuracy_4f") == pytest.approx(2 / 3)
    assert value("accuracy_16f") == pytest.approx(1 / 2)
    assert value("accuracy_count_4f") == pytest.approx(1 / 2)
    assert value("accuracy_object_8f") == 0
    assert value("parse_rate_16f") == pytest.approx(1 / 2)
    # Gold is 3. At 4 frames: 1 - 2/4 = .5 and 1; at 16: 1 and 0 (nothing read).
    assert value("numeric_distance_4f") == pytest.approx(0.75)
    assert value("numeric_distance_16f") == pytest.approx(0.5)
    # Official: A is 1, C is 3, so the same here; B is 2.
    assert value("numeric_distance_official_8f") == pytest.approx((0.5 + 0.75) / 2)


def test_trends_are_over_complete_questions() -> None:
    # a: slope (0, 0, 1, 1) = .025 + .075 = .1; b: (1, 0, 1, 0) = -.075 + .025 = -.05; mean .025.
    assert value("accuracy_slope") == pytest.approx(0.025)
    assert value("accuracy_gain") == pytest.approx((1 - 1) / 2)
    # a: (0 + 0 + 2 + 1)/6 = .5; b: (1 + 0 + 2 + 0)/6 = .5.
    assert value("accuracy_area") == pytest.approx(0.5)
    assert value("n_cut_budgets") == 1
    assert value("n_questions") == 10
    assert value("n_counting") == 8
    assert value("n_reference_template") == 10
    assert value("accuracy_human_gain") == 1
    assert math.isnan(value("accuracy_rotation_gain"))


def test_controls() -> None:
    records = []
    for number, (full, one, shuffled) in enumerate(
        [("C", "C", "A"), ("C", "A", "C"), ("C", "A", "A"), ("A", "A", "C")]
    ):
        replies = {"16f": full, "1f": one, "shuffled": shuffled, "reversed": "C", "blind": "A"}
        records += answers(str(number), replies)
    # 3 of 4 with all frames, 1 of 4 with one, 2 of 4 shuffled, 4 of 4 reversed, none blind.
    assert value("multi_frame_gain", records) == pytest.approx(3 / 1 - 1)
    assert value("frame_order_sensitivity", records) == pytest.approx(3 / 2 - 1)
    assert value("frame_order_sensitivity_reversed", records) == pytest.approx(3 / 4 - 1)
    assert math.isnan(value("gain_over_blind", records))
    assert value("n_cut_controls", records[:-1]) == 1


def test_details_are_shares_of_the_letters_and_captions_have_none() -> None:
    # Answered A A C C, C B C ?, C C, and A; right is C ten times and A once.
    asked = [*RECORDS, *answers("d", {"4f": "A"}, answer="A")]
    shares = {
        "answers": {"A": 3 / 11, "B": 1 / 11, "C": 6 / 11, "unparsed": 1 / 11},
        "right_answers": {"A": 1 / 11, "C": 10 / 11},
    }
    caption = {"id": "caption", "video": "v"}
    assert scoring.details(asked) == scoring.details([*asked, caption]) == shares
    assert scoring.details([caption]) == {}
    assert list(scoring.details(asked[::-1])["answers"]) == ["A", "B", "C", "unparsed"]


def test_a_reference_in_the_data_is_used_and_named() -> None:
    given = {**ROW, "reference": "There are three.", "reference_source": "some-model"}
    record = scoring.record(_asked_as(given, "4f"), "C")
    assert (record["reference"], record["reference_source"]) == ("There are three.", "some-model")
    unnamed = scoring.record(_asked_as(given | {"reference_source": None}, "4f"), "C")
    assert unnamed["reference_source"] == "column"
    assert value("n_reference_template", [record]) == 0


@pytest.mark.slow
def test_bertscore_of_the_whole_reply(text_encoder: object) -> None:
    exact = answers("a", {"4f": 'The answer to the question "How many?" is: 3.', "8f": ""})
    assert value("bertscore_4f", exact) == pytest.approx(1, abs=1e-6)
    assert value("bertscore_8f", exact) == 0


@pytest.mark.slow
def test_bertscore_of_the_final_answer(text_encoder: object) -> None:
    """Reasoning, however long, does not count; a reply that ends in it has no final answer."""
    sentence = 'The answer to the question "How many?" is: 3.'
    thought = "<think>" + "The wheel turns and turns. " * 400 + "</think>"
    told = answers(
        "a", curve(sentence, thought + sentence, f"{thought}It is <answer>{sentence}</answer>", "?")
    )
    for budget in ("4f", "8f", "12f"):
        assert value(f"bertscore_answer_{budget}", told) == pytest.approx(1, abs=1e-6)
    assert value("bertscore_4f", told) == pytest.approx(1, abs=1e-6)
    assert value("bertscore_8f", told) < 0.9
    cut = answers("a", {"4f": "<think>It is 3."})
    assert value("bertscore_answer_4f", cut) == 0
    assert value("bertscore_4f", cut) > 0


def test_the_final_answer_has_every_metric_of_bertscore() -> None:
    names = [name for name in scoring.METRICS if name.startswith("bertscore")]
    of_answers = {name for name in names if name.startswith("bertscore_answer")}
    assert of_answers == {name.replace("bertscore", "bertscore_answer") for name in {*names} - of_answers}
    assert len(of_answers) == 1 + 9 + 4 + 3  # whole, types and scenes, budgets, trends


def test_a_number_that_is_no_option() -> None:
    """It counts in the numeric distance; no option is read, and the record says both."""
    (record,) = answers("a", {"4f": "There are seven of them."})
    assert (record["answer"], record["number"], record["parsed"]) == (None, 7, 0)
    assert record["reason"] == "nothing"
    assert record["how"]


def test_what_a_record_keeps() -> None:
    (record,) = answers("a", {"4f": "<think>A?</think> b"})
    kept = {"reply": "<think>A?</think> b", "final": "b", "answer": "B", "number": 2, "gold_number": 3}
    assert {name: record[name] for name in kept} == kept
    # TOMATO's rules take a letter alone; the numeric distance reads the final answer: B, the second letter.
    assert (record["correct_official"], record["number_official"]) == (0, 2)
    assert record["reason"] != "nothing"
    (plain,) = answers("a", {"4f": "C"})
    assert (plain["correct_official"], plain["number_official"]) == (1, 3)
    failed = scoring.record(_asked_as(ROW, "4f"), "C", failed=True)
    assert [failed[name] for name in ("final", "correct_official", "number_official")] == ["", 0, None]
    # Numbers are asked for in counts alone, and only where the right option is one.
    (turned,) = answers("a", {"4f": "C"}, type="rotation")
    (worded,) = answers("a", {"4f": "C"}, options=["some", "many", "a lot"])
    assert not {"gold_number", "number", "number_official"} & ({*turned} | {*worded})


def test_the_error_of_a_mean_draws_videos() -> None:
    for name in ("accuracy_4f", "accuracy_slope"):
        assert list(scoring.METRICS[name](RECORDS).keys)[:2] == ["video a", "video b"]
    records = [*answers("a", {"16f": "C", "1f": "A"}), *answers("b", {"16f": "C", "1f": "C"})]
    assert list(scoring.METRICS["multi_frame_gain"](records).keys) == ["video a", "video b"]


def test_accuracy_by_variation() -> None:
    two = ["composite", "zoom"]
    told = [
        *answers("a", curve("A", "A", "C", "C"), variation=two),
        *answers("b", {"4f": "C"}, variation=["zoom"]),
    ][::-1]
    found = scoring.details([*told, *answers("c", {"4f": "C"})])["by_variation"]
    # With four frames "a" is wrong and "b" is right, and both are zoomed; "c" is of no variation.
    assert [*found["4f"]] == ["composite", "zoom"]
    assert found["4f"] == {"composite": {"share": 0.0, "n": 1}, "zoom": {"share": 0.5, "n": 2}}
    assert found["16f"] == {"composite": {"share": 1.0, "n": 1}, "zoom": {"share": 1.0, "n": 1}}
