"""Keeps credentials out of what the harness writes, and out of its models' replies, whoever started it."""

import dataclasses
import functools
from types import ModuleType
from typing import Any

from tempbench_lmms.data.redaction import hide, note, scrubbed, without_secrets

# Of the harness's command line: lists of `name=value`.
LISTS = ("model_args", "gen_kwargs", "hf_hub_log_args", "wandb_args", "swanlab_args", "launcher_args")


def keep_secrets_out(module: ModuleType) -> None:
    """Makes the harness's tracker write arguments as `data.redaction` shows them.

    It writes the results file, names its folder after a model argument, and uploads both where it is told to.
    The harness itself leaves out values under names that it knows, and in no other form.
    """
    general, tracker = module.GeneralConfigTracker, module.EvaluationTracker
    if hasattr(tracker.save_results_aggregated, "__wrapped__"):
        return
    note, save = general.log_experiment_args, tracker.save_results_aggregated

    @functools.wraps(note)
    def log_experiment_args(self: Any, model_source: Any, model_args: Any, *args: Any, **kwargs: Any) -> Any:
        given = without_secrets(model_args) if isinstance(model_args, str) else model_args
        return note(self, model_source, given, *args, **kwargs)

    @functools.wraps(save)
    def save_results_aggregated(self: Any, results: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(results, dict) and isinstance(results.get("config"), dict):
            results["config"] = cleaned(results["config"])
        if isinstance(results, dict) and isinstance(results.get("configs"), dict):
            # Each task's settings repeat those of `--gen_kwargs`.
            results["configs"] = {name: _of_task(one) for name, one in results["configs"].items()}
        return save(self, results, *args, **kwargs)

    general.log_experiment_args = log_experiment_args
    tracker.save_results_aggregated = save_results_aggregated


def keep_keys_out_of_caches(module: ModuleType) -> None:
    """Has the harness's cache of answers, whose keys have a hash of the arguments, keep them without keys."""
    cache = getattr(module, "ResponseCache", None)
    original = getattr(cache, "_open_local_handles", None)
    if cache is None or original is None or hasattr(original, "__wrapped__"):
        return

    @functools.wraps(original)
    def opened(self: Any, *args: Any, **kwargs: Any) -> Any:
        self.model_fingerprint = scrubbed(self.model_fingerprint)
        return original(self, *args, **kwargs)

    cache._open_local_handles = opened


def note_arguments(base: Any) -> None:
    """Has the harness's class of models note the arguments that a model is made of."""
    original = base.create_from_arg_string.__func__

    @functools.wraps(original)
    def create(cls: Any, arg_string: str, *args: Any, **kwargs: Any) -> Any:
        note(str(arg_string))
        return original(cls, arg_string, *args, **kwargs)

    base.create_from_arg_string = classmethod(create)


def without_keys(reply: Any) -> Any:
    """Returns what a model replied, or all replies, without keys that a server echoes.

    The notice of a failed request holds what the server said of it, so all of it is text about a failure.
    """
    from tempbench_lmms.harness.adapter import notice_of  # brings the metrics

    if isinstance(reply, str):
        notice = notice_of(reply)
        return notice + scrubbed(reply[len(notice) :]) if notice else hide(reply)
    if isinstance(reply, (list, tuple)):
        return [without_keys(one) for one in reply]
    if dataclasses.is_dataclass(reply) and isinstance(text := getattr(reply, "text", None), str):
        return dataclasses.replace(reply, text=without_keys(text))  # type: ignore[type-var]
    return reply


def cleaned(config: dict[str, Any]) -> dict[str, Any]:
    """Returns what a results file says of a run's settings, without anything that may be secret."""
    lines = config.get("resolved_cli_args")
    given = [config, *([lines] if isinstance(lines, dict) else [])]
    lists = [shown for one in given for name in LISTS if isinstance(shown := one.get(name), str)]
    return {name: _cleaned(name, value, lists) for name, value in config.items()}


def _of_task(config: Any) -> Any:
    """Returns a task's configuration without what may be secret among its settings of generation."""
    settings = config.get("generation_kwargs") if isinstance(config, dict) else None
    if not isinstance(settings, dict):
        return config
    shown = {key: _argument(key, one) if isinstance(one, str) else one for key, one in settings.items()}
    return {**config, "generation_kwargs": shown}


def _cleaned(name: str, value: Any, lists: list[str]) -> Any:
    if isinstance(value, dict):
        if name in LISTS:  # the harness may have made a dict of the list
            return {key: _argument(key, one) for key, one in value.items()}
        return {key: _cleaned(key, one, lists) for key, one in value.items()}
    if isinstance(value, str):
        return without_secrets(value) if name in LISTS else scrubbed(value, lists)
    return value


def _argument(name: str, value: Any) -> Any:
    shown = without_secrets(f"{name}={value}")
    return value if shown == f"{name}={value}" else shown.partition("=")[2] or shown
