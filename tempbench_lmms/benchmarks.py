"""The benchmarks: every folder beside this file that has a `card.py`, and those in the user's folders.

The folders in `$TEMPBENCH_BENCHMARKS` hold benchmarks that `tempbench new` writes. A
folder NAME there is the package `tempbench_lmms.NAME`, with its tasks and its sample inside.
"""

import importlib
import importlib.util
import logging
import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import tempbench_lmms
from tempbench_lmms.card import BenchmarkCard
from tempbench_lmms.errors import TempbenchError

VARIABLE = "TEMPBENCH_BENCHMARKS"
_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_LONGEST = 40


def names() -> list[str]:
    """Returns the benchmarks' names.

    Raises:
        TempbenchError: A folder of the user does not exist, or its path is relative.
    """
    ours, *own = tempbench_lmms.__path__
    found = {path.parent.name for path in Path(ours).glob("*/card.py")}
    for folder in own:
        if not Path(folder).is_absolute():
            raise TempbenchError(f"{VARIABLE} names {folder}, a relative path; give its absolute path")
        if not Path(folder).is_dir():
            raise TempbenchError(f"{VARIABLE} names {folder}, which is not a folder; correct it")
        for path in sorted(Path(folder).glob("*/card.py")):
            if problem := _problem(path.parent):
                _warn(f"{VARIABLE}: {path.parent} is left out: {problem}")
            else:
                found.add(path.parent.name)
    return sorted(found)


def is_name(text: str) -> bool:
    """Returns whether a name can be a benchmark's: lower-case letters, digits and single `_`."""
    return bool(_NAME.fullmatch(text)) and len(text) <= _LONGEST


def _problem(folder: Path) -> str:
    ours = Path(tempbench_lmms.__path__[0], folder.name)
    if not is_name(folder.name) or ours.exists() or ours.with_suffix(".py").exists():
        return "choose another name: lower-case letters, digits and _, and not one that tempbench-lmms uses"
    return "" if (folder / "task_yamls" / "tasks.yaml").is_file() else "it has no task_yamls/tasks.yaml"


@cache  # once a process
def _warn(message: str) -> None:
    logging.getLogger(__name__).warning("%s", message)


def _module(benchmark: str, module: str) -> Any:
    if benchmark not in (known := names()):
        raise TempbenchError(f"unknown benchmark {benchmark!r}; choose one of {', '.join(known)}")
    return importlib.import_module(f"tempbench_lmms.{benchmark}.{module}")


def card(benchmark: str) -> BenchmarkCard:
    """Returns a benchmark's card.

    Raises:
        TempbenchError: Unknown benchmark.
    """
    found: BenchmarkCard = _module(benchmark, "card").CARD
    return found


def optional(benchmark: str, module: str) -> Any:
    """Returns an optional module of a benchmark, or None."""
    card(benchmark)
    there = importlib.util.find_spec(f"tempbench_lmms.{benchmark}.{module}")
    return _module(benchmark, module) if there else None


def readers(benchmark: str) -> Mapping[str, Callable[..., Any]]:
    """Returns a benchmark's own formats for `tempbench import`, by name.

    They are `READERS` in its module `imports` (`runs.importing.Reader`).
    """
    found = optional(benchmark, "imports")
    return found.READERS if found else {}


def sizes(benchmark: str) -> Callable[[dict[str, Any]], Any]:
    """Returns the function that tells from a manifest how much is prepared (`data.manifests`)."""
    found: Callable[[dict[str, Any]], Any] = getattr(rows(benchmark), "sizes", lambda manifest: ())
    return found


def rows(benchmark: str) -> Any:
    """Returns a benchmark's module `rows`.

    `tables_of(root)` returns its tables with their checks; `problems(root)` yields what `tempbench verify`
    prints. `preflight(config, root)`, if it has one, raises before the harness loads a model if a task cannot
    be run with the prepared data.
    """
    return _module(benchmark, "rows")
