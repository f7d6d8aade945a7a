"""The files of a run by their names, so that no command writes over one of them."""

import glob
import re
from collections.abc import Iterator
from pathlib import Path

from tempbench_lmms.errors import TempbenchError

STATE = "tempbench_run.json"
"""What `tempbench run` keeps of a run in its folder: what it is, and its results file once it is finished."""
CHECK = "check.json"
"""What `tempbench check-model` found out, in the folder of a run."""
LOCK = ".lock"
"""Who holds it writes into the folder, of a run or of a person who answers."""
REPEAT = "repeat_"
"""How the folders of repeats begin, each of which is a run; their number follows."""
SPREAD = "repeats.json"
"""The numbers over repeats, beside the repeats' folders."""
RESULTS = "_results.json"
"""How the names of the harness's results files end."""

_STAMPED = re.compile(r"\d{8}_\d{6}\w*_(results\.json|(samples|reread)_.+)")
_LOG = re.compile(r".+_samples_.+\.jsonl")
_FOLDERS = ("cache",)


def check_foreign(path: Path) -> None:
    """Checks that a file, or what a link names, is none of a run's."""
    if path.is_file() and any(_is_of_run(path.resolve())):
        raise TempbenchError(f"{path} is a file of a run, which nothing overwrites; choose another name")


def _is_of_run(file: Path) -> Iterator[bool]:
    """Yields what speaks for it."""
    name, folder = file.name, file.parent
    yield name == STATE or bool(_STAMPED.fullmatch(name) or _LOG.fullmatch(name))
    # Results that were given another name, with their logs.
    stem = glob.escape(name.removesuffix(RESULTS))
    yield name.endswith(RESULTS) and any(folder.glob(f"{stem}_samples_*.jsonl"))
    is_locked = (folder / LOCK).exists()
    is_of_run = (folder / STATE).exists() or any(folder.glob(f"{REPEAT}*/{STATE}"))
    yield (is_locked or is_of_run) and name in (CHECK, LOCK, SPREAD)
    # What a person has answered; a run's folder may hold other files of this kind, to be submitted.
    yield is_locked and not is_of_run and file.suffix == ".jsonl"
    yield any(above.name in _FOLDERS and (above.parent / STATE).exists() for above in file.parents)
