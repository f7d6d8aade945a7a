"""Adapts TempVS to the harness. `task_yamls/tempvs/tasks.yaml` names these functions."""

from collections.abc import Mapping
from typing import Any

from tempbench_lmms.harness import adapter
from tempbench_lmms.tempvs import prompts, scoring
from tempbench_lmms.tempvs.card import GROUNDING_OF, MAIN_TESTS

Kwargs = Mapping[str, Any] | None

# A grounding question is scored for each main test that it gates.
_GATED_BY = {
    gate: [main for main, own in GROUNDING_OF.items() if own == gate] for gate in GROUNDING_OF.values()
}
_of = scoring.METRICS.of

process_results, METRIC_LIST = adapter.scored(scoring.record, _of(scoring.TEST), scoring.details)
process_results_ungated, UNGATED_METRIC_LIST = adapter.scored(
    scoring.record, _of(scoring.UNGATED), scoring.details
)
process_results_suite, SUITE_METRIC_LIST = adapter.suite(
    scoring.record,
    _of(scoring.SUITE),
    MAIN_TESTS,
    lambda record: [main for test in record["tests"] for main in _GATED_BY.get(test, [test])],
    scoring.details,
)


def doc_to_text(doc: Mapping[str, Any], lmms_eval_specific_kwargs: Kwargs = None) -> str:
    """Returns the prompt. `style` in the task's kwargs is one of `prompts.STYLES`."""
    return prompts.build(doc, _setting(lmms_eval_specific_kwargs, "style", "direct"))


def doc_to_visual(doc: Mapping[str, Any], lmms_eval_specific_kwargs: Kwargs = None) -> list[Any]:
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


def doc_to_messages(doc: Mapping[str, Any], lmms_eval_specific_kwargs: Kwargs = None) -> list[dict[str, Any]]:
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
    return dataset.select([number for number, role in enumerate(dataset["role"]) if role == "main"])


def _labels(doc: Mapping[str, Any]) -> list[str]:
    return [prompts.label(doc["tests"][0], position) for position in range(len(doc["images"]))]


def _setting(kwargs: Kwargs, name: str, default: str) -> str:
    return str((kwargs or {}).get(name, default))
