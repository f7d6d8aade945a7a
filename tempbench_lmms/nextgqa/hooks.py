"""Adapts NExT-GQA to the harness. The files `task_yamls/nextgqa/_*.yaml` name these functions."""

from collections.abc import Mapping, Sequence
from typing import Any

from tempbench_lmms.data import video_texts
from tempbench_lmms.harness import adapter, one_video
from tempbench_lmms.nextgqa import prompts, scoring

Kwargs = Mapping[str, Any] | None


def doc_to_text(doc: Mapping[str, Any], lmms_eval_specific_kwargs: Kwargs = None) -> str:
    """Returns the prompt for a runner that takes all media before the text."""
    given = one_video.setting(lmms_eval_specific_kwargs)
    return prompts.build(doc, given.media, given.ask, one_video.times(doc["video"], given))


def frames_of(doc: Mapping[str, Any], lmms_eval_specific_kwargs: Kwargs = None) -> one_video.Wanted | None:
    """Returns the video and the number of frames where a question shows frames."""
    return one_video.frames_of(doc["video"], one_video.setting(lmms_eval_specific_kwargs))


@adapter.shows_frames(frames_of)
def doc_to_visual(doc: Mapping[str, Any], lmms_eval_specific_kwargs: Kwargs = None) -> list[Any]:
    """Returns the video's path, its frames, or nothing."""
    return one_video.shown(doc["video"], one_video.setting(lmms_eval_specific_kwargs))


def doc_to_messages(doc: Mapping[str, Any], lmms_eval_specific_kwargs: Kwargs = None) -> list[dict[str, Any]]:
    """Returns the conversation for a chat model; each frame follows its number and time."""
    given = one_video.setting(lmms_eval_specific_kwargs)
    content = one_video.content(doc["video"], given, video_texts.frame_label)
    text = {"type": "text", "text": prompts.build(doc, given.media, given.ask)}
    return [{"role": "user", "content": [*content, text]}]


def _process(ask: str) -> Any:
    kind = ask if ask in (scoring.BOTH, scoring.ANSWER) else scoring.SPAN
    names = tuple(scoring.METRICS.of(kind))

    def process(doc: Mapping[str, Any], results: Sequence[Any]) -> dict[str, Any]:
        reply = adapter.reply_of(results)
        return adapter.emit(scoring.record(doc, reply, adapter.request_failed(reply), ask), names)

    return process


process_results = _process("both")
process_results_answer = _process("answer")
process_results_span = _process("span")
process_results_ground = _process("ground")

METRIC_LIST = adapter.metric_list(scoring.METRICS.of(scoring.BOTH), scoring.details)
ANSWER_METRIC_LIST = adapter.metric_list(scoring.METRICS.of(scoring.ANSWER), scoring.details)
SPAN_METRIC_LIST = adapter.metric_list(scoring.METRICS.of(scoring.SPAN), scoring.details)
