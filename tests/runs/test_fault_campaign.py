"""Some plans of the campaign of faults, of which `benchmarks/fault_campaign.py` does more."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.harness
@pytest.mark.exhaustive  # what is killed in the test command: `run` and `prepare`, by `benchmarks/kills.py`
def test_one_plan_of_each_command():
    done = subprocess.run(
        [sys.executable, str(ROOT / "benchmarks" / "fault_campaign.py"), "--count", "6"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    # The first faults are kills, one per command.
    row = next(line for line in done.stdout.splitlines() if line.startswith("kill: "))
    assert int(row.split()[1]) >= 6
