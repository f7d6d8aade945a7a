"""One scan of a text: the words of the lexicon with their roles, and the ends of clauses and sentences."""

import bisect
import itertools
import re
from collections.abc import Iterable
from functools import cached_property, lru_cache
from typing import NamedTuple

from tempbench_lmms.parsing.lexicon import Word, roles, scan

# A full stop ends a sentence before white space, but not behind "A." or "1." at the head of an entry.
_END = re.compile(
    r"[.!?。！？\n](?:(?<=[。！？])|(?<=\n)\n*|(?<=\.)\.{2,}(?=\s|$)|(?:(?<=[!?])|(?<=\.)(?!\.)(?<!\bvs\.)"
    r"(?<!\bi\.e\.)(?<!\be\.g\.)(?<!\bapprox\.))[\"')\]]*(?=\s|$|[\u2e80-\uffff]))"
)
_HEAD = re.compile(r"(?:^|(?<=\n)|(?<=[.!?:][ \n]))[\s(\[\"'#>|•·-]*(\d{1,2}|[A-Ha-h])[.)\]:]\s*$")
_HEADED = 16  # signs of the head of an entry
_ALNUM = re.compile(r"[^\W_]")
_CLAUSE = re.compile(
    r"[,;:、\s()\[\]—](?:(?<=\s)[–—-]{1,2}\s|(?<=、)|(?<=[,;:])(?:(?=[\s\u2e80-\uffff])|(?<=[\u2e80-\uffff].))"
    r"|(?<=[(\[])(?![A-Ha-h\d]{1,2}[)\]])|(?<=[)\]])(?<![(\[][A-Ha-h\d].)|(?<=\w—)(?=\w))"
)


class Span(NamedTuple):
    """A stretch of a text."""

    start: int
    end: int


def is_empty(stretch: str) -> bool:
    """Returns whether a stretch of text has no letter and no digit."""
    return not _ALNUM.search(stretch)


class Text:
    """A text, the words of the lexicon in it, and its sentences; a line end ends a sentence."""

    def __init__(self, text: str, spans: bool = True) -> None:
        self.text = text
        low = text.lower()  # of "İ" two signs
        self.low = low if len(low) == len(text) else "".join(sign.lower()[0] for sign in text)
        self.words = _compounds(text, scan(self.low, spans))
        self._starts = [word.start for word in self.words]
        self.roles = frozenset[str]().union(*(word.roles for word in self.words))
        asides = [w.start for w in self.words if not _ASIDE.isdisjoint(w.roles) and text[w.start].isupper()]
        short = {w.end for w in self.words if text[w.end - 1] == "." and w.roles & _NOUNS}  # "Fig. 2"
        sentences = _sentences(text, short)
        self.sentences = _cut(text, sentences, asides) if asides else sentences
        self._clauses: dict[Span, list[Span]] = {}
        self._said: dict[int, frozenset[str]] = {}
        self._sentence_starts = [span.start for span in self.sentences]

    def within(self, start: int, end: int) -> list[Word]:
        """Returns the words that lie between two places."""
        first = bisect.bisect_left(self._starts, start)
        words = self.words[first : bisect.bisect_left(self._starts, end, first)]
        return words[:-1] if words and words[-1].end > end else words

    def after(self, place: int, most: int) -> Word | None:
        """Returns the word that begins at most some characters after a place."""
        i = bisect.bisect_left(self._starts, place)
        return self.words[i] if i < len(self.words) and self.words[i].start <= place + most else None

    def before(self, place: int, most: int) -> Word | None:
        """Returns the word that ends at most some characters before a place."""
        i = bisect.bisect_left(self._starts, place)
        found = [word for word in self.words[max(0, i - 2) : i] if place - most <= word.end <= place]
        return found[-1] if found else None

    def has(self, names: str | frozenset[str], start: int, end: int) -> bool:
        """Returns whether a word with one of some roles lies between two places."""
        wanted = roles(names) if isinstance(names, str) else names
        if end <= start or wanted.isdisjoint(self.roles):
            return False
        return any(not wanted.isdisjoint(word.roles) for word in self.within(start, end))

    def without(self, start: int, end: int, names: str | frozenset[str]) -> str:
        """Returns a stretch without the words of some roles."""
        pieces, place = [], start
        wanted = roles(names) if isinstance(names, str) else names
        for word in self.within(start, end):
            if not wanted.isdisjoint(word.roles):
                pieces.append(self.text[place : word.start])
                place = word.end
        return "".join([*pieces, self.text[place:end]])

    def filled(self, start: int, end: int, names: str | frozenset[str]) -> bool:
        """Returns whether a stretch has only words of some roles."""
        return is_empty(self.text[start:end]) or is_empty(self.without(start, end, names))

    def ends(self, place: int) -> bool:
        """Returns whether only white space comes between a place and the end of its sentence."""
        return not self.text[place : self.around(place - 1).end].strip()

    def around(self, place: int) -> Span:
        """Returns the sentence of a place."""
        return self.sentences[self.sentence(place)]

    def sentence(self, place: int) -> int:
        """Returns the number of a place's sentence."""
        return max(0, bisect.bisect_right(self._sentence_starts, place) - 1)

    def said(self, sentence: int) -> frozenset[str]:
        """Returns the roles of all words of a sentence."""
        if sentence not in self._said:
            words = self.within(*self.sentences[sentence])
            self._said[sentence] = frozenset[str]().union(*(word.roles for word in words))
        return self._said[sentence]

    def begins(self, sentence: int, place: int) -> bool:
        """Returns whether only an article or the like comes before a place in its sentence."""
        start = self.sentences[sentence].start
        words = [word for word in self.within(start, place) if "fill" in word.roles]
        return sum(map(str.isalnum, self.text[start:place])) == sum(w.end - w.start for w in words)

    def opens(self, sentence: int) -> frozenset[str]:
        """Returns the roles of the first word of a sentence; nothing if other words come before it."""
        start, end = self.sentences[sentence]
        first = self.within(start, end)[:1]
        return first[0].roles if first and is_empty(self.text[start : first[0].start]) else frozenset()

    @cached_property
    def asks(self) -> list[bool]:
        """Whether each sentence ends in a question mark; a number alone is an answer that is unsure: "3?"."""
        rest = self.without(0, len(self.text), "fill image option to unit.second")
        alone = "is" not in self.roles and not any(map(str.isalpha, rest))
        ends = (self.text[s.start : s.end].rstrip("\"')]} \n") for s in self.sentences)
        return [not alone and end.endswith(("?", "？")) for end in ends]

    def clauses(self, sentence: Span) -> list[Span]:
        """Returns the clauses of a sentence; signs and words such as "but" and "because" begin one."""
        if sentence in self._clauses:
            return self._clauses[sentence]
        words, turning = self.within(*sentence), roles("turn because suppose")
        thats = {w.start - 1 for w in words if "that" in w.roles}  # "nicht, dass"
        ends = {m.end() for m in _CLAUSE.finditer(self.text, sentence.start, sentence.end)}
        cuts = {*sentence, *(ends - thats), *(w.start for w in words if w.roles & turning)}
        spans = [Span(a, b) for a, b in itertools.pairwise(sorted(cuts))]
        return self._clauses.setdefault(sentence, spans)


_AFTER = dict.fromkeys(range(20, 100, 10), 10) | {60: 20, 80: 20}  # "soixante-dix"
_JOINS = re.compile(r"[ -](?:(?:y|et|e)[ -])?")


def _compounds(text: str, words: list[Word]) -> list[Word]:
    """Returns words, with numbers of two words joined: "thirty-five", "treinta y cinco"."""
    made: list[Word] = []
    for word in words:
        ones, kind = word.number or word.ordinal or 0, "number." if word.number else "ordinal."
        for n in (1, 2) if 0 < ones < 20 else ():
            tens = made[-n].number if len(made) >= n else None
            whole = tens + ones if tens and 0 < ones < _AFTER.get(tens, 0) else 0
            if whole and _JOINS.fullmatch(text, made[-n].end, word.start):
                word = Word(made[-n].start, word.end, frozenset((f"{kind}{whole}", f"number.{whole}")))
                del made[-n:]
                break
        made.append(word)
    return made


_ASIDE, _NOUNS = roles("ask courtesy note"), roles("image option")


def _cut(text: str, sentences: list[Span], places: Iterable[int]) -> list[Span]:
    """Returns sentences, cut before capitals that begin a question to the reader, a courtesy or a remark."""
    cut: list[Span] = []
    ahead = sorted(places, reverse=True)
    for start, end in sentences:
        while ahead and ahead[-1] < end:
            place = ahead.pop()
            if text[start:place].strip():
                cut.append(Span(start, place))
                start = place
        cut.append(Span(start, end))
    return cut


@lru_cache(maxsize=32)
def is_entry(label: str, text: str) -> bool:
    """Returns whether a label has neighbours, and so is no answer by itself: "B. He runs"."""
    beside = (str(int(label) + n) if label.isdigit() else chr(ord(label) + n) for n in (-1, 1))
    heads = "|".join(map(re.escape, beside))
    return bool(re.search(rf"(?:^|[\n.;!?:|])[\s(\[\"'#>•·-]*(?:{heads})[.):\]]", text))


def _sentences(text: str, short: set[int]) -> list[Span]:
    found: list[Span] = []
    start = 0
    for end in _END.finditer(text):
        if end.start() + 1 in short:
            continue
        head = text[end.start()] == "." and _HEAD.search(text, max(start, end.end() - _HEADED), end.end())
        if head and is_entry(head[1], text):
            following = _END.search(text, end.end())
            if not following or following.group()[0] not in "?？":  # a question drops only itself
                continue
        if text[start : end.end()].strip():
            found.append(Span(start, end.end()))
        start = end.end()
    if text[start:].strip():
        found.append(Span(start, len(text)))
    return found or [Span(0, len(text))]
