"""Makes replies comparable: one alphabet, no mark-up, a bounded length."""

import itertools
import re
import sys
import unicodedata
from collections import deque
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property, lru_cache

from tempbench_lmms.parsing.patterns import lazy

_HEAD = 4_000
_TAIL = 4_000
# Between what is left of a long reply: a line of its own with a sign that no pattern skips.
_CUT = "\n@\n"
_LONGEST_WORD = 64
LONGEST = _HEAD + len(_CUT) + _TAIL
"""A longer reply is clipped."""
_MOST_MATCHES = 60
_INVISIBLE = lazy(r"[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufe0f\u20e3\ufeff]")
_MARKUP = lazy(
    r"~~[^~\n]{0,200}~~|\*\*|__|``?`?|\\(?:text|mathrm|mathbf|textbf|mathit|displaystyle)(?=\{)"
    r"|\\[()\[\],;:!]|\\(?=\s)|\$|\|"
)
# The braces of LaTeX's text commands go with their names.
_NAMED_TEXT = lazy(r"\\(?:text|mathrm|mathbf|textbf|mathit)\{([^{}\\]{0,200})\}")
# Relations of LaTeX as the signs that a text has for them.
_RELATIONS = {
    **dict.fromkeys(("prec", "lt"), "<"),
    **dict.fromkeys(("succ", "gt"), ">"),
    **dict.fromkeys(("to", "rightarrow", "Rightarrow", "longrightarrow", "Longrightarrow", "implies"), "→"),
}
_RELATION = lazy(rf"\\({'|'.join(sorted(_RELATIONS, key=len, reverse=True))})(?![A-Za-z])")
# "t_{start}", "t_{\text{end}}"
_SUBSCRIPT = lazy(r"_\{(?:\\(?:text|mathrm)\{)?(\w{1,12})\}?\}")
_MARKS = ("*", "_", "`", "\\", "$", "|", "~~")
# What a tokenizer leaves around a reply: <|im_end|>, </s>, <｜end▁of▁sentence｜>.
_SPECIAL = lazy(r"<\|\w{1,40}\|>|</?s>|<｜[\w▁]{1,40}｜>")
# "<option>C</option>", "<66.0><71.0>"
_TAGGED_LETTER = lazy(r"<(option|choice|letter|pair|item|label)>\s*([A-Ha-h])\s*</\1>", re.IGNORECASE)
# "<pair rank="1">B</pair>", and the element around several.
_TAGGED_PLACE = lazy(
    r"<(\w+)\s+(?:rank|position|place|order|step|index)\s*=\s*[\"']?(\d{1,2})[\"']?\s*>\s*((?:(?:pair|image)\s+)?[A-H\d])\s*</\1>",
    re.IGNORECASE,
)
_AROUND = lazy(
    r"</?(?:ranking|order|sequence|list|items|pairs|images)(?:\s+\w+\s*=\s*[\"']([^\"'<>]{1,60})[\"'])?\s*>",
    re.IGNORECASE,
)
# Mark-up of web pages: what strikes out, what ends a line, what only looks.
_HTML = lazy(
    r"<(?P<gone>del|strike)>[^<>]{0,200}</(?P=gone)>|(?P<line>\n?<(?:br|p|li|div|h[1-6]|tr|ul|ol)\s*/?>|</(?:p|div|h[1-6]|ul|ol)>)"
    r"|</?(?:b|i|u|em|strong|mark|small|center|li|tr)>",
    re.IGNORECASE,
)
_ENTITIES = {"nbsp": " ", "lt": "<", "gt": ">", "amp": "&", "quot": '"', "#39": "'", "rarr": "→"}
_ENTITY = lazy(rf"&({'|'.join(_ENTITIES)});")
_TAGGED_NUMBERS = lazy(r"(?<=\d)><(?=\d)")
_PUNCTUATION = str.maketrans("。、「」『』【】《》“”«»‘’≺≻≼≽∴", '.,""""""""""""' + "''<><>⇒")
# Cyrillic and Greek letters that look like Latin ones, and the Turkish ones that a pattern without regard to
# case takes for an i; NFKC maps full-width and mathematical letters, but leaves these alone.
_LOOK_ALIKES = str.maketrans(
    "АВСЕНІКМОРТХасеіорхΑΒΕΗΙΚΜΝΟΡΤΧıİ🅰🅱🅲🅳🅴", "ABCEHIKMOPTXaceiopxABEHIKMNOPTXiIABCDE"
)
# "45 с": the letter looks like a Latin c.
_CYRILLIC_SECOND = lazy(r"(?<=\d)\s?с(?!\w)")
# "（A）。12秒から": no ".12"
_FULL_STOP = lazy(r"。(?=\d)")
_BOX = lazy(r"\\(?:fbox|boxed)\b\s*\{{0,3}\s*")
_LOOKS_ALIKE = lazy(f"[{''.join(map(chr, _LOOK_ALIKES))}]")
_WORD = lazy(r"\w+")
# All white space but a single space and a single end of line.
_SPACE = lazy(r"\s{2,}|[^\S\n ]")
# An ASCII text without one of these has no such run that would change.
_RUNS = ("  ", "\n\n\n", " \n", "\n ", *"\t\r\v\f\x1c\x1d\x1e\x1f")


class CaseBlind:
    """A pattern without regard to case, and as fast as one that regards it.

    A text's lower case is searched, since `re.IGNORECASE` compares every literal of a long alternation the
    slow way; not where a letter becomes two in lower case, so that places would shift. Matches hold places,
    and text in lower case. Words in the pattern must be small.
    """

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self.pattern, self._flags = pattern, flags

    @cached_property
    def small(self) -> re.Pattern[str]:
        """The pattern for text in lower case."""
        return lazy(self.pattern, self._flags)

    @cached_property
    def _any(self) -> re.Pattern[str]:
        return lazy(self.pattern, self._flags | re.IGNORECASE)

    def search(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        """Returns the first match."""
        small = text.lower()
        if len(small) == len(text):
            return self.small.search(small, start, end)
        return self._any.search(text, start, end)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Returns all matches."""
        small = text.lower()
        return self.small.finditer(small) if len(small) == len(text) else self._any.finditer(text)


def table(words: str) -> tuple[str, ...]:
    """Returns words that are divided by bars."""
    return tuple(words.split("|"))


def signs(words: Iterable[str]) -> tuple[str, ...]:
    """Returns substrings of which a text that holds one of some words holds at least one.

    >>> signs(["late", "latest", "most recent", "more recent"])
    ('late', 'recent')
    """
    longest = sorted(
        {max(word.lower().split(), key=len) for word in words}, key=lambda word: (len(word), word)
    )
    kept: list[str] = []
    for word in longest:
        if not any(short in word for short in kept):
            kept.append(word)
    return tuple(kept)


def shortest(signs: Collection[str]) -> tuple[str, ...]:
    """Returns the signs that hold no other: a text holds one of these where it holds one of all."""
    return tuple(sign for sign in signs if not any(other != sign and other in sign for other in signs))


def holds(text: str, signs: Iterable[str]) -> bool:
    """Whether one of some substrings is in a text."""
    for sign in signs:  # noqa: SIM110 - a generator takes three times as long
        if sign in text:
            return True
    return False


_SHORTEST_MISTYPED = 5


def mistyped_as(word: str, meant: str) -> bool:
    """Whether a word is another one with one typing mistake: a letter missing, doubled, wrong, or two turned.

    The first letter must be right. Too often another word is meant where a word of five has another letter
    ("bench" for "beach"), or a form of a verb has one or lacks one ("singing" for "swinging").

    >>> mistyped_as("flase", "false"), mistyped_as("runing", "running"), mistyped_as("singing", "swinging")
    (True, True, False)
    """
    n, more = len(meant), len(word) - len(meant)
    if n < _SHORTEST_MISTYPED or abs(more) > 1 or word[:1] != meant[0] or word == meant:
        return False
    letters = zip(word, meant, strict=False)
    i = next((i for i, (one, other) in enumerate(letters) if one != other), min(n, n + more))
    form = any(word.endswith(ending) and meant.endswith(ending) for ending in ("ing", "ed"))
    if more:
        longer, shorter = (word, meant) if more > 0 else (meant, word)
        doubled = longer[i] == longer[i - 1]
        return longer[:i] + longer[i + 1 :] == shorter and (doubled or (more < 0 and not form))
    if word[i + 1 :] == meant[i + 1 :]:
        return n > _SHORTEST_MISTYPED and not form
    return word[i + 2 :] == meant[i + 2 :] and word[i : i + 2] == meant[i : i + 2][::-1]


def outer(matches: Iterator[re.Match[str]]) -> list[re.Match[str]]:
    """Returns the first and the last 60 matches: a reply that loops says no more in its middle."""
    first = list(itertools.islice(matches, _MOST_MATCHES))
    return [*first, *deque(matches, _MOST_MATCHES)]


def clip(reply: str) -> str:
    """Returns the first and the last 4,000 characters of a longer reply, without the words that a cut halves.

    An answer stands in one of them. It bounds what every later pattern costs: a model that loops can fill its
    whole token budget.
    """
    if len(reply) <= LONGEST:
        return reply
    # The end of "OMEGA." could be read as "A.", and that of "12.5" as 5.
    left, right = _HEAD - _LONGEST_WORD, len(reply) - _TAIL + _LONGEST_WORD
    before = re.sub(r"\S+$", "", reply[left:_HEAD])
    after = re.sub(r"^\S+", "", reply[-_TAIL:right])
    return reply[:left] + before + _CUT + after + reply[right:]


def squeeze(text: str) -> str:
    r"""Returns a text with one space, one end of line or one empty line for each run of white space.

    Patterns with optional space in several places would try every way to share a long run among them.

    >>> squeeze("a \t b \n c \r\n\r\n\r\n d")
    'a b\nc\n\nd'
    """
    if text.isascii() and not holds(text, _RUNS):
        return text
    return _SPACE.sub(lambda run: "\n" * min(run.group().count("\n"), 2) or " ", text)


def unboxed(text: str) -> str:
    r"""Returns a text with what stands in a `\boxed{...}` without the command before it.

    >>> unboxed(r"The answer is: \boxed{Yes}")
    'The answer is: Yes}'
    """
    return _BOX.sub("", text) if "\\" in text else text


def _latin(word: re.Match[str]) -> str:
    # A word of another script stays as it is: only a letter alone, or a stray one among Latin letters, is
    # meant as a Latin letter.
    text = word.group()
    if text.isascii():
        return text
    return text.translate(_LOOK_ALIKES) if len(text) == 1 or re.search("[A-Za-z]", text) else text


def _without_elements(text: str) -> str:
    """Returns a text with the elements of HTML and XML as lines of plain text."""
    text = _HTML.sub(lambda found: "\n" if found["line"] else "", text)
    if "</" not in text:
        return text
    text = _TAGGED_PLACE.sub(r"\n\2th: \3\n", text)
    return _AROUND.sub(lambda found: f" {found[1]}: " if found[1] else "\n", text)


@lru_cache(maxsize=8)
def normalise(text: str) -> str:
    """Returns a text in compatibility form, look-alike letters as Latin ones, no mark-up or extra space."""
    if "&" in text and ";" in text:
        text = _ENTITY.sub(lambda found: _ENTITIES[found[1]], text)
    if "<" in text:
        text = _without_elements(text) if ">" in text else text
        text = _TAGGED_LETTER.sub(r"(\2)", _SPECIAL.sub(" ", text))
        text = _TAGGED_NUMBERS.sub("> <", text)
    if not text.isascii():
        text = text.replace("№", "#")  # which would be "No" and its number in one word
        text = _CYRILLIC_SECOND.sub("s", text)
        if "。" in text:
            text = _FULL_STOP.sub("。 ", text)
        text = unicodedata.normalize("NFKC", _INVISIBLE.sub("", text)).translate(_PUNCTUATION)
        text = text.replace("\u0130", "I")  # which would be two letters in lower case
        if _LOOKS_ALIKE.search(text):
            text = _WORD.sub(_latin, text)
    if "_{" in text:
        text = _SUBSCRIPT.sub(r"_\1", text)
    if "\\" in text:
        text = _NAMED_TEXT.sub(r"\1", _RELATION.sub(lambda sign: _RELATIONS[sign[1]], text))
    return squeeze(_MARKUP.sub("", text) if holds(text, _MARKS) else text).strip()
