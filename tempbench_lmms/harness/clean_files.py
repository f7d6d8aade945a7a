"""Keeps credentials out of the files that the harness writes, whoever started it."""

import functools
from types import ModuleType
from typing import Any

from tempbench_lmms.data.secrets import scrubbed, without_secrets

# Of the harness's command line: lists of `name=value`.
_LISTS = ("model_args", "gen_kwargs", "hf_hub_log_args", "wandb_args", "swanlab_args", "launcher_args")


def keep_secrets_out(module: ModuleType) -> None:
    """Makes the harness's tracker write arguments as `data.secrets` shows them.

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


def cleaned(config: dict[str, Any]) -> dict[str, Any]:
    """Returns what a results file says of a run's settings, without anything that may be secret."""
    lines = config.get("resolved_cli_args")
    given = [config, *([lines] if isinstance(lines, dict) else [])]
    lists = [shown for one in given for name in _LISTS if isinstance(shown := one.get(name), str)]
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
        if name in _LISTS:  # the harness may have made a dict of the list
            return {key: _argument(key, one) for key, one in value.items()}
        return {key: _cleaned(key, one, lists) for key, one in value.items()}
    if isinstance(value, str):
        return without_secrets(value) if name in _LISTS else scrubbed(value, lists)
    return value


def _argument(name: str, value: Any) -> Any:
    shown = without_secrets(f"{name}={value}")
    return value if shown == f"{name}={value}" else shown.partition("=")[2] or shown
