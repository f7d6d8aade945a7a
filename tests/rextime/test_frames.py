"""The bounds that a number of frames sets, as `docs/engines.md` prints them."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def rows_of(text):
    """Returns step and bounds of each row of the table, by its first cell without marks."""
    found = re.findall(r"^\| (.*?) \| ([\d.]+)(?: s)? \| ([\d.]+) \| ([\d.]+) \|$", text, re.MULTILINE)
    return {re.sub(r"`| \(default of.*", "", name): numbers for name, *numbers in found}


@pytest.mark.slow
def test_the_bounds_are_those_of_the_docs(shared):
    done = subprocess.run(
        [
            sys.executable,
            str(ROOT / "benchmarks/rextime_frames.py"),
            shared / "real/rextime/rextime_val.jsonl",
        ],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    printed = rows_of(done.stdout)
    assert len(printed) == 8
    assert rows_of((ROOT / "docs/engines.md").read_text(encoding="utf-8")) == printed
