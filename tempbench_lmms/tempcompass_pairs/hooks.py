"""Adapts TempCompass to the harness; `task_yamls/tempcompass_pairs/_*.yaml` name these functions."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tempbench_lmms.data import video_texts
from tempbench_lmms.harness import adapter, one_video
from tempbench_lmms.tempcompass_pairs import prompts, scoring

# The prompt says nothing of the video.
doc_to_visual, doc_to_text, doc_to_messages = one_video.hooks(
    lambda doc, given: prompts.build(doc), video_texts.frame_label
)


def _only(kind: str) -> Callable[[Any], Any]:
    def keep(dataset: Any) -> Any:
        return dataset.select([number for number, one in enumerate(dataset["kind"]) if one == kind])

    return keep


only_multi_choice = _only("multi_choice")
only_yes_no = _only("yes_no")
only_caption_matching = _only("caption_matching")


def process_results(doc: Mapping[str, Any], results: Sequence[Any]) -> dict[str, Any]:
    """Scores one answer of a task with all kinds."""
    return _scored(doc, results, scoring.ALL)


def process_results_one(doc: Mapping[str, Any], results: Sequence[Any]) -> dict[str, Any]:
    """Scores one answer of a task with one kind."""
    return _scored(doc, results, scoring.ONE)


def _scored(doc: Mapping[str, Any], results: Sequence[Any], kind: str) -> dict[str, Any]:
    reply = adapter.reply_of(results)
    return adapter.emit(scoring.record(doc, reply, adapter.request_failed(reply)), _NAMES[kind])


METRIC_LIST = adapter.metric_list(scoring.METRICS.of(scoring.ALL), scoring.details)
ONE_METRIC_LIST = adapter.metric_list(scoring.METRICS.of(scoring.ONE), scoring.details)
_NAMES = {kind: tuple(scoring.METRICS.of(kind)) for kind in scoring.METRICS.kinds}
