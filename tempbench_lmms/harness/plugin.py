"""Everything this package knows of the harness's internals.

The harness has an extension point for models (the entry-point group `lmms_eval.models`) and none for tasks.
It imports the models' entry points before it looks for tasks, on all ways in: `lmms-eval`,
`python -m lmms_eval`, `lmms_eval.evaluator.simple_evaluate`. So `register` brings the respondents, and makes
the harness's task manager look into our folder too. Tested with lmms-eval 0.7.3; where a later version is
built differently, one warning says so and `--include_path "$(tempbench path)"` still works.
"""

import functools
import importlib.metadata
import importlib.util
import inspect
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

from tempbench_lmms.errors import TempbenchError

MINIMUM = (0, 7, 3)
_MARK = "_tempbench_path_added"


def task_dir() -> Path:
    """Returns the folder with the task YAMLs."""
    from tempbench_lmms.harness import variants  # it reads YAML, which not every use of the harness needs

    return variants.task_dir()


def harness_version() -> str:
    """Returns the installed harness's version.

    Raises:
        TempbenchError: It is missing or too old.
    """
    wanted = ".".join(map(str, MINIMUM))
    try:
        version = importlib.metadata.version("lmms-eval")
    except importlib.metadata.PackageNotFoundError:
        raise TempbenchError(f"lmms-eval is not installed; run `pip install 'lmms-eval>={wanted}'`") from None
    numbers = tuple(int(part) for part in version.split("+")[0].split(".")[:3] if part.isdigit())
    if numbers < MINIMUM:
        raise TempbenchError(
            f"lmms-eval {version} is too old, {wanted} is needed; run `pip install 'lmms-eval>={wanted}'`"
        )
    return version


def _quiet_manager(include_defaults: bool) -> Any:
    """Returns a task manager; the harness would log a line for every YAML that is a mere part of others."""
    from lmms_eval.tasks import TaskManager
    from loguru import logger

    logger.disable("lmms_eval")
    try:
        return TaskManager(include_defaults=include_defaults, include_path=str(task_dir()))
    finally:
        logger.enable("lmms_eval")


def our_task_names() -> list[str]:
    """Returns the names of our tasks, groups and tags, as the harness reads them."""
    return sorted(_quiet_manager(include_defaults=False).task_index)


@functools.cache
def shadowed_names() -> list[str]:
    """Returns those of our names that the harness has itself; it then runs its own task and says nothing."""
    return _shadowed(_quiet_manager(include_defaults=True).task_index)


def _shadowed(index: dict[str, Any]) -> list[str]:
    """Returns the names of our YAML files that `index` takes from elsewhere."""
    ours = task_dir()

    def elsewhere(name: str) -> bool:
        path = index.get(name, {}).get("yaml_path", -1)
        return isinstance(path, str) and not Path(path).is_relative_to(ours)

    return sorted(path.stem for path in ours.glob("*/[!_]*.yaml") if elsewhere(path.stem))


def _warn(message: str) -> None:
    try:
        from loguru import logger

        logger.warning(f"tempbench-lmms: {message}")
    except ImportError:
        print(f"tempbench-lmms: {message}", file=sys.stderr)


def _add_task_dir(module: ModuleType) -> None:
    """Makes every `TaskManager` that looks at the default tasks look at ours too."""
    manager = module.TaskManager
    if getattr(manager, _MARK, False):
        return
    original = manager.__init__
    signature = inspect.signature(original)
    if not {"include_path", "include_defaults"} <= set(signature.parameters):
        raise TypeError(f"TaskManager{signature} takes no include_path")

    @functools.wraps(original)
    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        bound = signature.bind(self, *args, **kwargs)
        bound.apply_defaults()
        try:
            task_dir()
        except (TempbenchError, OSError) as error:  # other people's tasks run without ours
            _warn(f"its tasks are missing: {error}")
            original(*bound.args, **bound.kwargs)
            return
        if bound.arguments["include_defaults"]:
            given = bound.arguments["include_path"]
            paths = [given] if isinstance(given, (str, Path)) else list(given or [])
            if str(task_dir()) not in map(str, paths):
                bound.arguments["include_path"] = [*map(str, paths), str(task_dir())]
        original(*bound.args, **bound.kwargs)
        if taken := _shadowed(self.task_index):
            _warn(
                f"the harness runs tasks of its own under our names {', '.join(taken)}; update tempbench-lmms"
            )

    manager.__init__ = init
    setattr(manager, _MARK, True)


def _check_data_first(module: ModuleType) -> None:
    """Makes the harness's command line stop before it loads a model where our data is not there."""
    manager = module.TaskManager
    match_tasks = getattr(manager, "match_tasks", None)
    if match_tasks is None or hasattr(match_tasks, "__wrapped__"):
        return  # a comfort: a harness without the method says so later, with a traceback

    @functools.wraps(match_tasks)
    def match(self: Any, task_list: Any) -> Any:
        names = match_tasks(self, task_list)
        try:
            preflight(names)
        except TempbenchError as error:
            # The harness would print a traceback and exit with status 0.
            raise SystemExit(f"tempbench: {error}") from None
        return names

    manager.match_tasks = match


def preflight(names: Iterable[str]) -> None:
    """Checks the data of our tasks among `names`.

    The harness loads the model first and the data afterwards; its command line asks the task manager for the
    names of the tasks before both, which is where this is called.

    Raises:
        TempbenchError: Data is not prepared, a table is damaged, media are missing, or a benchmark's own
            `preflight` found something.
    """
    from tempbench_lmms import benchmarks
    from tempbench_lmms.harness.tasks import data_problems, load_task, task_files

    files = task_files()
    for name in names:
        if name not in files:
            continue
        config = load_task(name)
        if "group" in config:
            preflight(member for member in config["task"] if isinstance(member, str))
            continue
        benchmark = files[name].parent.name
        if problems := data_problems(config):
            raise TempbenchError(
                f"{name}: {problems[0]} ({len(problems)} problems; see `tempbench verify {benchmark}`)"
            )
        if check := benchmarks.commands(benchmark).get("preflight"):
            check(config)


def _apply(module: ModuleType) -> None:
    try:
        _add_task_dir(module)
        _check_data_first(module)
    except Exception as error:  # a plugin must never break the harness for everybody else
        _warn(
            f"this lmms-eval is built differently ({error!r}), so its task list lacks ours; "
            'add --include_path "$(tempbench path)"'
        )


def _encode_every_picture(module: ModuleType) -> None:
    """Makes the runners that speak the OpenAI protocol send a video's own frames.

    0.7.3 remembers encoded pictures by `id()` while a conversation is put together. The frames of a video
    are made one by one and dropped, Python gives their ids again, and a frame is sent as a copy of an earlier
    one.
    """
    original = getattr(module, "encode_image_to_base64", None)
    if original is None or hasattr(original, "__wrapped__"):
        return

    @functools.wraps(original)
    def encode(image: Any, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(image, str) and "cache" in kwargs:
            kwargs["cache"] = None
        return original(image, *args, **kwargs)

    module.encode_image_to_base64 = encode  # type: ignore[attr-defined]


def _print_headlines(module: ModuleType) -> None:
    """Makes the harness print the headline metrics of our tasks; its results file has them all."""
    original = getattr(module, "make_table", None)
    if original is None or hasattr(original, "__wrapped__"):
        return

    @functools.wraps(original)
    def make_table(result_dict: Any, column: str = "results", *args: Any, **kwargs: Any) -> Any:
        from tempbench_lmms.harness.printing import headlines

        if column != "results":
            return original(result_dict, column, *args, **kwargs)
        try:
            shown, notes = headlines(result_dict)
        except Exception as error:  # the numbers of a finished run are worth more than a short table
            _warn(f"all metrics are printed ({error!r})")
            shown, notes = result_dict, []
        return "\n\n".join([original(shown, column, *args, **kwargs), *notes])

    module.make_table = make_table  # type: ignore[attr-defined]


_TARGETS: dict[str, Callable[[ModuleType], None]] = {
    "lmms_eval.tasks": _apply,
    "lmms_eval.utils": _print_headlines,
    "lmms_eval.protocol": _encode_every_picture,
}


class _AfterImport:
    """A finder that lets the harness's modules be imported as ever and then changes them.

    Importing it here instead would cost every use of the harness's models the seven seconds that the
    harness's tasks take.
    """

    busy = False

    @classmethod
    def find_spec(cls, name: str, path: Any = None, target: Any = None) -> Any:
        if name not in _TARGETS or cls.busy:
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
                _TARGETS[name](module)

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def install() -> None:
    """Makes the harness find our tasks; calling it again changes nothing."""
    for name, change in _TARGETS.items():
        loaded = sys.modules.get(name)
        if loaded is not None and not getattr(loaded.__spec__, "_initializing", False):
            change(loaded)
    if _AfterImport not in sys.meta_path and not sys.modules.keys() >= _TARGETS.keys():
        sys.meta_path.insert(0, _AfterImport)


def register() -> list[Any]:
    """The entry point of group `lmms_eval.models`: adds our tasks and returns our models.

    It never raises: the harness loads all plugins' entry points in one `try`, and an exception here would
    drop the plugins after us.
    """
    try:
        harness_version()
        install()
        from lmms_eval.models.registry_v2 import ModelManifest

        from tempbench_lmms.harness.respondents import NAMES

        return [
            ModelManifest(
                model_id=f"tempbench_{name}",
                simple_class_path=f"tempbench_lmms.harness.respondents.simple.{name.capitalize()}",
                chat_class_path=f"tempbench_lmms.harness.respondents.chat.{name.capitalize()}",
            )
            for name in NAMES
        ]
    except Exception as error:  # see the docstring
        _warn(f'not registered ({error}); tasks are still found with --include_path "$(tempbench path)"')
        return []
