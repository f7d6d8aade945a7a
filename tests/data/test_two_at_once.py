"""Two commands at the same data: `prepare` twice, and `prepare --force` under a run."""

import contextlib
import json
import os
import subprocess
import sys
import textwrap

import pytest

from tempbench_lmms import benchmarks
from tests import contract
from tests.command import complains, tempbench

# Forks for each line of code and for its environment; the fork holds what it took until the next line comes.
HOLDER = """
    import json, os, signal, sys
    from pathlib import Path
    from tempbench_lmms.data import locks
    for line in sys.stdin:
        code, environment = json.loads(line)
        child = os.fork()
        if not child:
            os.environ.update(environment)
            exec(code)
            print(1, flush=True)
            signal.pause()
        sys.stdin.readline()
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        print(0, flush=True)
"""


@pytest.fixture(scope="module")
def held():
    """What holds, in another process, what a line of code takes, until the block ends."""
    with subprocess.Popen(
        [sys.executable, "-u", "-c", textwrap.dedent(HOLDER)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:

        def say(text, answer):
            process.stdin.write(f"{text}\n")
            process.stdin.flush()
            assert process.stdout.readline() == f"{answer}\n"

        @contextlib.contextmanager
        def holding(code):
            home = {"TEMPBENCH_DATA": os.environ["TEMPBENCH_DATA"]}
            say(json.dumps([code, home]), 1)
            try:
                yield
            finally:
                say("", 0)

        yield holding
        process.stdin.close()


@pytest.mark.slow
@pytest.mark.parametrize("name", benchmarks.names())
def test_one_prepares_and_no_run_reads_meanwhile(name, preparing, held, tmp_path, monkeypatch):
    home = tmp_path / "home"
    monkeypatch.setenv("TEMPBENCH_DATA", str(home))
    old, new = (contract.get(name, "SOURCE")(tmp_path / str(version), version) for version in (0, 1))
    with held(f"two = locks.preparing({name!r}); two.__enter__()"):
        complains(tempbench("prepare", name, *old), f"another command is preparing {name}")
    assert tempbench("prepare", name, *old).returncode == 0
    before = preparing.tree(home)
    assert any(file.endswith(".parquet") for file in before)
    with held(f"locks.keep_reading(Path({str(home / name)!r}))"):
        complains(tempbench("prepare", name, *new, "--force"), "a run is reading", "wait for its end")
        assert preparing.tree(home) == before
        # Nothing to do is no change.
        assert tempbench("prepare", name, *old).returncode == 0
    assert tempbench("prepare", name, *new, "--force").returncode == 0
    assert preparing.tree(home) != before


def test_no_lock_goes_on_where_there_are_none(tmp_path, monkeypatch):
    import errno
    import fcntl

    def none(*args):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setenv("TEMPBENCH_DATA", str(tmp_path / "home"))
    source = contract.get("mateo", "SOURCE")(tmp_path / "source", 0)
    monkeypatch.setattr(fcntl, "lockf", none)
    monkeypatch.setattr(fcntl, "flock", none)
    complains(tempbench("prepare", "mateo", *source), "without locks", "--no-lock")
    assert tempbench("prepare", "mateo", *source, "--no-lock").returncode == 0
