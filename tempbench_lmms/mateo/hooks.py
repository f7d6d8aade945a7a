"""Adapts MATEO to the harness. `task_yamls/mateo/tasks.yaml` names these functions."""

import hashlib
from typing import Any

from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness import adapter, media_hooks
from tempbench_lmms.harness.media_hooks import Doc, Kwargs, Part
from tempbench_lmms.mateo import prompts, scoring
from tempbench_lmms.metrics.together import grouped

# One pair of so many is in the sample: 20 %.
_EVERY = 5


process_results, METRIC_LIST = adapter.of_kind(scoring, "triple", form="triple")
process_results_cot, _ = adapter.of_kind(scoring, "cot", form="cot")
process_results_reflection, REFLECTION_METRIC_LIST = adapter.of_kind(scoring, "reflection", form="reflection")


def _content(doc: Doc, kwargs: Kwargs) -> list[Part]:
    setting = _setting(kwargs)
    if setting[0] != "text" and not (doc["image_a"] and doc["image_b"]):
        raise TempbenchError(f"plan {doc['plan_id']} was prepared without pictures; run a task mateo_text_*")
    return [
        part
        for one in prompts.parts(doc, *setting)
        for part in (
            media_hooks.pictures([one.url]) if isinstance(one, prompts.Picture) else [media_hooks.said(one)]
        )
    ]


def _setting(kwargs: Kwargs) -> tuple[str, str, bool]:
    """Returns `modality`, `setting` and `exact_steps` of the task's kwargs."""
    given = kwargs or {}
    return (
        str(given.get("modality", "both")),
        str(given.get("setting", "instructions")),
        bool(given.get("exact_steps", False)),
    )


doc_to_visual, doc_to_text, doc_to_messages = media_hooks.of_content(
    lambda doc, kwargs: prompts.text(doc, *_setting(kwargs)), _content
)


def sample(dataset: Any) -> Any:
    """Keeps a fifth of the dependent and a fifth of the independent pairs, in both orders, over all plans.

    Source: the paper's list of models: GPT-5.1 was evaluated on 20 % of the test set, "selected via
    stratified sampling". Neither strata nor pairs are published, so this sample is ours.
    """
    columns = [list(dataset[name]) for name in ("pair_id", "plan_id", "version", "label")]
    strata = grouped(
        (label, (plan, hashlib.sha256(pair.encode()).hexdigest(), pair))
        for pair, plan, version, label in zip(*columns, strict=True)
        if version == "original"
    )
    kept = {
        pair
        for own in strata.values()
        for _, _, pair in sorted(own)[min(_EVERY // 2, len(own) - 1) :: _EVERY]
    }
    return dataset.select([i for i, pair in enumerate(columns[0]) if pair in kept])
