"""The words by which replies are read, by role: `lexicon/LANG.txt`, one file a language.

A line is `role: phrase | phrase`; a trailing `*` stands for any ending. A new language is a new file.
"""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tempbench_lmms.parsing.patterns import lazy

FOLDER = Path(__file__).with_name("lexicon")
# A sign of a script without spaces is a unit by itself, and any other word is one with its apostrophes.
_UNSPACED = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_IN_WORD = rf"[^\W\d_{_UNSPACED}]"
UNIT = lazy(rf"[{_UNSPACED}]|{_IN_WORD}+(?:'{_IN_WORD}+)*|\d+|\S")
_SHORTEST_STEM = 3


@cache
def roles(names: str) -> frozenset[str]:
    """Returns roles from their names with spaces between them."""
    return frozenset(names.split())


_IDIOM = roles("idiom")


class Word(NamedTuple):
    """A phrase of the lexicon in a text.

    Attributes:
        start: Where it begins.
        end: Where it ends.
        roles: What it may do there.
    """

    start: int
    end: int
    roles: frozenset[str]


class _Node:
    __slots__ = ("next", "roles", "stems")

    def __init__(self) -> None:
        self.next: dict[str, _Node] = {}
        self.stems: dict[str, _Node] = {}
        self.roles: frozenset[str] = frozenset()

    def after(self, unit: str) -> "Iterator[_Node]":
        """Yields the nodes that a word leads to: its own, and those of the stems that it begins with."""
        if found := self.next.get(unit):
            yield found
        if self.stems:
            for n in range(len(unit), _SHORTEST_STEM - 1, -1):
                if found := self.stems.get(unit[:n]):
                    yield found
                    return


def entries(folder: Path = FOLDER) -> Iterator[tuple[str, str, str]]:
    """Yields language, role and phrase of all entries.

    Raises:
        ValueError: A line has no role.
    """
    for file in sorted(folder.glob("*.txt")):
        for n, line in enumerate(file.read_text(encoding="utf-8").split("\n"), 1):
            if not line.strip() or line.startswith("#"):
                continue
            role, colon, phrases = line.partition(":")
            if not colon or " " in role:
                raise ValueError(f"{file.name}, line {n}: write `role: phrase | phrase`")
            for phrase in phrases.split("|"):
                if phrase.strip():
                    yield file.stem, role, phrase.strip()


@cache
def _root(spans: bool) -> _Node:
    root = _Node()
    for language, role, phrase in entries():
        if language == "zz_spans" and not spans:
            continue
        stem = phrase.endswith("*")
        node = root
        units = UNIT.findall(phrase.removesuffix("*").lower())
        for i, unit in enumerate(units):
            last = stem and i == len(units) - 1
            node = (node.stems if last else node.next).setdefault(unit, _Node())
        node.roles |= {role}
    return root


@cache
def phrases(role: str) -> tuple[str, ...]:
    """Returns the phrases of a role in all languages, the longest first."""
    return tuple(sorted({p for _, r, p in entries() if r == role}, key=lambda p: (-len(p), p)))


@cache
def _concepts() -> frozenset[str]:
    return frozenset(role for _, role, _ in entries() if role.startswith("c."))


def scan(text: str, spans: bool = True) -> list[Word]:
    """Returns the words of the lexicon in a text, the longest at each place; none lies over another.

    Args:
        text: A text in lower case.
        spans: Whether the words of times count, too.

    >>> [sorted(word.roles) for word in scan("thus b")]
    [['conclude']]
    """
    units = list(UNIT.finditer(text))
    words = []
    i, root = 0, _root(spans)
    concepts = _concepts()
    while i < len(units):
        best = None
        reached = list(root.after(units[i].group()))
        j = i
        while reached:
            roles = frozenset[str]().union(*(node.roles for node in reached))
            if roles:
                best = j, roles
            j += 1
            if j == len(units):
                break
            unit = units[j].group()
            reached = [after for node in reached for after in node.after(unit)]
        if best and best[1] == _IDIOM:
            # An idiom hides what its words do, and not what they name.
            inner = (root.next.get(unit.group()) for unit in units[i : best[0] + 1])
            words += [
                Word(unit.start(), unit.end(), node.roles & concepts)
                for unit, node in zip(units[i : best[0] + 1], inner, strict=True)
                if node and node.roles & concepts
            ]
            i = best[0] + 1
        elif best:
            words.append(Word(units[i].start(), units[best[0]].end(), best[1]))
            i = best[0] + 1
        else:
            i += 1
    return words
