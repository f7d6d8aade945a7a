"""Room for models that think, and the warning where it was too little."""

import json

import pytest

from tempbench_lmms.cli import runs
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness import identity
from tempbench_lmms.runs import quality, safe_run, supervision
from tempbench_lmms.runs.arguments import with_room
from tempbench_lmms.runs.logs import read_runs
from tempbench_lmms.runs.task_log import Sample


@pytest.mark.parametrize(
    ("further", "expected"),
    [
        ([], ["--gen_kwargs", "max_new_tokens=9000"]),
        (
            ["--gen_kwargs=top_p=0.9", "-b", "4"],
            ["--gen_kwargs=top_p=0.9", "-b", "4", "--gen_kwargs", "top_p=0.9,max_new_tokens=9000"],
        ),
    ],
)
def test_settings_of_ones_own_are_kept(further, expected):
    assert with_room(further, 9000, ["tempvs_mt1_two_cot", "timepercept_tal"]) == expected


def test_a_limit_is_never_lowered_and_never_set_twice():
    with pytest.raises(TempbenchError, match="would lower the limit of tempvs_mt1_two_cot, 4096"):
        with_room([], 4095, ["timepercept_tal", "tempvs_mt1_two_cot"])
    with pytest.raises(TempbenchError, match="both set the limit"):
        with_room(["--gen_kwargs", "max_new_tokens=8"], 9000)


def test_the_run_gets_it_as_an_argument_and_is_another_run(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(supervision, "is_possible", lambda: False)
    monkeypatch.setattr(safe_run, "run", lambda *args: asked.append(args[0].further))
    for tokens in (None, 9000, 9001):
        runs.run("dummy", "tempvs_mt1_mini", tmp_path / "o", thinking=tokens, arguments=["--limit", "8"])
    assert asked[0] == ["--limit", "8"]
    assert asked[1] == ["--limit", "8", "--gen_kwargs", "max_new_tokens=9000"]
    whose = [identity.of_model("dummy", "", one) for one in asked]
    assert identity.differences(whose[0], whose[1])
    assert len({identity.fingerprint(one) for one in whose}) == 3  # part of the key of every answer


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
    assert "--thinking N" in line
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
