"""What makes two starts one run, and what the processes of a run have to agree on."""

import json
import os
import shutil
import socket
import sqlite3
import subprocess
import sys
import textwrap
from contextlib import closing
from pathlib import Path

import pytest

from tempbench_lmms.data import provenance, run_files, tables
from tempbench_lmms.data.roots import mini_root
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.runs import results, safe_run, starting
from tempbench_lmms.runs.starting import Command
from tests.runs.test_logs import write_run

TASK = "tempvs_mt1_two"
MINI = f"{TASK}_mini"

# Notes what each process asks. One that is to wait for the others does so at every question, as runners do
# that share one model.
SCRIPT = """
    import os, sys, torch.distributed as dist
    output, task, together, homes = sys.argv[1], sys.argv[2], sys.argv[3] == "together", sys.argv[4:]
    rank = int(os.environ.get("RANK", 0))
    if homes:
        os.environ["TEMPBENCH_DATA"] = homes[rank]
    from tempbench_lmms.cli import main
    from tempbench_lmms.harness.respondents import simple

    chance = simple.REPLIES["chance"]
    def noted(doc, task, seed):
        with open(f"{output}.asked{rank}", "a") as file:
            file.write(doc["question_id"] + chr(10))
        if together:
            dist.barrier()
        return chance(doc, task, seed)
    simple.REPLIES["chance"] = noted
    sys.argv = ["tempbench", "run", "--model", "tempbench_chance", "--tasks", task, "--output", output]
    sys.argv += ["--slice", "7", "--no-report", "--", "--limit", "40"]
    main.main()
"""


def start(python, folder, *arguments, n=1, timeout=150):
    """Returns status and output of each of `n` processes that run together; -9 for one that does not end."""
    script = folder / "script.py"
    script.write_text(textwrap.dedent(SCRIPT))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    about = {"WORLD_SIZE": str(n), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "ACCELERATE_USE_CPU": "1"}
    started = [
        subprocess.Popen(
            [python, str(script), *map(str, arguments)],
            env=os.environ | (about | {"RANK": str(rank), "LOCAL_RANK": str(rank)} if n > 1 else {}),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for rank in range(n)
    ]
    out = []
    for process in started:
        try:
            printed = process.communicate(timeout=timeout)[0]
        except subprocess.TimeoutExpired:
            process.kill()
            printed = process.communicate()[0]
        out.append((process.returncode, printed))
    return out


def asked(output, rank=0):
    file = Path(f"{output}.asked{rank}")
    return file.read_text().splitlines() if file.is_file() else []


def forget_asked(output):
    for file in output.parent.glob(f"{output.name}.asked*"):
        file.unlink()


def values(output):
    (file,) = {Path(json.loads((output / run_files.STATE).read_text())["finished"])}
    return json.loads(file.read_text())["results"]


@pytest.fixture
def home(tmp_path):
    """Prepared data: the sample under the names that prepared data has."""
    return prepared(tmp_path / "home")


def prepared(home):
    shutil.copytree(mini_root("tempvs"), home / "tempvs")
    for file in (home / "tempvs").rglob("*.parquet"):
        rewrite(
            file,
            [
                row | {"images": [one.replace("/mini/", "/") for one in row["images"]]}
                for row in rows_of(file)
            ],
        )
    return home


def rows_of(file):
    return tables.read_rows(file)


def rewrite(file, rows):
    from tempbench_lmms.tempvs.features import SCHEMA

    tables.write_rows(rows, file, SCHEMA)


def test_a_log_with_repeated_or_missing_questions_is_no_finished_run(tmp_path):
    """As two processes with other data leave it: as many lines as questions, and not each question."""
    log = write_run(tmp_path, task=MINI, n=4)
    file = log.with_name("20260101_000000_results.json")
    ids = [row["record"]["id"] for row in map(json.loads, log.read_text().splitlines())]
    sound = log.read_text().splitlines()

    def logged(*lines):
        log.write_text("".join(f"{line}\n" for line in lines))

    (found,) = results.whole(file, {MINI: ids})
    assert [one.id for one in found.samples] == ids
    with pytest.raises(TempbenchError, match="2 lines have other questions"):
        results.whole(file, {MINI: [*ids[:2], ids[3], ids[2]]})
    for wrong, said in (
        ([sound[0], sound[2], sound[2], sound[0]], "2 lines repeat a question or its doc_id"),
        (sound[:1], "1 lines for the run's 4 questions"),
        (['{"doc_id": 9}'], "not a log line"),
        ([], "0 lines for the run's 4 questions"),
    ):
        logged(*wrong)
        with pytest.raises(TempbenchError, match=f"incomplete .*{said}"):
            results.whole(file, {MINI: ids})


@pytest.mark.harness
def test_processes_with_other_data_end_before_anything_is_asked(tmp_path, home):
    other = prepared(tmp_path / "other")
    file = other / "tempvs" / "mt1_two" / "test.parquet"
    rows = rows_of(file)
    rewrite(file, rows[1:] + rows[:1])
    out = tmp_path / "out"
    (first, printed), (second, _) = start(sys.executable, tmp_path, out, TASK, "alone", home, other, n=2)
    assert (first, second) == (1, 1), printed
    said = [line for line in printed.splitlines() if line.startswith("tempbench: process")]
    assert len(said) == 1
    assert "process 1 on " in said[0]
    assert f"has another data: {TASK}: questions or their order" in said[0]
    assert "Traceback" not in printed
    assert asked(out) == asked(out, 1) == []


@pytest.mark.harness
def test_what_is_left_is_dealt_out_anew(tmp_path):
    """Another number of processes, which have stored different numbers of answers and wait for each other."""
    out = tmp_path / "out"
    ((status, printed),) = start(sys.executable, tmp_path, out, MINI, "alone")
    assert status == 0, printed
    whole, questions = values(out), asked(out)
    assert len(questions) == 40
    forget_asked(out)
    # As if killed: of the questions of the second of two processes eleven are left, of the first's none.
    shutil.rmtree(out / "cache" / "runs")
    with closing(sqlite3.connect(out / "cache" / "cache.db")) as database, database as cache:
        cache.execute("DELETE FROM responses WHERE doc_id % 2 = 1 AND doc_id < 22")
    state = out / run_files.STATE
    state.write_text(json.dumps(json.loads(state.read_text()) | {"finished": "gone_results.json"}))
    ended = start(sys.executable, tmp_path, out, MINI, "together", n=2)
    assert [status for status, _ in ended] == [0, 0], ended[0][1][-3000:]
    first, second = asked(out), asked(out, 1)
    assert len(first) == len(second) == 6  # eleven, and one to make up the number
    # One after the other they are what one process would ask: those about the same pictures stand together.
    assert [*dict.fromkeys(first + second)] == questions[1:22:2]
    assert values(out) == whole
    # Nothing is left to do: all processes end.
    ended = start(sys.executable, tmp_path, out, MINI, "together", n=2, timeout=60)
    assert [status for status, _ in ended] == [0, 0]
    assert "finished already" in ended[0][1]


@pytest.mark.harness
def test_answers_to_another_picture_are_stale(tmp_path, home):
    out = tmp_path / "out"
    ((status, printed),) = start(sys.executable, tmp_path, out, TASK, "alone", home)
    assert status == 0, printed
    forget_asked(out)
    rows = rows_of(home / "tempvs" / "mt1_two" / "test.parquet")[:40]
    url = rows[0]["images"][0]
    about = [row["question_id"] for row in rows if url in row["images"]]
    picture = home / url.removeprefix("tempbench://")
    other = next(file for file in picture.parent.glob("*.png") if file.read_bytes() != picture.read_bytes())
    picture.write_bytes(other.read_bytes())
    ((status, printed),) = start(sys.executable, tmp_path, out, TASK, "alone", home)
    assert status == 1
    assert f"belongs to a run that differs in: data: {TASK}: pictures or videos" in printed
    assert "choose another --output" in printed
    assert asked(out) == []
    # Whoever removes the file that says whose folder it is gets no old answer either.
    (out / run_files.STATE).unlink()
    for file in out.rglob("*_results.json"):
        file.unlink()
    ((status, printed),) = start(sys.executable, tmp_path, out, TASK, "alone", home)
    assert status == 0, printed
    assert 0 < len(about) < 40
    assert sorted(asked(out)) == sorted(about)


@pytest.fixture
def finished(tmp_path):
    """A finished run, and what the same command finds that it is."""
    log = write_run(tmp_path, task=MINI)
    file = log.with_name("20260101_000000_results.json")
    found = starting.check(Command("m", MINI, tmp_path))
    kept = {"questions": found.questions}
    safe_run._finish(tmp_path, file, found, [], kept, lambda n: 0, lambda *given: None)
    assert safe_run._continued(tmp_path, found) == file
    return found


@pytest.mark.slow
def test_a_finished_run_whose_prompts_have_changed_is_not_finished_already(
    finished, tmp_path, monkeypatch, capsys
):
    from tempbench_lmms.harness import tasks

    before = (tmp_path / run_files.STATE).read_bytes()
    load = starting.load_task
    now = load(MINI) | {"doc_to_text": lambda doc, kwargs=None: f"In short: {doc['question_id']}"}
    monkeypatch.setattr(starting, "load_task", lambda name: now if name == MINI else tasks.load_task(name))
    found = starting.check(Command("m", MINI, tmp_path))
    with pytest.raises(TempbenchError, match=f"the prompts of {MINI} have changed since; choose"):
        safe_run._continued(tmp_path, found)
    assert (tmp_path / run_files.STATE).read_bytes() == before
    state = json.loads(before) | {"failed": [[MINI, "q1"]]}  # to ask it again would ask all anew
    (tmp_path / run_files.STATE).write_text(json.dumps(state))
    with pytest.raises(TempbenchError, match=f"of {MINI} have changed; choose"):
        safe_run._continued(tmp_path, found)


def test_other_versions_of_what_computes_are_another_run(finished, tmp_path, monkeypatch):
    monkeypatch.setattr(provenance, "version", lambda name: "0.0")
    found = starting.check(Command("m", MINI, tmp_path))
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
