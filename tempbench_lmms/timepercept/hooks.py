"""Adapts TimePerceptBench to the harness. `task_yamls/timepercept/tasks.yaml` names these functions."""

from collections.abc import Callable, Mapping
from typing import Any

from tempbench_lmms.harness import adapter, media_hooks
from tempbench_lmms.timepercept import prompts, scoring
from tempbench_lmms.timepercept.card import TESTS

Kwargs = Mapping[str, Any] | None


def doc_to_text(doc: Mapping[str, Any], lmms_eval_specific_kwargs: Kwargs = None) -> str:
    """Returns the prompt. `style` in the task's kwargs is one of `prompts.STYLES`."""
    return prompts.build(doc, str((lmms_eval_specific_kwargs or {}).get("style", "direct")))


doc_to_visual, doc_to_messages = media_hooks.of_pictures(
    lambda doc, kwargs: f"\n{doc_to_text(doc, kwargs)}",
    labels=lambda doc: [f"{label}: " for label in prompts.labels(doc)],
)


def _scored(test: str) -> tuple[Callable[..., dict[str, Any]], list[dict[str, Any]]]:
    """Returns the hooks of a test, and of all that have its metrics."""
    return adapter.scored(scoring.record, scoring.METRICS.of(test), scoring.details)


process_results, METRIC_LIST = _scored("tpl")
process_results_tal, TAL_METRIC_LIST = _scored("tal")
process_results_order, ORDER_METRIC_LIST = _scored("sov")
process_results_ranking, RANKING_METRIC_LIST = _scored("isr")
process_results_ice, ICE_METRIC_LIST = _scored("ice")
process_results_transfer_lapse, TRANSFER_LAPSE_METRIC_LIST = _scored("transfer_lapse")
process_results_suite, SUITE_METRIC_LIST = adapter.suite(
    scoring.record,
    scoring.METRICS.of(scoring.SUITE),
    TESTS,
    lambda record: [record["test"]],
    scoring.details,
)
