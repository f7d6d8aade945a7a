"""Scores and counts from the command line."""

import json

import pytest

from tempbench_lmms.data.roots import mini_root
from tempbench_lmms.data.tables import read_rows
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.mateo import prompts
from tempbench_lmms.runs import importing

ROWS = read_rows(mini_root("mateo") / "pairs")


def write(tmp_path, lines):
    file = tmp_path / "replies.jsonl"
    file.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    return file


def score(file, task, **given):
    return importing.score("mateo", file, task=task, mini=True, **given).as_json()


@pytest.mark.slow
def test_score(tmp_path):
    # The original order answered rightly, the swapped one as if it were the original.
    lines = [
        {
            "question_id": row["question_id"],
            "reply": prompts.triple({"after": "before"}.get(row["label"], row["label"])),
        }
        for row in ROWS
    ]
    found = score(write(tmp_path, lines), "mateo_both_instructions")
    assert found["metrics"]["accuracy_dependent"] == 0
    assert found["metrics"]["accuracy_independent"] == 1
    assert found["metrics"]["accuracy"] == 0.5
    assert found["metrics"]["f1_before"] == 1
    assert found["details"]["confusion"]["swapped"]["after"] == {
        "before": 52,
        "after": 0,
        "independent": 0,
        "other": 0,
    }
    assert "reflection_kept" not in found["metrics"]
    assert "reflection_kept" in score(write(tmp_path, lines), "mateo_text_reflection")["metrics"]


def test_replies_that_are_missing_cut_their_pair(tmp_path):
    file = write(tmp_path, [{"question_id": row["question_id"], "reply": row["target"]} for row in ROWS[:3]])
    with pytest.raises(
        TempbenchError, match=f"{len(ROWS) - 3} of {len(ROWS)} questions have no reply.*--partial"
    ):
        score(file, "mateo_both_cot")
    metrics = score(file, "mateo_both_cot", partial=True)["metrics"]
    assert (metrics["n_pairs"], metrics["n_cut"], metrics["accuracy"]) == (1, 1, 1)
