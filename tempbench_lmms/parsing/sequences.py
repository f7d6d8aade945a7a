"""The order of lettered items that a whole reply lays out, in one of many layouts.

Options may be orders ("Image b -> Image a -> ..."), and a reply may give its order without the letter of
an option: as a run ("bdaec"), as places ("event 1: c", "First, b. Second, e."), or by naming each item once
in turn ("first the groom (b), then ..."). An order that goes backwards, or names an item twice, is not read
here.
"""

import itertools
import re
from collections.abc import Sequence

from tempbench_lmms.parsing.patterns import lazy
from tempbench_lmms.parsing.text import holds, signs
from tempbench_lmms.parsing.words import CJK_DIGIT, ORDER_EVIDENCE, ORDER_TURNED, ORDINAL, any_of

_NOUN = (
    r"(?:images?|pictures?|photos?|sentences?|sent\.|events?|frames?|bild|satz|imagen|frase|phrase"
    r"|図|图|画像|句子?|이미지|文)"
)
_ORDINALS = {word: place for word, place in ORDINAL.items() if len(word) > 2}
_FIRSTLY = {"firstly": 1, "secondly": 2, "thirdly": 3, "fourthly": 4, "fifthly": 5}
_ADVERBS = r"(?:(?:is|was|comes?|goes|happens?|being|place[ds]?|stands?|at|in|the|to|as|,|-)\s*)*"
_TOKEN = lazy(
    rf"(?P<named>(?i:{_NOUN})\s*[\"'(\[]*(?P<of>[A-Ga-g])(?![A-Za-z0-9'’]))"
    r"|(?<![A-Za-z0-9'’.])(?P<label>[b-g])(?![A-Za-z0-9'’])"
    r"|(?<![A-Za-z0-9'’.])(?P<first>a)(?![A-Za-z0-9'’])(?![ ]+[A-Za-z])"
    r"|(?<![\w.])#?(?P<digit>\d)(?:st|nd|rd|th)?(?![\w%]|\.\d)"
    rf"|(?P<ordinal>(?i:{any_of([*_ORDINALS, *_FIRSTLY, 'last', 'final', 'lastly', 'finally'])}))"
    r"|第\s*(?P<cjk>[一二三四五六七])",
)
_RUN = lazy(r"(?<![A-Za-z0-9_'’-])(?:[a-g]{5,7}|[A-G]{5,7})(?![A-Za-z0-9_'’-])")
_SPACED = lazy(r"(?<!\w)[A-G](?:[ ,/>→-]{1,3}[A-G]){4,6}(?!\w)")
_ARROWS = lazy(r"[-=–—]+>|→|➔|➜|⇒|>")
_EVIDENCE = lazy(rf"{any_of(ORDER_EVIDENCE)}|{_ARROWS.pattern}", re.IGNORECASE)
_TURNED = lazy(any_of(ORDER_TURNED), re.IGNORECASE)
_TURNED_SIGNS = signs(ORDER_TURNED)
_AFTER_THAT = lazy(r"\bafter\s+(?:that|this|which)\b", re.IGNORECASE)
_ASCENDING = lazy(r"\b(?:before|precedes?)\b", re.IGNORECASE)
_DESCENDING = lazy(r"\b(?:after|follows?)\b", re.IGNORECASE)
_LAST = ("last", "final", "lastly", "finally")
_LONGEST = 1_500


def stated(text: str, labels: Sequence[str]) -> list[tuple[str, ...]]:
    r"""Returns the orders that a text lays out, each from the earliest item; none where it is not clear.

    Args:
        text: The reply, or a part of it.
        labels: The labels, small letters.

    >>> stated("event 1: c\nevent 2: a\nevent 3: b", "abc"), stated("b precedes a, a precedes c", "abc")
    ([('c', 'a', 'b')], [('b', 'a', 'c')])
    >>> stated("Image a shows a dog.", "abc")
    []
    """
    if len(text) > _LONGEST:
        return []
    if runs := _runs(text, labels):
        return runs
    tokens = _tokens(text, labels)
    items = [token for token in tokens if token[0] == "item"]
    if sorted({str(token[1]) for token in items}) != sorted(labels):
        return []
    found = _by_place(tokens, labels) or _in_turn(text, items, tokens, labels)
    return [found] if found else []


def _runs(text: str, labels: Sequence[str]) -> list[tuple[str, ...]]:
    """Returns the runs of all labels: "bdaec", "B D A E C"."""
    found = [match.group().lower() for match in _RUN.finditer(text)]
    found += ["".join(re.findall("[A-G]", match.group())).lower() for match in _SPACED.finditer(text)]
    wanted = sorted(labels)
    # "A, B, C, D, E" lists the options.
    return list(
        dict.fromkeys(
            tuple(run) for run in found if sorted(run) == wanted and (list(run) != wanted or len(text) < 12)
        )
    )


Token = tuple[str, str | int, int, int]
"""What is named ("item" or "place"), which, and where it begins and ends."""


def _tokens(text: str, labels: Sequence[str]) -> list[Token]:
    tokens: list[Token] = []
    for match in _TOKEN.finditer(text):
        label = (match["of"] or match["label"] or match["first"] or "").lower()
        if label:
            if label in labels and not (tokens and tokens[-1][:2] == ("item", label)):
                tokens.append(("item", label, match.start(), match.end()))
            continue
        place = _place(match, len(labels))
        if place and not (tokens and tokens[-1][:2] == ("place", place)):
            tokens.append(("place", place, match.start(), match.end()))
    return tokens


def _place(match: re.Match[str], upper: int) -> int:
    if match["digit"]:
        return int(match["digit"]) if int(match["digit"]) <= upper else 0
    if match["cjk"]:
        return CJK_DIGIT[match["cjk"]]
    word = match["ordinal"].lower()
    return upper if word in _LAST else _FIRSTLY.get(word) or _ORDINALS[word]


def _by_place(tokens: Sequence[Token], labels: Sequence[str]) -> tuple[str, ...] | None:
    """Returns the order where each label stands beside its place, always before it or always behind it."""
    n = len(labels)
    kinds = [kind for kind, *_ in tokens]
    if len(tokens) != 2 * n or (kinds != ["place", "item"] * n and kinds != ["item", "place"] * n):
        return None
    offset = kinds.index("item")
    places = {tokens[i + 1 - offset][1]: str(tokens[i + offset][1]) for i in range(0, 2 * n, 2)}
    if sorted(places, key=str) != [*range(1, n + 1)] or len(set(places.values())) != n:
        return None
    return tuple(places[place] for place in range(1, n + 1))


def _in_turn(
    text: str, items: Sequence[Token], tokens: Sequence[Token], labels: Sequence[str]
) -> tuple[str, ...] | None:
    """Returns the order in which each label is named once; none where words turn it round."""
    order = tuple(str(item[1]) for item in items)
    if len(order) != len(labels):
        return None
    gaps = [text[one[3] : other[2]] for one, other in itertools.pairwise(items)]
    if all(_ASCENDING.search(gap) for gap in gaps):
        return order
    if all(_DESCENDING.search(gap) for gap in gaps):
        return order[::-1]
    if holds(text.lower(), _TURNED_SIGNS) and _TURNED.search(_AFTER_THAT.sub("then", text)):
        return None
    # Digits that count something else, or stand for other places, leave the order unclear.
    numbered = [token[1] for token in tokens if token[0] == "place"]
    if numbered != sorted(numbered, key=int):
        return None
    if list(order) == sorted(order) and not _EVIDENCE.search(text):
        return None  # each label in turn, as one describes what one sees
    return order
