"""Reads the YAMLs of other tasks of the harness, without its index and without running code."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from tempbench_lmms.data import tables
from tempbench_lmms.data.checksums import digest
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness import respondents, task_names
from tempbench_lmms.harness.tasks import load, task_files
from tempbench_lmms.harness.variants import WordLoader

_LIKELIHOODS = ("loglikelihood", "multiple_choice")
_DATA = ("dataset_path", "dataset_name", "test_split", "validation_split")


@dataclass(frozen=True)
class OtherTask:
    """A task from outside this package.

    Attributes:
        file: Its YAML.
        config: What that says, with what it includes; functions are their names.
    """

    file: Path
    config: dict[str, Any]

    @property
    def data(self) -> dict[str, Any]:
        """Which data set it asks about."""
        return {name: self.config.get(name) for name in _DATA}

    @property
    def words(self) -> str:
        """One SHA-256 over what makes its questions and scores: its YAML, and the code beside that."""
        code = {path.name: tables.sha256_of([path]) for path in sorted(self.file.parent.glob("*.py"))}
        return digest([self.config, code])


def behind(names: Iterable[str], further: Sequence[str] = ()) -> dict[str, OtherTask]:
    """Returns the tasks behind names, groups, tags and patterns; ours, and what is not found, are left out.

    Args:
        names: What `--tasks` lists.
        further: Further arguments of the harness; `--include_path` among them brings tasks.
    """
    found: dict[str, OtherTask] = {}
    folders = tuple(task_names.folders(further))
    for name in names:
        known = task_names.all_names(further) if "*" in name else {name}
        for one in sorted(word for word in known - task_files().keys() if fnmatchcase(word, name)):
            found |= named(one, folders)
    return found


def check(model: str, tasks: dict[str, OtherTask]) -> None:
    """Refuses what cannot be asked, or answered.

    Args:
        model: As for the harness's `--model`.
        tasks: What it is to be asked.

    Raises:
        TempbenchError: A task asks for likelihoods, or the model knows only our tasks' answers.
    """
    for name, task in tasks.items():
        if why := respondents.cannot_answer(model, name):
            raise TempbenchError(why)
        if (kind := task.config.get("output_type")) in _LIKELIHOODS:
            raise TempbenchError(
                f"{name} asks for likelihoods (output_type: {kind}), which lmms-eval 0.7 cannot score; leave "
                "it out"
            )


@cache
def _texts(folder: Path) -> dict[Path, str]:
    return {path: path.read_text("utf-8", "replace") for path in sorted(folder.rglob("*.yaml"))}


def named(name: str, folders: tuple[Path, ...], within: tuple[str, ...] = ()) -> dict[str, OtherTask]:
    """Returns the task of a name, or those of a group or a tag."""
    found: dict[str, OtherTask] = {}
    for path, text in ((path, text) for folder in folders for path, text in _texts(folder).items()):
        if name not in text or name in within:
            continue
        try:
            config = load(path, WordLoader)
        except (OSError, yaml.YAMLError, TypeError, ValueError):
            continue  # the harness says so, if it reads the file
        if config.get("task") == name:
            return {name: OtherTask(path, config)}
        tags = config.get("tag") or ()
        if isinstance(config.get("task"), list) and config.get("group") == name:
            for member in _members(config["task"]):
                found |= named(member, folders, (*within, name))
        elif name == tags or name in (*tags,):
            found[str(config.get("task"))] = OtherTask(path, config)
    return found


def _members(listed: Sequence[Any]) -> Iterator[str]:
    for one in listed:
        own = one.get("task") if isinstance(one, dict) else one
        yield from _members(own) if isinstance(own, list) else [str(own)]
