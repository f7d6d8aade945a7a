"""Reads the texts for a data set's card from `hf_datasets/NAME/CARD.md`."""

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
    """Texts about a benchmark's data; each except the title is a section of `CARD.md`."""

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
        "A score says how well a model answers these questions. It does not say that the model's "
        "statements about time or order can be trusted elsewhere."
    )
    categories: tuple[str, ...] = ("visual-question-answering",)
    languages: tuple[str, ...] = ("en",)
    tags: tuple[str, ...] = ("temporal-reasoning", "evaluation")


def facts_of(benchmark: str) -> Facts:
    """Returns the texts of a benchmark's `CARD.md`."""
    text = (_FOLDER / benchmark / "CARD.md").read_text(encoding="utf-8")
    _, head, body = text.split("---\n", 2)
    known: dict[str, Any] = {
        key: tuple(one) if isinstance(one, list) else one for key, one in yaml.safe_load(head).items()
    }
    for title, words in re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", body, re.MULTILINE | re.DOTALL):
        known[title] = " ".join(words.split())
    return Facts(**known)


def sources_of(benchmark: str, manifest: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """Returns the card's sources in prepared data, and the user's own part in words.

    `sources` in `hf_datasets/NAME/publishing.py` lists them; without that file, all sources of the card
    count.
    """
    if not (_FOLDER / benchmark / "publishing.py").is_file():
        return [], []
    module = importlib.import_module(f"...{benchmark}.publishing", __name__)
    found: tuple[list[str], list[str]] = module.sources(manifest)
    return found
