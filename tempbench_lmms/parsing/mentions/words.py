"""Finds options by their words, by words with the same sense in the lexicon, and by amounts of time."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import groupby, pairwise
from typing import NamedTuple

from tempbench_lmms.parsing.lexicon import UNIT, Word, roles
from tempbench_lmms.parsing.mentions import Mention
from tempbench_lmms.parsing.tokens import Span, Text

DAY = 86_400.0
SECONDS = {
    "second": 1.0,
    "minute": 60.0,
    "hour": 3600.0,
    "day": DAY,
    "week": 7 * DAY,
    "month": 30.4 * DAY,
    "year": 365.25 * DAY,
    "decade": 3652.5 * DAY,
}
_AMOUNT = re.compile(
    r"(\d+(?:[.,]\d+)?)(?:\s?(?:-|–|~|to|or|and\s?|bis|à|a|至|到|から)\s?(\d+(?:[.,]\d+)?))?\s?[+]?\s?-?$"
)
_NUMBER, _JOINS = roles("half several one"), roles("and or to from fill")
_SOME = 6  # "a few", "decades": from two, or one, up to six
_WHOLE = 0.9
# Least and most seconds, and where they stand.
Amount = tuple[float, float, int, int]


def amounts(text: Text) -> list[Amount]:
    """Returns the amounts of time in a text, the two ends of a range as one."""
    found: list[Amount] = []
    for word in text.words:
        amount = _amount(text, word)
        if amount is None:
            continue
        last = found[-1] if found else amount
        between = text.without(last[3], amount[2], _JOINS).strip(" -–,") if last[1] < amount[0] else "-"
        if last[0] == last[1] > amount[1] and not text.text[last[3] : amount[2]].strip():  # "2 months 3 days"
            found[-1] = (last[0] + amount[0], last[1] + amount[1], last[2], amount[3])
        elif between:
            found.append(amount)
        else:
            found[-1] = (last[0], amount[1], last[2], amount[3])
    return found


def _amount(text: Text, word: Word) -> Amount | None:
    """Returns the amount before a unit, in digits or words; None without one ("decades")."""
    unit = next((SECONDS.get(role[5:]) for role in word.roles if role.startswith("unit.")), None)
    if unit is None:
        return None
    if match := _AMOUNT.search(text.text, max(0, word.start - 24), word.start):
        low = float(match[1].replace(",", "."))
        high = float(match[2].replace(",", ".")) if match[2] else low
        return low * unit, high * unit, match.start(), word.end
    return _in_words(text, word, unit)


def _in_words(text: Text, word: Word, unit: float) -> Amount | None:
    before = text.within(max(0, word.start - 20), word.start)
    lead = [w for w in before if not text.text[w.end : word.start].strip(" -")]
    said = next((w for w in reversed(lead) if w.number is not None or w.roles & _NUMBER), None)
    if said is None:
        alone = "unit.decade" in word.roles and not (lead and "fill" not in lead[-1].roles)
        return (unit, _SOME * unit, word.start, word.end) if alone else None
    if "several" in said.roles:
        return 2 * unit, _SOME * unit, said.start, word.end
    number = said.number or (0.5 if "half" in said.roles else 1.0)
    # "Between one and three months".
    ends = [w for w in before if w.number and w.number < max(number, 1.5) and w.start < said.start]
    least = ends[-1] if ends and text.filled(ends[-1].end, said.start, _JOINS) else said
    low = least.number or number
    if number < low:  # "one and a half years"
        low = number = low + number
    half = text.after(word.end, 1)
    more = 0.5 if half and "half" in half.roles else 0.0  # "a year and a half"
    return (low + more) * unit, (number + more) * unit, least.start, word.end


@lru_cache(maxsize=256)
def shown(text: str) -> Text:
    """Returns an option's text in small letters, with its words."""
    return Text(text.lower(), spans=False)


@lru_cache(maxsize=256)
def ranges(texts: tuple[str, ...]) -> tuple[tuple[float, float], ...]:
    """Returns each option's range of time; empty unless all options are ranges."""
    found = []
    for text in map(shown, texts):
        said = amounts(text)
        if len(said) != 1:
            return ()
        found.append(_bounded(text, *said[0]))
    return tuple(found)


def _bounded(text: Text, low: float, high: float, start: int, end: int) -> tuple[float, float]:
    """Returns an amount with the bound beside it: "more than a year", "a year or more", "2+ years"."""
    parts = (w.start for w in text.within(end, end + 12) if w.roles & roles("turn and"))
    behind = text.within(end, next(parts, end + len(text.text[end : end + 12].partition(",")[0])))
    near = [*text.within(max(0, start - 16), start), *behind]
    said = frozenset[str]().union(*(word.roles for word in near))
    if "less" in said:
        return 0.0, high
    return (low * 1.0001, math.inf) if "more" in said or "+" in text.text[start:end] else (low, high)


def amounted(text: Text, options: tuple[tuple[float, float], ...], letters: str) -> list[Mention]:
    """Returns the amounts of time that fall into one option."""
    found = []
    for low, high, start, end in amounts(text):
        low, high = _bounded(text, low, high, start, end)
        shared = [min(high, most) - max(low, least) for least, most in options]
        inside = [i for i, one in enumerate(shared) if one >= _WHOLE * (high - low)]
        # "More than 90 days" is not "731 days or more".
        inside = [i for i in inside if not math.isinf(high) or low >= _WHOLE * options[i][0]]
        if len(inside) == 1:
            found.append(Mention(letters[inside[0]], start, end, "words"))
    return found


_EMPTY = roles(
    "fill prep article is and or conclude option video because then choose turn deny hedge likely suppose"
    " answer yes no to from refuse one than all pronoun"
)
_ENDINGS = re.compile(r"(?:'s|ings?|edly|ed|es|s|ly|wards?|er|e)$")
_SHORTEST = 3
_ENOUGH, _LEAST = 0.6, 0.3
# Any of these words means the whole option: "neither plays", "they start together".
_STRONG = roles("c.none c.together c.nodraw c.still c.norot")
_STILL = roles("c.still c.norot")
_WAYS = ("left right", "up down", "cw ccw", "forward back", "faster slower")
_OPPOSITES = {f"c.{one}": f"c.{other}" for way in _WAYS for one, other in (way.split(), way.split()[::-1])}
MOTION = frozenset((*_OPPOSITES, *_STILL, "c.constant", "c.diagonal", "c.alternate"))
# Beside a movement another one of its family counts, whether or not an option names it.
_FAMILIES = ("left right up down", "forward back", "cw ccw", "faster slower constant")
_FRAME = re.compile(r"[\s•*(-]*(?:at\s|in\s)?(?:the\s)?(?:frame|image|bild)s?\s?\d+[^:\n]{0,12}:")


class Sense(NamedTuple):
    """A word of a text and what it means: a concept of the lexicon, or its stem."""

    name: str
    start: int
    end: int


def _stem(word: str) -> str:
    stem = word
    for _ in range(2):
        short = _ENDINGS.sub("", stem)
        stem = short if len(short) >= _SHORTEST else stem
    return stem[:-1] if len(stem) > _SHORTEST and stem[-1] == stem[-2] else stem


def _stems(text: str, start: int, end: int) -> Iterator[Sense]:
    for unit in UNIT.finditer(text, start, end):
        if unit.group()[0].isalnum() and (unit.group().isascii() or unit.group() >= "\u2e80"):
            yield Sense(_stem(unit.group()), *unit.span())


def _senses(text: str, words: Sequence[Word]) -> list[Sense]:
    found: list[Sense] = []
    place = 0
    for word in words:
        found += _stems(text, place, word.start)
        concept = min((role for role in word.roles if role.startswith(("c.", "ordinal."))), default=None)
        if concept:
            found.append(Sense(concept, word.start, word.end))
        elif not word.roles & _EMPTY:
            found += _stems(text, word.start, word.end)
        place = word.end
    return [*found, *_stems(text, place, len(text))]


def _row(said: list[Sense]) -> tuple[str, ...]:
    return tuple(name for name, _ in groupby(sense.name for sense in said))


class Rows(NamedTuple):
    """The words that distinguish options.

    Attributes:
        names: For each option, in order, its words that not every option has.
        pure: Whether these are only movements.
        weights: The weight of each word: lower if more options have it.
    """

    names: list[tuple[str, ...]]
    pure: bool
    weights: dict[str, float]


@lru_cache(maxsize=512)
def _options(texts: tuple[str, ...]) -> Rows:
    said = [_senses(text.text, text.words) for text in map(shown, texts)]
    none = [[Sense("c.none", 0, 0)] * text.lower().startswith("no ") for text in texts]
    moves = [_row([sense for sense in _turned(row) if sense.name in MOTION]) for row in said]
    pure = bool(said) and all(moves) and len(set(moves)) == len(moves)
    rows = moves if pure else [_row([*no, *row]) for no, row in zip(none, said, strict=True)]
    counts = Counter(name for row in rows for name in set(row))
    common = set() if pure else {name for name, n in counts.items() if n == len(texts)}
    names = [tuple(name for name in row if name not in common) for row in rows]
    return Rows(names, pure, {name: 1 / n for name, n in counts.items() if name not in common})


@lru_cache(maxsize=512)
def movements(texts: tuple[str, ...]) -> list[int] | None:
    """Returns the options as rows of several movements; None unless all are."""
    rows = _options(texts)
    return [i for i, row in enumerate(rows.names) if len(row) > 1] if rows.pure else None


def find(text: Text, texts: tuple[str, ...], letters: str) -> list[Mention]:
    """Returns the stretches with the words of exactly one option."""
    rows = _options(texts[: len(letters)])
    known, senses = {*rows.weights} - {*texts}, _senses(text.low, text.words)
    said = [sense for sense in senses if sense.name.isascii() or sense.name in known]
    if not any(sense.name in rows.weights for sense in said):
        return []
    if rows.pure:
        return _moves(text, said, rows, letters)
    found = []
    for sentence in text.sentences:
        parts = _parts(text, sentence, "background deny or")
        here = [sense for sense in said if sentence.start <= sense.start < sentence.end]
        best = [(part, _best(_within(here, part), rows)) for part in parts]
        if not any(one is not None for _, one in best) and not text.has("deny", *sentence):
            best = [(sentence, _best(here, rows))]
        for part, one in best:
            if one is not None:
                named = [sense for sense in _within(here, part) if sense.name in rows.names[one]]
                found.append(Mention(letters[one], named[0].start, named[-1].end, "words"))
    return found


def _parts(text: Text, sentence: Span, names: str) -> list[Span]:
    """Returns a sentence's clauses; words of some roles begin one, too."""
    cuts = {word.start for word in text.within(*sentence) if word.roles & roles(names)}
    cuts |= {sentence.end, *(clause.start for clause in text.clauses(sentence))}
    return [Span(a, b) for a, b in pairwise(sorted(cuts))]


def _within(said: list[Sense], part: Span) -> list[Sense]:
    return [sense for sense in said if part.start <= sense.start < part.end]


def _best(said: list[Sense], rows: Rows) -> int | None:
    named = {sense.name for sense in said if sense.name in rows.weights}
    scores = [_score(named & {*row}, row, rows.weights) for row in rows.names]
    best = max(range(len(scores)), key=lambda i: scores[i])
    if not named or scores.count(scores[best]) > 1:
        return None
    only = all(sense.name in rows.names[best] for sense in said)
    return best if named & _STRONG or scores[best] >= (_LEAST if only else _ENOUGH) else None


def _score(named: set[str], row: tuple[str, ...], weights: dict[str, float]) -> float:
    return sum(map(weights.__getitem__, named)) / sum(weights[name] for name in {*row}) if row else 0.0


def _moves(text: Text, said: list[Sense], rows: Rows, letters: str) -> list[Mention]:
    found, names = [], {row: letters[i] for i, row in enumerate(rows.names)}
    families = (roles(" ".join(f"c.{name}" for name in family.split())) for family in _FAMILIES)
    known = {"c.reverse", *_STILL, *rows.weights}.union(*(one for one in families if one & {*rows.weights}))
    said = [sense for sense in said if sense.name in known]
    for sentences in _told(text):
        whole = Span(sentences[0].start, sentences[-1].end)
        cuts = "deny or" if text.has("deny wrong", *whole) else ""
        apart = cuts or any(sense.name in _STILL for sense in _within(said, whole))
        for part in [part for one in sentences for part in _parts(text, one, cuts)] if apart else [whole]:
            here = _turned(_within(said, part))
            value = names.get(_row(here)) if here else None
            if value is not None:
                found.append(Mention(value, here[0].start, here[-1].end, "words"))
    return found


def _told(text: Text) -> Iterator[list[Span]]:
    """Yields sentences without those about frames, joined if the next one continues: "Then it turns left"."""
    row: list[Span] = []
    for sentence in text.sentences:
        words = text.within(*sentence)
        first = next((w.roles for w in words if w.roles - roles("fill article and")), frozenset[str]())
        if row and not first & roles("then late after"):
            yield row
            row = []
        if not _FRAME.match(text.text[sentence.start : sentence.end].lower()):
            row.append(sentence)
    if row:
        yield row


def _turned(said: list[Sense]) -> list[Sense]:
    """Returns the senses; "the other way" is the opposite of the last one."""
    kept: list[Sense] = []
    for sense in said:
        last = kept[-1] if kept else sense
        other = _OPPOSITES.get(last.name, "") if sense.name == "c.reverse" else sense.name
        kept.append(sense._replace(name=other))
    return kept
