"""The one door from the package to `hf_datasets`, whose folders make each benchmark's data."""

import importlib
from collections.abc import Callable, Mapping
from typing import Any

from tempbench_lmms import benchmarks
from tempbench_lmms.data.resources import resource_dir


def commands(benchmark: str) -> Mapping[str, Callable[..., Any]]:
    """Returns how a benchmark's data is made: `prepare`, and where there are more ways, `build` and others.

    Raises:
        TempbenchError: There is no such benchmark, or the installation is incomplete.
    """
    found: Mapping[str, Callable[..., Any]] = module(benchmark, "commands").COMMANDS
    return found


def module(benchmark: str, name: str) -> Any:
    """Returns a module of a benchmark's folder in `hf_datasets`.

    `hf_datasets` lies inside this package in a wheel and beside it in a checkout; its modules import one
    another relatively, so they work under both names.

    Raises:
        TempbenchError: There is no such benchmark, or the installation is incomplete.
    """
    benchmarks.card(benchmark)
    inside = resource_dir("hf_datasets").parent.name == "tempbench_lmms"
    folder = "tempbench_lmms.hf_datasets" if inside else "hf_datasets"
    return importlib.import_module(f"{folder}.{benchmark}.{name}")
