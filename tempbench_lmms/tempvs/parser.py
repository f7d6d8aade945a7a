"""The answers of TempVS: an option letter, or the number of an image for a grounding test."""

import re
from collections.abc import Sequence
from typing import Any

from tempbench_lmms.parsing import reader
from tempbench_lmms.parsing.expected import Choice, Item, Reading

UNREADABLE = "UNK"
FAMILIES = ("generic", "internvl", "deepseek", "llava", "llama")

_NUMBER = re.compile(r"(\d+)")
_LETTER = {"mt1": re.compile(r"\b([AB])\b"), "mt2": re.compile(r"\b([ABCDE])\b")}
_DEEPSEEK_END = " <｜end▁of▁sentence｜>"
# What these models put before their answer.
_MARKERS = {"llava": "assistant", "llama": "the answer is"}
_INTERNVL = tuple(
    re.compile(pattern)
    for pattern in (
        r"Option\s+([AB])",
        r"\b([AB])\.\s*(?:True|False)",
        r"\b([AB])\s*$",
        r"Option\s*\[([AB])\]",
    )
)


def expected(kind: str, options: Sequence[str], n_images: int) -> Choice | Item:
    """Returns what a question of kind `mt1`, `mt2`, `mt3` or `gt` (an image's number) expects."""
    return Item(n_images) if kind == "gt" else Choice("ABCDE"[: len(options)], tuple(options))


def read(
    reply: str,
    kind: str,
    options: Sequence[str],
    n_images: int,
    prompt: str | None = None,
    at_limit: bool = False,
) -> Reading[str]:
    """Reads a reply as `reader.read` does; the value is a letter, or an image's number as a string."""
    found: Reading[Any] = reader.read(reply, expected(kind, options, n_images), prompt, at_limit)
    return found.map(str) if kind == "gt" else found


def family_of(model: str) -> str:
    """Returns the official scorer's branch for a model name; `generic` for a name it does not know.

    Source: `run_evaluation.py`, the chain of tests on the name, in its order. The official scorer stops
    with an error at an unknown name.
    """
    if "deepseek" in model or "Janus" in model:
        return "deepseek"
    if model == "Llama-3.1-8B":
        return "llama"
    if model in ("Phi-3.5-mini-instruct", "Qwen2.5-72B-Instruct"):
        return "generic"
    if "InternVL" in model:
        return "internvl"
    return "llava" if "interleave" in model or "LLaVA-NeXT-Video" in model else "generic"


def parse_official(reply: str, kind: str, family: str = "generic") -> str:
    """Returns what the official scorer reads for one of `FAMILIES`: the first match, or "UNK".

    Its faults are part of it: the article in "A man and B" is option A. Source: `run_evaluation.py`.
    """
    if family == "deepseek":
        reply = reply.replace(_DEEPSEEK_END, "")
    elif family in _MARKERS and (marker := re.search(_MARKERS[family], reply, re.IGNORECASE)):
        reply = reply[marker.end() :]
    if kind == "gt":
        match = _NUMBER.search(reply)
    elif kind == "mt1" and family == "internvl":
        match = next((found for pattern in _INTERNVL if (found := pattern.search(reply))), None)
    else:
        match = _LETTER["mt1" if kind == "mt1" else "mt2"].search(reply)
    return match.group(1) if match else UNREADABLE
