"""Files that strangers import: what a reader says of each reply, without a run."""

import json

import pytest

from tempbench_lmms import benchmarks
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness.adapter import request_failed
from tempbench_lmms.runs import importing

DOCS = [{"question_id": name, "question": f"What is {name}?"} for name in ("q1", "q2", "12")]
TOMATO = [{"question_id": "count/0/1f", "base_id": "count/0", "condition": "1f"}]
TEMPVS = [
    {
        "question_id": "vist/mt2_event/q0",
        "tests": ["mt2_event"],
        "role": "main",
        "source": "vist",
        "sequence_id": "s",
        "text": "",
        "answer": "A",
    }
]


def answers(reader, path, docs=DOCS, **more):
    source = importing.Source(path, "task", docs, {"doc_to_text": lambda doc, kwargs: ""}, **more)
    return {answer.id: answer.reply for answer in reader(source)}, source


def written(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    text = content if isinstance(content, str) else json.dumps(content)
    path.write_text(text)
    return path


@pytest.mark.parametrize("start", ["", "\ufeff", " \n"])
def test_replies_come_as_lines_or_as_a_list(start, tmp_path):
    lines = [{"question_id": "q1", "reply": "A"}, {"question_id": "q2", "reply": ""}]
    as_lines = start + "\r\n".join(map(json.dumps, lines))
    for content in (as_lines, start + json.dumps(lines, indent=1)):
        found, _ = answers(importing.replies, written(tmp_path / "r.jsonl", content))
        assert found == {"q1": "A", "q2": ""}


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ('{"question_id": "q1", "reply": "A", "reply": "B"}', "line 1: the key 'reply' appears twice"),
        ('{"question_id": "q1", "reply": ["A"]}', "line 1: reply is of type list, not a text"),
        ('{"reply": "A"}', "line 1 has no question_id; correct it"),
        ('{"question_id": "q1"}', "line 1 has no reply; correct it"),
        ('{"question_id": 1, "reply": "A"}', "line 1: question_id is of type int, not a text"),
        ('{\n"q1": "A"}', "line 1: not JSON .*; give one object per line, or one list of objects"),
        ('[{"question_id": "q1", "reply": "A"}, {}]', "entry 2 has no question_id and reply"),
        ('[{"question_id": "q1", "reply": "A"}', "the list: not JSON"),
    ],
)
def test_replies_that_say_nothing_or_two_things(content, says, tmp_path):
    with pytest.raises(TempbenchError, match=says):
        answers(importing.replies, written(tmp_path / "r.jsonl", content))


@pytest.mark.parametrize(
    ("row", "found"),
    [
        ({"id": " q1 ", "prediction": "A"}, {"q1": "A"}),
        ({"index": 0, "id": "q1", "prediction": 2.0}, {"q1": "2"}),
        ({"index": "q1", "prediction": 2.5}, {"q1": "2.5"}),
        ({"question": "What  is q1?", "prediction": float("nan")}, {"q1": ""}),
        ({"Index": "q1", "Prediction": "A"}, {"q1": "A"}),
        ({"index": 12.0, "prediction": "A"}, {"12": "A"}),  # of which pandas made a float
        ({"index": "12.0", "prediction": "A"}, {"12": "A"}),
    ],
)
def test_ids_and_numbers_of_tables(row, found, tmp_path):
    assert answers(importing.vlmevalkit, written(tmp_path / "t.jsonl", row))[0] == found


def test_a_reply_that_is_null_is_a_failed_request(tmp_path):
    found, _ = answers(importing.replies, written(tmp_path / "r.jsonl", {"question_id": "q1", "reply": None}))
    assert request_failed(found["q1"])
    rextime = benchmarks.readers("rextime")["rextime"]
    found, _ = answers(rextime, written(tmp_path / "r.jsonl", {"qid": "q1", "response": None}))
    assert request_failed(found["q1"])
    with pytest.raises(TempbenchError, match="prediction 1: q1: response is of type list, not a text"):
        answers(rextime, written(tmp_path / "r.jsonl", {"qid": "q1", "response": ["A"]}))


def test_a_model_that_all_replies_name_is_the_run_s(tmp_path):
    lines = [{"question_id": name, "reply": "A", "model": "m"} for name in ("q1", "q2")]
    path = tmp_path / "r.json"
    assert answers(importing.replies, written(path, lines))[1].model == "m"
    assert answers(importing.replies, path, model="given")[1].model == "given"
    lines[1]["model"] = "n"
    assert answers(importing.replies, written(path, lines))[1].model == ""


def test_responses_of_tomato(tmp_path):
    tomato = benchmarks.readers("coherence")["tomato"]
    file = tmp_path / "count+human" / "1" / "m.jsonl"
    written(file, {"id": "0", "response": None})
    found, _ = answers(tomato, tmp_path, TOMATO)
    assert request_failed(found["count/0/1f"])
    written(file, '\ufeff{"id": "0", "response": "A"}')
    written(file.with_name("._m.jsonl"), "what a Mac leaves")
    assert answers(tomato, tmp_path, TOMATO)[0] == {"count/0/1f": "A"}
    for value in (["A"], 3, True):
        written(file, {"id": "0", "response": value})
        with pytest.raises(TempbenchError, match=f"line 1: response is of type {type(value).__name__}"):
            answers(tomato, tmp_path, TOMATO)


def test_predictions_of_tempvs(tmp_path):
    tempvs = benchmarks.readers("tempvs")["tempvs"]
    path = tmp_path / "vist_ordering_texts_opt_event_preds_full.json"

    def read(value):
        row = {"question_id": "q0", "img_seq_id": "s", "preds": value}
        written(path, json.dumps([row]))
        return answers(tempvs, tmp_path, TEMPVS)[0]

    name = next(iter(read("A")))
    assert read("None") == {name: "None"}
    for nothing in (None, float("nan")):
        assert request_failed(read(nothing)[name])
    with pytest.raises(TempbenchError, match="row 0: preds is of type list, not a text"):
        read(["A"])
    written(path, '[{"img_seq_id": "s", "preds": "A", "preds": "B"}]')
    with pytest.raises(TempbenchError, match="the key 'preds' appears twice"):
        answers(tempvs, tmp_path, TEMPVS)


def test_replies_as_long_as_a_cell_are_said(tmp_path):
    from openpyxl import Workbook

    made = Workbook()
    for row in (["index", "prediction"], ["q1", "x" * 40_000]):
        made.active.append(row)
    made.save(tmp_path / "t.xlsx")
    _, source = answers(importing.vlmevalkit, tmp_path / "t.xlsx")
    (remark,) = source.remarks
    assert remark.startswith("1 reply of 32,767 characters")
