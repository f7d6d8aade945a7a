"""A run that a signal ends says how many answers are kept; a run without an answer keeps nobody out."""

import errno
import signal
import sqlite3
import subprocess
import sys
import textwrap
from unittest import mock

import pytest

from tempbench_lmms.cli import runs
from tempbench_lmms.data.outputs import STATE
from tempbench_lmms.runs import safe_run, supervision
from tempbench_lmms.runs.starting import RunIdentity
from tests.command import complains, tempbench
from tests.runs.test_logs import write_run


def store(file, keys):
    file.parent.mkdir(parents=True, exist_ok=True)
    database = sqlite3.connect(file)
    database.execute("CREATE TABLE IF NOT EXISTS responses (cache_key TEXT PRIMARY KEY)")
    database.executemany("INSERT INTO responses VALUES (?)", [(key,) for key in keys])
    database.commit()
    database.close()


def test_answers_are_counted_once(tmp_path):
    assert supervision.kept(tmp_path) == 0
    store(tmp_path / "cache" / "cache.db", ["a", "b"])
    store(tmp_path / "cache" / "runs" / "1" / "rank_0.db", ["b", "c"])
    store(tmp_path / "cache" / "runs" / "1" / "rank_1.db", ["d"])
    (tmp_path / "cache" / "runs" / "1" / "rank_2.db").write_bytes(b"damaged" * 999)
    assert supervision.kept(tmp_path) == 4
    assert supervision.kept(tmp_path / "all") == 0
    store(tmp_path / "all" / "repeat_1" / "cache" / "cache.db", ["a", "b"])
    store(tmp_path / "all" / "repeat_2" / "cache" / "cache.db", ["c"])
    assert supervision.kept(tmp_path / "all") == 3
    assert supervision.advice(tmp_path) == (
        f"4 answers are stored in {tmp_path}, give the same command again to continue"
    )


@pytest.mark.parametrize(
    ("error", "said", "is_full"),
    [
        (sqlite3.OperationalError("database or disk is full"), "cache: database or disk is full", True),
        (sqlite3.OperationalError("disk I/O error"), "disk I/O error", True),
        (sqlite3.OperationalError("database is locked"), "is locked", False),
        (OSError(errno.ENOSPC, "No space left on device"), "run: No space left on device", True),
        (FileNotFoundError(errno.ENOENT, "No such file", "a.mp4"), "(a.mp4: No such file)", False),
        (ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused"), "(Connection refused)", False),
        (ValueError("disk"), "(disk)", False),
    ],
)
def test_only_a_disk_that_takes_no_more_is_the_folders_fault(error, said, is_full, tmp_path):
    found = str(safe_run._failed(error, tmp_path / "run"))
    assert said in found
    assert ("free space" in found) == is_full


CODE = """
    import subprocess, sys, time
    from pathlib import Path
    from tempbench_lmms.runs import supervision
    with supervision.told(Path(sys.argv[1])):
        if sys.argv[2] == "supervised":
            supervision.supervised(Path(sys.argv[1]))
        code = "import time; print('child', flush=True); time.sleep(60)"
        child = subprocess.Popen([sys.executable, "-c", code])
        print("is", child.pid, flush=True)
        time.sleep(60)
"""


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("how", ["supervised", "alone"])
def test_a_signal_ends_a_run_with_one_line_and_all_it_started(tmp_path, how, number):
    store(tmp_path / "cache" / "cache.db", ["a"])
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(CODE), str(tmp_path), how],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as process:
        lines = {process.stdout.readline().split()[0], (second := process.stdout.readline()).split()[0]}
        assert lines == {"is", "child"}, second
        process.send_signal(number)
        _, err = process.communicate(timeout=30)
    name = signal.Signals(number).name
    kept = f"1 answer is stored in {tmp_path}, give the same command again to continue"
    assert err == f"tempbench: ended by {name}; {kept}\n"
    assert process.returncode == -number
    # Its output is at its end, so the one that it started has ended too.


@pytest.mark.slow
def test_a_run_can_be_supervised_after_the_checks():
    """The checks of names load a part of the harness, and the run is watched all the same."""
    code = (
        "from tempbench_lmms.harness import catalog; from tempbench_lmms.runs import supervision;"
        "catalog.check_tasks(['mateo_text_cot_mini'], []); catalog.check_model('tempbench_chance');"
        "print(supervision.is_possible())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "True\n", done.stderr


FOUND = RunIdentity({"model": "b"})


def test_a_run_in_which_every_request_failed_keeps_nobody_out(tmp_path):
    write_run(tmp_path / "failed", "failing", n=3)
    assert safe_run._continued(tmp_path / "failed", FOUND) is None
    write_run(tmp_path / "answered", n=3)
    with pytest.raises(safe_run.TempbenchError, match="holds other results"):
        safe_run._continued(tmp_path / "answered", FOUND)


@pytest.mark.harness
def test_a_run_that_was_ended_while_it_wrote_its_report_only_writes_that(start, tmp_path, capsys):
    def ended(*given):
        raise KeyboardInterrupt

    with mock.patch.object(runs, "write_report", ended), pytest.raises(KeyboardInterrupt):
        start("run", limit=3, report=True)
    assert not (tmp_path / "run" / "report.html").exists()
    again = start("run", limit=3, report=True)
    assert (again.status, again.asked) == (0, [])
    assert "finished already" in capsys.readouterr().out
    assert (tmp_path / "run" / "report.html").is_file()


@pytest.mark.parametrize("name", [STATE, "report.html", ".lock", "cache"])
def test_what_stands_in_the_way_is_found_before_the_work(tmp_path, name):
    if name == "cache":
        (tmp_path / name).touch()
    else:
        (tmp_path / name).mkdir()
    done = tempbench("run", "--model", "tempbench_chance", "--tasks", "mateo_text_cot_mini", "-o", tmp_path)
    complains(done, str(tmp_path / name), "choose another --output")
    assert "checking the data" not in done.stderr
