import json

import pytest

from tempbench_lmms.data.roots import mini_root
from tempbench_lmms.data.tables import read_rows
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.rextime import hooks
from tempbench_lmms.runs import importing


def test_no_score_of_the_test_split_is_emitted():
    row = read_rows(mini_root("rextime") / "test")[0]
    out = hooks.process_results_test(row, ['{"answer": "B", "span": [1, 2]}'])
    assert not {"score", "acc", "miou"} & out.keys()
    assert not {"correct", "iou", "gold"} & out["record"].keys()


@pytest.fixture
def ground_truth(tmp_path):
    file = tmp_path / "truth.jsonl"
    truths = [
        {
            "qid": "q1",
            "query": "?",
            "duration": 10,
            "vid": "v_abcdefghijk",
            "relevant_windows": [[0, 10]],
            "ans": "A",
        },
        {"qid": "q2", "query": "?", "duration": 20, "vid": "x", "relevant_windows": [[5, 15]], "ans": "B"},
    ]
    file.write_text("".join(json.dumps(line) + "\n" for line in truths))
    return file


def score(file, ground_truth, partial=False):
    return importing.score("rextime", file, data=ground_truth, partial=partial).as_json()


def test_score_files(tmp_path, ground_truth):
    file = tmp_path / "predictions.jsonl"
    lines = [
        {"qid": "q1", "response": "A, from 0 to 5 seconds"},
        {"qid": "q2", "pred_relevant_windows": [], "ans": "b"},
    ]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = score(file, ground_truth)
    assert found["official"]["brief"]["MR-full-mIoU"] == 25.0
    assert found["official"]["VQA"] == 0.5
    assert found["metrics"]["miou"] == 0.25
    assert found["metrics"]["span_parse_rate"] == 0.5
    file.write_text(json.dumps(lines[0]))
    with pytest.raises(TempbenchError, match="1 of 2 questions have no reply, first 'q2'"):
        score(file, ground_truth)
    assert score(file, ground_truth, partial=True)["metrics"]["acc"] == 1.0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "holds no reply"),
        ("{}", "line 1 is not an object with qid"),
        ("{", "line 1"),
        ("[1]", "entry 1 is not an object with qid"),
        ('{"qid": "q1", "qid": "q2"}', "the key 'qid' appears twice"),
        ('{"qid": "q1", "response": ["A"]}', "response is of type list, not a text"),
        ('{"qid": "q1"}', "pred_relevant_windows and ans are both missing"),
        (
            '{"qid": "q1", "pred_relevant_windows": [[1, NaN]]}',
            "q1: pred_relevant_windows holds no window of two finite numbers",
        ),
    ],
)
def test_unusable_predictions(tmp_path, ground_truth, text, message):
    file = tmp_path / "predictions.jsonl"
    file.write_text(text)
    with pytest.raises(TempbenchError, match=message):
        score(file, ground_truth, partial=True)
