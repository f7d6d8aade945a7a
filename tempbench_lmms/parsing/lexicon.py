"""The words that the reader knows, by role: `lexicon/LANG.txt`, one file per language.

A line holds `role: phrase; phrase`, or several of these separated by two spaces; a line that begins with
spaces continues the one before. `{not|less} {right|true}` is four phrases. A final `*` matches any
ending. The roles below `[times]` apply only if a span of time is asked for. To add a language, add a file.
"""

import itertools
import re
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).with_name("lexicon")
# A sign of a script without spaces is a unit by itself, and any other word is one with its apostrophes.
_UNSPACED = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_IN_WORD = rf"[^\W\d_{_UNSPACED}]"
UNIT = re.compile(rf"[{_UNSPACED}]|{_IN_WORD}+(?:'{_IN_WORD}+)*|\d+|\S")
_SHORTEST_STEM = 3
_ROLE = re.compile(r"(?:^| {2})([a-z_]+(?:\.\w+)?): ")


@cache
def roles(names: str) -> frozenset[str]:
    """Returns roles from their names with spaces between them."""
    return frozenset(names.split())


_IDIOM = roles("idiom")
_ALWAYS, _SHARE = roles("en signs zh ja ko ru"), 5


class Word(NamedTuple):
    """A phrase of the lexicon in a text, and what it may do there."""

    start: int
    end: int
    roles: frozenset[str]

    @property
    def number(self) -> int | None:
        """The number that it means: "three"."""
        return numeral(self.roles, "number.")

    @property
    def ordinal(self) -> int | None:
        """The place that it means: "third"."""
        return numeral(self.roles, "ordinal.")


@cache
def numeral(roles: frozenset[str], kind: str) -> int | None:
    """Returns the number at the end of a role of a kind."""
    return next((int(role[len(kind) :]) for role in roles if role.startswith(kind)), None)


class _Node:
    __slots__ = ("next", "roles", "stems")

    def __init__(self) -> None:
        self.next: dict[str, _Node] = {}
        self.stems: dict[str, _Node] = {}
        self.roles: dict[str, frozenset[str]] = {}

    def after(self, unit: str) -> "Iterator[_Node]":
        """Yields the nodes of a word: its own, and those of the stems that it begins with."""
        if found := self.next.get(unit):
            yield found
        if self.stems:
            for n in range(len(unit), _SHORTEST_STEM - 1, -1):
                if found := self.stems.get(unit[:n]):
                    yield found
                    return


class Entry(NamedTuple):
    """A phrase of a language and one of its roles; `times` if it has that role only in spans of time.

    The words with the role `next` begin a line in which a model that has answered invents the next question;
    a key of an object with a word of the role `other_key` holds no answer.
    """

    language: str
    role: str
    phrase: str
    times: bool


def entries(folder: Path = FOLDER) -> Iterator[Entry]:
    """Yields all entries; a file that begins with a phrase without a role is an error."""
    for file in sorted(folder.glob("*.txt")):
        role, times = "", False
        for line in file.read_text(encoding="utf-8-sig").split("\n"):
            if line.startswith(("#", "[")):
                times = line == "[times]"
                continue
            first, *others = _ROLE.split(line)
            for name, phrases in [(role, first), *zip(others[::2], others[1::2], strict=True)]:
                role = name
                for written in filter(None, map(str.strip, phrases.split(";"))):
                    if not role:
                        raise ValueError(f"{file.name}: {written!r} has no role; write `role: phrase`")
                    ways = [part.split("|") for part in re.split("[{}]", written)]
                    for said in itertools.product(*ways):
                        yield Entry(file.stem, role, "".join(said), times)


_APART = roles("next other_key")


@cache
def phrases(role: str) -> str:
    """Returns the phrases with a role, of all languages, as the alternatives of a pattern."""
    return "|".join(re.escape(entry.phrase) for entry in entries() if entry.role == role)


@cache
def _root(spans: bool) -> _Node:
    root = _Node()
    for language, role, phrase, times in entries():
        if role in _APART or (times and not spans):
            continue
        node = root
        *units, last = UNIT.findall(phrase.removesuffix("*").lower())
        for unit in units:
            node = node.next.setdefault(unit, _Node())
        node = (node.stems if phrase.endswith("*") else node.next).setdefault(last, _Node())
        node.roles[language] = node.roles.get(language, frozenset()) | {role}
    return root


@cache
def _vocabularies() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for entry in entries():
        found.setdefault(entry.language, set()).add(UNIT.findall(entry.phrase.lower())[0])
    return {language: frozenset(words) for language, words in found.items()}


def _spoken(units: set[str]) -> frozenset[str]:
    """Returns the languages of a text: English, and each with enough words that English lacks (a fifth).

    Otherwise words of another language could be confused with English ones: "of", "door", "fin".
    """
    known = {language: words & units for language, words in _vocabularies().items()}
    english = known.pop("en")
    own = ((one, len(said - english), len(english - said)) for one, said in known.items())
    return _ALWAYS.union(one for one, n, missing in own if n and n * _SHARE >= missing)


@lru_cache(maxsize=1 << 14)
def _within(nodes: tuple[_Node, ...], spoken: frozenset[str]) -> frozenset[str]:
    known = (roles for node in nodes for one, roles in node.roles.items() if one in spoken)
    return frozenset[str]().union(*known)


@lru_cache(maxsize=1 << 16)
def _following(nodes: tuple[_Node, ...], unit: str) -> tuple[_Node, ...]:
    return tuple(after for node in nodes for after in node.after(unit))


def scan(text: str, spans: bool = True) -> list[Word]:
    """Returns the words of the lexicon in a text in lower case, the longest at each place.

    With `spans`, words for times are included.

    >>> [sorted(word.roles) for word in scan("thus b")]
    [['conclude']]
    """
    units = list(UNIT.finditer(text))
    words = []
    i, root = 0, _root(spans)
    spoken = _spoken({unit.group() for unit in units})

    while i < len(units):
        last, said, j = i, frozenset[str](), i
        reached = _following((root,), units[i].group())
        while reached:
            if found := _within(reached, spoken):
                last, said = j, found
            j += 1
            ended = j == len(units) or "\n" in text[units[j - 1].end() : units[j].start()]
            reached = () if ended else _following(reached, units[j].group())
        if said and said != _IDIOM:  # an idiom hides what its words do
            words.append(Word(units[i].start(), units[last].end(), said))
        i = last + 1
    return words
