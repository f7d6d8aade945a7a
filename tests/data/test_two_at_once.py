"""Two commands at the same data: `prepare` twice, and `prepare --force` under a run."""

import contextlib
import subprocess
import sys

import pytest

from tempbench_lmms import benchmarks
from tests import contract
from tests.bundled import kinds_of_files
from tests.command import complains, tempbench
from tests.each import sample


@contextlib.contextmanager
def held(code):
    """Another process holds what a line of code takes, until the block ends."""
    program = f"from pathlib import Path\nfrom tempbench_lmms.data import locks\n{code}\nprint(1)\ninput()"
    command = [sys.executable, "-u", "-c", program]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "1\n"
        try:
            yield
        finally:
            process.kill()


@pytest.mark.slow
@pytest.mark.parametrize("name", sample(benchmarks.names(), kinds_of_files))
def test_one_prepares_what_it_was_told_and_no_run_reads_meanwhile(name, tree, tmp_path, monkeypatch):
    home = tmp_path / "home"
    monkeypatch.setenv("TEMPBENCH_DATA", str(home))
    old, new = (contract.get(name, "SOURCE")(tmp_path / str(version), version) for version in (0, 1))
    with held(f"two = locks.preparing({name!r}); two.__enter__()"):
        complains(tempbench("prepare", name, *old), f"another command is preparing {name}")
    assert tempbench("prepare", name, *old).returncode == 0
    before = tree(home)
    assert any(file.endswith(".parquet") for file in before)
    complains(tempbench("prepare", name, *new), "--force")  # another source
    assert tree(home) == before
    with held(f"locks.keep_reading(Path({str(home / name)!r}))"):
        complains(tempbench("prepare", name, *new, "--force"), "a run is reading", "wait for its end")
        assert tree(home) == before
        # Nothing to do is no change.
        assert tempbench("prepare", name, *old).returncode == 0
    assert tempbench("prepare", name, *new, "--force").returncode == 0
    assert tree(home) != before
