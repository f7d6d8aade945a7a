"""A few of the kills that `benchmarks/prepare_interruptions.py` does otherwise, for every benchmark."""

import subprocess
import sys
from pathlib import Path

import pytest

from tempbench_lmms import benchmarks

pytestmark = pytest.mark.slow

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "prepare_interruptions.py"


def test_killed_at_some_changes_of_files():
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "--every", "200"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    lines = [line.split() for line in done.stdout.splitlines()[1:]]
    assert {(name, way) for name, way, *_ in lines} == {
        (name, way) for name in benchmarks.names() for way in ("new", "--force")
    }
    assert all(int(killed) >= 3 for _, _, killed, *_ in lines)
