"""Finds options by words of theirs: the same words, or others that the lexicon gives the same sense."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from tempbench_lmms.parsing.lexicon import UNIT, scan
from tempbench_lmms.parsing.mention import Mention
from tempbench_lmms.parsing.patterns import lazy
from tempbench_lmms.parsing.tokens import Text

_EMPTY = frozenset(
    (
        "fill",
        "prep",
        "article",
        "is",
        "and",
        "or",
        "conclude",
        "option",
        "image",
        "video",
        "because",
        "then",
        "choose",
    )
)
_ENDINGS = lazy(r"(?:'s|ings?|edly|ed|es|s|ly|wards?|er|e)$")
_DENY = frozenset(("deny",))
_SHORTEST = 3
_ENOUGH = 0.6


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


def senses(text: str) -> list[Sense]:
    """Returns the words of a text in lower case that have a meaning of their own, in order."""
    found, place = [], 0
    for word in [*scan(text, spans=False), None]:
        start = word.start if word else len(text)
        for unit in UNIT.finditer(text[place:start]):
            if (unit.group()[0].isalpha() and unit.group().isascii()) or unit.group().isdigit():
                found.append(Sense(_stem(unit.group()), place + unit.start(), place + unit.end()))
        if word is None:
            break
        concept = next((role for role in sorted(word.roles) if role.startswith(("c.", "ordinal."))), None)
        said = text[word.start : word.end]
        if concept:
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


@lru_cache(maxsize=512)
def _options(texts: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Returns for each option its words that not every option has, in order."""
    rows = [[sense.name for sense in senses(text.lower())] for text in texts]
    common = set.intersection(*(set(row) for row in rows)) if rows else set()
    if rows and all(any(name.startswith("c.") for name in row) for row in rows):
        rows = [[name for name in row if name.startswith("c.")] for row in rows]
        common = set()
    return [_row([name for name in row if name not in common]) for row in rows]


@lru_cache(maxsize=512)
def sequences(texts: tuple[str, ...]) -> frozenset[int]:
    """Returns the options that are rows of several concepts, where all options are concepts."""
    rows = _options(texts)
    concepts = all(row and all(name.startswith("c.") for name in row) for row in rows)
    return frozenset(i for i, row in enumerate(rows) if len(row) > 1) if concepts else frozenset()


def find(text: Text, texts: tuple[str, ...], letters: str) -> list[Mention]:
    """Returns the sentences that say one option in its words and no other."""
    rows = _options(texts[: len(letters)])
    vocabulary = {name for row in rows for name in row}
    small = text.text.lower()
    if not vocabulary or len(small) != len(text.text):
        return []
    said = [sense for sense in senses(small) if sense.name in vocabulary]
    found = []
    for number, sentence in enumerate(text.sentences):
        here = [sense for sense in said if text.sentence(sense.start) == number]
        # Where something is denied, each clause says its own.
        denies = text.has(_DENY, *sentence)
        parts = text.clauses(sentence) if denies else [sentence]
        for part in parts:
            inside = [sense for sense in here if part.start <= sense.start < part.end]
            if inside and (best := _best(_row([sense.name for sense in inside]), rows)) is not None:
                found.append(Mention(letters[best], inside[0].start, inside[-1].end, "words"))
    return found


def _best(row: tuple[str, ...], rows: list[tuple[str, ...]]) -> int | None:
    """Returns the option that a row of words says; None where it says none, or several."""
    same = [i for i, option in enumerate(rows) if option == row]
    if len(same) == 1:
        return same[0]
    named = set(row)
    scores = [len(named & set(option)) / len(set(option)) if option else 0.0 for option in rows]
    numbers = [any(name.isdigit() for name in named & set(option)) for option in rows]
    if sum(numbers) == 1:
        scores[numbers.index(True)] = 1.0
    best = max(range(len(rows)), key=lambda i: scores[i])
    others = [set(rows[i]) & named - set(rows[best]) for i in range(len(rows)) if i != best]
    rivals = [i for i in range(len(rows)) if i != best and scores[i] >= scores[best]]
    concepts = any(name.startswith("c.") for name in set().union(*rows))
    if rivals or any(others) or scores[best] < (1 if concepts else _ENOUGH):
        return None
    return best
