"""The content of a question for a chat model: texts, pictures and videos in order."""

from pathlib import Path
from typing import Any

from tempbench_lmms.data.tables import Row
from tempbench_lmms.harness.tasks import kwargs_of, not_valid
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


def _parts(part: dict[str, Any]) -> list[Any]:
    if part["type"] == "text":
        return [str(part["text"])]
    # A video may come as the list of its frames.
    urls = part["url"] if isinstance(part["url"], list) else [part["url"]]
    return [url if is_picture(url) else Path(str(url)) for url in urls]
