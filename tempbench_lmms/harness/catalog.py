"""The harness's options, models and names of tasks, read without importing it.

Its own index of tasks takes ten seconds. YAMLs of others are read without running code.
"""

import argparse
import ast
import contextlib
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

import yaml

from tempbench_lmms.data import tables
from tempbench_lmms.data.checksums import digest
from tempbench_lmms.data.redaction import parts
from tempbench_lmms.data.terminal import one_line
from tempbench_lmms.errors import TempbenchError, hint
from tempbench_lmms.harness import respondents
from tempbench_lmms.harness.plugin import folders_of, harness_version
from tempbench_lmms.harness.tasks import load, task_files
from tempbench_lmms.harness.variants import WordLoader

_PAIRS = ("gen_kwargs", "wandb_args", "hf_hub_log_args")
_TYPES = {"int": int, "float": float, "str": str}
# A key of a task's or group's file, with the rest of its line or the list below it.
_NAMED = re.compile(
    r"""^["']?(?:task|group|tag)["']?[ \t]*:"""
    r"""[ \t]*([^\n]*(?:\n(?:[ \t]*-[^\n]*|[ \t]*(?=\n)))*)""",
    re.MULTILINE,
)
_WORDS = re.compile(r"[^\s,'\"\[\]#-][^\s,'\"\[\]#]*")
_LIKELIHOODS = ("loglikelihood", "multiple_choice")
_DATA = ("dataset_path", "dataset_name", "test_split", "validation_split")
_INCLUDED: list[Path] = []


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise TempbenchError(f"{message}; see `python -m lmms_eval eval --help`")


@cache
def _parser() -> _Parser:
    """Returns a parser of the options of the harness's evaluation; without any if its source has changed.

    It accepts any value for types that the harness computes.
    """
    parser = _Parser(prog="lmms-eval", add_help=False)
    try:
        folder, *_ = folders_of("lmms_eval")
        tree = ast.parse((folder / "__main__.py").read_text(encoding="utf-8"))
    except (OSError, ValueError, SyntaxError):
        return parser
    calls = (call for call in ast.walk(tree) if isinstance(call, ast.Call))
    for call in (call for call in calls if getattr(call.func, "attr", "") == "add_argument"):
        words = (str(argument.value) for argument in call.args if isinstance(argument, ast.Constant))
        names = [word for word in words if word.startswith("-")]
        settings: dict[str, Any] = {}
        for keyword in call.keywords:
            if keyword.arg == "type" and isinstance(keyword.value, ast.Name):
                settings["type"] = _TYPES.get(keyword.value.id, str)
            elif keyword.arg in ("action", "nargs", "choices", "dest"):
                with contextlib.suppress(ValueError):  # computed, so any value is accepted
                    settings[keyword.arg] = ast.literal_eval(keyword.value)
        if not names:  # positional or computed
            continue
        with contextlib.suppress(argparse.ArgumentError):  # from another of its commands, with the same name
            parser.add_argument(*names, **settings)
    return parser


def options(words: Sequence[str], ours: Sequence[str] = ()) -> argparse.Namespace:
    """Returns the harness's reading of its options.

    Args:
        words: The command-line words for the harness.
        ours: Options of our own command, for suggestions.

    Raises:
        TempbenchError: It would refuse them: an unknown option, a missing or wrong value, or a word that
            belongs to no option.
    """
    found, left = _parser().parse_known_args(words)
    known = _parser()._option_string_actions
    strays = [word for word in left if word != "--"] if known else []
    if strays and strays[0].startswith("-"):
        name = strays[0].partition("=")[0]
        more = hint(name, {*known, *ours}, "see `python -m lmms_eval eval --help`", n=1)
        raise TempbenchError(f"neither `tempbench run` nor the harness has an option {name}; {more}")
    if strays:
        raise TempbenchError(
            f"{' '.join(strays)[:200]}: the harness has no option for that; quote a value that has spaces"
        )
    # Mistakes in these the harness notices only after loading everything.
    for name in _PAIRS:
        check_pairs(f"--{name}", getattr(found, name, None))
    for pair in parts(getattr(found, "gen_kwargs", None) or ""):
        temperature(pair.partition("temperature=")[2])
    folder = getattr(found, "include_path", None) or "hidden:"  # as a run's state shows it
    if not folder.startswith("hidden:") and not Path(folder).is_dir():
        raise TempbenchError(f"--include_path {one_line(folder)}: no such folder; give that of your tasks")
    return found


def temperature(text: str) -> float:
    """Returns the temperature that a generation setting gives; 0, which samples nothing, where it gives none.

    Raises:
        TempbenchError: It is no number, or one below 0.
    """
    if text.strip().lower() in ("", "none"):
        return 0.0
    if not re.fullmatch(r"\s*[0-9]*\.?[0-9]+(e-?[0-9]+)?\s*", text, re.IGNORECASE):
        raise TempbenchError(
            f"--gen_kwargs temperature={one_line(text)}: give a number above 0, or 0 for no sampling"
        )
    return float(text)


def check_pairs(option: str, value: str | None) -> None:
    """Checks that an option's value is a list such as `a=1,b=2`.

    Raises:
        TempbenchError: It does not begin like such a list.
    """
    first = (value or "").strip().partition(",")[0]
    if first and not re.fullmatch(r"[A-Za-z_][\w.-]*\s*=.*", first, re.DOTALL):
        raise TempbenchError(f"{option} {one_line(first)}: give it as name=value, with a comma between two")


def check_model(name: str, model_args: str = "") -> None:
    """Checks that the harness has a model (including plugins' models), and its arguments.

    Raises:
        TempbenchError: It has no such model or cannot run, or the arguments are not a list like `a=1,b=2`.
    """
    check_pairs("--model-args", model_args)
    harness_version()
    try:
        from lmms_eval.models import list_available_models
    except ImportError:
        return  # an older harness says so itself
    names = list_available_models(include_aliases=True)
    if name not in names:
        more = hint(name, names, f"it has {', '.join(names)}")
        raise TempbenchError(f"the harness has no model '{name}'; {more}")


# ---- names of tasks


@cache
def in_folder(folder: Path) -> frozenset[str]:
    """Returns the names in the task files below a folder, and a few more words.

    Tasks, groups and tags follow a key at the beginning of a line, so a word that is missing here is not a
    name; words in comments may be included by mistake.
    """
    return frozenset(
        word
        for text in _texts(folder).values()
        for listed in _NAMED.findall(text)
        for word in _WORDS.findall(listed)
    )


@cache
def _texts(folder: Path) -> dict[Path, str]:
    return {  # some files have no ending
        path: path.read_text("utf-8", "replace") for path in sorted(folder.rglob("*yaml*")) if path.is_file()
    }


def all_names(further: Sequence[str] = ()) -> set[str]:
    """Returns all names for `--tasks`: ours, the harness's, and those of its `--include_path`."""
    return {*task_files()}.union(*map(in_folder, folders(further)))


def expanded(names: Iterable[str], further: Sequence[str] | None = None) -> list[str]:
    """Replaces each pattern by our matching names, in the way the harness reads patterns.

    Args:
        names: What `--tasks` lists.
        further: Further arguments of the harness; with them a pattern that matches names of the harness, too,
            stays beside ours, else it is left out.
    """
    found: dict[str, None] = {}
    for name in names:
        ours = [one for one in task_files() if fnmatchcase(one, name)] if "*" in name else []
        found |= dict.fromkeys(ours or [name])
        if (
            ours
            and further is not None
            and any(fnmatchcase(one, name) for one in all_names(further) - task_files().keys())
        ):
            found[name] = None
    return list(found)


def check_tasks(names: Iterable[str], further: Sequence[str] = ()) -> None:
    """Checks that every name or pattern matches a task, a group or a tag, or is a path to a task's file.

    Args:
        names: What `--tasks` lists.
        further: Further arguments of the harness; `--include_path` among them brings tasks.

    Raises:
        TempbenchError: One is not.
    """
    names, ours = list(names), task_files()
    if not all(name.strip() for name in names):
        raise TempbenchError("--tasks names no task, or has a comma too many; see `tempbench tasks`")
    strange = [name for name in names if name not in ours and not os.path.isfile(name)]
    if len(names) == 1 and os.path.isdir(names[0]) and any(Path(names[0]).glob("*.yaml")):
        return  # a folder of task files, which the harness accepts only alone
    known = all_names(further) if strange else set()
    for name in strange:
        if name in known or ("*" in name and any(fnmatchcase(one, name) for one in known)):
            continue
        more = hint(name, known, "see `tempbench tasks`")
        raise TempbenchError(f"no task named {name!r}, here or in the harness; {more}")


def as_names(tasks: str, further: Sequence[str] = ()) -> str:
    """Returns `--tasks` in a form that the harness reads as names, even if a folder has such a name.

    The harness asks a task named twice only once. A path that is not a name is unchanged.
    """
    names = tasks.split(",")
    while os.path.isdir(tasks) and all_names(further).issuperset(names):
        tasks += f",{names[0]}"
    return tasks


def folders(further: Sequence[str]) -> Iterator[Path]:
    """Yields the folders, except ours, in which the harness looks for tasks."""
    yield from (folder / "tasks" for folder in folders_of("lmms_eval"))
    if folder := getattr(options(further), "include_path", None):
        yield Path(folder)


# ---- tasks from outside this package


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
    places = tuple(folders(further))
    for name in names:
        known = all_names(further) if "*" in name else {name}
        for one in sorted(word for word in known - task_files().keys() if fnmatchcase(word, name)):
            found |= named(one, places)
    return found


def check_answerable(model: str, tasks: dict[str, OtherTask]) -> None:
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


def named(name: str, folders: tuple[Path, ...], within: tuple[str, ...] = ()) -> dict[str, OtherTask]:
    """Returns the task of a name, or those of a group or a tag."""
    found: dict[str, OtherTask] = {}
    for path, text in ((path, text) for folder in folders for path, text in _texts(folder).items()):
        if path.suffix != ".yaml" or name not in text or name in within:
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


def include(folder: Path | None) -> None:
    """Adds a folder with tasks of the user's, as the harness's `--include_path`.

    A log may name such a folder too; that one is not looked at, since code in it would be run.
    """
    if folder is None:
        return
    if not any(folder.rglob("*.yaml")):
        raise TempbenchError(f"--include-path {folder}: no .yaml in it; give the folder of your task's YAML")
    for name in sorted(in_folder(folder) & task_files().keys()):
        if found := named(name, (folder,)).get(name):
            raise TempbenchError(f"{found.file}: {name} is a task of this package; give yours another name")
    _INCLUDED.append(folder.resolve())
    find.cache_clear()


@cache
def find(task: str) -> Path | None:
    """Returns the YAML of a task; None where the task is not installed."""
    found = named(task, (*_INCLUDED, *folders(()))).get(task)
    return found.file if found else None
