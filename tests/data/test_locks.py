"""Who keeps whom out, and what holds nothing."""

import errno
import fcntl
import os
import subprocess
import sys
import textwrap

import pytest

from tempbench_lmms.data import locks
from tempbench_lmms.errors import TempbenchError


def other(code, *arguments):
    """Runs code in another process; returns what it printed."""
    text = "import sys, os\nfrom pathlib import Path\nfrom tempbench_lmms.data import locks\n"
    text += "from tempbench_lmms.errors import TempbenchError\n"
    done = subprocess.run(
        [sys.executable, "-c", text + textwrap.dedent(code), *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


TAKE = """
    try:
        with locks.locked(Path(sys.argv[1]), "busy"):
            print("taken")
    except TempbenchError as error:
        print(error)
"""


def test_another_process_is_kept_out_and_this_one_too(tmp_path):
    file = tmp_path / ".lock"
    with locks.locked(file, "busy"):
        assert other(TAKE, file) == "busy"
        with pytest.raises(TempbenchError, match="busy"), locks.locked(file, "busy"):
            pass
        assert other(TAKE, file) == "busy"  # the attempt has not freed it
    assert other(TAKE, file) == "taken"


def test_a_child_of_a_killed_process_holds_nothing(tmp_path):
    """As an engine or a loader of data does that was forked and survives."""
    code = """
        import time
        with locks.locked(Path(sys.argv[1]), "busy"):
            if os.fork() == 0:
                os.close(1)
                os.close(2)
                time.sleep(20)
                os._exit(0)
            print("held", flush=True)
            os._exit(0)
    """
    file = tmp_path / ".lock"
    assert other(code, file) == "held"
    assert other(TAKE, file) == "taken"


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS])
def test_a_file_system_without_locks(number, tmp_path, monkeypatch, capsys):
    def none(*args):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(fcntl, "lockf", none)
    monkeypatch.setattr(fcntl, "flock", none)
    with locks.locked(tmp_path / ".lock", "busy"):
        said = capsys.readouterr().err
    assert "without locks" in said
    assert "start no second command" in said


PREPARE = """
    os.environ["TEMPBENCH_DATA"] = sys.argv[1]
    root = Path(sys.argv[1]) / "tempvs"
    try:
        with locks.preparing("tempvs"):
            locks.before_change(root)
            locks.before_change(root)
            print("changed")
    except TempbenchError as error:
        print(error)
"""
READ = """
    try:
        locks.keep_reading(Path(sys.argv[1]) / "tempvs")
        print("read")
    except TempbenchError as error:
        print(error)
"""


@pytest.mark.slow
def test_prepare_waits_for_runs_and_runs_for_prepare(tmp_path, monkeypatch):
    monkeypatch.setenv("TEMPBENCH_DATA", str(tmp_path))
    root = tmp_path / "tempvs"
    with locks.preparing("tempvs"):
        assert "another command is preparing tempvs" in other(PREPARE, tmp_path)
        assert other(READ, tmp_path) == "read"  # nothing is changed yet
        locks.before_change(root)
        assert "is being prepared by another command" in other(READ, tmp_path)
    assert other(READ, tmp_path) == "read"
    locks.keep_reading(root)
    try:
        locks.keep_reading(root)
        assert other(READ, tmp_path) == "read"  # many may read
        assert "a run is reading" in other(PREPARE, tmp_path)
    finally:
        locks._release(locks._of_data(root))
    assert other(PREPARE, tmp_path) == "changed"
