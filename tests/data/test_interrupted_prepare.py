"""A few of the kills that `benchmarks/kills.py` does at every change of a file, of benchmarks and a run."""

import subprocess
import sys
from pathlib import Path

import pytest

from tempbench_lmms import benchmarks

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "kills.py"


@pytest.mark.harness
def test_killed_at_some_changes_of_files():
    """Files that are not written in one step are seen without a kill; wrong orders near the end."""
    command = [sys.executable, str(SCRIPT), "--every", "200"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    names = {line.partition(":")[0] for line in done.stdout.splitlines()}
    ways = {f"{name}{way}" for name in benchmarks.names() for way in ("", " --force")}
    assert names == {"run", *ways}
