"""Our tasks as their YAMLs say, read without the harness: fast, and without torch."""

import importlib
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from tempbench_lmms.data import tables
from tempbench_lmms.data.roots import resolve
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.resources import resource_dir


class _Loader(yaml.SafeLoader):
    """Safe YAML, and `!function` for functions of this package alone."""


def _function(loader: _Loader, node: yaml.ScalarNode) -> Any:
    module, _, name = str(loader.construct_scalar(node)).rpartition(".")
    if not module.startswith("tempbench_lmms."):
        raise TempbenchError(f"{module}.{name} is not a function of this package; correct the YAML")
    return getattr(importlib.import_module(module), name)


_Loader.add_constructor("!function", _function)


@lru_cache(maxsize=256)
def _parsed(path: Path, changed: int) -> dict[str, Any]:
    # One run's numbers are asked for several times, and parsing a hundred metrics takes a while.
    with path.open(encoding="utf-8") as stream:
        return yaml.load(stream, Loader=_Loader) or {}  # noqa: S506 (a SafeLoader)


def _load(path: Path) -> dict[str, Any]:
    config = dict(_parsed(path, path.stat().st_mtime_ns))
    includes = config.pop("include", [])
    merged: dict[str, Any] = {}
    for name in [includes] if isinstance(includes, str) else includes:
        merged |= _load(path.parent / name)
    return merged | config


def task_files() -> dict[str, Path]:
    """Returns the YAML of every task and group by name."""
    files = {}
    for path in sorted(resource_dir("task_yamls").glob("*/[!_]*.yaml")):
        files[path.stem] = path
    return files


def load_task(name: str) -> dict[str, Any]:
    """Returns a task's or group's configuration, `include`s resolved and functions imported.

    Raises:
        TempbenchError: There is no such task.
    """
    files = task_files()
    if name not in files:
        import difflib

        near = difflib.get_close_matches(name, files, n=3)
        hint = f"did you mean {' or '.join(near)}?" if near else "see `tempbench tasks`"
        raise TempbenchError(f"no task named {name!r}; {hint}")
    return _load(files[name])


def docs_of(config: dict[str, Any]) -> list[tables.Row]:
    """Returns the documents of a task in the harness's order.

    Raises:
        TempbenchError: The data is not prepared or cannot be read.
    """
    url = config["dataset_kwargs"]["data_files"][config["test_split"]]
    rows = tables.read_rows(resolve(url.rpartition("/")[0]))
    if process := config.get("process_docs"):
        import datasets

        datasets.disable_progress_bars()
        rows = list(process(datasets.Dataset.from_list(rows)))
    return rows
