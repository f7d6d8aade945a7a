"""Shared hooks of benchmarks with pictures, in the column `images`."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

Doc = Mapping[str, Any]
Kwargs = Mapping[str, Any] | None


def hooks(
    text: Callable[[Doc, Kwargs], str], labels: Callable[[Doc], Sequence[str]] = lambda doc: ()
) -> tuple[Callable[..., list[Any]], Callable[..., list[dict[str, Any]]]]:
    """Returns `doc_to_visual` and `doc_to_messages`: labelled pictures, then the text."""

    def doc_to_visual(doc: Doc, lmms_eval_specific_kwargs: Kwargs = None) -> list[Any]:
        """Returns the pictures for a runner that takes pictures first and text after them."""
        from tempbench_lmms.media.images import load_image

        return [load_image(url) for url in doc["images"]]

    def doc_to_messages(doc: Doc, lmms_eval_specific_kwargs: Kwargs = None) -> list[dict[str, Any]]:
        """Returns the conversation for a chat model."""
        names = labels(doc)
        parts: list[dict[str, Any]] = []
        for number, image in enumerate(doc_to_visual(doc, lmms_eval_specific_kwargs)):
            if names:
                parts.append({"type": "text", "text": names[number]})
            parts.append({"type": "image", "url": image})
        parts.append({"type": "text", "text": text(doc, lmms_eval_specific_kwargs)})
        return [{"role": "user", "content": parts}]

    return doc_to_visual, doc_to_messages
