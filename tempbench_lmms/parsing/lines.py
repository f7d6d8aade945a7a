"""Lines and sentences of a reply, and what may stand around an answer that is a line by itself."""

import re
from functools import lru_cache

from tempbench_lmms.parsing.words import ANSWER, CHOOSE, CORRECT, FILLER, IS, OPTION, THEREFORE, any_of

_ARTICLES = {"a", "an", "e", "o", "y", "l'", "=", "=>", "->", "→", "⇒"}
_EMPTY = any_of(
    {*ANSWER, *OPTION, *CORRECT, *IS, *THEREFORE, *CHOOSE, *FILLER, "i", "i'd", "i'll", "my", "we", "it", "this", "would", "will", "and", "to",
     "question", "question's", "based on the images", "based on the image", "based on the video", "based on the frames", "one", "ok", "okay", "sure", "hence", "je", "ich", "me", "本题", "我", "私", "です"}
    - _ARTICLES
)
_LEAD = re.compile(rf"(?:[\s\"'*:=>#,.()\[\]{{}}•~→⇒–—]|-(?!\d)|{_EMPTY})*", re.IGNORECASE)
_MARKS = " \t\r\n.,;:!?\"'()[]{}<>*#`~-–—|•✓✔✅☑→"
# "A." and "1." belong to what follows them.
_SENTENCE_END = re.compile(r"(?<=[.!?])(?<!\b[A-G]\.)\s+(?=\S)|\n+")
_RULE_LINE = re.compile(r"[\W_]*")
_HEAD = re.compile(r"[\W_]*(?:\d{1,2}|[A-G])[.)]")
_SHORT = 160


def bare(text: str) -> str:
    """Returns a text without the marks and white space around it."""
    found = text.strip(_MARKS)
    # A minus belongs to its number.
    return "-" + found if found[:1].isdigit() and text.lstrip()[:1] in "-−" and text.lstrip()[1:2].isdigit() else found


def without_lead(text: str) -> str:
    """Returns what follows the words that announce an answer: "So the correct answer is: **B**" becomes "B".

    >>> without_lead("So the correct answer is: B"), without_lead("Dogs bark")
    ('B', 'Dogs bark')
    """
    found = _LEAD.match(text)
    return bare(text[found.end() :] if found else text)


def has_lead(text: str) -> bool:
    """Whether a line announces its answer in words."""
    found = _LEAD.match(text)
    return bool(found and re.search(r"\w", found.group()))


def lines(text: str) -> list[str]:
    """Returns the lines of a text that hold more than marks."""
    return [line for line in text.split("\n") if not _RULE_LINE.fullmatch(line)]


@lru_cache(maxsize=8)
def sentences(text: str) -> tuple[str, ...]:
    """Returns the sentences of a text; a line ends one."""
    found: list[str] = []
    for part in _SENTENCE_END.split(text):
        if found and _HEAD.fullmatch(found[-1]):
            found[-1] += " " + part  # "1." and "A." begin an entry of a list
        elif part and not _RULE_LINE.fullmatch(part):
            found.append(part)
    return tuple(found)


def is_short(text: str) -> bool:
    """Whether a text is short enough to be an answer by itself."""
    return len(text) <= _SHORT
