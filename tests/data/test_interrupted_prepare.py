"""A few of the kills that `benchmarks/prepare_interruptions.py` does otherwise, for every benchmark."""

import subprocess
import sys
from pathlib import Path

import pytest

from tempbench_lmms import benchmarks

pytestmark = pytest.mark.slow

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "prepare_interruptions.py"


# Non-atomic writes are seen without a kill, and what is written in the wrong order where only the last file,
# which says that all is there, has no name yet.
FEW = ("--every", "200", "--from-end", "1")


@pytest.mark.parametrize(
    "how", [FEW, pytest.param(("--every", "200"), marks=pytest.mark.exhaustive)], ids=" ".join
)
def test_killed_at_some_changes_of_files(how):
    done = subprocess.run([sys.executable, str(SCRIPT), *how], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    lines = [line.split() for line in done.stdout.splitlines()[1:]]
    assert {(name, way) for name, way, *_ in lines} == {
        (name, way) for name in benchmarks.names() for way in ("new", "--force")
    }
    assert all(int(killed) >= (1 if how == FEW else 3) for _, _, killed, *_ in lines)
