"""A prompt in other words, for tasks that ask how much a score depends on them."""

from collections.abc import Mapping, Sequence
from typing import Any

from tempbench_lmms.errors import TempbenchError

COLUMN = "paraphrase"
"""Where a row says in which other words it is asked, from 1; a row without it is asked in the first ones."""


def number_of(doc: Mapping[str, Any]) -> int:
    """Returns the number of the paraphrase that a row is asked in; 0 for the first words."""
    return int(doc.get(COLUMN) or 0)


def reworded(text: str, doc: Mapping[str, Any], paraphrases: Sequence[Mapping[str, str]]) -> str:
    """Returns a prompt in the words that its row asks for.

    >>> reworded("Please answer.", {"paraphrase": 1}, [{"Please answer.": "Give an answer."}])
    'Give an answer.'
    """
    number = number_of(doc)
    if not number:
        return text
    out = text
    for old, new in paraphrases[number - 1].items():
        out = out.replace(old, new)
    if out == text:
        raise TempbenchError(f"this prompt has no paraphrase {number}: {text[:200]!r}")
    return out
