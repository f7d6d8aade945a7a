"""The entry point of this package in lmms-eval: our tasks and our models.

The harness has an extension point for models (the entry-point group `lmms_eval.models`) and none for tasks.
It imports the models' entry points before it looks for tasks, on all ways in: `lmms-eval`, `python -m
lmms_eval`, `lmms_eval.evaluator.simple_evaluate`. So `register` adds the respondents, and installs
`harness.patches`, which make the harness search our folder too. If a later version is built differently, a
warning says so, and `--include_path "$(tempbench path)"` still works.
"""

import importlib.metadata
import importlib.util
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness.patches import PATCHES, warn

MINIMUM = (0, 6, 1)
# `tempbench run` builds on a cache with a folder for each run, and on answers that carry their tokens.
MINIMUM_TO_KEEP_ANSWERS = (0, 7, 1)
_MODELS = "tempbench_lmms.harness.respondent_models"


def folders_of(package: str) -> list[Path]:
    """Returns the folders of a package, without importing it; none if it is not installed."""
    spec = importlib.util.find_spec(package)
    return [*map(Path, (spec and spec.submodule_search_locations) or ())]


def harness_version(wanted: tuple[int, ...] = MINIMUM, for_what: str = "tempbench-lmms") -> str:
    """Returns the installed harness's version.

    Args:
        wanted: The oldest version allowed.
        for_what: What needs it.

    Raises:
        TempbenchError: It is missing or too old, or it cannot run with the filelock that is installed.
    """
    folders = folders_of("lmms_eval")
    if not folders:
        raise TempbenchError("lmms-eval is not installed; run `pip install 'tempbench-lmms[run]'`")
    version = importlib.metadata.version("lmms-eval")
    if tuple(int(part) for part in version.split("+")[0].split(".")[:3] if part.isdigit()) < wanted:
        raise TempbenchError(
            f"{for_what} needs lmms-eval {'.'.join(map(str, wanted))} or later, and {version} is installed; "
            "run `pip install --upgrade lmms-eval`"
        )
    filelock = importlib.metadata.version("filelock")
    code = (folders[0] / "evaluator.py").read_text("utf-8")
    if "filelock._api" in code and not filelock.startswith(("0.", "1.", "2.", "3.")):
        raise TempbenchError(
            f"lmms-eval {version} runs nothing with filelock {filelock}; run `pip install 'filelock<4'`"
        )
    return version


def shadowed_names() -> list[str]:
    """Returns those of our task names that the harness has too; it then silently runs its own task."""
    from tempbench_lmms.harness.catalog import in_folder
    from tempbench_lmms.harness.tasks import task_files

    return sorted(
        task_files().keys() & {name for one in folders_of("lmms_eval") for name in in_folder(one / "tasks")}
    )


def check_names(ours: Iterable[str]) -> None:
    """Raises an error if the harness would run its own tasks instead of ours with the same names."""
    if shadowed := {*shadowed_names()}.intersection(ours):
        raise TempbenchError(
            f"the harness has tasks of its own named {', '.join(sorted(shadowed))} and would run those; "
            "update tempbench-lmms"
        )


def _change(module: ModuleType) -> None:
    for patch in (one for one in PATCHES if one.module == module.__name__):
        try:
            patch.change(module)
        except Exception as error:  # a plugin must never break the harness for other tasks
            warn(
                f"this lmms-eval is built differently ({patch.change.__name__}: {error!r}); if its task list "
                'lacks ours, add --include_path "$(tempbench path)"'
            )


class _AfterImport:
    """A finder that changes the harness's modules after their normal import.

    Importing them here would slow down every use of the harness's models by the seconds that its tasks take.
    """

    busy = False

    @classmethod
    def find_spec(cls, name: str, path: Any = None, target: Any = None) -> Any:
        if cls.busy or all(patch.module != name for patch in PATCHES):
            return None
        cls.busy = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            cls.busy = False
        if spec is not None and spec.loader is not None:
            execute: Callable[[ModuleType], None] = spec.loader.exec_module

            def exec_module(module: ModuleType) -> None:
                execute(module)
                _change(module)

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def install() -> None:
    """Makes the harness find our tasks; calling it again changes nothing."""
    for name in {patch.module for patch in PATCHES}:
        loaded = sys.modules.get(name)
        if loaded is not None and not getattr(loaded.__spec__, "_initializing", False):
            _change(loaded)
    if _AfterImport not in sys.meta_path:
        sys.meta_path.insert(0, _AfterImport)


def register() -> list[Any]:
    """Adds our tasks and returns our models: the entry point of group `lmms_eval.models`.

    It never raises: the harness loads all plugins' entry points in one `try`, and an exception here would
    drop the plugins after us.
    """
    try:
        harness_version()
        install()
        from lmms_eval.models.registry_v2 import ModelManifest

        from tempbench_lmms.harness.respondents import REPLIES

        return [
            ModelManifest(model_id="tempbench_reader", chat_class_path=f"{_MODELS}.Reader"),
            *(
                ModelManifest(
                    model_id=f"tempbench_{name}",
                    simple_class_path=f"{_MODELS}.{name.capitalize()}",
                    chat_class_path=f"{_MODELS}.Chat{name.capitalize()}",
                )
                for name in REPLIES
            ),
        ]
    except Exception as error:  # see the docstring
        warn(f'not registered ({error}); tasks are still found with --include_path "$(tempbench path)"')
        return []
