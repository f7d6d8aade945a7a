"""Lines and sentences of a reply, and what may stand around an answer that is a line by itself."""

import re
import string
from collections.abc import Iterator
from functools import lru_cache

from tempbench_lmms.parsing.patterns import lazy
from tempbench_lmms.parsing.text import holds, table
from tempbench_lmms.parsing.words import ANSWER, CHOOSE, CORRECT, FILLER, IS, OPTION, THEREFORE, tree

_ARTICLES = {"a", "an", "e", "o", "y", "l'", "=", "=>", "->", "→", "⇒"}
_PHRASES = {*ANSWER, *OPTION, *CORRECT, *IS, *THEREFORE, *CHOOSE, *FILLER} - _ARTICLES
_EMPTY = (
    frozenset(
        word
        for phrase in _PHRASES
        if phrase[0] < "\u2e80"
        for word in re.findall(r"[^\W\d_]+", phrase.lower())
        if len(word) > 1
    )
    | frozenset(
        [
            "i",
            "d",
            "ll",
            "s",
            "re",
            "m",
            "my",
            "we",
            "it",
            "this",
            "would",
            "will",
            "and",
            "to",
            "question",
            "one",
            "ok",
            "okay",
            "sure",
            "hence",
            "je",
            "ich",
            "me",
            "based",
            "on",
            "images",
            "video",
            "frames",
            "question",
        ]
    )
) - {"answers", "first", "last", "true", "wins"}
# Words of scripts without spaces that announce an answer.
_EMPTY_INNER = {word for word in {*_PHRASES, "本题", "我", "私", "です", "の"} if word[0] >= "\u2e80"}
_LETTER = "A-Za-zÀ-ɏЀ-ӿ"
# What may announce an answer, in lower case. The "d" of "I'd" follows its apostrophe; any other is an option.
_LEAD = lazy(
    rf"(?:[\s\"'*:=>#,.()\[\]{{}}•~→⇒–—]+|-(?!\d)"
    rf"|(?P<words>(?:{tree(_EMPTY - {'d'})}|(?<=['’])d)(?![{_LETTER}])"
    rf"|(?=[\u2e80-\uffff]){tree(_EMPTY_INNER)}))*"
)
_MARKS = " \t\r\n.,;:!?\"'()[]{}<>*#`~-–—|•✓✔✅☑→➡👉"
# "A." and "1." belong to what follows them.
_SENTENCE_END = lazy(r"[.!?\n](?:(?<=\n)\n*|(?<!\n)(?<!\b[A-G]\.)\s+(?=\S))")
MAY_END = lazy(r"[.!?]\s|\n")
"""Without it a text is one sentence; found much faster than what ends one."""
# What may follow an answer: "Three, I guess", "B then".
_TAIL = lazy(
    r"[\s,.;(–—-]+(?:i\s+(?:would\s+)?(?:guess|think|believe|suppose|say)|i['’]d\s+(?:say|guess)|then|it\s+is|probably|most\s+likely"
    r"|presumably|obviously|of\s+course|for\s+sure|definitely|imo|glaube\s+ich|denke\s+ich|würde\s+ich\s+sagen|je\s+pense"
    r"|je\s+crois|creo|supongo|diría|credo|penso)[\s.!)]*$",
    re.IGNORECASE,
)
# "D is correct", "D instead of C"
_CHOSEN = lazy(
    r"(?<![^\W_])\(?([A-H])\)?\s+(?:is\s+(?:the\s+)?(?:correct|right|best)(?:\s+(?:answer|option|choice|one))?"
    r"|(?:instead\s+of|rather\s+than|anstatt|statt|au\s+lieu\s+de|en\s+lugar\s+de)\s+\(?[A-H]\)?)\W{0,4}$"
)
_CHOOSING = (" is ", "instead", "rather", "statt", "lieu", "lugar")
_LONGEST_CHOICE = 32
_TAIL_LENGTH = 24
_TAIL_ENDS = table(
    "guess|think|believe|suppose|say|then|is|probably|likely|presumably|obviously|course|sure|definitely|imo|ich|sagen"
    "|pense|crois|creo|supongo|diría|credo|penso"
)
_TAIL_MARKS = string.whitespace + "\x1c\x1d\x1e\x1f.!)"
_TAIL_SIGNS: tuple[str, ...] = (
    " guess",
    " think",
    " believe",
    " suppose",
    " say",
    " then",
    " is",
    " ich",
    " je ",
    "ly",
    "course",
    "sure",
    " imo",
)
_TAIL_SIGNS += ("creo", "supongo", "diría", "credo", "penso", "sagen")
_RULE_LINE = lazy(r"[\W_]*")
_HEAD = lazy(r"[\W_]*(?:\d{1,2}|[A-G])[.)]")
SHORT = 160
"""A longer line is no answer by itself."""


def bare(text: str) -> str:
    """Returns a text without the marks and white space around it."""
    found = text.strip(_MARKS)
    # A minus belongs to its number.
    return (
        "-" + found
        if found[:1].isdigit() and text.lstrip()[:1] in "-−" and text.lstrip()[1:2].isdigit()
        else found
    )


@lru_cache(maxsize=8)
def _lead(text: str) -> tuple[int, bool]:
    """Returns where the words that announce an answer end, and whether there are any."""
    # "İ" is the one character that becomes two in lower case; places would shift.
    lead = _LEAD.match(text.replace("İ", "ɏ").lower())
    return (lead.end(), lead["words"] is not None) if lead else (0, False)


def lead_end(text: str) -> int:
    """Returns where the words that announce an answer end."""
    return _lead(text)[0]


def without_lead(text: str) -> str:
    """Returns what follows the words that announce an answer: "So the correct answer is: **B**" becomes "B".

    >>> without_lead("So the correct answer is: B"), without_lead("Dogs bark")
    ('B', 'Dogs bark')
    """
    if holds(text[-_LONGEST_CHOICE:], _CHOOSING) and (chosen := _CHOSEN.search(text)):
        before = text[: chosen.start()]
        if _lead(before)[0] == len(before):
            return chosen[1]
    rest = bare(text[_lead(text)[0] :])
    if rest.isalnum():
        return rest  # a word, and nothing behind it
    tail = rest[-_TAIL_LENGTH:].lower()
    if not tail.rstrip(_TAIL_MARKS).endswith(_TAIL_ENDS) or not holds(tail, _TAIL_SIGNS):
        return rest
    return bare(_TAIL.sub("", rest))


def has_lead(text: str) -> bool:
    """Whether a line announces its answer in words."""
    return _lead(text)[1]


def lines(text: str) -> list[str]:
    """Returns the lines of a text that hold more than marks."""
    return [line for line in text.split("\n") if line[:1].isalnum() or not _RULE_LINE.fullmatch(line)]


def _parts(text: str) -> Iterator[str]:
    """Yields the stretches of a text between the ends of its sentences."""
    place = 0
    for end in _SENTENCE_END.finditer(text):
        start = end.start()
        yield text[place : start + (text[start] != "\n")]
        place = end.end()
    yield text[place:]


@lru_cache(maxsize=8)
def sentences(text: str) -> tuple[str, ...]:
    """Returns the sentences of a text; a line ends one."""
    found: list[str] = []
    for part in _parts(text):
        if found and _HEAD.fullmatch(found[-1]):
            found[-1] += " " + part  # "1." and "A." begin an entry of a list
        elif part and (part[0].isalnum() or not _RULE_LINE.fullmatch(part)):
            found.append(part)
    return tuple(found)


def is_short(text: str) -> bool:
    """Whether a text is short enough to be an answer by itself."""
    return len(text) <= SHORT
