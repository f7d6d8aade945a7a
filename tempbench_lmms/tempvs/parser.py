"""The answers of TempVS: an option letter, or the number of an image for a grounding test."""

import re
from collections.abc import Sequence
from typing import Any

from tempbench_lmms.parsing import reader
from tempbench_lmms.parsing.expected import Choice, Item
from tempbench_lmms.parsing.patterns import lazy
from tempbench_lmms.parsing.reading import Reading

UNREADABLE = "UNK"
FAMILIES = ("generic", "internvl", "deepseek", "llava", "llama")

_NUMBER = lazy(r"(\d+)")
# The official \b([AB])\b and \b([ABCDE])\b, written so that the letter is looked for first, and then its end,
# which is the cheaper one to test.
_LETTER = {"mt1": lazy(r"([AB])\b(?<!\w.)"), "mt2": lazy(r"([ABCDE])\b(?<!\w.)")}
_DEEPSEEK_END = " <｜end▁of▁sentence｜>"
# What these models put before their answer.
_MARKERS = {"llava": "assistant", "llama": "the answer is"}
_INTERNVL = tuple(
    lazy(pattern)
    for pattern in (
        r"Option\s+([AB])",
        r"([AB])\.(?<!\w..)\s*(?:True|False)",
        r"\b([AB])\s*$",
        r"Option\s*\[([AB])\]",
    )
)


def expected(kind: str, options: Sequence[str], n_images: int) -> Choice | Item:
    """Returns what a question expects: an image's number for `gt`, else one of the options.

    Args:
        kind: `mt1`, `mt2`, `mt3` or `gt`.
        options: The options' texts; empty for `gt`.
        n_images: The number of images shown.
    """
    return Item(n_images) if kind == "gt" else Choice("ABCDE"[: len(options)], tuple(options))


def read(
    reply: str,
    kind: str,
    options: Sequence[str],
    n_images: int,
    prompt: str | None = None,
    at_limit: bool = False,
) -> Reading[str]:
    """Reads a reply as `reader.read` does; the value is a letter, or an image's number as a string.

    `kind`, `options` and `n_images` are those of `expected`.
    """
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


def _end_of(marker: str, reply: str) -> int:
    """Returns where the first of some words ends, in small or capital letters; 0 where they don't stand."""
    if reply.isascii():
        place = reply.lower().find(marker)
        return place + len(marker) if place >= 0 else 0
    found = re.search(marker, reply, re.IGNORECASE)  # which takes more letters for the same
    return found.end() if found else 0


def parse_official(reply: str, kind: str, family: str = "generic") -> str:
    """Returns what the official scorer reads: the first match in the whole reply, or "UNK".

    Its faults are part of it: the article in "A man and B" is option A. Source: `run_evaluation.py`.

    Args:
        reply: The model's reply.
        kind: `mt1`, `mt2`, `mt3` or `gt`.
        family: One of `FAMILIES`.
    """
    if family == "deepseek":
        reply = reply.replace(_DEEPSEEK_END, "")
    elif marker := _MARKERS.get(family):
        reply = reply[_end_of(marker, reply) :]
    if kind == "gt":
        match = _NUMBER.search(reply)
    elif kind == "mt1" and family == "internvl":
        # The third pattern asks for the last letter; only white space may follow it.
        places = (reply, reply, reply.rstrip()[-2:], reply)
        pairs = zip(_INTERNVL, places, strict=True)
        match = next((found for pattern, place in pairs if (found := pattern.search(place))), None)
    else:
        match = _LETTER["mt1" if kind == "mt1" else "mt2"].search(reply)
    return match.group(1) if match else UNREADABLE


def parse_official_by_family(reply: str, kind: str) -> dict[str, str]:
    """Returns what `parse_official` reads for each of `FAMILIES`.

    A branch that changes nothing of this reply reads what the generic one does, which is read once.

    Args:
        reply: The model's reply.
        kind: `mt1`, `mt2`, `mt3` or `gt`.
    """
    generic = parse_official(reply, kind)
    return {
        family: parse_official(reply, kind, family) if _is_different(reply, kind, family) else generic
        for family in FAMILIES
    }


def _is_different(reply: str, kind: str, family: str) -> bool:
    if family == "internvl":
        return kind == "mt1"
    if family == "deepseek":
        return _DEEPSEEK_END in reply
    return family in _MARKERS and _end_of(_MARKERS[family], reply) > 0
