"""The benchmarks: every folder beside this file that has a `card.py`, and those in folders of the user's.

The folders in `$TEMPBENCH_BENCHMARKS` hold benchmarks that `tempbench new` writes outside a checkout. A
folder NAME there is the package `tempbench_lmms.NAME`, and has its tasks and its sample inside.
"""

import importlib
import importlib.util
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import tempbench_lmms
from tempbench_lmms.card import BenchmarkCard
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.metrics.sampling import Groups

VARIABLE = "TEMPBENCH_BENCHMARKS"


def names() -> list[str]:
    """Returns the benchmarks' names.

    Raises:
        TempbenchError: A folder of the user's is none.
    """
    for folder in own_folders():
        if not Path(folder).is_dir():
            raise TempbenchError(f"{VARIABLE} names {folder}, which is no folder; correct it")
    return sorted(
        {path.parent.name for one in tempbench_lmms.__path__ for path in Path(one).glob("*/card.py")}
    )


def own_folders() -> list[str]:
    """Returns the folders with benchmarks of the user's."""
    return list(tempbench_lmms.__path__[1:])


def _module(benchmark: str, module: str) -> Any:
    if benchmark not in names():
        raise TempbenchError(f"unknown benchmark {benchmark!r}; choose one of {', '.join(names())}")
    return importlib.import_module(f"tempbench_lmms.{benchmark}.{module}")


def card(benchmark: str) -> BenchmarkCard:
    """Returns a benchmark's card.

    Raises:
        TempbenchError: Unknown benchmark.
    """
    found: BenchmarkCard = _module(benchmark, "card").CARD
    return found


def commands(benchmark: str) -> Mapping[str, Callable[..., Any]]:
    """Returns what a benchmark adds to the `tempbench` command.

    A function under `score` becomes `tempbench score BENCHMARK`, with the function's parameters as options;
    so do `stats`, `submit` and others. `prepare` and `build` are in `hf_datasets`, with the code that makes
    the data (`cli.datasets`). `tempbench verify` calls `verify` with the data's root folder, and prints the
    lines that it yields, one a problem. `preflight`, if a benchmark has it, is called with a task's
    configuration before the harness loads a model, and raises if the run cannot succeed.
    """
    found: Mapping[str, Callable[..., Any]] = _module(benchmark, "commands").COMMANDS
    return found


def optional(benchmark: str, module: str) -> Any:
    """Returns a module that a benchmark may have; None where it has not."""
    card(benchmark)
    there = importlib.util.find_spec(f"tempbench_lmms.{benchmark}.{module}") is not None
    return _module(benchmark, module) if there else None


def readers(benchmark: str) -> Mapping[str, Callable[..., Any]]:
    """Returns the formats of a benchmark that `tempbench import` reads, by name; empty where it has none.

    They are `READERS` in its module `imports` (`runs.importing.Reader`).
    """
    found = optional(benchmark, "imports")
    return found.READERS if found else {}


def groups(benchmark: str) -> Groups:
    """Returns how the rows of a benchmark form groups: `GROUPS` in its `features.py`."""
    found: Groups = _module(benchmark, "features").GROUPS
    return found


def checks(benchmark: str) -> Any:
    """Returns a benchmark's module `checks`.

    `tables_of(root)` returns its tables with what must hold of each; `problems(root)` yields what
    `tempbench verify` prints.
    """
    return _module(benchmark, "checks")
