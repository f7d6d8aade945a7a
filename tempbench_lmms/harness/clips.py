"""The hooks of tasks that ask about one video, which is shown whole, as frames, or not at all."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tempbench_lmms.data import remote
from tempbench_lmms.data.roots import resolve
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness import adapter

MEDIA = ("video", "frames", "none")
FRAMES = 16
"""How many frames are shown where a task does not say it."""

Doc = Mapping[str, Any]
Kwargs = Mapping[str, Any] | None


class Shown(NamedTuple):
    """How a task shows its video: `media` is one of `MEDIA`, `frames` the number of frames."""

    media: str
    frames: int


class Hooks(NamedTuple):
    """What a task's YAML names, by the harness's names for it."""

    doc_to_visual: Callable[..., list[Any]]
    doc_to_text: Callable[..., str]
    doc_to_messages: Callable[..., list[dict[str, Any]]]


def shown(kwargs: Kwargs) -> Shown:
    """Returns how a task shows its video, from its `lmms_eval_specific_kwargs`.

    Raises:
        TempbenchError: A value is none of those on offer.
    """
    given = kwargs or {}
    media, n = str(given.get("media", MEDIA[0])), given.get("frames", FRAMES)
    if media not in MEDIA:
        raise TempbenchError(f"media is {media!r}; choose from {', '.join(MEDIA)}")
    if not isinstance(n, int) or isinstance(n, bool) or n < 1:
        raise TempbenchError(f"frames is {n!r}; give a whole number of at least 1")
    return Shown(media, n)


def hooks(text: Callable[[Doc, Shown], str]) -> Hooks:
    """Returns the hooks of a task whose documents have the URL of their video in the column `video`.

    Args:
        text: Returns the prompt of a document for the way in which its video is shown.
    """

    def frames_of(
        doc: Doc, lmms_eval_specific_kwargs: Kwargs = None
    ) -> tuple[Path, int, tuple[int, ...]] | None:
        how = shown(lmms_eval_specific_kwargs)
        return (resolve(doc["video"]), how.frames, ()) if how.media == "frames" else None

    @adapter.shows_frames(frames_of)
    def doc_to_visual(doc: Doc, lmms_eval_specific_kwargs: Kwargs = None) -> list[Any]:
        """Returns the video's path, its frames in order, or nothing."""
        from tempbench_lmms.media.video import sample_frames

        if (wanted := frames_of(doc, lmms_eval_specific_kwargs)) is not None:
            return list(sample_frames(*wanted).images)
        if shown(lmms_eval_specific_kwargs).media == "none":
            return []
        path = resolve(doc["video"])
        remote.bring(path)  # the runner opens it by its own means
        return [str(path)]

    def doc_to_text(doc: Doc, lmms_eval_specific_kwargs: Kwargs = None) -> str:
        """Returns the prompt for a runner that takes all media before the text."""
        return text(doc, shown(lmms_eval_specific_kwargs))

    def doc_to_messages(doc: Doc, lmms_eval_specific_kwargs: Kwargs = None) -> list[dict[str, Any]]:
        """Returns the conversation for a chat model: the video or its frames, then the question."""
        kind = "video" if shown(lmms_eval_specific_kwargs).media == "video" else "image"
        media = [{"type": kind, "url": one} for one in doc_to_visual(doc, lmms_eval_specific_kwargs)]
        question = {"type": "text", "text": doc_to_text(doc, lmms_eval_specific_kwargs)}
        return [{"role": "user", "content": [*media, question]}]

    return Hooks(doc_to_visual, doc_to_text, doc_to_messages)
