"""The prompts of TempVS.

Source: the official runner (`run_inference.py`), whose order of parts differs from the paper's appendix C:
the question text comes first, then the instruction. A question brings the wording of the
paper's Tables 10 and 11 in its own columns.
"""

import string
from collections.abc import Mapping
from typing import Any

from tempbench_lmms.errors import TempbenchError

STYLES = ("direct", "cot", "blind", "image_only")
"""How a question is asked: directly; with chain of thought (Table 11); without images (section 3.2); or, for
image ordering, without text (Table 19)."""

ANSWER_PREFIX = "\nThe answer is: "
_CHARACTERS = "This is a description of the possible appearance of character(s) in the image(s): "
CARTOONS = ("flintstones", "pororo")
"""The sources whose characters are described. The official runner prints the header for every question of
theirs, also where it names no character."""

_IMAGE_LABELS = (
    "The images I provide are labeled in order as Image a, Image b, Image c, Image d, and Image e, and so on "
    "if there are more photos."
)
# The paper gives no prompt for its image-only ordering; this one is ours.
_IMAGE_ONLY = (
    "The images of a story are shown in random order. Arrange the images in the correct chronological order."
)


def kind_of(test: str) -> str:
    """Returns `mt1`, `mt2`, `mt3` or `gt`."""
    return test.split("_")[0]


def label(test: str, position: int) -> str:
    """Returns an image's label: "Image 1" in a sequence, "Image a" among shuffled images (MT3)."""
    if kind_of(test) == "mt3":
        return f"Image {string.ascii_lowercase[position]}"
    return f"Image {position + 1}"


def _options(doc: Mapping[str, Any]) -> str:
    lettered = [f"{letter}. {text}" for letter, text in zip("ABCDE", doc["options"], strict=False)]
    return ("; " if doc["tests"][0].startswith("mt1") else ";\n").join(lettered) + "."


def wording(doc: Mapping[str, Any]) -> str:
    """Returns the lines of a question in all styles, so that the reader need not know how it was asked."""
    return "\n".join(build(doc, style) for style in STYLES if _has(kind_of(doc["tests"][0]), style))


def _has(kind: str, style: str) -> bool:
    if style == "image_only":
        return kind in ("mt3", "gt")
    return style in STYLES and (style != "blind" or kind != "mt3")


def build(doc: Mapping[str, Any], style: str = "direct") -> str:
    """Returns the text of a question, as the official runner sends it.

    Grounding questions are always asked directly; raises `TempbenchError` if the test has no such style.
    """
    test = doc["tests"][0]
    kind = kind_of(test)
    if not _has(kind, style):
        raise TempbenchError(f"unknown style {style!r} of {test}; choose one of {', '.join(STYLES)}")
    characters = _CHARACTERS + doc["character_info"] if doc["source"] in CARTOONS else ""
    if kind == "gt":
        return f"{characters}\nThe event is: {doc['text']}\n{doc['instruction']}{ANSWER_PREFIX}"

    unit = "events" if test.endswith("_event") else "sentences"
    if kind == "mt1":
        question = f"\nThe statement is: {doc['text']}"
        options = f"\nOptions are: {_options(doc)}"
    elif kind == "mt2":
        sentences = "\n".join(
            f"Sentence {letter}: {sentence}"
            for letter, sentence in zip(string.ascii_lowercase, doc["sentences"], strict=False)
        )
        question = f"\nThe shuffled {unit} are:\n{sentences}"
        options = f"\n{doc['answer_format']}\n{_options(doc)}"
    else:
        question = f"\nThe {'events are' if unit == 'events' else 'story is'}: {doc['text']}"
        options = f"\n{doc['answer_format']}\n{_options(doc)}"
    # No space before "The images I provide": so the official runner.
    labels = _IMAGE_LABELS if kind == "mt3" else ""

    if style == "blind":
        asked = doc["instruction_blind"]
        # The official blind runner puts the instruction after the statement, but before the sentences.
        head = f"{question}\n{asked}" if kind == "mt1" else f"\n{asked}{question}"
        return head + options + ANSWER_PREFIX
    if style == "image_only":
        return f"\n{_IMAGE_ONLY}{labels}{options}{ANSWER_PREFIX}"
    asked = doc["instruction_cot" if style == "cot" else "instruction"]
    return f"{characters}{question}\n{asked}{labels}{options}{ANSWER_PREFIX}"
