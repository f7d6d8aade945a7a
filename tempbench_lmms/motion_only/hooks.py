"""Adapts the motion-only questions to the harness. The files `task_yamls/motion_only/_*.yaml` name these."""

from collections.abc import Mapping, Sequence
from typing import Any

from tempbench_lmms.harness import adapter, one_video
from tempbench_lmms.motion_only import prompts, scoring


def _text(doc: Mapping[str, Any], given: one_video.Setting) -> str:
    return prompts.build(doc, given.media, given.frames if given.media == "frames" else 0)


doc_to_visual, doc_to_text, doc_to_messages = one_video.hooks(_text)

METRIC_LIST = adapter.metric_list(scoring.METRICS, scoring.details)
_NAMES = tuple(scoring.METRICS)


def process_results(doc: Mapping[str, Any], results: Sequence[Any]) -> dict[str, Any]:
    """Scores one answer."""
    reply = adapter.reply_of(results)
    return adapter.emit(scoring.record(doc, reply, adapter.request_failed(reply)), _NAMES)
