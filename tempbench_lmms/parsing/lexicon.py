"""The words that the reader knows, by role: `lexicon/LANG.txt`, one file per language.

A line holds `role: phrase; phrase`, or several of these separated by two spaces; a line that begins with
spaces continues the one before. `{not|less} {right|true}` is four phrases. A final `*` matches any
ending. The roles below `[times]` apply only if a span of time is asked for. To add a language, add a file.
"""

import itertools
import re
from collections import Counter
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).with_name("lexicon")
# A sign of a script without spaces is a unit by itself, and any other word is one with its apostrophes.
UNSPACED = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_IN_WORD = rf"[^\W\d_{UNSPACED}]"
UNIT = re.compile(rf"[{UNSPACED}]|{_IN_WORD}+(?:'{_IN_WORD}+)*|\d+|\S")
_SHORTEST_STEM = 3
_ROLE = re.compile(r"(?:^| {2})([a-z_]+(?:\.\w+)?): ")


@cache
def roles(names: str) -> frozenset[str]:
    """Returns roles from their names with spaces between them."""
    return frozenset(names.split())


_IDIOM, _NOTHING = roles("idiom"), roles("")
_APART = roles("next other_key")
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

    def after(self, unit: str) -> "tuple[_Node, ...]":
        """Returns the nodes of a word: its own, and that of the longest stem that it begins with."""
        own, lengths = self.next.get(unit), range(len(unit), _SHORTEST_STEM - 1, -1) if self.stems else ()
        stem = next((self.stems[unit[:n]] for n in lengths if unit[:n] in self.stems), None)
        return tuple([node for node in (own, stem) if node])


class Entry(NamedTuple):
    """A phrase of a language and one of its roles; `times` if it has that role only in spans of time.

    The words with the role `next` begin a line in which a model that has answered invents the next question;
    a key of an object with a word of the role `other_key` holds no answer.
    """

    language: str
    role: str
    phrase: str
    times: bool


@cache
def entries(folder: Path = FOLDER) -> list[Entry]:
    """Returns all entries; a file that begins with a phrase without a role is an error."""
    found = []
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
                    found += [
                        Entry(file.stem, role, "".join(said), times) for said in itertools.product(*ways)
                    ]
    return found


@cache
def phrases(role: str) -> str:
    """Returns the phrases with a role, of all languages, as the alternatives of a pattern."""
    return "|".join(re.escape(entry.phrase) for entry in entries() if entry.role == role and not entry.times)


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
def _languages() -> dict[str, frozenset[str]]:
    """Returns the languages of each word that begins a phrase, but those that are always read."""
    found: dict[str, set[str]] = {}
    for entry in entries():
        if entry.language not in _ALWAYS - {"en"}:
            found.setdefault(UNIT.findall(entry.phrase.lower())[0], set()).add(entry.language)
    return {word: frozenset(languages) for word, languages in found.items()}


def _spoken(units: set[str]) -> frozenset[str]:
    """Returns the languages of a text: English, and each with enough words that English lacks (a fifth).

    Otherwise words of another language could be confused with English ones: "of", "door", "fin".
    """
    said = [one for one in map(_languages().get, units) if one]
    own = [one for one in said if "en" not in one]
    if not own:
        return _ALWAYS
    english = [one for one in said if "en" in one]
    counts = Counter(itertools.chain.from_iterable(own))
    return _ALWAYS.union(o for o, n in counts.items() if n * _SHARE >= sum(o not in one for one in english))


@lru_cache(maxsize=1 << 14)
def _within(nodes: tuple[_Node, ...], spoken: frozenset[str]) -> frozenset[str]:
    known = [roles for node in nodes for one, roles in node.roles.items() if one in spoken]
    return frozenset[str]().union(*known)


@lru_cache(maxsize=1 << 16)
def _following(nodes: tuple[_Node, ...], unit: str) -> tuple[_Node, ...]:
    return tuple([after for node in nodes for after in node.after(unit)])


def scan(text: str, spans: bool = True) -> list[Word]:
    """Returns the words of the lexicon in a text in lower case, the longest at each place.

    With `spans`, words for times are included.

    >>> [sorted(word.roles) for word in scan("thus b")]
    [['conclude']]
    """
    units = list(UNIT.finditer(text))
    said = [unit.group() for unit in units]
    words = []
    free, root, spoken = 0, (_root(spans),), _spoken({*said})
    for i, unit in enumerate(said):
        if i < free or not (reached := _following(root, unit)):
            continue
        last, found, j = i, _NOTHING, i
        while reached:
            if here := _within(reached, spoken):
                last, found = j, here
            j += 1
            reached = _following(reached, said[j]) if j < len(units) else ()
            if reached and "\n" in text[units[j - 1].end() : units[j].start()]:
                break
        if found:
            free = last + 1
            if found != _IDIOM:  # an idiom hides what its words do
                words.append(Word(units[i].start(), units[last].end(), found))
    return words
