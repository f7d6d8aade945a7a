"""The order that a reply gives to labelled items: "2-4-1-5-3", "Image 2, then Image 4, ...", "[C, A, B]".

The text is cut into tokens once, and runs of labels between separators are collected; no pattern spans a
run, so the cost is linear in the length of the reply.
"""

import re
from collections.abc import Sequence

from tempbench_lmms.parsing.final_answer import final_answer
from tempbench_lmms.parsing.numerals import CARDINALS
from tempbench_lmms.parsing.text import normalise, squeeze

_NUMBERS = {word: str(i) for i, word in enumerate(CARDINALS[:10]) if i}
_NOUN = r"(?:image|img|picture|photo|frame|pair|group|option|number|no|item|label)s?"
_SKIPPED = re.compile(
    rf"^(?:{_NOUN}|图|图像|图片|第|张|然后|接着|最后|画像|이미지|then|and|followed|by|next|finally|lastly|before|precedes|comes|earliest|latest|"
    r"oldest|newest|shortest|longest)$",
    re.IGNORECASE,
)
_TOKEN = re.compile(
    r"(?P<item>\d+|[^\W\d_]+)|(?P<arrow>[→➔➜⇒⟶])|(?P<greater>>)|(?P<skip>[\s,;<|/\-–—\[\](){}\"'#&_`]+)"
    r"|(?P<other>.)",
    re.DOTALL,
)
# "1. Image 3" and "2nd: Image 1": the first number is the place, the second one the item. Without a noun
# only a line that begins as a list does ("1. 3"): in "1: 3, 2: 1" either number may be the place.
_LISTED = re.compile(
    r"(?:^|[,;{\n])[ \t]*[\"'(\[*#-]*[ ]?(?:position |rank |place )?(?P<place>\d{1,2})(?:st|nd|rd|th)?[\"')]*"
    rf"[ ]?(?:[.):=→-][ ]?[\"'(\[*]*{_NOUN}[ ]?[#:]?[ ]?|(?<=\d)[.)][ ])(?P<item>\d{{1,2}}|[A-Z])\b",
    re.IGNORECASE,
)
# Between two orders, of which it chooses none.
_OR = re.compile(r"\W*(?:or|oder|ou|或者?)\W+(?:\w+\W+){0,3}", re.IGNORECASE)
_COMMENT = re.compile(r"\((?:[^()\d]{2,80}|(?:19|20)\d\d)\)")


def parse_permutation(reply: str, labels: Sequence[str], quantities: bool = False) -> tuple[str, ...] | None:
    """Returns the labels in the order in which a reply puts them.

    Args:
        reply: The model's reply, reasoning included.
        labels: The labels on offer: "1", "2", ... or "A", "B", ...
        quantities: The labels stand for quantities to be ranked upwards, so that a bare ">" between them
            says the contrary of what was asked, or is an arrow; such a reply is not read.

    Returns:
        A permutation of `labels`; the last one of the text. None where there is none, where the last list
        of that length repeats or lacks a label or has one that is not on offer.

    >>> parse_permutation("Image 2 -> Image 3 -> Image 1", "123")
    ('2', '3', '1')
    >>> parse_permutation("1, 1, 2", "123") is None
    True
    """
    text = final_answer(reply)
    if text is None:
        return None
    text = squeeze(_COMMENT.sub(" ", normalise(text)))
    text = re.sub(r"[-=–—]>", "→", text)
    if not re.search(r"[^\W\d_]{2}", text):
        # No word is in it, so that an "a" can be no article.
        text = text.upper()
    found = [*_runs(text, labels, quantities), *_lists(text, labels)]
    if not found:
        return None
    found.sort()
    _, start, run = found[-1]
    if any(
        other != run and end <= start and _OR.fullmatch(text[end:start]) for end, _, other in found[-3:-1]
    ):
        return None
    return tuple(run) if sorted(run) == sorted(labels) else None


def _lists(text: str, labels: Sequence[str]) -> list[tuple[int, int, list[str]]]:
    """Returns the enumerations of as many entries as there are labels, behind where they end and begin."""
    found: list[tuple[int, int, list[str]]] = []
    start = 0
    entries: list[str] = []
    for match in _LISTED.finditer(text):
        place = int(match.group("place"))
        if place == 1:
            entries, start = [], match.start()
        if place != len(entries) + 1:
            continue
        entries.append(match.group("item").upper())
        if len(entries) == len(labels):
            found.append((match.end(), start, entries))
            entries = []
    return found


def _runs(text: str, labels: Sequence[str], quantities: bool) -> list[tuple[int, int, list[str]]]:
    """Returns the runs of at least as many labels as there are, behind where they end and begin."""
    digits = labels[0].isdigit()
    found: list[tuple[int, int, list[str]]] = []
    run: list[str] = []
    start = end = 0
    readable = True

    def close() -> None:
        nonlocal run, readable
        if len(run) == 1 and sorted(run[0]) == sorted(labels):
            run = list(run[0])
        if len(run) >= len(labels):
            found.append((end, start, run if readable else []))
        run, readable = [], True

    for match in _TOKEN.finditer(text):
        token = match.group()
        if match.lastgroup == "item":
            item = token if sorted(token) == sorted(labels) else _label(token, digits)
            if item is not None:
                if not run:
                    start = match.start()
                run.append(item)
                end = match.end()
            elif not _SKIPPED.match(token):
                close()
        elif match.lastgroup == "greater":
            readable = readable and not quantities
        elif match.lastgroup == "other" or (match.lastgroup == "skip" and token.count("\n") > 1):
            close()
    close()
    return found


def _label(token: str, digits: bool) -> str | None:
    if digits:
        return token if token.isdigit() else _NUMBERS.get(token.lower())
    return token if len(token) == 1 and token.isascii() and token.isupper() else None
