"""Lettered options: where a reply names one by its letter.

A letter alone in running text counts only where it can be no word and no name: "A man" is not option A, and
"Person B" not option B.
"""

import itertools
import re
from collections.abc import Sequence
from functools import lru_cache

from tempbench_lmms.parsing.lines import bare
from tempbench_lmms.parsing.patterns import lazy
from tempbench_lmms.parsing.statements import Mention
from tempbench_lmms.parsing.text import outer
from tempbench_lmms.parsing.words import AND, ANSWER, CHOOSE, IS, MAYBE, NOT, OPTION, OR, any_of

_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_NO_WORD_AFTER = rf"(?!['’]\w|[°♯♭#]|[^\W{_CJK}])"
_NO_WORD_BEFORE = rf"(?<!['’\-/&])(?<![^\W{_CJK}])"
_OPEN = r"[\"'(\[{<*]*\s*"
# A letter that one of these precedes is no name like "Plan B".
_LEADING = any_of(
    phrase.split()[-1]
    for table in (ANSWER, CHOOSE, NOT, OR, AND, IS, MAYBE)
    for phrase in table
    if phrase[0] < "\u2e80"
)
_BEFORE_A_LETTER = lazy(
    rf"{_LEADING}|"
    r"rules?|ruled|ruling|crosses|is|be|s|so|thus|hence|therefore|say|think|believe|guess|with|over|choose|chose|pick|select|letter"
    r"|only|namely|then|it|not|t|nor|or|and|neither"
    r"|either|both|than|but|as|option|options|choice|answer|to|for|towards?|between|ist|est|es|è|é|lautet"
    r"|donc|la|là|adalah|was|are|still|definitely|probably"
    r"|clearly|likely|exclude|eliminate|reject|favou?r|out|leaves|of|on|und|oder|ou|et|que|o|y|bien|also"
    r"|sondern|sino|mais|pero|aber|nicht|pas|non|n[aã]o|не|daher|somit|wait|actually|sure|yes|no|correct|that|makes|now|just|maybe|perhaps",
    re.IGNORECASE,
)
_WORD_BEFORE = lazy(r"([^\W\d_]+)[ \t]+[\"'(\[]*$")
# What may follow a capital A that is a letter and not an article.
_AFTER_A = (
    "out|then|because|since|as|and|or|nor|but|is|not|rather|with|for|due|which|it|here|in|based|where|from|the|on|at|given"
    "|when|while|so|to|by|that|this|if|instead|seems|would|must|matches|fits|describes|over|than|has"
    "|oder|und|ou|et|ist|est|es|y|o|shows|starts|does|doesn|can|cannot|could|might|may|contradicts|also|takes|happens"
)
_MAY_BE_WHOLE = lazy(r"(?:[^\W\d_]{1,24}[\"']?\s*[-#:=_]*\s*)?[\"'(\[{<*]*\s*[a-zA-Z](?![A-Za-z0-9])")
_OPENING = lazy("[A-Za-z]{2,}")
_ARROW = lazy(r"\s*(?:[-=–—]+>|→|➔|⇒)\s*")
_HYPHEN = lazy(r"(?<=[^\W\d])-(?=[^\W\d])")
_MINUS = lazy(r"(?<!\d)-(?=\d)")
_NO_WORD = lazy(r"[^\w>]+")
_ASCII_NO_WORD = {code: " " for code in range(128) if not (chr(code).isalnum() or chr(code) in "_>")}
_OWN_HEAD = lazy(r"[A-Ga-g]\s?[.):]")
_ENDS = lazy(r"[\"')\]}>*.,:;!?\s]")


_GLUED = lazy(r"\b(?i:option|choice|answer)_?(?=[A-G](?![A-Za-z0-9]))")
_GLUED_SIGN = lazy(r"[nre]_?[A-G](?![A-Za-z0-9])")


def apart(text: str) -> str:
    """Returns a text with a space between the word "option" and its letter.

    >>> apart("Option_B"), apart("optionC"), apart("option A")
    ('Option B', 'option C', 'option A')
    """
    if not _GLUED_SIGN.search(text):
        return text
    return _GLUED.sub(lambda match: match.group().rstrip("_") + " ", text)


# "(C) is the correct answer": a sentence, and no entry of a list.
_SAID_OF_IT = (
    r"\s+(?:(?:is|are)\s+(?:\w+\s+){0,2}?(?:correct|right|best|wrong|incorrect|answer|eliminated|not|unlikely)\b"
    r"|(?:can|could|should|must)\s+be\s+(?:eliminated|ruled|excluded|discarded)\b|(?:and|or)\s+[(\[]?[A-H]\b)"
)


class _Patterns:
    """The patterns for one set of letters."""

    def __init__(self, letters: str, noun: str) -> None:
        nouns = any_of((*OPTION, *([noun, noun + "s"] if noun else [])))
        small = letters[1:].lower()
        any_case = f"[{letters}{letters.lower()}]"
        # Small letters count behind "option" and in brackets. An "a" may be an article there, too.
        one = rf"(?:[{letters}{small}]{_NO_WORD_AFTER}|a(?=\s*(?:[.)\]}}\"';,:!?*](?!\w)|$)))"
        capital = (
            rf"(?:[{letters[1:] or letters}]{_NO_WORD_AFTER}"
            rf"|A{_NO_WORD_AFTER}(?!\s+(?!(?:{_AFTER_A})\b)[a-z]))"
        )
        # A letter that could be meant; without one no place is looked for.
        self.sign = lazy(
            rf"(?<![A-Za-z])(?:[{letters}{small}]|a(?=\s*(?:[.)\]}}\"';,:!?*]|$)))(?![A-Za-z0-9_])"
        )
        # What a text opens with that names a letter behind a noun.
        self.opening = frozenset(
            found.group().lower()
            for phrase in (*OPTION, *ANSWER, noun, noun + "s")
            if (found := _OPENING.match(phrase))
        )
        self.mention = lazy(
            rf"(?:(?i:{nouns})\s*[-#:._]?\s*{_OPEN}|(?i:{any_of(ANSWER)}[\"']*\s*(?:{any_of(IS)}"
            rf"|[:=\-])\s*){_OPEN}(?!A[ \t]+(?!(?:{_AFTER_A})\b)[a-z]))(?P<named>{one})"
            rf"|[(\[\"']\s*(?P<quoted>{any_case})\s*[.,]?[)\]\"']"
            rf"|{_NO_WORD_BEFORE}(?P<alone>{capital})"
        )
        self.whole = lazy(
            rf"(?:(?i:{nouns}|{any_of(ANSWER)})\s*[-#:=_]*\s*)?{_OPEN}(?P<letter>{any_case})(?P<rest>{_NO_WORD_AFTER}[\"')\]}}>*]*\s*(?:[.:,)\-–—=/]\s*|(?=\()|\s*$)[\s\S]*)?$"
        )
        self.several = lazy(
            rf"[\s\"')\]]*(?:[,/&]|or\b|and\b|\s)*(?:option\s+)?[\"'(\[]*([{letters}])", re.IGNORECASE
        )
        self.head_sign = lazy(rf"[{letters}][\"')\]*]*\s?[.):=–-]")
        self.head = lazy(
            rf"(?:^|\n|(?<=[.!?;,]\s))[ ]*[-*>•]?[ ]?(?:(?i:{nouns})\s*)?"
            rf"[\"'(\[*]*([{letters}])[\"')\]*]*\s?[.):=–-]+(?=\s*[^\s.,])(?!{_SAID_OF_IT})"
        )


@lru_cache(maxsize=32)
def _patterns(letters: str, noun: str) -> _Patterns:
    return _Patterns(letters, noun)


def squash(text: str) -> str:
    """Returns a text as its words alone, small, for comparison with an option's.

    >>> squash("Counter-clockwise, then: LEFT!"), squash("Image b -> Image a")
    ('counterclockwise then left', 'image b > image a')
    """
    if ">" in text or not text.isascii():
        text = _ARROW.sub(" > ", text)
    if "-" in text:
        text = _MINUS.sub("minus", _HYPHEN.sub("", text))
    text = text.translate(_ASCII_NO_WORD) if text.isascii() else _NO_WORD.sub(" ", text)
    return " ".join(text.lower().split())


_squashed = lru_cache(maxsize=4096)(squash)


@lru_cache(maxsize=512)
def squashed(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Returns what `squash` makes of each option."""
    return tuple(map(_squashed, texts))


_NAMED = lazy(r"(?:(?P<noun>[^\W\d_]+)[ \t]+)?[(\[]?(?P<letter>[A-Za-z])[)\]]?\.?")


@lru_cache(maxsize=512)
def own_noun(letters: str, texts: tuple[str, ...]) -> str | None:
    """Returns what options are called of which each is but its own letter; None where options say more.

    >>> own_noun("AB", ("Box A", "Box B")), own_noun("AB", ("A", "B")), own_noun("AB", ("Box B", "Box A"))
    ('box', '', None)
    """
    found = [_NAMED.fullmatch(text.strip()) for text in texts]
    named = [one["letter"].upper() for one in found if one]
    nouns = {(one["noun"] or "").lower() for one in found if one}
    return nouns.pop() if texts and named == list(letters) and len(nouns) == 1 else None


def whole(text: str, letters: str, noun: str = "", texts: Sequence[str] = ()) -> list[str]:
    """Returns the letters that a text is, by itself or with its option's text behind it.

    >>> whole("(B)", "AB"), whole("Option b", "AB"), whole("A/B", "AB"), whole("Be quick", "AB")
    (['B'], ['B'], ['A', 'B'], [])
    """
    text = bare(text)
    if len(text) == 1:
        return [text.upper()] if text.upper() in letters else []
    patterns = _patterns(letters, noun)
    opening = _OPENING.match(text)
    if opening and opening.group().lower() not in patterns.opening and text.isascii():
        return []
    found = patterns.whole.match(text) if _MAY_BE_WHOLE.match(text) else None
    if not found:
        return []
    letter, rest = found["letter"].upper(), bare(found["rest"] or "")
    if not rest:
        return [letter]
    # The letter counts, whichever option's text stands behind it; "A, E" are two.
    if squash(rest) in squashed(tuple(texts)) and (len(rest) > 1 or rest.upper() == letter):
        return [letter]
    several = patterns.several.fullmatch(found["rest"] or "")
    return [letter, several.group(1).upper()] if several and several.group(1).isupper() else []


def headed(text: str, letters: str, noun: str = "") -> str | None:
    """Returns the letter that a line begins with as a list's entry does: "B. A man opens the door"."""
    found = _patterns(letters, noun).head.match(text)
    return found.group(1) if found else None


def mentions(text: str, letters: str, noun: str = "") -> list[Mention]:
    """Returns the places of a text that name an option by its letter."""
    patterns = _patterns(letters, noun)
    if not patterns.sign.search(text):
        return []
    listed = _listed(text, patterns)
    found = []
    for match in outer(patterns.mention.finditer(text)):
        kind = match.lastgroup or "alone"
        place = match.start(kind)
        if place in listed:
            continue
        if kind == "alone" and _is_name(text, place, letters):
            continue
        sure = kind != "alone" or _stands_alone(text, match.end())
        found.append(Mention(match[kind].upper(), place, match.end(), sure))
    return found


def listed(text: str, letters: str, noun: str = "") -> set[str]:
    """Returns the letters that stand at the heads of a list of options."""
    return {text[place] for place in _listed(text, _patterns(letters, noun))}


def own_heads(text: str, letters: str, texts: Sequence[str]) -> list[tuple[int, int]]:
    """Returns where options stand with their own texts behind their letters, as the prompt shows them."""
    if not _OWN_HEAD.search(text):
        return []
    return [match.span() for match in _own_heads(letters, tuple(texts)).finditer(text)]


@lru_cache(maxsize=64)
def _own_heads(letters: str, texts: tuple[str, ...]) -> re.Pattern[str]:
    pattern = "|".join(
        rf"{letter}\s*[.):]\s*{re.escape(text.rstrip('.'))}"
        for letter, text in zip(letters, texts, strict=False)
    )
    return lazy(rf"(?<!\w)(?:{pattern})", re.IGNORECASE)


def _listed(text: str, patterns: _Patterns) -> set[int]:
    """Returns where the letters of a list of options stand, which choose none of them: A, then B, ..."""
    if len(patterns.head_sign.findall(text)) < 2:
        return set()
    heads = [(match.start(1), ord(match.group(1))) for match in patterns.head.finditer(text)]
    found = set()
    for (place, letter), (following, next_letter) in itertools.pairwise(heads):
        if next_letter == letter + 1:
            found |= {place, following}
    return found


def _is_name(text: str, place: int, letters: str) -> bool:
    """True where a letter in running text belongs to a name, like "Plan B"."""
    word = _WORD_BEFORE.search(text, max(0, place - 30), place)
    if not word or word.group(1)[0] > "\u024f" or word.group(1) in letters:
        return False  # no word, one of another script, or another letter
    if word.group(1).lower() in ("labeled", "labelled", "marked"):
        return not text[: word.start()].endswith(" is ")  # "It is the point that is labeled B."
    return not _BEFORE_A_LETTER.fullmatch(word.group(1))


def _stands_alone(text: str, end: int) -> bool:
    """Whether a clause may end behind a letter."""
    return end == len(text) or _ENDS.match(text, end) is not None or text[end] > "\u2e80"
