"""A few of the kills that `benchmarks/kills.py` does at every change of a file, of benchmarks and a run."""

import subprocess
import sys
from pathlib import Path

import pytest

from tempbench_lmms import benchmarks

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "kills.py"


@pytest.mark.harness
@pytest.mark.parametrize(
    "names",
    # What writes pictures, what writes videos, and what writes neither; the others do as one of these.
    [
        ("run", "tempvs", "rextime", "mateo"),
        pytest.param(("run", *benchmarks.names()), marks=pytest.mark.exhaustive),
    ],
)
def test_killed_at_some_changes_of_files(names):
    """Files that are not written in one step are seen without a kill; wrong orders near the end."""
    command = [sys.executable, str(SCRIPT), "--every", "200", "--only", *names]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    found = {line.partition(":")[0] for line in done.stdout.splitlines()}
    assert found == {"run", *(f"{name}{way}" for name in names[1:] for way in ("", " --force"))}
