"""What a card says of a benchmark's data, and which sources prepared data holds."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


def _nothing_said(manifest: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    return [], []


@dataclass(frozen=True)
class Facts:
    """What is to be known of a benchmark's data. Every text is a sentence or more.

    Attributes:
        pretty_name: Its title on the Hub.
        summary: What is asked about what.
        collection: Where pictures or videos are from, and who took them.
        annotation: Who made questions and answers, and how.
        preprocessing: What `prepare` does with a release.
        limitations: What must not be concluded from a score.
        biases: What the material over- and under-represents.
        personal: Whether people can be recognised.
        uses: What it is for, and what not.
        impact: What a use can do beyond research.
        sources: Takes a manifest. Returns the names of the card's sources that the data holds, and what in it
            is the user's own, in words. All the card's by default.
        categories: The Hub's task categories.
        languages: ISO codes.
        tags: Further tags.
    """

    pretty_name: str
    summary: str
    collection: str
    annotation: str
    preprocessing: str
    limitations: str
    biases: str
    personal: str
    uses: str
    impact: str
    sources: Callable[[Mapping[str, Any]], tuple[list[str], list[str]]] = _nothing_said
    categories: tuple[str, ...] = ("visual-question-answering",)
    languages: tuple[str, ...] = ("en",)
    tags: tuple[str, ...] = ("temporal-reasoning", "evaluation")


EVALUATION_ONLY = (
    "Evaluation of vision-language models with the papers' metrics. Training on it makes later scores "
    "meaningless, unless a split is named train."
)
NO_HARM_KNOWN = (
    "A score says how well a model answers these questions and not that it is safe to act on what it says "
    "about time or order elsewhere."
)
