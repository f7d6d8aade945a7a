"""Adapts MATEO to the harness. `task_yamls/mateo/tasks.yaml` names these functions."""

import hashlib
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness import adapter
from tempbench_lmms.mateo import prompts, scoring

Kwargs = Mapping[str, Any] | None

_EVERY = 5
"""One pair of so many is in the sample: 20 %."""


def _scored(form: str) -> tuple[Callable[..., dict[str, Any]], list[dict[str, Any]]]:
    record = partial(scoring.record, form=form)
    return adapter.scored(record, scoring.METRICS.of(form), scoring.details)


process_results, METRIC_LIST = _scored("triple")
process_results_cot, _ = _scored("cot")
process_results_reflection, REFLECTION_METRIC_LIST = _scored("reflection")


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
    """Keeps a fifth of the dependent and a fifth of the independent pairs, in both orders, over all plans.

    Source: the paper's list of models: GPT-5.1 was evaluated on 20 % of the test set, "selected via
    stratified sampling". Neither strata nor pairs are published, so this sample is ours.
    """
    columns = [list(dataset[name]) for name in ("pair_id", "plan_id", "version", "label")]
    strata: dict[str, list[tuple[str, str, str]]] = {}
    for pair, plan, version, label in zip(*columns, strict=True):
        if version == "original":
            drawn = hashlib.sha256(pair.encode()).hexdigest()
            strata.setdefault(label, []).append((plan, drawn, pair))
    kept: set[str] = set()
    for own in map(sorted, strata.values()):
        kept |= {pair for _, _, pair in own[min(_EVERY // 2, len(own) - 1) :: _EVERY]}
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
