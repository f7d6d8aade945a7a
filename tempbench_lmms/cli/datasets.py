"""The package's only access to `hf_datasets`, whose folders make each benchmark's data."""

import functools
import importlib
import importlib.util
from collections.abc import Callable, Mapping
from typing import Any

from tempbench_lmms import benchmarks
from tempbench_lmms.data.roots import resource_dir
from tempbench_lmms.errors import TempbenchError


def commands(benchmark: str) -> Mapping[str, Callable[..., Any]]:
    """Returns the commands that make a benchmark's data: `prepare`, and for some `build` and others.

    Raises:
        TempbenchError: The benchmark is unknown, or the installation is incomplete.
    """
    found: Mapping[str, Callable[..., Any]] = module(benchmark, "commands").COMMANDS
    return {**found, "prepare": _alone(benchmark, found["prepare"])}


@functools.cache  # the same command for every call, as its own function would be
def _alone(benchmark: str, prepare: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the command with a lock on the benchmark's data."""

    @functools.wraps(prepare)
    def locked(*args: Any, **kwargs: Any) -> Any:
        from tempbench_lmms.data import locks, manifests, roots

        with locks.preparing(benchmark):
            found = prepare(*args, **kwargs)
            manifest = manifests.read(roots.data_home(benchmark) / benchmark) or {}
        if short := manifests.incomplete(manifests.sizes_in(manifest, benchmarks.sizes(benchmark))):
            print(f"incomplete: {short}")
        return found

    return locked


def module(benchmark: str, name: str) -> Any:
    """Returns a module of a benchmark's folder in `hf_datasets`, or of the user's own benchmark.

    `hf_datasets` lies inside this package in a wheel and beside it in a checkout; its modules import one
    another relatively, so they work under both names.

    Raises:
        TempbenchError: The benchmark or module is unknown, or the installation is incomplete.
    """
    benchmarks.card(benchmark)
    is_ours = (resource_dir("hf_datasets") / benchmark).is_dir()
    found = f"{_folder() if is_ours else 'tempbench_lmms'}.{benchmark}.{name}"
    if importlib.util.find_spec(found) is None:
        raise TempbenchError(
            f"{benchmark} has no {name}.py, which this command needs; write it like those of the other "
            "benchmarks"
        )
    return importlib.import_module(found)


def own_table() -> Any:
    """Returns the module that prepares a benchmark from the user's table of questions."""
    return importlib.import_module(f"{_folder()}.own_table")


def publishing() -> Any:
    """Returns the module with `push`, which publishes the data of any benchmark."""
    return importlib.import_module(f"{_folder()}.publishing.commands")


def _folder() -> str:
    inside = resource_dir("hf_datasets").parent.name == "tempbench_lmms"
    return "tempbench_lmms.hf_datasets" if inside else "hf_datasets"
