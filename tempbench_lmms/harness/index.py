"""The harness's index of tasks, which it builds by parsing every YAML it has.

Nearly two thousand files take it ten seconds and more, before a run says anything, and few of them are asked
for. So a task manager starts with our tasks alone, whose names are known, and reads the harness's own as soon
as anything but our names is asked of it: a pattern, a task of the harness, a list of all.
"""

import contextlib
import functools
import importlib.util
import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tempbench_lmms.errors import TempbenchError

_REST = "_tempbench_rest"
_OURS_ALONE = "_tempbench_ours_alone"
_LISTS = ("all_tasks", "all_groups", "all_subtasks", "all_tags", "task_index")


def task_dir() -> Path:
    """Returns the folder with the task YAMLs."""
    from tempbench_lmms.harness import variants  # it reads YAML, which not every use of the harness needs

    return variants.task_dir()


def entries() -> dict[str, dict[str, Any]]:
    """Returns the index of our folder as the harness would build it; a test compares the two."""
    from tempbench_lmms.harness.tasks import load_task, task_files

    index: dict[str, dict[str, Any]] = {}
    for name, path in task_files().items():
        if isinstance(load_task(name)["task"], list):
            index[name] = {"type": "group", "task": -1, "yaml_path": str(path)}
        else:
            index[name] = {"type": "task", "yaml_path": str(path)}
    return index


@functools.cache
def mentioned() -> frozenset[str]:
    """Returns those of our names that stand anywhere in the harness's own task files.

    A file that takes one of our names has to spell it, so where none does no index is needed to know that
    all our names are ours. A name that stands here may still be a mere word in a comment.
    """
    from tempbench_lmms.harness.tasks import task_files

    found = importlib.util.find_spec("lmms_eval")
    names = {name.encode() for name in task_files()}
    heads = sorted({re.escape(name.partition(b"_")[0]) for name in names})
    ours = re.compile(rb"\b(?:" + b"|".join(heads) + rb")\w*")
    taken: set[bytes] = set()
    for folder in (found and found.submodule_search_locations) or ():
        for path in Path(folder, "tasks").rglob("*yaml*"):
            if path.is_file():
                taken |= names & set(ours.findall(path.read_bytes()))
    return frozenset(name.decode() for name in taken)


def taken_in(index: dict[str, Any]) -> list[str]:
    """Returns those of our names that `index` takes from elsewhere."""
    ours = task_dir()

    def elsewhere(name: str) -> bool:
        path = index.get(name, {}).get("yaml_path", -1)
        return isinstance(path, str) and not Path(path).is_relative_to(ours)

    return sorted(path.stem for path in ours.glob("*/[!_]*.yaml") if elsewhere(path.stem))


def extend(manager: type[Any], built: Callable[[dict[str, Any]], None], warn: Callable[[str], None]) -> None:
    """Makes every task manager that looks at the harness's tasks look at ours too, and at ours first.

    Args:
        manager: The harness's `TaskManager`; changed in place, as other modules hold it already.
        built: Called with every index that holds the harness's tasks and ours.
        warn: Called where the files of our tasks cannot be made.

    Raises:
        TypeError: It takes no folders.
    """
    if hasattr(manager, _OURS_ALONE):
        return
    original = manager.__init__
    signature = inspect.signature(original)
    if not {"include_path", "include_defaults"} <= set(signature.parameters):
        raise TypeError(f"TaskManager{signature} takes no include_path")
    lazy = _defer(manager)

    @functools.wraps(original)
    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        bound = signature.bind(self, *args, **kwargs)
        bound.apply_defaults()
        if not bound.arguments["include_defaults"] or not _are_there(warn):
            original(*bound.args, **bound.kwargs)
            return
        given = bound.arguments["include_path"]
        paths = [str(path) for path in ([given] if isinstance(given, (str, Path)) else given or [])]
        if str(task_dir()) not in paths:
            bound.arguments["include_path"] = [*paths, str(task_dir())]

        def whole() -> None:
            bound.arguments["include_defaults"] = True
            original(*bound.args, **bound.kwargs)
            built(self._task_index)

        if paths or not lazy or mentioned():
            whole()
            return
        bound.arguments["include_defaults"] = False
        original(*bound.args, **bound.kwargs)
        setattr(self, _REST, whole)

    manager.__init__ = init
    setattr(manager, _OURS_ALONE, False)


def _are_there(warn: Callable[[str], None]) -> bool:
    """Whether the files of our tasks are there; other people's tasks run without them."""
    try:
        task_dir()
    except (TempbenchError, OSError) as error:
        warn(f"its tasks are missing: {error}")
        return False
    return True


def _defer(manager: type[Any]) -> bool:
    """Makes a manager read the rest when it is asked for it; False where the harness is built differently."""
    asked = ("match_tasks", "load_task_or_group")
    if not all(isinstance(vars(manager).get(name), property) for name in _LISTS):
        return False
    if not all(name in vars(manager) for name in (*asked, "_get_task_and_group")):
        return False
    for name in _LISTS:
        setattr(manager, name, property(_after_the_rest(vars(manager)[name].fget)))
    for name in asked:
        setattr(manager, name, _for_names(vars(manager)[name]))
    scan = vars(manager)["_get_task_and_group"]

    @functools.wraps(scan)
    def scanned(self: Any, folder: Any) -> Any:
        return entries() if str(folder) == str(task_dir()) else scan(self, folder)

    manager._get_task_and_group = scanned
    return True


def _after_the_rest(get: Any) -> Callable[[Any], Any]:
    """Returns the getter of a list of names that completes the list first."""

    @functools.wraps(get)
    def getter(self: Any) -> Any:
        if not getattr(self, _OURS_ALONE) and (whole := vars(self).pop(_REST, None)):
            whole()
        return get(self)

    return getter


def _for_names(method: Any) -> Callable[..., Any]:
    """Returns a method that takes names and leaves the harness's tasks alone where all of them are ours."""

    @functools.wraps(method)
    def called(self: Any, names: Any, *args: Any, **kwargs: Any) -> Any:
        wanted = [names] if isinstance(names, str) else names
        known = self._task_index
        if _REST in vars(self) and all(isinstance(name, str) and name in known for name in wanted):
            with _ours_alone(self):
                return method(self, names, *args, **kwargs)
        return method(self, names, *args, **kwargs)

    return called


@contextlib.contextmanager
def _ours_alone(manager: Any) -> Iterator[None]:
    setattr(manager, _OURS_ALONE, True)
    try:
        yield
    finally:
        setattr(manager, _OURS_ALONE, False)
