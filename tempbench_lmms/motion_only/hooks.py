"""Adapts the motion-only questions to the harness. The files `task_yamls/motion_only/_*.yaml` name these."""

from collections.abc import Mapping, Sequence
from typing import Any

from tempbench_lmms.harness import adapter, clips
from tempbench_lmms.motion_only import prompts, scoring


def _text(doc: Mapping[str, Any], shown: clips.Shown) -> str:
    return prompts.build(doc, shown.media, shown.frames if shown.media == "frames" else 0)


doc_to_visual, doc_to_text, doc_to_messages = clips.hooks(_text)

METRIC_LIST = adapter.metric_list(scoring.METRICS, scoring.details)
_NAMES = tuple(scoring.METRICS)


def process_results(doc: Mapping[str, Any], results: Sequence[Any]) -> dict[str, Any]:
    """Scores one answer."""
    reply = adapter.reply_of(results)
    return adapter.emit(scoring.record(doc, reply, adapter.request_failed(reply)), _NAMES)
