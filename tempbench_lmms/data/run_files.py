"""The names of a run's files, so that no command overwrites one of them."""

import glob
import re
from collections.abc import Iterator
from pathlib import Path

from tempbench_lmms.errors import TempbenchError

STATE = "tempbench_run.json"
"""The state of a run in its folder: its identity, and its results file once it is finished."""
CHECK = "check.json"
"""The result of `tempbench check-model`, in the folder of a run."""
LOCK = ".lock"
"""The lock of a folder, of a run or of a person who answers; its holder may write."""
REPEAT = "repeat_"
"""The prefix of the folders of repeats, before their number; each is a run."""
RESULTS = "_results.json"
"""The ending of the harness's results files."""

_STAMPED = re.compile(r"\d{8}_\d{6}\w*_(results\.json|(samples|reread)_.+)")
_LOG = re.compile(r".+_samples_.+\.jsonl")
_FOLDERS = ("cache",)


def check_foreign(path: Path) -> None:
    """Checks that a file, or a link's target, does not belong to a run."""
    if path.is_file() and any(_is_of_run(path.resolve())):
        raise TempbenchError(f"{path} belongs to a run and is never overwritten; choose another name")


def _is_of_run(file: Path) -> Iterator[bool]:
    """Yields signs that a file belongs to a run."""
    name, folder = file.name, file.parent
    yield name == STATE or bool(_STAMPED.fullmatch(name) or _LOG.fullmatch(name))
    # Renamed results, with their logs.
    stem = glob.escape(name.removesuffix(RESULTS))
    yield name.endswith(RESULTS) and any(folder.glob(f"{stem}_samples_*.jsonl"))
    is_locked = (folder / LOCK).exists()
    is_of_run = (folder / STATE).exists() or any(folder.glob(f"{REPEAT}*/{STATE}"))
    yield (is_locked or is_of_run) and name in (CHECK, LOCK)
    # A person's answers; a run's folder may hold other files of this kind, for submission.
    yield is_locked and not is_of_run and file.suffix == ".jsonl"
    yield any(above.name in _FOLDERS and (above.parent / STATE).exists() for above in file.parents)
