"""Adapts TempVS to the harness. The YAMLs under `task_yamls/tempvs` name these functions."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tempbench_lmms.harness import adapter
from tempbench_lmms.record import Record
from tempbench_lmms.tempvs import parser, prompts, scoring
from tempbench_lmms.tempvs.card import GROUNDING_OF

_DETAILS = ("details",)

# The suite scores a grounding question for each main test that it gates.
_GATED_BY = {
    gate: [main for main, own in GROUNDING_OF.items() if own == gate] for gate in GROUNDING_OF.values()
}


def doc_to_text(doc: Mapping[str, Any], lmms_eval_specific_kwargs: Mapping[str, Any] | None = None) -> str:
    """Returns the prompt. `style` in the task's kwargs is one of `prompts.STYLES`."""
    return prompts.build(doc, _setting(lmms_eval_specific_kwargs, "style", "direct"))


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


def process_results(doc: Mapping[str, Any], results: Sequence[Any]) -> dict[str, Any]:
    """Scores one answer for a task of a single main test."""
    return adapter.emit(_record(doc, results), [*scoring.TEST_METRICS, *scoring.OFFICIAL_METRICS], _DETAILS)


def main_questions(dataset: Any) -> Any:
    """Drops the grounding questions, which ask about pictures that are not shown."""
    return dataset.filter(lambda role: role == "main", input_columns=["role"])


def process_results_ungated(doc: Mapping[str, Any], results: Sequence[Any]) -> dict[str, Any]:
    """Scores one answer for a task without grounding questions."""
    return adapter.emit(_record(doc, results), scoring.UNGATED_METRICS, _DETAILS)


def process_results_suite(doc: Mapping[str, Any], results: Sequence[Any]) -> dict[str, Any]:
    """Scores one answer for the suite of all main tests."""
    tests = [main for test in doc["tests"] for main in _GATED_BY.get(test, [test])]
    names = [*scoring.TEST_METRICS, *scoring.OFFICIAL_METRICS]
    return adapter.emit(
        _record(doc, results), [f"{test}_{name}" for test in tests for name in names], _DETAILS
    )


def aggregate_details(items: Sequence[Any]) -> adapter.Details:
    """Returns all breakdowns; the harness keeps them in its results file."""
    return adapter.details(scoring.details, items)


def __getattr__(name: str) -> Callable[..., float | str]:
    """Resolves `aggregate_<metric>` in a YAML to the aggregation of that metric."""
    if "_official" not in name:
        return adapter.aggregation(name, scoring.METRICS)
    metrics = scoring.OFFICIAL_METRICS | scoring.for_suite(scoring.OFFICIAL_METRICS)
    official = adapter.aggregation(name, metrics)

    def aggregate(items: Sequence[Any], args: Any = None) -> float | str:
        # The harness passes its command line to a parameter of this name; the API passes nothing.
        records = as_official(adapter.records_of(items), args)
        return official([adapter.Item(record) for record in records])

    def metric(records: Sequence[Record], args: Any = None) -> Any:
        return metrics[name.removeprefix("aggregate_")](as_official(records, args))

    aggregate.metric = None if name.endswith("_stderr") else metric  # type: ignore[attr-defined]
    return aggregate


def as_official(records: Sequence[Record], args: Any = None) -> list[Record]:
    """Returns the records as the official scorer has them; its parser depends on the model's name.

    Args:
        records: Records.
        args: The harness's command line.
    """
    model = f"{getattr(args, 'model', '')} {getattr(args, 'model_args', '')}"
    return scoring.as_official(records, parser.family_of(model))


def _record(doc: Mapping[str, Any], results: Sequence[Any]) -> Record:
    reply = adapter.reply_of(results)
    return scoring.record(doc, reply, adapter.request_failed(reply))


def _labels(doc: Mapping[str, Any]) -> list[str]:
    return [prompts.label(doc["tests"][0], position) for position in range(len(doc["images"]))]


def _setting(kwargs: Mapping[str, Any] | None, name: str, default: str) -> str:
    return str((kwargs or {}).get(name, default))
