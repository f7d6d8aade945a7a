"""Finds options by words of theirs: the same words, or others that the lexicon gives the same sense."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from tempbench_lmms.parsing.lexicon import UNIT, Word, roles, scan
from tempbench_lmms.parsing.mention import Mention
from tempbench_lmms.parsing.patterns import lazy
from tempbench_lmms.parsing.tokens import Span, Text

_EMPTY = roles(
    "fill prep article is and or conclude option video because then choose turn deny hedge likely suppose"
    " answer yes no to from refuse one than all pronoun"
)
_ENDINGS = lazy(r"(?:'s|ings?|edly|ed|es|s|ly|wards?|er|e)$")
_DENY = roles("deny")
_SHORTEST = 3
_ENOUGH, _LEAST = 0.6, 0.3
# One of these alone says all that its option says: "neither plays", "they start together".
_STRONG = roles("c.none c.together c.nodraw c.still c.norot")
_STILL = roles("c.still c.norot")
_WAYS = ("left right", "up down", "cw ccw", "forward back", "faster slower")
_OPPOSITES = {f"c.{one}": f"c.{other}" for way in _WAYS for one, other in (way.split(), way.split()[::-1])}
_MOTION = frozenset((*_OPPOSITES, *_STILL, "c.constant", "c.diagonal", "c.alternate"))
_FAMILIES = tuple(
    map(
        roles,
        ("c.left c.right c.up c.down", "c.forward c.back", "c.cw c.ccw", "c.faster c.slower c.constant"),
    )
)
_LEADS_ON = roles("then late after")
_AFTER = lazy(r"(?:after|nach|nachdem|après|tras|before)(?= (?!that|this|which))")
# Lines of what happens in a stretch of the video; and lines of what one frame shows, which say no movement.
_STRETCH = lazy(r"[\s•*(-]*(?:(?:from\s)?[a-z]+\s)?\d+(?:[.:]\d+)?\s?s?\s?(?:-|–|to|bis)\s?\d+[^:\n]{0,12}:")
_FRAME = lazy(r"[\s•*(-]*(?:at\s|in\s)?(?:the\s)?(?:frame|image|bild)s?\s?\d+[^:\n]{0,12}:")
_ENTRY = lazy(r"[\s•*(-]*\d[.)]\s")
_FROM = lazy(r"(?:\b(?:from|off) (?:the )?|\bvon |\bde (?:la )?|从|從|由)$")
# "the left edge", "at the left": a place, and no movement, but for "to the left edge".
_PLACE = lazy(r"[- ](?:edge|border|side|corner|half|end|margin|hand|part|third|of)\b|er rand")
_TO = lazy(r"\b(?:to|towards?|into|reaches) (?:the |its |his |her )?$")
_AT = lazy(r"\b(?:at|on) the (?:lower |upper |far |very )?$")


class Sense(NamedTuple):
    """A word of a text and what it means: a concept of the lexicon, or its stem."""

    name: str
    start: int
    end: int


def _stem(word: str) -> str:
    stem = word
    for _ in range(2):
        short = _ENDINGS.sub("", stem)
        if len(short) < _SHORTEST:
            break
        stem = short
    return stem[:-1] if len(stem) > _SHORTEST and stem[-1] == stem[-2] else stem


def senses(text: str, words: Sequence[Word] | None = None) -> list[Sense]:
    """Returns the words of a text in lower case that have a meaning of their own, in order."""
    found, place = [], 0
    for word in [*(scan(text, spans=False) if words is None else words), None]:
        start = word.start if word else len(text)
        for unit in UNIT.finditer(text[place:start]):
            if (unit.group()[0].isalpha() and unit.group().isascii()) or unit.group().isdigit():
                found.append(Sense(_stem(unit.group()), place + unit.start(), place + unit.end()))
        if word is None:
            break
        concept = next((role for role in sorted(word.roles) if role.startswith(("c.", "ordinal."))), None)
        said = text[word.start : word.end]
        if concept == "c.none" and said.startswith(("nothing", "nobody", "no one")):
            found.append(Sense("c.weak", word.start, word.end))
        if said == "right to left":
            found += [Sense("c.right", word.start, word.start + 5), Sense("c.left", word.end - 4, word.end)]
        elif concept:
            found.append(Sense(concept, word.start, word.end))
        elif not word.roles & _EMPTY and said.isascii():
            found += [
                Sense(_stem(u.group()), word.start + u.start(), word.start + u.end())
                for u in UNIT.finditer(said)
                if u.group()[0].isalpha()
            ]
        place = word.end
    return found


def _row(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(name for i, name in enumerate(names) if not i or names[i - 1] != name)


class Rows(NamedTuple):
    """What tells options apart.

    Attributes:
        names: For each option its words that not every option has, in order.
        pure: Whether these are concepts alone.
        weights: For each word how much it says: less the more options have it.
    """

    names: list[tuple[str, ...]]
    pure: bool
    weights: dict[str, float]
    common: frozenset[str]


@lru_cache(maxsize=512)
def _options(texts: tuple[str, ...]) -> Rows:
    said = [_moved(text.lower(), senses(text.lower())) for text in texts]
    rows = [
        ["c.none"] * text.lower().startswith("no ") + [s.name for s in row]
        for text, row in zip(texts, said, strict=True)
    ]
    common = set.intersection(*(set(row) for row in rows)) if rows else set()
    concepts = [_row([name for name in row if name in _MOTION]) for row in rows]
    if "c.diagonal" in common:
        concepts = [tuple(name for name in row if name != "c.diagonal") for row in concepts]
    pure = bool(rows) and all(concepts) and len(set(concepts)) == len(concepts)
    names = concepts if pure else [_row([name for name in row if name not in common]) for row in rows]
    counts = Counter(name for row in names for name in set(row))
    return Rows(names, pure, {name: 1 / n for name, n in counts.items()}, frozenset(common))


@lru_cache(maxsize=512)
def movements(texts: tuple[str, ...]) -> list[int] | None:
    """Returns the options that are rows of several movements; None where one is something else."""
    rows = _options(texts)
    return [i for i, row in enumerate(rows.names) if len(row) > 1] if rows.pure else None


def _moved(small: str, said: list[Sense]) -> list[Sense]:
    """Returns senses without where a movement begins: "from left to right" is to the right."""
    kept: list[Sense] = []
    ways = 0
    for i, sense in enumerate(said):
        other = _OPPOSITES.get(sense.name)
        if other and _FROM.search(small, max(0, sense.start - 12), sense.start):
            continue
        if other and i + 1 < len(said) and said[i + 1].name == other:
            between = small[sense.end : said[i + 1].start]
            if between in (" ", " to ", " to the ") or re.match(r"에서|から", between):
                ways += 1
                continue
        kept.append(sense)
    return kept if ways <= 1 else []  # "left to right to left"


def _parts(text: Text, ordered: bool) -> Iterator[list[Span]]:
    """Yields the clauses of each sentence; or, of what goes on in the sentences behind it, all sentences."""
    row: list[Span] = []
    last = ""
    for sentence in text.sentences:
        said = text.text[sentence.start : sentence.end].lower()
        if not ordered:
            cuts = [w.start for w in text.within(*sentence) if "background" in w.roles]
            clauses = text.clauses(sentence)
            ends = sorted({sentence.end, *(clause.start for clause in clauses), *cuts})
            yield [Span(a, b) for a, b in pairwise(ends)]
            continue
        first = next(
            (w for w in text.within(*sentence) if w.roles - {"fill", "article", "and"} or "then" in w.roles),
            None,
        )
        on = first and first.roles & _LEADS_ON and first.start < sentence.start + 6
        kind = "stretch" if _STRETCH.match(said) else "entry" if _ENTRY.match(said) else ""
        if row and not on and not (kind and kind == last):
            yield row
            row = []
        if not _FRAME.match(said) or kind:
            row.append(sentence)
        last = kind
    if row:
        yield row


def find(text: Text, texts: tuple[str, ...], letters: str) -> list[Mention]:
    """Returns the stretches that say one option in its words and no other."""
    rows = _options(texts[: len(letters)])
    small = text.text.lower()
    if not rows.weights or len(small) != len(text.text):
        return []
    said = senses(small, text.words)
    if not any(sense.name in rows.weights for sense in said):
        return []
    if rows.pure:
        return _of_rows(text, small, said, rows, letters)
    found = []
    for parts in _parts(text, ordered=False):
        inside = [[s for s in said if part.start <= s.start < part.end] for part in parts]
        best = [_best(part, rows) for part in inside]
        if all(one is None for one in best) and not any(_denied(text, part) for part in parts):
            inside = [[s for part in inside for s in part]]
            best = [_best(inside[0], rows)]
        every = {s.name for part in inside for s in part} & rows.weights.keys()
        stretches = parts if len(parts) == len(inside) else [Span(parts[0].start, parts[-1].end)]
        for clause, part, one in zip(stretches, inside, best, strict=True):
            # "Both", "none" and the like say an option only where nothing of another is named beside them.
            if one is not None and not (every & _STRONG and every - set(rows.names[one])):
                named = [s for s in part if s.name in rows.names[one]]
                # What "none" denies is no denial of "none".
                whole = "c.none" in {s.name for s in named}
                found.append(
                    Mention(letters[one], named[0].start, named[-1].end if not whole else clause.end, "words")
                )
    return found


def _denied(text: Text, part: Span) -> bool:
    return text.has(_DENY, *part)


def _best(said: list[Sense], rows: Rows) -> int | None:
    """Returns the option that words say; None where they say none, or several."""
    named = {sense.name for sense in said if sense.name in rows.weights}
    if not named:
        return None
    scores = [_score(named, set(row), rows.weights) for row in rows.names]
    digits = [any(name.isdigit() for name in named & set(row)) for row in rows.names]
    if sum(digits) == 1:
        scores[digits.index(True)] = 1.0
    best = max(range(len(scores)), key=lambda i: scores[i])
    own = set(rows.names[best])
    if named - own or sum(score >= scores[best] for score in scores) > 1:
        return None
    only = all(sense.name in own for sense in said)
    beside = len(named) > 1 or any(sense.name in rows.common for sense in said)
    weak = any(sense.name == "c.weak" for sense in said)
    if scores[best] < _ENOUGH and named & _STRONG and (only or beside or not weak):
        return best
    return best if scores[best] >= (_LEAST if only else _ENOUGH) else None


def _score(named: set[str], row: set[str], weights: dict[str, float]) -> float:
    return sum(weights[name] for name in named & row) / sum(weights[name] for name in row) if row else 0.0


def _of_rows(text: Text, small: str, said: list[Sense], rows: Rows, letters: str) -> list[Mention]:
    """Returns the stretches whose concepts are, in their order, those of one option."""
    found = []
    names = {row: letters[i] for i, row in enumerate(rows.names)}
    known = {"c.reverse", *_STILL, *rows.weights}.union(
        *(family for family in _FAMILIES if family & set(rows.weights))
    )
    said = [sense for sense in said if sense.name in known]
    for sentences in _parts(text, ordered=True):
        parts = [Span(sentences[0].start, sentences[-1].end)]
        inside = [s for s in said if parts[0].start <= s.start < parts[0].end]
        if _denied(text, parts[0]) or any(s.name in _STILL for s in inside):
            parts = [clause for sentence in sentences for clause in text.clauses(sentence)]
        for part in parts:
            here = _affirmed(text, [s for s in inside if part.start <= s.start < part.end])
            here = [s for s in _moved(small, _turned(here, small)) if not _placed(small, s)]
            value = names.get(_row([s.name for s in here])) if here else None
            if value is not None and not _crossed(text, small, here):
                found.append(Mention(value, here[0].start, here[-1].end, "words"))
    return found


def _affirmed(text: Text, said: list[Sense]) -> list[Sense]:
    """Returns the senses before the first that is denied: "it slows down and never speeds up"."""
    for i in range(1, len(said)):
        if text.has(_DENY, said[i - 1].end, said[i].start):
            return said[:i]
    return said


def _placed(small: str, sense: Sense) -> bool:
    """Whether a direction is none: "the left edge", "at the left"."""
    if sense.name not in _OPPOSITES or small.startswith("to ", sense.start):
        return False
    before = small[max(0, sense.start - 14) : sense.start]
    there = small.startswith(("at ", "on "), sense.start) or _AT.search(before)
    return not _TO.search(before) and bool(there or _PLACE.match(small, sense.end))


def _turned(said: list[Sense], small: str) -> list[Sense]:
    """Returns senses with "the other way" as the opposite of what it turns; nothing where they are denied."""
    kept: list[Sense] = []
    for i, sense in enumerate(said):
        if sense.name == "c.reverse":
            other = _OPPOSITES.get(kept[-1].name) if kept else None
            if other is None:
                return []
            kept.append(sense._replace(name=other))
        elif (
            sense.name in _STILL
            and i + 1 < len(said)
            and not re.search("[,;:.]", small[sense.end : said[i + 1].start])
        ):
            return []  # "It is not moving left"
        else:
            kept.append(sense)
    return kept


def _crossed(text: Text, small: str, said: list[Sense]) -> bool:
    """Whether senses are alternatives, or go in another order than they are told in."""
    between = [w for one, other in pairwise(said) for w in text.within(one.end, other.start)]
    return any("or" in word.roles or _AFTER.match(small, word.start) for word in between)
