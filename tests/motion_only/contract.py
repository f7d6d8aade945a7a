"""What contract tests and scripts know of the motion-only control; see `tests/contract.py`."""

from pathlib import Path

PAPER = None
_LETTERS = (None, *"ABCD")
OFFERED = {
    "motion_only.parser.read": lambda found: found.value in _LETTERS,
}


def SOURCE(folder: Path, version: int) -> list[str]:
    folder.mkdir(parents=True, exist_ok=True)
    return ["--pairs", "1", "--seed", str(version + 1)]
