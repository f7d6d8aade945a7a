"""Adapts MATEO to the harness. The files `task_yamls/mateo/_*.yaml` name these functions."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness import adapter
from tempbench_lmms.mateo import prompts, sampling, scoring

Kwargs = Mapping[str, Any] | None

process_results_triple, METRIC_LIST = adapter.scored(
    partial(scoring.record, form="triple"), scoring.METRICS.of("triple"), scoring.details
)
process_results_cot, _ = adapter.scored(
    partial(scoring.record, form="cot"), scoring.METRICS.of("cot"), scoring.details
)
process_results_reflection, REFLECTION_METRIC_LIST = adapter.scored(
    partial(scoring.record, form="reflection"), scoring.METRICS.of("reflection"), scoring.details
)


def doc_to_text(doc: Mapping[str, Any], lmms_eval_specific_kwargs: Kwargs = None) -> str:
    """Returns the prompt; `modality`, `setting` and `exact_steps` come from the task's kwargs."""
    return prompts.text(doc, *_setting(lmms_eval_specific_kwargs))


def doc_to_visual(doc: Mapping[str, Any], lmms_eval_specific_kwargs: Kwargs = None) -> list[Any]:
    """Returns the pictures of steps A and B, or none for a text-only task."""
    return [part["url"] for part in _content(doc, lmms_eval_specific_kwargs) if part["type"] == "image"]


def doc_to_messages(doc: Mapping[str, Any], lmms_eval_specific_kwargs: Kwargs = None) -> list[dict[str, Any]]:
    """Returns the conversation for a chat model, each picture where the prompt has it."""
    return [{"role": "user", "content": _content(doc, lmms_eval_specific_kwargs)}]


def sample(dataset: Any) -> Any:
    """Keeps a fifth of the pairs, in both orders (`sampling`)."""
    names = ("pair_id", "plan_id", "version", "label")
    columns = [list(dataset[name]) for name in names]
    kept = sampling.of_rows(dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True))
    return dataset.select([i for i, pair in enumerate(columns[0]) if pair in kept])


def _content(doc: Mapping[str, Any], kwargs: Kwargs) -> list[dict[str, Any]]:
    from tempbench_lmms.media.images import load_image

    setting = _setting(kwargs)
    if setting[0] != "text" and not (doc["image_a"] and doc["image_b"]):
        raise TempbenchError(f"plan {doc['plan_id']} was prepared without pictures; run a task mateo_text_*")
    return [
        {"type": "image", "url": load_image(part.url)}
        if isinstance(part, prompts.Picture)
        else {"type": "text", "text": part}
        for part in prompts.parts(doc, *setting)
    ]


def _setting(kwargs: Kwargs) -> tuple[str, str, bool]:
    given = kwargs or {}
    return (
        str(given.get("modality", "both")),
        str(given.get("setting", "instructions")),
        bool(given.get("exact_steps", False)),
    )
