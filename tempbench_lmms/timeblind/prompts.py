"""The prompt of a question: as released, with the official request for the form of the answer."""

import re
from collections.abc import Mapping
from typing import Any

from tempbench_lmms.data.questions import Turned, turned

YES_NO = "Please output Yes or No."
LETTER = "Please output A or B."

_BETWEEN = re.compile(r"([\s.,;?]+or)?[\s.,;?]*\Z", re.IGNORECASE)
# A sentence or a line has ended, and another one begins.
_MORE = re.compile(r"[.?!]\s+\S|\n\s*\S")


def build(doc: Mapping[str, Any]) -> str:
    """Returns the text of a question, as the official code asks it; the video is shown before it."""
    return f"{doc['question']} {LETTER if doc['options'] else YES_NO}"


def rotated(doc: Mapping[str, Any], by: int) -> Turned | None:
    """Returns a question with the options in its text rotated by some places.

    None for yes/no questions, for texts without named options, and if more than an option seems to follow the
    last one, because it would move with it.
    """
    found = turned(doc, by)
    if found is None or doc["options"] == ["Option A", "Option B"] or _MORE.search(doc["options"][-1]):
        return None
    text, end = "", 0
    for label, old, new in zip(found.labels, doc["options"], found.texts, strict=True):
        start = doc["question"].index(
            _core(old), doc["question"].index(f"Option {label}", end) + len("Option A")
        )
        text += doc["question"][end:start] + _core(new)
        end = start + len(_core(old))
    return found._replace(changes=found.changes | {"question": text + doc["question"][end:]})


def _core(option: str) -> str:
    # The marks and the word between the options, and the marks behind them, stay in their places.
    return _BETWEEN.sub("", option)
