"""The wording of questions that are built: the paper's Tables 10 and 11, and the generator's without images.

A released question brings its wording in columns of its own. Typing errors ("seqeunce") are the paper's.
"""

import csv
import itertools
from pathlib import Path

_TEXTS: dict[tuple[str, str], list[str]] = {}
with Path(__file__).with_name("wording.csv").open(encoding="utf-8", newline="") as _file:
    for _line in csv.DictReader(_file):
        _TEXTS.setdefault((_line["kind"], _line["part"]), []).append(_line["text"])

BLIND = {kind: texts for (kind, part), texts in _TEXTS.items() if part == "blind"}
COT = {kind: texts[0] for (kind, part), texts in _TEXTS.items() if part == "cot"}


def instruction(kind: str, index: int) -> str:
    """Returns the task instruction of the `index`-th question of a test.

    The official generator walks through the product of Table 10's lists. For MT1 and GT the response format
    belongs to the instruction; MT2 and MT3 carry it apart (`answer_format`).
    """
    parts = ("definition", "requirement", *(["format"] if kind in ("mt1", "gt") else []))
    combinations = list(itertools.product(*(_TEXTS[kind, part] for part in parts)))
    return " ".join(combinations[index % len(combinations)])


def answer_format(kind: str, index: int) -> str:
    """Returns the response format of the `index`-th question of MT2 or MT3; "" for the others."""
    formats = _TEXTS[kind, "format"]
    return formats[index % len(formats)] if kind in ("mt2", "mt3") else ""
