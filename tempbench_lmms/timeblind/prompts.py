"""The prompt of a question: as released, with the official request for the form of the answer."""

from collections.abc import Mapping
from typing import Any

YES_NO = "Please output Yes or No."
LETTER = "Please output A or B."


def build(doc: Mapping[str, Any]) -> str:
    """Returns the text of a question, as the official code asks it; the video is shown before it."""
    return f"{doc['question']} {LETTER if doc['options'] else YES_NO}"
