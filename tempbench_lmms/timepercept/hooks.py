"""Adapts TimePerceptBench to the harness. The files `task_yamls/timepercept/_*.yaml` name these functions."""

from collections.abc import Mapping, Sequence
from typing import Any

from tempbench_lmms.harness import adapter
from tempbench_lmms.record import Record
from tempbench_lmms.timepercept import prompts, scoring

ACCURACY_METRIC_LIST = adapter.metric_list(scoring.METRICS.of("tpl"), scoring.details)
TAL_METRIC_LIST = adapter.metric_list(scoring.METRICS.of("tal"), scoring.details)
ORDER_METRIC_LIST = adapter.metric_list(scoring.METRICS.of("sov"), scoring.details)
RANKING_METRIC_LIST = adapter.metric_list(scoring.METRICS.of("isr"), scoring.details)
ICE_METRIC_LIST = adapter.metric_list(scoring.METRICS.of("ice"), scoring.details)
TRANSFER_LAPSE_METRIC_LIST = adapter.metric_list(scoring.METRICS.of("transfer_lapse"), scoring.details)
SUITE_METRIC_LIST = adapter.metric_list(scoring.METRICS.of(scoring.SUITE), scoring.details)
_NAMES = {test: tuple(scoring.METRICS.of(test)) for test in scoring.METRICS.kinds}


def doc_to_text(doc: Mapping[str, Any], lmms_eval_specific_kwargs: Mapping[str, Any] | None = None) -> str:
    """Returns the prompt. `style` in the task's kwargs is one of `prompts.STYLES`."""
    return prompts.build(doc, str((lmms_eval_specific_kwargs or {}).get("style", "direct")))


def doc_to_visual(
    doc: Mapping[str, Any], lmms_eval_specific_kwargs: Mapping[str, Any] | None = None
) -> list[Any]:
    """Returns the images for a runner that takes pictures first and text after them."""
    from tempbench_lmms.media.images import load_image

    return [load_image(url) for url in doc["images"]]


def doc_to_messages(
    doc: Mapping[str, Any], lmms_eval_specific_kwargs: Mapping[str, Any] | None = None
) -> list[dict[str, Any]]:
    """Returns the conversation for a chat model; each image follows its label."""
    images = doc_to_visual(doc, lmms_eval_specific_kwargs)
    content = conversation(doc, doc_to_text(doc, lmms_eval_specific_kwargs))
    for part, image in zip([part for part in content if part["type"] == "image"], images, strict=True):
        part["url"] = image
    return [{"role": "user", "content": content}]


def conversation(doc: Mapping[str, Any], text: str) -> list[dict[str, Any]]:
    """Returns the parts of a question: label, image, label, image, ..., text; images are only marked."""
    content: list[dict[str, Any]] = []
    for label in prompts.labels(doc):
        content += [{"type": "text", "text": f"{label}: "}, {"type": "image"}]
    return [*content, {"type": "text", "text": f"\n{text}"}]


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
