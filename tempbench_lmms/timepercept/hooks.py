"""Adapts TimePerceptBench to the harness. The files `task_yamls/timepercept/_*.yaml` name these functions."""

from collections.abc import Mapping, Sequence
from typing import Any

from tempbench_lmms.harness import adapter, pictures
from tempbench_lmms.record import Record
from tempbench_lmms.timepercept import prompts, scoring

Kwargs = Mapping[str, Any] | None

(
    ACCURACY_METRIC_LIST,
    TAL_METRIC_LIST,
    ORDER_METRIC_LIST,
    RANKING_METRIC_LIST,
    ICE_METRIC_LIST,
    TRANSFER_LAPSE_METRIC_LIST,
    SUITE_METRIC_LIST,
) = (
    adapter.metric_list(scoring.METRICS.of(kind), scoring.details)
    for kind in ("tpl", "tal", "sov", "isr", "ice", "transfer_lapse", scoring.SUITE)
)
_NAMES = {test: tuple(scoring.METRICS.of(test)) for test in scoring.METRICS.kinds}


def doc_to_text(doc: Mapping[str, Any], lmms_eval_specific_kwargs: Kwargs = None) -> str:
    """Returns the prompt. `style` in the task's kwargs is one of `prompts.STYLES`."""
    return prompts.build(doc, str((lmms_eval_specific_kwargs or {}).get("style", "direct")))


def _labels(doc: Mapping[str, Any]) -> list[str]:
    return [f"{label}: " for label in prompts.labels(doc)]


doc_to_visual, doc_to_messages = pictures.hooks(
    lambda doc, kwargs: f"\n{doc_to_text(doc, kwargs)}", labels=_labels
)


def conversation(doc: Mapping[str, Any], text: str) -> list[dict[str, Any]]:
    """Returns the parts of a question: label, image, label, image, ..., text; images are only marked."""
    return pictures.content([None] * len(doc["images"]), f"\n{text}", _labels(doc))


def process_results(doc: Mapping[str, Any], results: Sequence[Any]) -> dict[str, Any]:
    """Scores one answer for the task of a single test."""
    return adapter.emit(_record(doc, results), _NAMES[doc["test"]])


def process_results_suite(doc: Mapping[str, Any], results: Sequence[Any]) -> dict[str, Any]:
    """Scores one answer for the suite of all nine tests."""
    test = doc["test"]
    own = [f"{test}_{name}" for name in _NAMES[test] if f"{test}_{name}" in _NAMES[scoring.SUITE]]
    return adapter.emit(_record(doc, results), [*own, *scoring.SUITE_METRICS])


def _record(doc: Mapping[str, Any], results: Sequence[Any]) -> Record:
    reply = adapter.reply_of(results)
    return scoring.record(doc, reply, adapter.request_failed(reply))
