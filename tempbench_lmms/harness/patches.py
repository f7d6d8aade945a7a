"""The changes that this package makes to lmms-eval's modules; each is a function that explains its reason.

`plugin.install` changes each module right after its import. A patch says what is wrong or missing in the
harness, since which version, and quotes the source (`upstream`, with its file).
`tests/harness/test_patches.py` fails as soon as the harness no longer has those words: then check the patch,
and remove it if the harness no longer needs it. `encode_every_picture` and `log_experiment_args` also serve
other people's tasks. `RUN_PATCHES` are made while `tempbench run` lasts (`during`), and then taken back.
"""

import contextlib
import functools
import importlib
import inspect
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple, Protocol

from tempbench_lmms.data import redaction
from tempbench_lmms.errors import TempbenchError


class Patch(NamedTuple):
    """One change of the harness."""

    module: str  # the module that is changed
    change: Callable[[ModuleType], None]  # changes it
    file: str  # the file of the harness that shows the reason
    upstream: str  # words of that file; without them, the patch is not needed


class PatchedRun(Protocol):
    """What the patches of a `tempbench run` need of it."""

    arguments: Any  # the harness's command line, once it is read

    def open_cache(self, cache_root: str, **kwargs: Any) -> Any:
        """Opens the store of answers; the arguments are those of the harness's `ResponseCache.create`."""

    def note(self, results: Any) -> Any:
        """Returns the harness's results with what their file should have besides."""


class RunPatch(NamedTuple):
    """One name of the harness that is replaced while `tempbench run` lasts."""

    module: str  # the module that has the name
    name: str
    instead: Callable[
        [Any, PatchedRun], Any
    ]  # returns what stands in its place, from the original and the run
    file: str  # as for `Patch`
    upstream: str


class HarnessError(BaseException):
    """Carries an error of a run, its argument, past the harness, which catches every `Exception`."""


# Options of the harness's command line that are lists of `name=value`.
_LISTS = ("model_args", "gen_kwargs", "hf_hub_log_args", "wandb_args", "swanlab_args", "launcher_args")
_SECONDS = 600.0
_OURS = "_replaced_by_tempbench"


def _replace(owner: Any, name: str, new: Callable[..., Any]) -> None:
    """Replaces a function once, by one that is given it; warns if the harness lacks it."""
    original = getattr(owner, name, None)
    if original is None:
        warn(f"{owner.__name__} has no {name}, so `{new.__qualname__}` has no effect; update tempbench-lmms")
    elif not hasattr(original, _OURS):

        @functools.wraps(original)
        def changed(*args: Any, **kwargs: Any) -> Any:
            return new(original, *args, **kwargs)

        setattr(changed, _OURS, True)
        setattr(owner, name, changed)


def warn(message: str) -> None:
    """Warns through the harness's own logger."""
    from loguru import logger

    logger.warning(f"tempbench-lmms: {message}")


def find_tasks(module: ModuleType) -> None:
    """Makes the harness look for tasks in our folder too.

    Missing: an entry point for tasks, as there is one for models; all versions (0.6.1 to 0.7.3). A manager
    that does not look at the harness's own tasks does not look at ours.
    """
    signature = inspect.signature(module.TaskManager.__init__)
    if not {"include_path", "include_defaults"} <= set(signature.parameters):
        raise TypeError(f"TaskManager{signature} takes no include_path")

    def init(original: Any, *args: Any, **kwargs: Any) -> Any:
        from tempbench_lmms.harness.tasks import task_files
        from tempbench_lmms.harness.variants import task_dir

        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        folder = ""
        try:
            folder = str(task_dir()) if bound.arguments["include_defaults"] else ""
        except (TempbenchError, OSError) as error:  # other tasks still run
            warn(f"its tasks are missing: {error}")
        if not folder:
            return original(*bound.args, **bound.kwargs)
        given = bound.arguments["include_path"]
        paths = [str(one) for one in ([given] if isinstance(given, (str, Path)) else given or [])]
        bound.arguments["include_path"] = list(dict.fromkeys([*paths, folder]))
        original(*bound.args, **bound.kwargs)
        index = bound.args[0].task_index
        own = {name: str(index[name]["yaml_path"]) for name in task_files() if name in index}
        if taken := sorted(
            name for name, path in own.items() if path != "-1" and not path.startswith(folder)
        ):
            warn(f"the harness runs its own tasks under our names {', '.join(taken)}; update tempbench-lmms")

    _replace(module.TaskManager, "__init__", init)


def check_data_first(module: ModuleType) -> None:
    """Makes the harness's command line stop before it loads a model if our data is missing.

    Fault: the data is read after the model is loaded, and if it is missing the harness prints a traceback and
    exits with status 0; all versions (0.6.1 to 0.7.3).
    """

    def match_tasks(original: Any, *args: Any) -> Any:
        from tempbench_lmms.harness.tasks import check_data

        names = original(*args)
        try:
            check_data(names)
        except TempbenchError as error:
            raise SystemExit(f"tempbench: {error}") from None
        return names

    _replace(module.TaskManager, "match_tasks", match_tasks)


def encode_every_picture(module: ModuleType) -> None:
    """Makes the runners that speak the OpenAI protocol send a video's own frames.

    Fault: 0.7.1 to 0.7.3 cache encoded pictures by `id()` while they build a conversation. The frames of a
    video are created and dropped one by one, Python reuses their ids, and a frame is sent as a copy of an
    earlier one. Pictures that are still alive are encoded as before.
    """

    def encode(original: Any, image: Any, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(image, str) and "cache" in kwargs:
            kwargs["cache"] = None
        return original(image, *args, **kwargs)

    if hasattr(module, "encode_image_to_base64"):  # not in 0.6.1
        _replace(module, "encode_image_to_base64", encode)


def print_headlines(module: ModuleType) -> None:
    """Makes the harness print only the headline metrics of our tasks; its results file has them all.

    Missing: a way to leave metrics, of up to two hundred, out of the printed table; all versions.
    """

    def make_table(
        original: Any, result_dict: Any, column: str = "results", *args: Any, **kwargs: Any
    ) -> Any:
        if column != "results":
            return original(result_dict, column, *args, **kwargs)
        try:
            shown, notes = headlines(result_dict)
        except Exception as error:  # the scores of a finished run matter more than a short table
            warn(f"all metrics are printed ({error!r})")
            shown, notes = result_dict, []
        return "\n\n".join([original(shown, column, *args, **kwargs), *notes])

    _replace(module, "make_table", make_table)


def headlines(results: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Returns a run's results with only our headline metrics, and a line for each shortened task."""
    from tempbench_lmms.harness.adapter import rows_of
    from tempbench_lmms.harness.tasks import load_task, task_files

    tables, arrows = dict(results["results"]), dict(results.get("higher_is_better") or {})
    notes = []
    for task in tables.keys() & task_files().keys():
        rows = {row.name: row for row in rows_of(load_task(task))}
        if not rows:  # a group
            continue
        values = tables[task]
        tables[task] = {key: value for key, value in values.items() if _is_shown(key, value, rows)}
        arrows[task] = {
            **arrows.get(task, {}),
            **{row.name: {"higher": True, "lower": False}.get(row.better) for row in rows.values()},
        }
        n_shown, n_all = (
            sum(key.partition(",")[0] in rows for key in table) for table in (tables[task], values)
        )
        if n_shown < n_all:
            notes.append(f"{task}: {n_shown} of {n_all} metrics; the results file (--output_path) has all")
    return {**results, "results": tables, "higher_is_better": arrows}, sorted(notes)


def _is_shown(key: str, value: Any, rows: Mapping[str, Any]) -> bool:
    """Returns whether to print a value: headline metrics, and values that are not metrics (alias, errors)."""
    name, comma, _ = key.partition(",")
    if name in rows:
        return bool(rows[name].headline)
    if not comma:
        return name != "samples"  # the number of questions, which the headlines include if needed
    return "_stderr" in name or isinstance(value, (int, float))  # not the name of an encoder


def write_short_lines(module: ModuleType) -> None:
    """Makes the harness write each record of our tasks once, without keys that a server echoes.

    Fault: a line repeats the record for every metric, up to two hundred times, and the reply of a failed
    request quotes the server; all versions (0.6.1 to 0.7.3).
    """

    def save_results_samples(
        original: Any, self: Any, task_name: str, samples: Any, *args: Any, **kwargs: Any
    ) -> Any:
        from tempbench_lmms.harness import adapter
        from tempbench_lmms.harness.tasks import load_task, task_files

        if task_name in task_files():
            samples = adapter.shortened(adapter.names_in(load_task(task_name)), samples)
            for line in samples:
                line["resps"] = adapter.without_keys(line["resps"])
        return original(self, task_name, samples, *args, **kwargs)

    _replace(module.EvaluationTracker, "save_results_samples", save_results_samples)


def write_no_secrets(module: ModuleType) -> None:
    """Makes the harness write the settings of a run of our tasks without credentials.

    Fault: the harness hides values only under a few names (`api_key`), but not in `--gen_kwargs`, in an
    address or in JSON; all versions (0.6.1 to 0.7.3).
    """

    def log_experiment_args(
        original: Any, self: Any, model_source: Any, model_args: Any, *args: Any, **kwargs: Any
    ) -> Any:
        redaction.note(str(model_args))  # so that it is recognised in replies
        # The folder of the results is named after one of them.
        shown = redaction.without_secrets(model_args) if isinstance(model_args, str) else model_args
        return original(self, model_source, shown, *args, **kwargs)

    def save_results_aggregated(original: Any, self: Any, results: Any, *args: Any, **kwargs: Any) -> Any:
        from tempbench_lmms.harness.tasks import task_files

        configs = results.get("configs") or {}
        if task_files().keys() & configs.keys():
            results["config"] = settings_shown(results["config"])
            results["configs"] = {name: task_shown(one) for name, one in configs.items()}
        return original(self, results, *args, **kwargs)

    _replace(module.GeneralConfigTracker, "log_experiment_args", log_experiment_args)
    _replace(module.EvaluationTracker, "save_results_aggregated", save_results_aggregated)


def settings_shown(config: dict[str, Any]) -> Any:
    """Returns a run's settings in a results file, without anything that may be secret."""
    lines = config.get("resolved_cli_args")
    given = [config, *([lines] if isinstance(lines, dict) else [])]
    lists = [shown for one in given for name in _LISTS if isinstance(shown := one.get(name), str)]

    def shown_of(value: Any, name: str = "", above: str = "") -> Any:
        if isinstance(value, dict):
            return {key: shown_of(one, key, name) for key, one in value.items()}
        if above in _LISTS and isinstance(value, (str, int, float)):  # a dict made of the list
            shown = redaction.without_secrets(f"{name}={value}")
            return value if shown == f"{name}={value}" else shown.partition("=")[2] or shown
        if isinstance(value, str):
            return redaction.without_secrets(value) if name in _LISTS else redaction.scrubbed(value, lists)
        return value

    return shown_of(config)


def task_shown(config: Any) -> Any:
    """Returns a task's configuration, which repeats `--gen_kwargs`, without possible secrets."""
    given = config.get("generation_kwargs") if isinstance(config, dict) else None
    if not isinstance(given, dict):
        return config
    return {**config, "generation_kwargs": settings_shown({"gen_kwargs": given})["gen_kwargs"]}


def mend_client(lm: Any, model_args: str) -> None:
    """Makes an OpenAI runner respect its time limit and close its connections, in our own runs.

    Fault: 0.7.3's `openai` accepts `timeout` but leaves its client at 600 seconds for each read.
    `async_openai` has an event loop for each call, and connections kept from an earlier call belong to a
    closed loop.
    """
    client: Any = getattr(lm, "client", None)
    if not type(client).__module__.startswith("openai") or not hasattr(client, "with_options"):
        return
    given = dict(one.partition("=")[::2] for one in model_args.split(","))
    try:
        seconds = float(given.get("timeout") or _SECONDS)
    except ValueError:
        raise TempbenchError(f"timeout={given['timeout']}: give a number of seconds") from None
    once = {"Connection": "close"} if type(client).__name__.startswith("Async") else {}
    lm.client = client.with_options(timeout=seconds, default_headers=once)


def store_answers(original: Any, run: PatchedRun) -> Any:
    """Makes the harness keep its answers in our store (`cache.SafeCache`); it calls `create` alone.

    Fault: the harness's cache stores nothing before a model has answered every request, so a crash loses all;
    its keys do not cover pictures and most settings; all versions (0.6.1 to 0.7.3).
    """
    return SimpleNamespace(create=run.open_cache)


def record_decision(original: Any, run: PatchedRun) -> Any:
    """Makes the results file say why a run stopped early, and how many questions count.

    Missing: a hook between the results and their file; all versions (0.6.1 to 0.7.3).
    """
    return lambda *args, **kwargs: run.note(original(*args, **kwargs))


def keep_error(original: Any, run: PatchedRun) -> Any:
    """Makes an error end the harness's command line, as `HarnessError`.

    Fault: the harness prints an error with its traceback, drops it, and exits with status 0; all versions
    (0.6.1 to 0.7.3).
    """

    def cli_evaluate_single(args: Any) -> Any:
        run.arguments = args
        try:
            return original(args)
        except Exception as error:
            raise HarnessError(error) from error

    return cli_evaluate_single


def index_our_tasks_only(original: Any, run: PatchedRun) -> Any:
    """Makes the harness leave out its own tasks if a run has only ours.

    Missing: an option for it; reading the harness's 1,800 files takes ten seconds; all versions (0.6.1 to
    0.7.3).
    """

    def manager(verbosity: Any, include_path: Any = None, model_name: Any = None) -> Any:
        from tempbench_lmms.harness.tasks import task_files
        from tempbench_lmms.harness.variants import task_dir

        if task_files().keys() >= {*run.arguments.tasks.split(",")}:
            return original(verbosity, str(task_dir()), include_defaults=False, model_name=model_name)
        return original(verbosity, include_path=include_path, model_name=model_name)

    return manager


@contextlib.contextmanager
def during(run: PatchedRun) -> Iterator[None]:
    """Makes the changes of `RUN_PATCHES` for a run, and takes them back at the end."""
    with contextlib.ExitStack() as made:
        for patch in RUN_PATCHES:
            module = importlib.import_module(patch.module)
            original = getattr(module, patch.name)
            made.callback(setattr, module, patch.name, original)
            setattr(module, patch.name, patch.instead(original, run))
        yield


PATCHES = (
    Patch(
        "lmms_eval.tasks",
        find_tasks,
        "tasks/__init__.py",
        'all_paths = [os.path.dirname(os.path.abspath(__file__)) + "/"]\n        else:\n',
    ),
    Patch(
        "lmms_eval.tasks", check_data_first, "__main__.py", "task_names = task_manager.match_tasks(task_list)"
    ),
    Patch(
        "lmms_eval.protocol",
        encode_every_picture,
        "models/model_utils/media_encoder.py",
        "cache_key = _build_cache_key(image, image_format",
    ),
    Patch(
        "lmms_eval.utils", print_headlines, "utils.py", 'def make_table(result_dict, column: str = "results"'
    ),
    Patch(
        "lmms_eval.loggers.evaluation_tracker",
        write_short_lines,
        "loggers/evaluation_tracker.py",
        'sample["input"] = sample["arguments"][0]',
    ),
    Patch(
        "lmms_eval.loggers.evaluation_tracker",
        write_no_secrets,
        "loggers/evaluation_tracker.py",
        "def save_results_aggregated(",
    ),
)
RUN_PATCHES = (
    RunPatch(
        "lmms_eval.evaluator",
        "ResponseCache",
        store_answers,
        "caching/response_cache.py",
        "new_resps = getattr(lm, reqtype)(uncached)",
    ),
    RunPatch(
        "lmms_eval.evaluator",
        "simple_evaluate",
        record_decision,
        "__main__.py",
        "results = evaluator.simple_evaluate(",
    ),
    RunPatch(
        "lmms_eval.__main__",
        "cli_evaluate_single",
        keep_error,
        "__main__.py",
        'traceback.print_exc()\n                eval_logger.error(f"Error during evaluation',
    ),
    RunPatch(
        "lmms_eval.__main__",
        "TaskManager",
        index_our_tasks_only,
        "__main__.py",
        "TaskManager(args.verbosity, include_path=args.include_path, model_name=args.model)",
    ),
)
