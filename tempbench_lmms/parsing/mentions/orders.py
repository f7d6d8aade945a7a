"""Finds orders: all labels of a question, each once, in a row, line by line, or in a numbered list."""

import re
from collections.abc import Sequence
from functools import lru_cache

from tempbench_lmms.parsing.mention import Mention
from tempbench_lmms.parsing.patterns import lazy
from tempbench_lmms.parsing.tokens import Text

_BETWEEN = frozenset(
    (
        "fill",
        "image",
        "option",
        "and",
        "before",
        "first",
        "last",
        "then",
        "conclude",
        "is",
        "prep",
        "to",
        "step",
        "early",
        "next",
    )
)
_SIGNS = lazy(r"[\s,;.:()\[\]\"'|#/&•*+=~-]|[<>→⇒➜➔➝]|->|–|—")
_POSITION = lazy(
    r"[\s|*#>•-]*(?:(?:step|rank|position|place|no\.?)\s*)?#?(\d{1,2})(?:st|nd|rd|th)?\s*[.):|–=-]*\s*(?:[:–=-]|->|→)?\s*"
)
_FEWEST = 3


@lru_cache(maxsize=64)
def _labels(labels: tuple[str, ...]) -> re.Pattern[str]:
    if labels[0].isdigit():
        return lazy(
            rf"(?<![\w.]\d)(?<![^\W\d_a-zA-Z]\d)(?<!\d)(?<!\d\.)({'|'.join(labels)})(?!\d|\.\d|%|:\d|[a-zA-Z])"
        )
    return lazy(rf"(?<![^\W_])({'|'.join(labels)})(?![^\W_]|'\w)", re.IGNORECASE)


def find(text: Text, labels: Sequence[str], quantities: bool = False) -> list[Mention]:
    """Returns the places that put all labels in an order, from the first (or the smallest) to the last.

    Args:
        text: The text.
        labels: The labels, upper case.
        quantities: Whether a bare ">" between labels compares them, so that it gives no order to be read.
    """
    pattern = _labels(tuple(labels))
    places = list(pattern.finditer(text.text))
    found = [*_runs(text, places, len(labels), quantities), *_lines(text, pattern, labels)]
    return found


def _runs(text: Text, places: list[re.Match[str]], n: int, quantities: bool) -> list[Mention]:
    """Returns the orders whose labels follow each other with nothing but signs and empty words between them."""
    found: list[Mention] = []
    i = 0
    while i < len(places):
        run = [places[i]]
        while i + len(run) < len(places) and _joined(text, run[-1].end(), places[i + len(run)].start()):
            run.append(places[i + len(run)])
        order = _order([one[1].upper() for one in run], n)
        if order is not None and len(run) >= min(n, _FEWEST) - (n == 2):
            stretch = text.text[run[0].start() : run[-1].end()]
            if not (
                quantities
                and ">" in re.sub(r"[-=]>", "", stretch)
                and not _direction(text, run[0].start(), run[-1].end())
            ):
                found.append(_directed(text, order, run[0].start(), run[-1].end()))
        i += len(run)
    return found


def _order(labels: list[str], n: int) -> tuple[str, ...] | None:
    """Returns labels that are all there, each once; of a numbered list those behind the numbers."""
    if len(labels) == n == len(set(labels)):
        return tuple(labels)
    if (
        len(labels) == 2 * n
        and labels[0::2] == [str(i + 1) for i in range(n)]
        and len(set(labels[1::2])) == n
    ):
        return tuple(labels[1::2])
    return None


def _joined(text: Text, start: int, end: int) -> bool:
    pieces, at = [], start
    for word in text.within(start, end):
        if word.roles & _BETWEEN or any(role.startswith("ordinal.") for role in word.roles):
            pieces.append(text.text[at : word.start])
            at = word.end
    rest = "".join([*pieces, text.text[at:end]])
    return end - start <= 60 and not _SIGNS.sub("", rest) and "\n\n" not in rest


def _lines(text: Text, pattern: re.Pattern[str], labels: Sequence[str]) -> list[Mention]:
    """Returns the orders of lines that each begin with a label, perhaps behind a number."""
    found: list[Mention] = []
    run: list[tuple[str, bool, int, int]] = []
    place = 0
    for line in [*text.text.split("\n"), ""]:
        start = place
        place += len(line) + 1
        if not line.strip(" |-:"):
            if not run or line.strip():
                continue
        head = _head(text, line, start, pattern, len(run) + 1)
        if head is not None:
            run.append((head[0], head[1], start, start + len(line)))
            continue
        if len(run) == len(labels) and {one[0] for one in run} == set(labels):
            numbered = all(one[1] for one in run)
            order = tuple(one[0] for one in run)
            if order != tuple(labels) or (numbered and not str(labels[0]).isdigit()):
                found.append(_directed(text, order, run[0][2], run[-1][3]))
        run = []
    return found


def _head(
    text: Text, line: str, start: int, pattern: re.Pattern[str], position: int
) -> tuple[str, bool] | None:
    """Returns the label that a line begins with, and whether its position stands before it."""
    numbered = _POSITION.match(line)
    begins = numbered.end() if numbered and int(numbered[1]) == position else 0
    for at in (begins, 0) if begins else (0,):
        label = pattern.search(line, at)
        if label and _joined(text, start + at, start + label.start()):
            return label[1].upper(), bool(at)
    return None


def _direction(text: Text, start: int, end: int) -> str:
    """Returns which end comes first by the words around an order: "rising", "falling", or nothing."""
    sentence = text.sentences[text.sentence(start)]
    line = text.text.find("\n", end)
    around = [
        *text.within(max(0, min(sentence.start, start - 120)), start),
        *text.within(start, line if line >= 0 else len(text.text)),
    ]
    said = [w.roles & {"rising", "falling"} for w in around if w.roles & {"rising", "falling"}]
    return next(iter(said[-1])) if said else ""


def _directed(text: Text, order: tuple[str, ...], start: int, end: int) -> Mention:
    inside = text.within(start, end)
    turned = _direction(text, start, end) == "falling" or (
        inside and bool(inside[0].roles & {"last"}) and not any("first" in w.roles for w in inside[:2])
    )
    return Mention(order[::-1] if turned else order, start, end, "order")
