"""`tempbench run`: what it refuses, what it keeps, and how it ends."""

import json
import re
import resource
import shutil
from pathlib import Path

import pytest

from tempbench_lmms.cli import runs
from tempbench_lmms.cli.report import report
from tempbench_lmms.data import locks, outputs
from tempbench_lmms.data.roots import mini_root
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness import catalog
from tempbench_lmms.harness.tasks import docs_of, load_task
from tempbench_lmms.runs import logs, safe_run, starting, supervision
from tempbench_lmms.runs.starting import Command
from tests.command import complains, tempbench
from tests.runs.conftest import CHANCE

ROOT = Path(__file__).parents[2]
TASK = "tempvs_mt1_two_mini"


@pytest.mark.slow
def test_a_pattern_stands_for_the_tasks_that_it_matches(tmp_path, capsys):
    named = starting.leaves(["tempvs_mt1_mini"])
    assert starting.leaves([TASK, "tempvs_mt1_mini"]) == [TASK, "tempvs_mt1_three_mini"]  # a group
    assert starting.leaves(["tempvs_mt1_[!l]*o_mini"]) == [TASK]
    assert set(starting.leaves(["tempvs_mt1*mini"])) >= {*named}
    pattern = "tempvs_mt1_*o_mini"
    assert starting.leaves([pattern]) == [TASK]
    found = starting.identify(Command("m", pattern, tmp_path))
    assert list(found.kept["data"]) == [TASK]
    assert "questions of 1 task are asked" in capsys.readouterr().err
    assert catalog.expanded([pattern], []) == [TASK]
    assert catalog.expanded(["mmmu_v*"], []) == ["mmmu_v*"]
    both = catalog.expanded(["tempcompass*"], [])  # the harness has tasks of that name, too
    assert "tempcompass*" in both
    assert {*both} - {"tempcompass*"} <= catalog.task_files().keys()
    assert "tempcompass*" not in catalog.expanded(["tempcompass*"])


@pytest.mark.parametrize(
    ("tasks", "line"),
    [
        ("nosuch", "no task named 'nosuch'"),
        (
            f"{TASK},tempvs_mt1_tow_mini",
            f"'tempvs_mt1_tow_mini', here or in the harness; did you mean {TASK}",
        ),
        ("mateo_mini,mmmu_vall", "did you mean mmmu_val"),
        ("mateo_mini, mateo", "no task named ' mateo', here or in the harness; did you mean mateo"),
        ("nosuch*", "no task named 'nosuch*'"),
        ("mateo_mini,", "or has a comma too many"),
        (" ", "--tasks names no task"),
    ],
)
def test_a_name_that_no_task_has_is_a_line_and_leaves_nothing(tasks, line, tmp_path):
    done = tempbench("run", "--model", "m", "--tasks", tasks, "-o", tmp_path / "o")
    complains(done, line)
    assert not (tmp_path / "o").exists()
    with pytest.raises(TempbenchError, match=re.escape(line)):  # without the command
        safe_run.run(Command("m", tasks, tmp_path / "o"))
    assert not (tmp_path / "o").exists()


@pytest.mark.parametrize(
    "words", ["--conf x", "--conf=x", "--task x", "--model_arg=a=2", "--output x", "-c x", "-cx"]
)
def test_an_option_of_ours_is_refused_in_short_too(words):
    with pytest.raises(TempbenchError, match="is set by `tempbench run`"):
        starting.part(words.split())


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--limit", "abc"], "argument --limit: invalid float value: 'abc'"),
        (["--limit=0"], "--limit takes a number"),
        (["--limit", "-5"], "--limit takes a number"),
        (["--limit", "8", "--offset", "-1"], "--offset a number from 0"),
        (["--agentic_trace_mode", "none"], "invalid choice: 'none'"),
        (["--limit", "3", "4"], "4: the harness has no option for that"),
        (["--model-args", "foo"], "--model-args foo: give it as name=value"),
        (["--gen_kwargs", "max_new_tokens"], "--gen_kwargs max_new_tokens: give it as name=value"),
        (["--gen_kwargs", "top_p=1,temperature=-0.5"], "temperature=-0.5: give a number above 0, or 0"),
        (["--num_fewshot", "3"], f"--num_fewshot 3: {TASK} has no examples to show"),
        (["--wandb_args", "a,b=1"], "--wandb_args a: give it as name=value"),
        (["--include_path", "/nosuch"], "--include_path /nosuch: no such folder"),
        (["--limt", "3"], "nor the harness has an option --limt; did you mean --limit?"),
        (["--", "--gen-kwarg=a=1"], "an option --gen-kwarg; did you mean --gen_kwargs?"),
        (["--", "-z"], "an option -z; see"),
    ],
)
def test_what_the_harness_would_refuse_is_a_line_before_the_work(words, line, tmp_path):
    run = ["run", "--model", "tempbench_chance", "--tasks", TASK, "-o", tmp_path / "o"]
    complains(tempbench(*run, *words), line)
    assert not (tmp_path / "o").exists()


@pytest.mark.parametrize(
    ("words", "numbers"),
    [
        ([], range(10)),
        (["--limit", "-1"], range(10)),
        (["--limit", "3"], range(3)),
        (["--lim=0.25", "-b", "4"], range(3)),
        (["--limit", "3", "--offset", "8"], range(8, 10)),
        (["--offset", "4", "--log_samples_suffix", "x", "--"], range(4, 10)),
    ],
)
def test_what_limit_and_offset_leave(words, numbers):
    assert list(starting.part(words)(range(10))) == list(numbers)


def test_data_that_is_not_prepared_names_the_command(tmp_path, monkeypatch):
    monkeypatch.setenv("TEMPBENCH_DATA", str(tmp_path))
    with pytest.raises(TempbenchError, match="tempbench prepare tempvs"):
        starting.identify(Command("m", "tempvs_mt1_two", tmp_path))


def test_a_full_disk_is_told_before_a_model_is_loaded(tmp_path, monkeypatch):
    monkeypatch.setattr(outputs.shutil, "disk_usage", lambda path: type("Usage", (), {"free": 1_000_000})())
    with pytest.raises(TempbenchError, match="1 MB free"):
        starting.identify(Command("m", TASK, tmp_path))


def test_quick_look_at_the_data():
    config, docs = load_task(TASK), docs_of(load_task(TASK))
    assert list(starting.task_problems(config, docs)) == []
    twice = [docs[0], docs[0]]
    name = docs[0]["question_id"]
    assert next(starting.task_problems(config, twice)) == f"row 1 ({name}): question_id: duplicate of row 0"


@pytest.mark.parametrize("row", [0, 1])
def test_a_damaged_medium_fails_its_own_questions_alone(row, tmp_path, monkeypatch, capsys):
    shutil.copytree(mini_root("tempvs"), tmp_path / "tempvs")
    monkeypatch.setenv("TEMPBENCH_DATA", str(tmp_path))
    config = load_task(TASK)
    docs = [
        doc | {"images": [url.replace("/mini/", "/") for url in doc["images"]]} for doc in docs_of(config)
    ]
    docs = [docs[0], next(doc for doc in docs if not {*doc["images"]} & {*docs[0]["images"]})]
    name = docs[row]["images"][0].rpartition("/")[2]
    for picture in (tmp_path / "tempvs").rglob(name):
        picture.write_bytes(b"x")
    assert not list(starting.task_problems(config, docs))
    said = capsys.readouterr().err
    assert said.startswith(f"tempbench: {TASK}, row {row}: ")
    assert name in said
    assert said.endswith("its questions count as failed, the others are asked\n")


def test_two_runs_do_not_share_a_folder(start, tmp_path):
    (tmp_path / "o").mkdir()
    with locks.locked(tmp_path / "o" / outputs.LOCK, ""):
        assert "another run" in start("o").said


def test_a_folder_with_other_results_is_left_alone(tmp_path):
    (tmp_path / "20260101_000000_results.json").write_text("{}")
    with pytest.raises(TempbenchError, match="other results"):
        safe_run._continued(tmp_path, {})


@pytest.mark.harness
def test_a_run_that_crashes_is_read_continued_and_finished(start, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / TASK).mkdir()  # to the harness a folder that is called like a task is a path
    asked = []

    def crashing(doc, task, seed):
        asked.append(doc)
        if len(asked) >= 25:
            raise RuntimeError("out of memory")
        return "" if len(asked) % 5 == 0 else CHANCE(doc, task, seed)

    # Two slices of ten are stored, the third is lost at its fifth question, whatever is asked again; empty
    # replies are stored too.
    crash = start("crash", crashing, 40)
    assert (crash.status, len(crash.asked) > 25) == (1, True)
    assert "out of memory" in crash.said
    assert "continue" in crash.said
    command = f"tempbench run --model tempbench_chance --model-args seed=3 --tasks {TASK} --output "
    with pytest.raises(TempbenchError) as unfinished:
        logs.read_runs([tmp_path / "crash"])
    said = str(unfinished.value)
    assert said.startswith(f"{tmp_path / 'crash'}: the run is unfinished, 20 of 40 answers are ")
    assert f"`{command}{tmp_path / 'crash'} -- --limit 40`; add --partial" in said
    (log,) = logs.read_runs([tmp_path / "crash"], partial=True)
    assert log.problems[0] == f"{TASK}: the run is unfinished, 20 of 40 questions are answered"
    assert len(log.samples) == 20
    assert 0 < log.values["n_main"] <= 20
    assert log.header["n-samples"][TASK]["effective"] == 20 < log.header["n-samples"][TASK]["original"]
    for suffix in ("html", "md", "csv", "tex"):
        report([f"b={tmp_path / 'crash'}"], tmp_path / f"r.{suffix}", pictures=0)
        text = (tmp_path / f"r.{suffix}").read_text(encoding="utf-8")
        assert "b (unfinished)" in text
        assert "20 of 40 questions are answered" in text
    resumed, again = start("crash", limit=40, report=True), start("crash", limit=40)
    assert (resumed.status, len(resumed.asked)) == (0, 20)
    assert "tempbench: 20 of 40 answered" in capsys.readouterr().err
    assert (again.status, again.asked) == (0, [])
    assert "differs in: arguments" in start("crash", limit=50).said
    assert "<!doctype html>" in (tmp_path / "crash" / "report.html").read_text(encoding="utf-8")

    # A disk that is full while the logs are written, and then no more.
    state = tmp_path / "crash" / outputs.STATE
    state.write_text(json.dumps(json.loads(state.read_text()) | {"finished": "gone_results.json"}))
    (log,) = (tmp_path / "crash").glob("*.jsonl")
    most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (log.stat().st_size * 3 // 4, most[1]))
    try:
        full = start("crash", limit=40)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, most)
    assert (full.status, full.asked) == (1, [])
    assert "and its logs are incomplete" in full.said
    assert start("crash", limit=40).status == 0

    # A log is deleted after the end.
    finished = json.loads(state.read_text())["finished"]
    Path(finished.replace("_results.json", f"_samples_{TASK}.jsonl")).unlink()
    deleted = start("crash", limit=40)
    assert (deleted.status, deleted.asked) == (0, [])
    assert json.loads(state.read_text())["finished"] not in (finished, None)


@pytest.mark.harness
def test_a_failed_request_is_no_answer_and_is_not_kept(start, tmp_path):
    failing = start("failing", model="tempbench_failing", limit=3, report=True)
    assert "3 of 3 requests failed" in failing.said
    assert supervision.kept(tmp_path / "failing") == 0
    assert "<!doctype html>" in (tmp_path / "failing" / "report.html").read_text(encoding="utf-8")


def test_a_model_that_the_harness_does_not_know(start):
    assert "no_such_model" in start("unknown", model="no_such_model", limit=3).said


def test_a_report_that_cannot_be_written_is_no_failure(tmp_path, capsys):
    runs.write_report(tmp_path / "report.html", tmp_path / "none_results.json")
    assert "no report (" in capsys.readouterr().err


@pytest.mark.parametrize("variable", ["HF_HOME", "HF_DATASETS_CACHE", "LMMS_EVAL_DATASETS_CACHE"])
def test_a_cache_that_cannot_be_written_is_a_line_with_its_path(variable, tmp_path):
    words = ("run", "--model", "m", "--tasks", "tempvs_mini", "-o", tmp_path / "o")
    done = tempbench(*words, **{variable: "/proc/nowhere"})
    complains(done, "/proc/nowhere", "cannot be written", "HF_HOME")
