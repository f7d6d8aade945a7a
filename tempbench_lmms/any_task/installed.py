"""Finds the YAML of any task that the installed harness knows; none of the task's code is imported."""

import re
from functools import cache
from pathlib import Path

from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness import task_names

_folders: list[Path] = []


def include(folder: Path | None) -> None:
    """Adds a folder with tasks of the user's, as the harness's `--include_path`.

    A log may name such a folder too; that one is not looked at, since code in it would be run.
    """
    if folder is None:
        return
    if not any(folder.rglob("*.yaml")):
        raise TempbenchError(f"--include-path {folder}: no .yaml in it; give the folder of your task's YAML")
    _folders.append(folder.resolve())
    find.cache_clear()


@cache
def find(task: str) -> Path | None:
    """Returns the YAML of a task; None where the task is not installed."""
    named = re.compile(
        rb"^[\"']?task[\"']?[ \t]*:[ \t]*[\"']?" + re.escape(task.encode()) + rb"[\"']?[ \t]*(#.*)?\r?$", re.M
    )
    for folder in (*_folders, *task_names.folders(())):
        # Most files are named after their task.
        for path in sorted(folder.rglob("*.yaml"), key=lambda path: path.stem != task):
            if named.search(path.read_bytes()):
                return path
    return None
