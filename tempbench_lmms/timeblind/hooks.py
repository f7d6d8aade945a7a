"""Adapts TimeBlind to the harness. The files `task_yamls/timeblind/_*.yaml` name these functions."""

from collections.abc import Mapping, Sequence
from typing import Any

from tempbench_lmms.harness import adapter, one_video
from tempbench_lmms.timeblind import prompts, scoring

doc_to_visual, doc_to_text, doc_to_messages = one_video.hooks(lambda doc, given: prompts.build(doc))

METRIC_LIST = adapter.metric_list(scoring.METRICS, scoring.details)
_NAMES = tuple(scoring.METRICS)


def process_results(doc: Mapping[str, Any], results: Sequence[Any]) -> dict[str, Any]:
    """Scores one answer."""
    reply = adapter.reply_of(results)
    return adapter.emit(scoring.record(doc, reply, adapter.request_failed(reply)), _NAMES)
