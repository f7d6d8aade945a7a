"""Adapts TempCompass to the harness; `task_yamls/tempcompass_pairs/_*.yaml` name these functions."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tempbench_lmms.data import remote, roots
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness import adapter
from tempbench_lmms.tempcompass_pairs import prompts, scoring

MEDIA = ("video", "frames", "none")
"""What a question is shown with, `media` in a task's kwargs: the video's file, `frames` of it, or nothing."""

_FRAMES = 16


def doc_to_text(doc: Mapping[str, Any], lmms_eval_specific_kwargs: Mapping[str, Any] | None = None) -> str:
    """Returns the prompt of a question; it says nothing of the video."""
    return prompts.build(doc)


def _media(kwargs: Mapping[str, Any] | None) -> str:
    media = str((kwargs or {}).get("media", MEDIA[0]))
    if media not in MEDIA:
        raise TempbenchError(f"media is {media!r}; choose from {', '.join(MEDIA)}")
    return media


def frames_of(
    doc: Mapping[str, Any], lmms_eval_specific_kwargs: Mapping[str, Any] | None = None
) -> tuple[Path, int, tuple[int, ...]] | None:
    """Returns the video and the number of frames where a question shows frames."""
    if _media(lmms_eval_specific_kwargs) != "frames":
        return None
    return roots.resolve(doc["video"]), int((lmms_eval_specific_kwargs or {}).get("frames", _FRAMES)), ()


@adapter.shows_frames(frames_of)
def doc_to_visual(
    doc: Mapping[str, Any], lmms_eval_specific_kwargs: Mapping[str, Any] | None = None
) -> list[Any]:
    """Returns the video's path, its frames, or nothing."""
    return [part["url"] for part in _content(doc, lmms_eval_specific_kwargs) if part["type"] != "text"]


def doc_to_messages(
    doc: Mapping[str, Any], lmms_eval_specific_kwargs: Mapping[str, Any] | None = None
) -> list[dict[str, Any]]:
    """Returns the conversation for a chat model; each frame follows its number and time."""
    content = _content(doc, lmms_eval_specific_kwargs)
    return [{"role": "user", "content": [*content, {"type": "text", "text": prompts.build(doc)}]}]


def _content(doc: Mapping[str, Any], kwargs: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    """Returns what is shown before the question."""
    media = _media(kwargs)
    if media == "video":
        path = roots.resolve(doc["video"])
        remote.bring(path)  # the runner opens it by its own means
        return [{"type": "video", "url": str(path)}]
    content: list[dict[str, Any]] = []
    if (wanted := frames_of(doc, kwargs)) is not None:
        from tempbench_lmms.media.video import sample_frames

        frames = sample_frames(*wanted)
        for number, (image, time) in enumerate(zip(frames.images, frames.times, strict=True), start=1):
            content.append({"type": "text", "text": prompts.frame_label(number, time)})
            content.append({"type": "image", "url": image})
    return content


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
