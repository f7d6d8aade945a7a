"""Finds counts: numbers, or the letters of their options."""

import re

from tempbench_lmms.parsing.expected import Choice, Count
from tempbench_lmms.parsing.lexicon import Word, roles
from tempbench_lmms.parsing.mention import Mention, apart, as_list
from tempbench_lmms.parsing.mentions import places
from tempbench_lmms.parsing.mentions.letters import letters
from tempbench_lmms.parsing.mentions.numbers import value_of
from tempbench_lmms.parsing.tokens import Text, is_empty

_ANY = re.compile(
    r"(?<![A-Za-z\d_])(?<!\d[.:/-])(?<![-/#])(\d{1,4})(?![\d/%]|:\d|[A-Za-z]|\.\d|,\d{3}|(?:st|nd|rd|th)\b)"
)
_DETERMINES = roles("first last other article ordinal.1 ordinal.2 ordinal.3")
_LISTED = re.compile(
    r"[\s#:]{0,2}\d{1,3}(?:\s?(?:,|-|–|&|/|to|and|,\s?and|bis|und|et|y|至|到|和)\s?\d{1,3})*"
)
_NEAR, _FAR = 4, 60


def find(text: Text, count: Count) -> list[Mention]:
    """Returns the places that name a number, by itself or by the letter of its option."""
    values = {value_of(said): letter for letter, said in zip(count.letters, count.texts, strict=False)}
    found = _numbers(text)
    named, found = _with_numbers(text, _letters(text, count), found, count)
    found += [Mention(0, word.start, word.end, "number") for word in text.words if _none(text, word)]
    if not found and not named:
        none = [w for w in text.words if w.roles & {"none", "deny"}]
        found = [Mention(0, word.start, word.end, "number") for word in none[:1] if "none" in word.roles]
    numbered = [Mention((values.get(one.value), one.value), one.start, one.end, one.form) for one in found]
    return apart([*as_list(named, len(count.letters)), *numbered])


def _numbers(text: Text) -> list[Mention]:
    """Returns the numbers that may count something."""
    found = [Mention(int(one[1]), one.start(), one.end(), "number") for one in _ANY.finditer(text.text)]
    for word in text.words:
        number, lead = word.number, text.before(word.start, 1)
        thing = lead is not None and "one" in word.roles and lead.roles & _DETERMINES  # "the last one"
        if number is not None and not thing and word.ordinal is None:
            found.append(Mention(number, word.start, word.end, "number"))
    heads = (_LISTED.match(text.text, word.end) for word in text.words if word.roles & {"image", "step"})
    pictured = [head.span() for head in heads if head]  # "frames 2, 6 and 9"
    counted = [one for one in apart(found) if not _measures(text, one)]
    return [one for one in counted if not any(start <= one.start < end for start, end in pictured)]


def _letters(text: Text, count: Count) -> list[Mention]:
    """Returns the options that are named by letter or place."""
    placed = places.find(text, len(count.letters), roles("option"))
    named = letters(text, Choice(count.letters, count.texts))
    return apart([*named, *(one._replace(value=count.letters[one.value - 1]) for one in placed)])


def _with_numbers(
    text: Text, named: list[Mention], found: list[Mention], count: Count
) -> tuple[list[Mention], list[Mention]]:
    """Returns letters as pairs with their numbers, and the numbers without a letter."""
    kept = []
    for one in named:
        near = (n for n in found if 0 < n.start - one.end <= _NEAR)
        same = next((n for n in near), None)
        value = one.value, value_of(count.texts[count.letters.index(one.value)])
        end, form = (same.end, "both") if same else (one.end, one.form)
        kept.append(Mention(value, one.start, end, form))
    return kept, found


def _none(text: Text, word: Word) -> bool:
    """Returns whether the first word of a sentence says that there is nothing to count: "No spins"."""
    start = text.sentences[text.sentence(word.start)].start
    if not word.roles >= roles("none no") or word.start - start > _FAR:
        return False
    behind = text.text[word.end : word.end + 2]
    opens = is_empty(text.without(start, word.start, "fill is conclude has"))
    return opens and behind[:1] == " " and behind[1:].isalpha()


def _measures(text: Text, one: Mention) -> bool:
    """Returns whether a number measures time, or is the number of an entry."""
    after = text.after(one.end, 1)
    if after and any(role.startswith("unit.") for role in after.roles):
        return True
    if after and "total" in after.roles and any(map(str.isdigit, text.text[after.end : after.end + 8])):
        return True
    begins = text.text[one.start : one.end].isdigit() and text.text[: one.start].rstrip(" ")[-1:] in "\n"
    return begins and text.text[one.end : one.end + 2] in (". ", ") ")
