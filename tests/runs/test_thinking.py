"""The warning where a reply had too little room."""

import json

from tempbench_lmms.runs import quality
from tempbench_lmms.runs.logs import read_runs
from tempbench_lmms.runs.task_log import Sample


def sample(number, reply="A", n_tokens=1, parsed=1, reason=None):
    record = {"id": str(number), "parsed": parsed, "failed": 0, "reason": reason}
    return Sample(record, frozenset(), "", reply, number, "A", n_tokens)


def test_more_than_one_reply_in_a_hundred_that_was_cut_off_is_said():
    whole = [sample(i) for i in range(99)]
    full = sample(99, "Because", n_tokens=64, parsed=0, reason="nothing")
    assert quality.cut_off([*whole, full], 64) == []  # 1 % is not more than 1 %
    thought = sample(100, "<think>It may be", parsed=0, reason="cut_off")
    (line,) = quality.cut_off([*whole[:98], full, thought], 64)
    assert line.startswith("2.0% (2 of 100) of the replies were cut off before they gave an answer")
    assert "max_new_tokens=N" in line
    assert quality.cut_off([*whole[:98], full, thought]) == []  # no tokens counted: one is known to be cut


def test_a_run_says_so_at_its_end(tmp_path, monkeypatch):
    results = tmp_path / "20260101_000000_results.json"
    task = "timepercept_pov_mini"
    record = {"id": "q", "parsed": 0, "failed": 0, "reason": "cut_off"}
    line = {"doc_id": 0, "record": record, "filtered_resps": "<think>", "resps": ["<think>"], "target": "x"}
    results.with_name(f"20260101_000000_samples_{task}.jsonl").write_text(json.dumps(line) + "\n")
    config = {"metadata": {"version": 1, "prompts": 1}, "generation_kwargs": {"max_new_tokens": 64}}
    results.write_text(json.dumps({"results": {task: {}}, "configs": {task: config}}))
    (said,) = quality.cut_in(read_runs([results]))
    assert said.startswith(f"{task}: 100.0% (1 of 1) of the replies were cut off before")
