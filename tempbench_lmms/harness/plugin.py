"""Makes the harness take our tasks and models, and mends what in it would change our numbers.

The harness has an extension point for models (the entry-point group `lmms_eval.models`) and none for tasks.
It imports the models' entry points before it looks for tasks, on all ways in: `lmms-eval`,
`python -m lmms_eval`, `lmms_eval.evaluator.simple_evaluate`. So `register` brings the respondents, and makes
the harness's task manager look into our folder too. Tested with the oldest and the newest version
(`tests/compat`); where a later one is built differently, one warning says so, and
`--include_path "$(tempbench path)"` still works.
"""

import functools
import importlib.metadata
import importlib.util
import itertools
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from tempbench_lmms.data import redaction, terminal
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness import ahead, clean_files, index, kept_rows, time_limits

MINIMUM = (0, 6, 1)
# `tempbench run` builds on a cache with a folder for each run, and on answers that carry their tokens.
MINIMUM_TO_KEEP_ANSWERS = (0, 7, 1)
_CHECKED = "_tempbench_checks_data"
_CHANGED = "_tempbench_changed"
_PASSED: set[str] = set()
_UNLOCKED: set[Path] = set()


def harness_version(wanted: tuple[int, ...] = MINIMUM, for_what: str = "tempbench-lmms") -> str:
    """Returns the installed harness's version.

    Args:
        wanted: The oldest that will do.
        for_what: What needs it.

    Raises:
        TempbenchError: It is missing or too old.
    """
    least = ".".join(map(str, wanted))
    try:
        version = importlib.metadata.version("lmms-eval")
    except importlib.metadata.PackageNotFoundError:
        raise TempbenchError(f"lmms-eval is not installed; run `pip install 'lmms-eval>={least}'`") from None
    numbers = tuple(int(part) for part in version.split("+")[0].split(".")[:3] if part.isdigit())
    if numbers < wanted:
        raise TempbenchError(
            f"{for_what} needs lmms-eval {least} or later, and {version} is installed; "
            "run `pip install --upgrade lmms-eval`"
        )
    return version


def _whole_index() -> Any:
    """Returns the index of all tasks; the harness would log a line for every YAML that is a mere part."""
    from lmms_eval.tasks import TaskManager
    from loguru import logger

    logger.disable("lmms_eval")
    try:
        return TaskManager(include_path=str(index.task_dir())).task_index
    finally:
        logger.enable("lmms_eval")


def shadowed_names() -> list[str]:
    """Returns those of our names that the harness has itself; it then runs its own task and says nothing."""
    return index.taken_in(_whole_index()) if index.mentioned() else []


def _warn(message: str) -> None:
    try:
        from loguru import logger

        logger.warning(f"tempbench-lmms: {message}")
    except ImportError:
        print(f"tempbench-lmms: {message}", file=sys.stderr)


def _warn_of_shadows(built: dict[str, Any]) -> None:
    if taken := index.taken_in(built):
        _warn(f"the harness runs tasks of its own under our names {', '.join(taken)}; update tempbench-lmms")


def _check_data_first(module: ModuleType) -> None:
    """Makes the harness's command line stop before it loads a model where our data is not there."""
    manager = module.TaskManager
    match_tasks = getattr(manager, "match_tasks", None)
    if match_tasks is None or hasattr(match_tasks, _CHECKED):
        return  # a comfort: a harness without the method says so later, with a traceback

    @functools.wraps(match_tasks)
    def match(self: Any, task_list: Any) -> Any:
        names = match_tasks(self, task_list)
        _stop_without_data(names)
        return names

    setattr(match, _CHECKED, True)
    manager.match_tasks = match


def _stop_without_data(names: Iterable[str]) -> None:
    """Ends the harness's command line where our data is not there; looks once for each name."""
    new = [name for name in names if name not in _PASSED]
    try:
        preflight(new)
    except TempbenchError as error:
        # The harness would print a traceback and exit with status 0.
        raise SystemExit(f"tempbench: {error}") from None
    _PASSED.update(new)


def _is_harness(words: Sequence[str]) -> bool:
    """Returns whether this is the harness's command line."""
    program = Path(words[0] if words else "")
    return program.stem == "lmms-eval" or program.parts[-2:] == ("lmms_eval", "__main__.py")


def _given(words: Sequence[str], option: str) -> list[str]:
    """Returns the values of an option on the harness's command line."""
    given = [after for word, after in itertools.pairwise(words) if word == option]
    return given + [word.partition("=")[2] for word in words if word.startswith(f"{option}=")]


def _asked_for(words: Sequence[str]) -> list[str]:
    """Returns the tasks on the harness's command line; nothing where `words` are another program's."""
    given = _given(words, "--tasks") if _is_harness(words) else []
    return given[-1].split(",") if given else []


def _stop_at_folder(names: Sequence[str]) -> None:
    """Ends the harness's command line where it would take our tasks' names for a folder's."""
    from tempbench_lmms.harness.tasks import task_files

    tasks = ",".join(names)
    if os.path.isdir(tasks) and task_files().keys() >= {*names}:
        raise SystemExit(
            f"tempbench: --tasks {tasks}: lmms-eval takes this for the folder {tasks} that lies here, not "
            f"for the task; start it in another folder, or give --tasks {tasks},{names[0]}"
        )


def _hide_keys(words: Sequence[str]) -> None:
    """Keeps what the harness's command line prints free of keys."""
    if _is_harness(words):
        redaction.note(*(one for name in clean_files.LISTS for one in _given(words, f"--{name}")))
        terminal.hide_keys()


def preflight(names: Iterable[str]) -> None:
    """Checks the data of our tasks among `names`, and keeps `prepare` from it while this process lives.

    The harness loads the model first and the data afterwards; its command line asks the task manager for the
    names of the tasks before both, which is where this is called.

    Raises:
        TempbenchError: Data is not prepared, a table is damaged, media are missing, a benchmark's own
            `preflight` found something, or `$TEMPBENCH_FRAMES_AHEAD_MB` is no number.
    """
    from tempbench_lmms import benchmarks
    from tempbench_lmms.harness.tasks import data_problems, load_task, task_files
    from tempbench_lmms.media.prefetch import megabytes

    megabytes()  # raises where it is no number
    files = task_files()
    for name in names:
        if name not in files:
            continue
        config = load_task(name)
        if "group" in config:
            preflight(member for member in config["task"] if isinstance(member, str))
            continue
        _keep_reading(config)
        benchmark = files[name].parent.name
        if problems := data_problems(config):
            raise TempbenchError(
                f"{name}: {problems[0]} ({len(problems)} problems; see `tempbench verify {benchmark}`)"
            )
        if check := benchmarks.commands(benchmark).get("preflight"):
            check(config)


def _keep_reading(config: dict[str, Any]) -> None:
    from tempbench_lmms.data import locks
    from tempbench_lmms.data.roots import mini_root
    from tempbench_lmms.harness.tasks import root_of

    benchmark, root = root_of(config)
    if root == mini_root(benchmark):
        return  # nobody prepares the bundled sample
    try:
        locks.keep_reading(root)
    except locks.NoLocksError:
        if root not in _UNLOCKED:
            _warn(f"{root} is on a file system without locks: do not prepare {benchmark} while this runs")
        _UNLOCKED.add(root)


def _apply(module: ModuleType) -> None:
    try:
        index.extend(module.TaskManager, _warn_of_shadows, _warn)
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


def _change_utilities(module: ModuleType) -> None:
    _print_headlines(module)
    ahead.announce_order(module)


def _change_models(module: ModuleType) -> None:
    """Has every model of the harness say which questions it got, and give replies without keys."""
    base = getattr(module, "lmms", None)
    if base is None or hasattr(base, _CHANGED):
        return

    def init_subclass(cls: type[Any], /, **kwargs: Any) -> None:
        super(base, cls).__init_subclass__(**kwargs)
        original = cls.generate_until
        if getattr(original, "__isabstractmethod__", False) or hasattr(original, _CHANGED):
            return  # the latter is inherited

        @functools.wraps(original)
        def generate_until(self: Any, requests: Any, *args: Any, **kwargs: Any) -> Any:
            with ahead.following(self, requests):
                return clean_files.without_keys(original(self, requests, *args, **kwargs))

        setattr(generate_until, _CHANGED, True)
        cls.generate_until = generate_until

    base.__init_subclass__ = classmethod(init_subclass)
    clean_files.note_arguments(base)
    setattr(base, _CHANGED, True)


def _change_tracker(module: ModuleType) -> None:
    from tempbench_lmms.harness import log_lines  # brings numpy, which whoever only loads a model needs not

    clean_files.keep_secrets_out(module)
    log_lines.keep_short(module)


_TARGETS: dict[str, Callable[[ModuleType], None]] = {
    "lmms_eval.tasks": _apply,
    "lmms_eval.utils": _change_utilities,
    "lmms_eval.protocol": _encode_every_picture,
    "lmms_eval.models.simple.openai": time_limits.keep,
    "lmms_eval.models.chat.async_openai": time_limits.keep,
    "lmms_eval.api.model": _change_models,
    "lmms_eval.caching.response_cache": clean_files.keep_keys_out_of_caches,
    "lmms_eval.api.task": kept_rows.keep_rows,
    "lmms_eval.loggers.evaluation_tracker": _change_tracker,
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
        _hide_keys(sys.argv)
        # What follows in the harness takes it ten seconds; the names of tasks that it has to look up wait.
        asked = _asked_for(sys.argv)
        _stop_at_folder(asked)
        _stop_without_data(asked)
        from lmms_eval.models.registry_v2 import ModelManifest

        from tempbench_lmms.harness.respondents import NAMES

        folder = "tempbench_lmms.harness.respondents"
        reader = ModelManifest(model_id="tempbench_reader", chat_class_path=f"{folder}.reader.Reader")
        return [
            reader,
            *(
                ModelManifest(
                    model_id=f"tempbench_{name}",
                    simple_class_path=f"{folder}.simple.{name.capitalize()}",
                    chat_class_path=f"{folder}.chat.{name.capitalize()}",
                )
                for name in NAMES
            ),
        ]
    except Exception as error:  # see the docstring
        _warn(f'not registered ({error}); tasks are still found with --include_path "$(tempbench path)"')
        return []
