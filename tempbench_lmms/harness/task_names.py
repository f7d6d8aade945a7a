"""The names that `--tasks` accepts, ours and the harness's, without its index, which takes ten seconds."""

import difflib
import importlib.util
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness import options
from tempbench_lmms.harness.tasks import task_files

# A key of a task's or group's file, with the rest of its line or the list below it.
_NAMED = re.compile(
    rb"""^["']?(?:task|group|tag)["']?[ \t]*:"""
    rb"""[ \t]*([^\n]*(?:\n(?:[ \t]*-[^\n]*|[ \t]*(?=\n)))*)""",
    re.MULTILINE,
)
_WORDS = re.compile(rb"[^\s,'\"\[\]#-][^\s,'\"\[\]#]*")


@cache
def in_folder(folder: Path) -> frozenset[str]:
    """Returns the names in the task files below a folder, and a few more words.

    Tasks, groups and tags follow a key at the beginning of a line, so a word that is missing here is not a
    name; words in comments may be included by mistake.
    """
    found: set[bytes] = set()
    for path in folder.rglob("*yaml*"):  # some included files have no ending
        if path.is_file():
            for named in _NAMED.findall(path.read_bytes()):
                found.update(_WORDS.findall(named))
    return frozenset(word.decode(errors="replace") for word in found)


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


def check(names: Iterable[str], further: Sequence[str] = ()) -> None:
    """Checks that every name or pattern matches a task, a group or a tag, or is a path to a task's file.

    Args:
        names: What `--tasks` lists.
        further: Further arguments of the harness; `--include_path` among them brings tasks.

    Raises:
        TempbenchError: One is not.
    """
    names, ours = list(names), task_files()
    if not any(name.strip() for name in names):
        raise TempbenchError("--tasks names no task; give one (`tempbench tasks` lists ours)")
    strange = [name for name in names if name not in ours and not os.path.isfile(name)]
    if len(names) == 1 and os.path.isdir(names[0]) and any(Path(names[0]).glob("*.yaml")):
        return  # a folder of task files, which the harness accepts only alone
    if not strange:
        return
    known = all_names(further)
    for name in strange:
        if not name.strip():
            raise TempbenchError("--tasks has an empty name; remove the comma beside it")
        if name in known or ("*" in name and any(fnmatchcase(one, name) for one in known)):
            continue
        near = difflib.get_close_matches(name, sorted(known), n=3)
        hint = f"did you mean {' or '.join(near)}?" if near else "see `tempbench tasks`"
        raise TempbenchError(f"no task named {name!r}, here or in the harness; {hint}")


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
    found = importlib.util.find_spec("lmms_eval")
    yield from (Path(folder, "tasks") for folder in (found and found.submodule_search_locations) or ())
    for plugin in filter(None, os.environ.get("LMMS_EVAL_PLUGINS", "").split(",")):
        spec = importlib.util.find_spec(f"{plugin}.tasks")
        yield from map(Path, (spec and spec.submodule_search_locations) or ())
    if folder := getattr(options.read(further), "include_path", None):
        yield Path(folder)
