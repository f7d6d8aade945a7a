"""The official result files, imported: the numbers are those of `tempbench score`."""

import json

import pytest

from tempbench_lmms import benchmarks
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.nextgqa import scoring
from tempbench_lmms.record import evaluate
from tempbench_lmms.runs.importing import Source

READER = benchmarks.readers("nextgqa")["nextgqa"]


@pytest.fixture
def results(docs):
    """Answers and spans of every kind that the official files hold, by question."""
    answers, spans = {}, {}
    for number, doc in enumerate(docs):
        key, (start, end) = doc["question_id"], doc["windows"][0]
        answers[key] = {"answer": 0, "prediction": [number % 5, str(number % 5), None, 9][number % 4]}
        spans[key] = [
            [start, end], [start, start], [end, start], [start + 0.1234567, 1.0, end],
            [end + 1, end + 99.5],
        ][number % 5]  # fmt: skip
    del spans[docs[-1]["question_id"]]
    return answers, spans


def imported(path, docs, task="nextgqa"):
    source = Source(path, task, docs, {})
    found = {answer.id: answer.reply for answer in READER(source)}
    asked = [doc for doc in docs if doc["question_id"] in found]
    return [scoring.record(doc, found[doc["question_id"]]) for doc in asked], source.remarks


def test_a_folder_has_the_numbers_of_score(results, docs, tmp_path):
    answers, spans = results
    more = {"elsewhere_1": {"answer": 0, "prediction": 0}}
    (tmp_path / "test-res.json").write_text(json.dumps(answers | more))
    (tmp_path / "test_ground_att.json").write_text(json.dumps(spans))
    records, remarks = imported(tmp_path, docs)
    by_hand = []
    for doc in docs:
        said = answers[doc["question_id"]]["prediction"]
        letter = "ABCDE"[int(said)] if said not in (None, 9) else None
        span = spans.get(doc["question_id"])
        stated = {"answer": letter, "span": span and [span[0], span[-1]]}
        by_hand.append(scoring.record(doc, json.dumps(stated)))
    names = [name for name in scoring.METRICS.of(scoring.BOTH) if not name.startswith("unread_")]
    expected, found = (
        [evaluate(scoring.METRICS.of(scoring.BOTH)[name], one) for name in names]
        for one in (by_hand, records)
    )
    assert found == pytest.approx(expected, nan_ok=True)
    n_odd = sum(one["prediction"] in (None, 9) for one in answers.values())
    assert remarks == [
        "left out are 1 questions that nextgqa does not ask",
        f"{n_odd} predictions name no option; these questions have no answer",
    ]


def test_one_file_and_shares_of_the_video(results, docs, tmp_path):
    answers, _ = results
    (tmp_path / "any.json").write_text(json.dumps(answers))
    records, _ = imported(tmp_path / "any.json", docs)
    assert [one["spans"] for one in records] == [[]] * len(docs)
    whole = {doc["question_id"]: [0, 1] for doc in docs}
    (tmp_path / "val_ground_gs.json").write_text(json.dumps(whole))
    records, remarks = imported(tmp_path, docs, "nextgqa_frames_val")
    assert remarks == ["spans are shares of the video, as the name val_ground_gs.json says"]
    assert [one["spans"] for one in records] == [[[0, round(doc["duration"], 1)]] for doc in docs]


def test_what_is_not_clear_is_refused(docs, tmp_path):
    with pytest.raises(TempbenchError, match=r"neither test-res\.json nor"):
        imported(tmp_path, docs)
    for name in ("gs", "att"):
        (tmp_path / f"test_ground_{name}.json").write_text("{}")
    with pytest.raises(TempbenchError, match=r"has test_ground_att\.json, test_ground_gs\.json; keep only"):
        imported(tmp_path, docs)


def test_a_time_below_0_is_said(docs, tmp_path):
    (tmp_path / "test_ground.json").write_text(json.dumps({docs[0]["question_id"]: [-0.5, 3]}))
    records, remarks = imported(tmp_path, docs)
    assert [one["spans"] for one in records] == [[]]
    assert remarks == ["1 spans have a time below 0, which no reply names; they are left out"]
