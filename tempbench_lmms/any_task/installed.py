"""Finds the YAML of any task of the installed harness, without importing the task's code."""

from functools import cache
from pathlib import Path

from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness import other_tasks, task_names
from tempbench_lmms.harness.tasks import task_files

_folders: list[Path] = []


def include(folder: Path | None) -> None:
    """Adds a folder with tasks of the user's, as the harness's `--include_path`.

    A log may name such a folder too; that one is not looked at, since code in it would be run.
    """
    if folder is None:
        return
    if not any(folder.rglob("*.yaml")):
        raise TempbenchError(f"--include-path {folder}: no .yaml in it; give the folder of your task's YAML")
    for name in sorted(task_names.in_folder(folder) & task_files().keys()):
        if found := other_tasks.named(name, (folder,)).get(name):
            raise TempbenchError(f"{found.file}: {name} is a task of this package; give yours another name")
    _folders.append(folder.resolve())
    find.cache_clear()


@cache
def find(task: str) -> Path | None:
    """Returns the YAML of a task; None where the task is not installed."""
    found = other_tasks.named(task, (*_folders, *task_names.folders(()))).get(task)
    return found.file if found else None
