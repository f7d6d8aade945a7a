"""Finds the letters of options."""

import re
from collections.abc import Iterator
from functools import lru_cache

from tempbench_lmms.parsing.expected import Choice
from tempbench_lmms.parsing.lexicon import Word, roles
from tempbench_lmms.parsing.mention import Mention, apart
from tempbench_lmms.parsing.tokens import Text

_LETTER = re.compile(r"(?<![^\W_])(?<![^\W_]['.-])(?<![^\W_A-H]/)([A-H])(?![^\W_]|['-][^\W_]|\+\+)", re.ASCII)
_BEHIND_NOUN = re.compile(r"\s{0,2}(?:is\s|no\.?\s?|#)?[:\s(\[\"'#]{0,4}([A-Ha-h])(?![^\W_]|'[^\W_]|\.\w)")
# "A man", "A, B": an article is followed by a word that is no verb or sign of an answer.
_ARTICLE = re.compile(r"\s+[a-zß-ÿ]")
_INSIDE = re.compile(r"[a-z],? $")
_VERBS = roles(
    "is right wrong deny and or because turn hedge likely conclude suppose back choose before after refuse"
    " early late long short first last"
)
_NOUNS, _OTHERS = roles("option answer choose"), roles("image step video")
# "A to F", "A/B/C": all options, and no choice.
_RANGE = re.compile(
    r"\(?\b[A-H]\)?(?:(?:\s?[/|]\s?\(?[A-H]\)?){2,}"
    r"|\s(?:to|through|bis|à|至|到)\s(?:option\s)?\(?[C-H]\b\)?|\s?[-–]\s?[C-H]\b)"
)
_NUMBER = re.compile(r"\s?#?(\d)(?![\d.:%]|[^\W_])")
# A small letter that a sign, a number or the end follows; it is no word there, but "a" may be.
_SMALL = re.compile(
    r"(?<![^\W_\u2e80-\uffff])(?<![^\W_]['/.-])(a(?! )|[b-h])"
    r"(?=[)\]\"']*(?:\s*$|\s*[,;:(\n–—。、，]|\.(?!\w)|\s-\s|\s[\[(\d]|[\u2e80-\uffff]))"
)
_LEAD = roles("is answer option choose conclude likely switch final back")


def letters(text: Text, choice: Choice) -> list[Mention]:
    """Returns the letters of options in a text."""
    found: list[Mention] = []
    taken = {place for one in _RANGE.finditer(text.text) for place in range(*one.span())}
    for word in text.words:
        found += _numbered(text, word, choice)
        behind = _BEHIND_NOUN.match(text.text, word.end)
        if behind and behind.start(1) not in taken:
            found += _labelled(text, word, behind, choice, taken)
    alone = ((value.upper(), span) for value, span in _alone(text, choice) if span[0] not in taken)
    found += [Mention(value, *span, "letter") for value, span in alone if value in choice.letters]
    return apart(found)


def _alone(text: Text, choice: Choice) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yields letters without a noun: capitals, small ones that are no words, and those in brackets."""
    for one in _LETTER.finditer(text.text):
        if not _is_article(text, one):
            yield one[1], one.span()
    small = text.text.islower()
    for one in _SMALL.finditer(text.text) if not _shown(choice.texts) else ():
        if _is_said(text, one.start()) or (one[1] != "a" and small):
            yield one[1], one.span()


def _labelled(
    text: Text, word: Word, behind: re.Match[str], choice: Choice, taken: set[int]
) -> list[Mention]:
    """Returns the option that a noun and a letter name; such a letter has no other meaning."""
    said, letter, end = text.text[word.start : word.end].lower(), behind[1], behind.end()
    option = "option" in word.roles
    noun, below = option or bool(word.roles & _NOUNS), "\n" in behind.group()
    colon = ":" in behind.group() and text.text[end : end + 2].strip() in ("", ".")
    if said in _shown(choice.texts) or (not colon and not noun and word.roles & _OTHERS):
        if not below:
            taken.add(behind.start(1))
        return []
    small = letter.islower() and not option
    article = below and _is_article(text, behind)
    if not noun or small or article or letter.upper() not in choice.letters:
        return []
    taken.add(behind.start(1))
    return [Mention(letter.upper(), word.start if option else behind.start(1), end, "label")]


def _is_said(text: Text, start: int) -> bool:
    """Returns whether a place begins a sentence, or directly follows a word that announces an answer."""
    if not text.text[text.sentences[text.sentence(start)].start : start].strip(" \"'("):
        return True
    before = text.before(start, 4)
    near = before is not None and not text.text[before.end : start].strip(" :,=-–\"'(")
    return near and before is not None and bool(before.roles & _LEAD)


def _is_article(text: Text, one: re.Match[str]) -> bool:
    """Returns whether an "A" comes before a word that is not a verb or a sign of an answer."""
    if (
        one[1] != "A"
        or not _ARTICLE.match(text.text, one.end())
        or _INSIDE.search(text.text, max(0, one.start() - 3), one.start())
    ):
        return False
    after = text.after(one.end(), 1)
    return after is None or not after.roles & _VERBS


def _numbered(text: Text, word: Word, choice: Choice) -> list[Mention]:
    """Returns an option that a noun and a number name: "option 2", "caption two"."""
    if "option" not in word.roles:
        return []
    digit, after = _NUMBER.match(text.text, word.end), text.after(word.end, 1)
    number, end = (int(digit[1]), digit.end()) if digit else (None, word.end)
    if after and not digit:
        number, end = after.number, after.end
    inside = number is not None and 0 < number <= len(choice.letters)
    return [Mention(choice.letters[number - 1], word.start, end, "label")] if number and inside else []


@lru_cache(maxsize=512)
def _shown(texts: tuple[str, ...]) -> frozenset[str]:
    """Returns the nouns of labels that options are made of: "Sentence a -> Sentence b"."""
    return roles("image sentence images sentences") if orders_of(texts) else frozenset()


_LABEL = re.compile(
    r"(?:image|sentence|picture|event)\s+([a-h])(?![^\W_])|(?<![^\W_])([A-Ha-h])(?![^\W_])", re.IGNORECASE
)


@lru_cache(maxsize=256)
def orders_of(texts: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Returns each option's order of labels; empty unless all options are orders."""
    found = [tuple((one[1] or one[2]).upper() for one in _LABEL.finditer(text)) for text in texts]
    arrows = all("->" in text for text in texts)
    return found if arrows and len({frozenset(one) for one in found}) == 1 else []
