"""What the card of a published data set says: read from `hf_datasets/NAME/CARD.md`."""

import importlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

_FOLDER = Path(__file__).parents[1]


@dataclass(frozen=True)
class Facts:
    """What is to be known of a benchmark's data; each text but the title is a section of `CARD.md`."""

    pretty_name: str
    summary: str
    collection: str
    annotation: str
    preprocessing: str
    limitations: str
    biases: str
    personal: str
    uses: str = (
        "Evaluation of vision-language models with the papers' metrics. Training on it makes later scores "
        "meaningless, unless a split is named train."
    )
    impact: str = (
        "A score says how well a model answers these questions and not that it is safe to act on what it "
        "says about time or order elsewhere."
    )
    categories: tuple[str, ...] = ("visual-question-answering",)
    languages: tuple[str, ...] = ("en",)
    tags: tuple[str, ...] = ("temporal-reasoning", "evaluation")


def facts_of(benchmark: str) -> Facts:
    """Returns what a benchmark's `CARD.md` says."""
    text = (_FOLDER / benchmark / "CARD.md").read_text(encoding="utf-8")
    _, head, body = text.split("---\n", 2)
    known: dict[str, Any] = {
        key: tuple(one) if isinstance(one, list) else one for key, one in yaml.safe_load(head).items()
    }
    for title, words in re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", body, re.MULTILINE | re.DOTALL):
        known[title] = " ".join(words.split())
    return Facts(**known)


def sources_of(benchmark: str, manifest: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """Returns which of the card's sources prepared data holds, and what in it is the user's own, in words.

    `sources` in `hf_datasets/NAME/publishing.py` tells them; without that file it is all sources of the card.
    """
    if not (_FOLDER / benchmark / "publishing.py").is_file():
        return [], []
    module = importlib.import_module(f"...{benchmark}.publishing", __name__)
    found: tuple[list[str], list[str]] = module.sources(manifest)
    return found
