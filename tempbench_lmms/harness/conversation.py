"""The content of a question for a chat model: texts, pictures and videos in order."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tempbench_lmms.data.tables import Row
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness.tasks import kwargs_of, root_of
from tempbench_lmms.media.pictures import is_picture


def content(config: dict[str, Any], doc: Row, number: int) -> tuple[Any, ...]:
    """Returns the content of a question for a chat model.

    Args:
        config: The task.
        doc: The question.
        number: Its number in the task, for messages.

    Returns:
        The parts in their order: text, a picture, or a video's path. A video given as a list of frames is
        returned as pictures.

    Raises:
        TempbenchError: The question is not valid, or a media file is damaged.
    """
    try:
        messages = config["doc_to_messages"](doc, kwargs_of(config))
        return tuple(shown for message in messages for part in message["content"] for shown in _parts(part))
    except (KeyError, TypeError, IndexError, ValueError, AttributeError) as error:
        raise not_valid(config, number, error) from None


def times_of(config: dict[str, Any], doc: Row, parts: Sequence[Any]) -> dict[int, float]:
    """Returns the times, in the original video, of a question's pictures.

    Args:
        config: The task.
        doc: The question.
        parts: As from `content`.

    Returns:
        Seconds by the place among the parts; empty if the task does not decode frames itself. Pictures that
        are not decoded frames, because they were cut or scaled, have no time.
    """
    frames = getattr(config["doc_to_visual"], "frames", None)
    wanted = frames(doc, kwargs_of(config)) if frames else None
    if not wanted:
        return {}
    from tempbench_lmms.media.video import sample_frames

    found = sample_frames(*wanted)
    decoded = [image.tobytes() for image in found.images]
    shown = {place: part.tobytes() for place, part in enumerate(parts) if is_picture(part)}
    # Two equal frames cannot be distinguished if they are shown in another order.
    if list(shown.values()) == decoded:
        return dict(zip(shown, found.times, strict=True))
    known = {data: time for data, time in zip(decoded, found.times, strict=True) if decoded.count(data) == 1}
    return {place: known[data] for place, data in shown.items() if data in known}


def not_valid(config: dict[str, Any], number: int, error: Exception) -> TempbenchError:
    """Returns the error of a question that cannot be shown."""
    return TempbenchError(
        f"{config['task']}: document {number} is not a valid question ({error!r}); see `tempbench verify "
        f"{root_of(config)[0]}`"
    )


def _parts(part: dict[str, Any]) -> list[Any]:
    if part["type"] == "text":
        return [str(part["text"])]
    # A video may come as the list of its frames.
    urls = part["url"] if isinstance(part["url"], list) else [part["url"]]
    return [url if is_picture(url) else Path(str(url)) for url in urls]
