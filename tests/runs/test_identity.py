"""What makes two starts one run, and what the processes of a run have to agree on."""

import json
import os
import shutil
import socket
import subprocess
import sys

import pytest

from tempbench_lmms.data import outputs, provenance, tables
from tempbench_lmms.data.roots import mini_root
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.runs import safe_run, starting, supervision
from tempbench_lmms.runs.starting import Command
from tempbench_lmms.tempvs.rows import SCHEMA
from tests.runs.test_logs import write_run

TASK = "tempvs_mt1_two"
MINI = f"{TASK}_mini"


def together(folder, task, homes=("", "")):
    """Runs a command in two processes, each with data of its own; returns status and output of each."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    about = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "ACCELERATE_USE_CPU": "1"}
    words = ["run", "--model", "tempbench_chance", "--model-args", "seed=3", "--tasks", task]
    words += ["--output", str(folder / "out"), "--slice", "10", "--no-report", "--", "--limit", "40"]
    started = [
        subprocess.Popen(
            [sys.executable, "-m", "tempbench_lmms.cli", *words],
            env=os.environ | about | {"RANK": rank, "LOCAL_RANK": rank, "TEMPBENCH_DATA": str(home)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for rank, home in zip("01", homes, strict=True)
    ]
    try:
        return [(process.communicate(timeout=150)[0], process.returncode)[::-1] for process in started]
    finally:
        for process in started:
            process.kill()


@pytest.fixture
def home(tmp_path):
    return prepared(tmp_path / "home")


def prepared(home):
    """Makes prepared data: the sample under the names that prepared data has."""
    shutil.copytree(mini_root("tempvs"), home / "tempvs")
    for file in (home / "tempvs").rglob("*.parquet"):
        rows = tables.read_rows(file)
        for row in rows:
            row["images"] = [one.replace("/mini/", "/") for one in row["images"]]
        tables.write_rows(rows, file, SCHEMA)
    return home


def test_a_log_with_repeated_or_missing_questions_is_no_finished_run(tmp_path):
    """As two processes with other data leave it: as many lines as questions, and not each question."""
    log = write_run(tmp_path, task=MINI, n=4)
    file = log.with_name("20260101_000000_results.json")
    ids = [row["record"]["id"] for row in map(json.loads, log.read_text().splitlines())]
    sound = log.read_text().splitlines()

    def logged(*lines):
        log.write_text("".join(f"{line}\n" for line in lines))

    (found,) = safe_run.complete_logs(file, {MINI: ids})
    assert [one.id for one in found.samples] == ids
    with pytest.raises(TempbenchError, match="2 lines have other questions"):
        safe_run.complete_logs(file, {MINI: [*ids[:2], ids[3], ids[2]]})
    for wrong, said in (
        ([sound[0], sound[2], sound[2], sound[0]], "2 lines cannot be used, first line 3 .it repeats"),
        (sound[:1], "1 lines for the run's 4 questions"),
        (['{"doc_id": 9}'], "1 line cannot be used"),
        ([], "0 lines for the run's 4 questions"),
    ):
        logged(*wrong)
        with pytest.raises(TempbenchError, match=f"incomplete .*{said}"):
            safe_run.complete_logs(file, {MINI: ids})


@pytest.mark.harness
def test_processes_with_other_data_end_before_anything_is_asked(tmp_path, home):
    other = prepared(tmp_path / "other")
    file = other / "tempvs" / "mt1_two" / "test.parquet"
    rows = tables.read_rows(file)
    tables.write_rows(rows[1:] + rows[:1], file, SCHEMA)
    (first, printed), (second, _) = together(tmp_path, TASK, (home, other))
    assert (first, second) == (1, 1), printed
    said = [line for line in printed.splitlines() if line.startswith("tempbench: process")]
    assert len(said) == 1
    assert "process 1 on " in said[0]
    assert f"has another data: {TASK}: questions or their order" in said[0]
    assert "Traceback" not in printed
    assert supervision.kept(tmp_path / "out") == 0


@pytest.mark.harness
def test_two_processes_end_where_nothing_is_left_to_do(start, tmp_path):
    assert start("out", limit=40, tasks=MINI).status == 0
    ended = together(tmp_path, MINI)
    assert [status for status, _ in ended] == [0, 0], ended[0][1][-3000:]
    assert "finished already" in ended[0][1]


@pytest.mark.harness
def test_answers_to_another_picture_are_stale(start, tmp_path, home, monkeypatch):
    monkeypatch.setenv("TEMPBENCH_DATA", str(home))
    first = start("out", limit=40, tasks=TASK)
    assert first.status == 0, first.said
    rows = tables.read_rows(home / "tempvs" / "mt1_two" / "test.parquet")[:40]
    url = rows[0]["images"][0]
    about = [row["question_id"] for row in rows if url in row["images"]]
    picture = home / url.removeprefix("tempbench://")
    other = next(file for file in picture.parent.glob("*.png") if file.read_bytes() != picture.read_bytes())
    picture.write_bytes(other.read_bytes())
    refused = start("out", limit=40, tasks=TASK)
    assert f"belongs to a run that differs in: data: {TASK}: pictures or videos" in refused.said
    assert "choose another --output" in refused.said
    assert refused.asked == []
    # Whoever removes the file that says whose folder it is gets no old answer either.
    (tmp_path / "out" / outputs.STATE).unlink()
    for file in (tmp_path / "out").rglob("*_results.json"):
        file.unlink()
    again = start("out", limit=40, tasks=TASK)
    assert again.status == 0, again.said
    assert 0 < len(about) < 40
    assert sorted(again.asked) == sorted(about)


@pytest.fixture
def finished(tmp_path):
    """A finished run, and what the same command finds that it is."""
    log = write_run(tmp_path, task=MINI)
    file = log.with_name("20260101_000000_results.json")
    found = starting.identify(Command("m", MINI, tmp_path))
    kept = {"questions": found.questions}
    safe_run._finish(
        tmp_path, file, found, [], kept, safe_run.RunOptions(max_failures="0"), lambda *given: None
    )
    assert safe_run._continued(tmp_path, found) == file
    return found


@pytest.mark.slow
def test_a_finished_run_whose_prompts_have_changed_is_not_finished_already(
    finished, tmp_path, monkeypatch, capsys
):
    from tempbench_lmms.harness import tasks

    before = (tmp_path / outputs.STATE).read_bytes()
    load = starting.load_task
    now = load(MINI) | {"doc_to_text": lambda doc, kwargs=None: f"In short: {doc['question_id']}"}
    monkeypatch.setattr(starting, "load_task", lambda name: now if name == MINI else tasks.load_task(name))
    found = starting.identify(Command("m", MINI, tmp_path))
    with pytest.raises(TempbenchError, match=f"the prompts of {MINI} have changed since; choose"):
        safe_run._continued(tmp_path, found)
    assert (tmp_path / outputs.STATE).read_bytes() == before
    state = json.loads(before) | {"failed": [[MINI, "q1"]]}  # to ask it again would ask all anew
    (tmp_path / outputs.STATE).write_text(json.dumps(state))
    with pytest.raises(TempbenchError, match=f"of {MINI} have changed since; choose"):
        safe_run._continued(tmp_path, found)


def test_other_versions_of_what_computes_are_another_run(finished, tmp_path, monkeypatch):
    monkeypatch.setattr(provenance, "version", lambda name: "0.0")
    found = starting.identify(Command("m", MINI, tmp_path))
    with pytest.raises(TempbenchError, match=r"differs in: packages: .*transformers \('.*', now '0.0'\)"):
        safe_run._continued(tmp_path, found)


def test_a_finished_run_that_was_changed_after_its_end_is_made_again(finished, tmp_path, capsys):
    (log,) = tmp_path.glob("*.jsonl")
    (file,) = tmp_path.glob("*_results.json")
    for path in (log, file):
        before = path.read_text()
        path.write_text(before.replace("mini", "Mini", 1))
        assert safe_run._continued(tmp_path, finished) is None
        assert "the answers are stored" in capsys.readouterr().err
        path.write_text(before)
    log.unlink()
    assert safe_run._continued(tmp_path, finished) is None
