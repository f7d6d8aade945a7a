"""Adapts TempVS to the harness. The files `task_yamls/tempvs/_*.yaml` name these functions."""

from collections.abc import Mapping, Sequence
from typing import Any

from tempbench_lmms.harness import adapter
from tempbench_lmms.tempvs import prompts, scoring
from tempbench_lmms.tempvs.card import GROUNDING_OF

process_results, METRIC_LIST = adapter.scored(
    scoring.record, scoring.METRICS.of(scoring.TEST), scoring.details
)
process_results_ungated, UNGATED_METRIC_LIST = adapter.scored(
    scoring.record, scoring.METRICS.of(scoring.UNGATED), scoring.details
)
SUITE_METRIC_LIST = adapter.metric_list(scoring.METRICS.of(scoring.SUITE), scoring.details)

# The suite scores a grounding question for each main test that it gates.
_GATED_BY = {
    gate: [main for main, own in GROUNDING_OF.items() if own == gate] for gate in GROUNDING_OF.values()
}


def doc_to_text(doc: Mapping[str, Any], lmms_eval_specific_kwargs: Mapping[str, Any] | None = None) -> str:
    """Returns the prompt. `style` in the task's kwargs is one of `prompts.STYLES`."""
    return prompts.build(doc, _setting(lmms_eval_specific_kwargs, "style", "direct"))


@adapter.signed
def doc_to_visual(
    doc: Mapping[str, Any], lmms_eval_specific_kwargs: Mapping[str, Any] | None = None
) -> list[Any]:
    """Returns the pictures for a runner that takes pictures first and text after them.

    `images` in the task's kwargs is `strip` (all images side by side in one, the paper's default),
    `separate`, or `none`.
    """
    from tempbench_lmms.media.images import load_image, stitch

    how = _setting(lmms_eval_specific_kwargs, "images", "strip")
    if how == "none":
        return []
    images = [load_image(url) for url in doc["images"]]
    if how == "separate":
        return images
    return [stitch(images, _labels(doc), doc["source"])]


@adapter.signed
def doc_to_messages(
    doc: Mapping[str, Any], lmms_eval_specific_kwargs: Mapping[str, Any] | None = None
) -> list[dict[str, Any]]:
    """Returns the conversation for a chat model; separate images each follow their label."""
    content: list[dict[str, Any]] = []
    images = doc_to_visual(doc, lmms_eval_specific_kwargs)
    separate = _setting(lmms_eval_specific_kwargs, "images", "strip") == "separate"
    for name, image in zip(_labels(doc), images, strict=False):
        if separate:
            content.append({"type": "text", "text": f"{name}: "})
        content.append({"type": "image", "url": image})
    content.append({"type": "text", "text": doc_to_text(doc, lmms_eval_specific_kwargs)})
    return [{"role": "user", "content": content}]


def main_questions(dataset: Any) -> Any:
    """Drops the grounding questions, which ask about pictures that are not shown."""
    return dataset.filter(lambda role: role == "main", input_columns=["role"])


def process_results_suite(doc: Mapping[str, Any], results: Sequence[Any]) -> dict[str, Any]:
    """Scores one answer for the suite of all main tests."""
    reply = adapter.reply_of(results)
    names = [name for name in scoring.METRICS.of(scoring.TEST) if name not in scoring.SUITE_METRICS]
    tests = [main for test in doc["tests"] for main in _GATED_BY.get(test, [test])]
    own = [f"{test}_{name}" for test in tests for name in names]
    record = scoring.record(doc, reply, adapter.request_failed(reply))
    return adapter.emit(record, [*scoring.SUITE_METRICS, *own])


def _labels(doc: Mapping[str, Any]) -> list[str]:
    return [prompts.label(doc["tests"][0], position) for position in range(len(doc["images"]))]


def _setting(kwargs: Mapping[str, Any] | None, name: str, default: str) -> str:
    return str((kwargs or {}).get(name, default))
