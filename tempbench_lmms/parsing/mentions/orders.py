"""Finds orders: all labels of a question, in a row or with their places."""

import bisect
import itertools
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from tempbench_lmms.parsing.lexicon import Word, roles
from tempbench_lmms.parsing.mentions import Mention, apart
from tempbench_lmms.parsing.tokens import Text, is_empty

_BETWEEN = roles("fill image option and then conclude is prep step article to counter")
_LEFT_OPEN = roles("prior hedge parallel unsure unable equal refuse partly")
_GIVEN = roles("sequence rising")
_PLAIN = _GIVEN | roles(
    "fill article is image option shown inverse falling right true praise prep keep pronoun yes final "
    "conclude to towards from"
)
_SIGNS = re.compile(r"[\s,;.:()\[\]\"'|#/&•*+=~<>→⇒➜➔➝、。–—-]")
_CUT = re.compile(r"[;,.\n、。](?![^\W\u2e80-\uffff])")
_STRONG = re.compile(r"[:;.\n(–—。]|\s-\s")
_BRACKET = re.compile(r"[(\[]([^()\[\]\n]{2,80})[)\]]")
_WHOLE = re.compile(r"(?<![^\W_])\w{3,9}(?![^\W_])")
_NUMBER = re.compile(r"(?<![\d_/.A-Za-z])(?<!\d:)(\d{1,2})(?:st|nd|rd|th)?(?![\d%/A-Za-z]|\.\d|:\d)")
_MORE = re.compile(r"\s*(?:,|->|→|>)\s*#?\d+(?![\d\s]*[^\d\s.,;)])")
_ENDS = ("first", "last")
_KINDS = [
    {"between": roles("between rank.middle"), "then": roles("then"), "first": roles(a), "last": roles(b)}
    for a, b in (("first start", "last end"), ("first start short", "last end long"))
]
_FAR, _NEAR = 200, 12
_MOST = 20


class _Label(NamedTuple):
    value: str
    start: int
    end: int


class _Group(NamedTuple):
    """Labels in a row, and their place: `first`, `last`, `then`, `between` or nothing."""

    labels: list[_Label]
    place: str


class _Order(NamedTuple):
    """A text, the labels of an order, where it names them, and its brackets that hold something else."""

    text: Text
    labels: tuple[str, ...]
    quantities: bool
    named: list[_Label]
    asides: list[tuple[int, int]]
    starts: frozenset[int]


@lru_cache(maxsize=64)
def _pattern(labels: tuple[str, ...]) -> re.Pattern[str]:
    if labels[0].isdigit():
        before = r"(?:(?<![\d_/A-Za-z])|(?<=image)|(?<=Image)|(?<=img))(?<!\d[.:])"
        return re.compile(rf"{before}({'|'.join(labels)})(?![\d%/]|\.\d|:\d|[A-Za-z])")
    word = r"[^\W_\u2e80-\uffff]"
    return re.compile(rf"(?<!{word})({'|'.join(labels)})(?!{word}|'\w)", re.IGNORECASE)


def another(text: Text, place: int) -> bool:
    """Returns whether a sentence puts images in another order than that shown: "it should be 2, 1, 3"."""
    named = [int(one[1]) for one in _NUMBER.finditer(text.text, *text.around(place))]
    whole = len(named) > 2 and sorted(named) == [*range(1, len(named) + 1)] != named
    return whole and not text.has("deny", *text.around(place))


def find(text: Text, labels: Sequence[str], quantities: bool = False) -> list[Mention]:
    """Returns the places that put all labels in an order, from the first (or the smallest) to the last."""
    asides = [one.span() for one in _BRACKET.finditer(text.text)]
    pattern = _pattern(tuple(labels))
    named = [_Label(one[1].upper(), *one.span(1)) for one in pattern.finditer(text.text)]
    if labels[0].isdigit() and len(named) < len(labels):  # "the third", "three"
        places = [_Label(str(w.ordinal or w.number), w.start, w.end) for w in text.words]
        named += [one for one in places if one.value in labels]
    named.sort(key=lambda one: one.start)
    named = [*named[:_FAR], *named[_FAR:][-_FAR:]]  # a reply that loops says no more in its middle
    order = _Order(text, tuple(labels), quantities, named, asides, frozenset(one.start for one in named))
    found = apart([*apart([*_ranked(order)]), *_rows(order)]) or [*_told(order)] or [*_given(order)]
    return sorted(found, key=lambda one: one.start)


def _place(order: _Order, word: Word) -> str:
    if word.start in order.starts:
        return ""
    return next((kind for kind, said in _KINDS[order.quantities].items() if word.roles & said), "")


def _ways(order: _Order, start: int, end: int) -> list[str]:
    words = order.text.within(start, end)
    said = [w for w in words if order.quantities or "size" not in w.roles]
    said = [w for w in said if not order.text.has("deny", max(start, w.start - _NEAR), w.start)]
    ways = roles("falling"), roles("rising falling")
    found = [(w.start, "falling" if w.roles & ways[0] else "rising") for w in said if w.roles & ways[1]]
    ends = [(w, _place(order, w)) for w in words if _place(order, w) in _ENDS]
    for (one, first), (last, _) in itertools.pairwise(ends):
        arrow = order.text.text[one.end : last.start].strip() in ("→", "->")
        if arrow or order.text.has("to towards", one.end, last.start):
            found.append((one.start, "rising" if first == "first" else "falling"))
    return [way for _, way in sorted(found)]


def _direction(order: _Order, start: int, end: int) -> str:
    """Returns an order's direction, by the words before it, else by those after it; empty if unknown."""
    text = order.text
    begin = max(text.around(start).start, start - _FAR)
    begin = max([begin, *(w.end for w in text.within(begin, start) if w.roles & roles("back switch"))])
    behind = min(text.around(end - 1).end, end + _FAR)
    return next(iter([*_ways(order, begin, start)[::-1], *_ways(order, start, behind)]), "")


def _mention(order: _Order, values: Sequence[str], start: int, end: int) -> Mention:
    step = -1 if _direction(order, start, end) == "falling" else 1
    text, lead, whole = order.text, order.text.before(start, 1), order.text.around(start)
    goes_on = lead and "image" in lead.roles and not is_empty(text.text[end : text.around(end - 1).end])
    only = text.has("image", whole.start, start) and not text.has(
        "sequence rising falling answer conclude final right choose back yes no first last long short", *whole
    )
    shown = tuple(values) == order.labels and (goes_on or only)
    form = "listed" if shown and not text.has("image", start, end) else "order"  # "images 1, 2 and 3 show"
    return Mention(tuple(values)[::step], start, end, form)


def _gap(order: _Order, start: int, end: int) -> str:
    """Returns a stretch without asides, places and words without content."""
    first = bisect.bisect_left(order.asides, (start, 0))
    words = [w for w in order.text.within(start, end) if w.roles & _BETWEEN or _place(order, w)]
    taken = [one for one in order.asides[first : first + _MOST] if one[1] <= end]
    taken += [(w.start, w.end) for w in words]
    pieces, at = "", start
    for a, b in sorted(taken):
        pieces, at = pieces + order.text.text[at:a] + " ", b
    return pieces + order.text.text[at:end]


def _rows(order: _Order) -> Iterator[Mention]:
    yield from _whole(order)
    text, n, at = order.text.text, len(order.labels), 0
    while at < len(order.named):
        run = [order.named[at]]
        pieces = [run[:]]
        for one in order.named[at + 1 :]:
            last = run[-1].end
            if _SIGNS.sub("", _gap(order, last, one.start)) not in ("", "e"):
                break
            concludes = [w for w in order.text.within(last, one.start) if w.roles & roles("conclude is")]
            if _STRONG.search(text, last, one.start) or any(text[w.start].isalpha() for w in concludes):
                pieces.append([])
            pieces[-1].append(one)
            run.append(one)
        at += len(run)
        for row in [run] if len(run) <= n else pieces:
            whole = len(row) == n == len({one.value for one in row}) and not _MORE.match(text, row[-1].end)
            if whole and (mention := _of_row(order, row)):
                yield mention


def _whole(order: _Order) -> Iterator[Mention]:
    """Yields the labels as one word: "CAB"."""
    for word in _WHOLE.finditer(order.text.text):
        said = tuple(word.group().upper())
        alike = word.group().isupper() or len(order.labels) > 3
        if alike and sorted(said) == sorted(order.labels):
            yield _mention(order, said, *word.span())


def _of_row(order: _Order, row: list[_Label]) -> Mention | None:
    groups = list(_groups(order, row))
    if any(one.place for one in groups):
        return _placed(order, groups)
    text, values, start, end = order.text, [one.value for one in row], row[0].start, row[-1].end
    compares = order.quantities and ">" in re.sub(r"[-=]>", "", text.text[start:end])
    if compares and not _direction(order, start, end):
        said = text.has("long short extent", end, text.around(end - 1).end)
        return Mention(tuple(values[::-1]), start, end, "order") if said else None
    return _mention(order, values, start, end)


def _groups(order: _Order, row: list[_Label]) -> Iterator[_Group]:
    """Yields the labels of a row in groups, each with the place that is given before or after it."""
    text, group = order.text, [row[0]]
    begin = max(text.around(row[0].start).start, row[0].start - _FAR)
    directed = bool(_ways(order, begin, row[0].start))  # "from the first to the last"
    before = "" if directed else _marks(order, begin, row[0].start, last=False)[1]
    for last, one in zip(row, [*row[1:], None], strict=True):
        limit = one.start if one else min(last.end + _FAR, len(text.text))
        behind, ahead = _marks(order, last.end, limit, one is None)
        if one and not behind + ahead and not re.search(r"[^\W\d_]|[.;:\n]", _gap(order, last.end, limit)):
            group.append(one)
            continue
        if behind in _ENDS and len(group) > 1:
            yield _Group(group[:-1], before)
            group, before = group[-1:], ""
        yield _Group(group, behind if behind in _ENDS or not before else before)
        before, group = ahead, [one] if one else []


def _marks(order: _Order, start: int, end: int, last: bool) -> tuple[str, str]:
    """Returns the place given for the label before a gap, and for the label after it."""
    words, between = order.text.within(start, end), order.text.text[start:end].rstrip(" :-–|\"'(*")
    cuts = [one.start() for one in _CUT.finditer(order.text.text, start, start + len(between))]
    cuts += [w.start for w in words if w.roles & {"and", "turn"}]
    cut = min(cuts, default=end if last else start)
    behind = [p for w in words if w.start < cut and (p := _place(order, w))]
    ahead = [p for w in words if w.start >= cut and (p := _place(order, w))]
    return behind[-1] if behind else "", ahead[-1] if ahead else ""


def _told(order: _Order) -> Iterator[Mention]:
    n = len(order.labels)
    for at in range(len(order.named) - n + 1):
        row = order.named[at : at + n]
        if len({one.value for one in row}) == n:
            groups = list(_groups(order, row))
            places = [one.place for one in groups]
            said = {*_ENDS} & {*places} or not (order.quantities or order.labels[0].isdigit())
            listed = tuple(one.value for one in row) == order.labels
            if said and not listed and (one := _placed(order, groups)):
                yield one


def _given(order: _Order) -> Iterator[Mention]:
    """Yields the order in which the labels are given, or its reverse: "already in order", "reverse order"."""
    text = order.text
    for i, (start, end) in enumerate(text.sentences if not order.named else ()):
        said = text.said(i)
        given = (
            "shown" in said
            and said & _GIVEN
            and not said & roles("falling deny wrong or")
            and not _announces(text, start, end)
        )
        if ("inverse" in said or given) and text.filled(start, end, said & _PLAIN):
            yield Mention(order.labels[:: -1 if "inverse" in said else 1], start, end, "order")


def _announces(text: Text, start: int, end: int) -> bool:
    """Returns whether an order follows a sentence, or it speaks of the images given."""
    words, whole = text.within(start, end), text.text[start:end].rstrip()
    nouns = [text.after(word.end, 1) for word in words if "shown" in word.roles]
    given = any(noun and noun.roles & roles("image option") for noun in nouns)
    last = "is" if text.has("is", start, end) else "shown"
    return given or last in words[-1].roles or whole.endswith(":") or "tells" in words[0].roles


def _placed(order: _Order, groups: list[_Group]) -> Mention | None:
    """Returns the order of some places; None if they contradict each other or are open."""
    parts: dict[str, list[str]] = {"first": [], "between": [], "last": []}
    part = "first"
    for group in groups:
        values = [one.value for one in group.labels]
        if group.place in _ENDS and parts[group.place]:
            return None
        part = group.place if group.place in parts else part
        if group.place in parts or part != "last":
            parts[part] += values
        else:
            parts["last"][:0] = values[::-1]
    start, end = groups[0].labels[0].start, groups[-1].labels[-1].end
    words = order.text.within(start, order.text.around(end - 1).end)
    refused = order.text.has("refuse", end, len(order.text.text))
    left_open = _LEFT_OPEN if order.labels[0].isdigit() else (_LEFT_OPEN | roles("or deny wrong falling"))
    if refused or any(w.roles & left_open for w in words):
        return None
    values = [*parts["first"], *parts["between"], *parts["last"]]
    return _mention(order, values, start, end)


def _ranked(order: _Order) -> Iterator[Mention]:
    """Yields the orders of lists and tables that give each label its number."""
    text, n = order.text, len(order.labels)
    digits = order.labels[0].isdigit()
    every = [_Label(str(int(one[1])), one.start(), one.end()) for one in _NUMBER.finditer(text.text)]
    every = every if digits else sorted([*every, *order.named], key=lambda one: one.start)
    numbers = {str(i + 1) for i in range(n)}
    every = [*every[:_FAR], *every[_FAR:][-_FAR:]]
    for at in range(len(every) - 2 * n + 1):
        row = every[at : at + 2 * n]
        one, other = [v.value for v in row[::2]], [v.value for v in row[1::2]]
        stepped = text.has("step", row[0].start - 8, row[0].start)
        bare = digits and not stepped and set(text.text[row[0].end : row[1].start]) & set(":=→>")
        head = [w for w in text.within(row[0].start - 120, row[0].start) if w.roles & roles("rank image")]
        ranked = len(head) > 1 and "rank" in head[-1].roles  # a table with "Image" and "Rank" above it
        behind = ranked if digits else not one[0].isdigit()
        ranks, labels = (other, one) if behind else (one, other)
        whole = {*ranks} == numbers and {*labels} == {*order.labels}
        pairs = zip(row[::2], row[1::2], strict=True)
        near = [text.sentence(a.start) == text.sentence(b.start) for a, b in pairs]
        whole = whole and (not digits or all(near))
        if whole and not bare and (not digits or one == sorted(one)):
            ordered = [label for _, label in sorted(zip(ranks, labels, strict=True))]
            yield _mention(order, ordered, row[0].start, row[-1].end)
