"""Finds what a count names: a number, or the letter of its option."""

from tempbench_lmms.parsing.expected import Choice, Count
from tempbench_lmms.parsing.lexicon import Word, roles
from tempbench_lmms.parsing.mention import Mention, apart, as_list
from tempbench_lmms.parsing.mentions import places
from tempbench_lmms.parsing.mentions.letters import letters
from tempbench_lmms.parsing.mentions.numbers import value_of
from tempbench_lmms.parsing.patterns import lazy
from tempbench_lmms.parsing.tokens import Text, is_empty

_ANY = lazy(
    r"(?<![A-Za-z\d_])(?<!\d[.:/-])(?<![-/#])(\d{1,4})(?![\d/%]|:\d|[A-Za-z]|\.\d|,\d{3}|(?:st|nd|rd|th)\b)"
)
_UNITS = ("unit.", "number.", "ordinal.")


_DETERMINES = roles("first last other article ordinal.1 ordinal.2 ordinal.3")


def find(text: Text, count: Count) -> list[Mention]:
    """Returns the places that name a number, by itself or by the letter of its option."""
    values = {value_of(said): letter for letter, said in zip(count.letters, count.texts, strict=False)}
    found = _numbers(text)
    named, found = _with_numbers(text, _letters(text, count), found, count)
    found += [Mention(0, word.start, word.end, "number") for word in text.words if _none(text, word)]
    if not found and not named:
        none = [w for w in text.words if w.roles & {"none", "deny"} and "is" not in w.roles]
        found = [Mention(0, word.start, word.end, "number") for word in none[:1] if "none" in word.roles]
    numbered = [Mention((values.get(one.value), one.value), one.start, one.end, one.form) for one in found]
    return apart([*as_list(named, len(count.letters)), *numbered])


def _numbers(text: Text) -> list[Mention]:
    """Returns the numbers that may count something."""
    found = [Mention(int(one[1]), one.start(), one.end(), "number") for one in _ANY.finditer(text.text)]
    for word in text.words:
        number = places.ordinal(word.roles, "number.")
        if number is None or "ordinal." in str(word.roles):
            continue
        if number != 1 or (word.end - word.start > 1 and not _is_pronoun(text, word)):
            found.append(Mention(number, word.start, word.end, "number"))
    pictured = _pictures(text)
    counted = [one for one in apart(found) if not _measures(text, one)]
    return _without_tally(
        [one for one in counted if not any(start <= one.start < end for start, end in pictured)]
    )


def _letters(text: Text, count: Count) -> list[Mention]:
    """Returns the options that are named by letter or place."""
    option = roles("option")
    row = places.find(text, len(count.letters), option)
    placed = [one for one in row if text.has(option, one.start, one.end)]
    named = letters(text, Choice(count.letters, count.texts))
    return apart([*named, *(one._replace(value=count.letters[one.value - 1]) for one in placed)])


def _with_numbers(
    text: Text, named: list[Mention], found: list[Mention], count: Count
) -> tuple[list[Mention], list[Mention]]:
    """Returns letters as pairs with their numbers, and the numbers that stand behind no letter."""
    kept = []
    for one in named:
        near = (n for n in found if 0 < n.start - one.end <= _NEAR)
        same = next((n for n in near if not text.text[one.end : n.start].strip(" .:()[],-–=\"'")), None)
        found = [n for n in found if n is not same]
        value = one.value, value_of(count.texts[count.letters.index(one.value)])
        end, form = (same.end, "both") if same else (one.end, one.form)
        kept.append(Mention(value, one.start, end, form))
    return kept, found


_NEAR = 4
_THERE = roles("fill is conclude has")


def _none(text: Text, word: Word) -> bool:
    """Whether a word that opens a sentence says that there is nothing to count: "There are no spins"."""
    start = text.sentences[text.sentence(word.start)].start
    behind = text.text[word.end : word.end + 2]
    if "none" not in word.roles or "no" not in word.roles or behind[:1] != " " or not behind[1:].isalpha():
        return False
    before, place = "", start
    for other in text.within(start, word.start):
        before, place = (
            before + text.text[place : other.start] + ("" if other.roles & _THERE else "x"),
            other.end,
        )
    return is_empty(before + text.text[place : word.start])


_LISTED = lazy(r"[\s#:]{0,2}\d{1,3}(?:\s?(?:,|-|–|&|/|to|and|,\s?and|bis|und|et|y|至|到|和)\s?\d{1,3})*")


def _pictures(text: Text) -> list[tuple[int, int]]:
    """Returns where numbers stand that belong to pictures: "frames 2, 6 and 9"."""
    heads = (_LISTED.match(text.text, word.end) for word in text.words if word.roles & {"image", "step"})
    return [head.span() for head in heads if head]


def _is_pronoun(text: Text, word: Word) -> bool:
    """Whether "one" stands for a thing: "the last one"."""
    before = text.within(max(0, word.start - 12), word.start)
    return (
        "one" in word.roles
        and bool(before)
        and before[-1].end == word.start - 1
        and bool(before[-1].roles & _DETERMINES)
    )


def _measures(text: Text, one: Mention) -> bool:
    """Whether a number measures time, numbers something, or is a part: "in 4 of the 16 frames"."""
    after = next(iter(text.within(one.end, one.end + 12)), None)
    if after and after.start <= one.end + 1 and (_unit(after) or _is_part(text, after)):
        return True
    before = text.within(max(0, one.start - 16), one.start)
    near = bool(before) and not text.text[before[-1].end : one.start].strip(" #:.(-–")
    if near and before[-1].roles & {"image", "step"}:
        return True
    begins = text.text[one.start : one.end].isdigit() and text.text[: one.start].rstrip(" ")[-1:] in (
        "",
        "\n",
    )
    return begins and text.text[one.end : one.end + 2] in (". ", ") ") and one.end + 2 < len(text.text)


def _unit(word: Word) -> bool:
    return any(role.startswith("unit.") for role in word.roles)


def _is_part(text: Text, word: Word) -> bool:
    behind = text.text[word.end : word.end + 8]
    return "total" in word.roles and any(map(str.isdigit, behind))


def _without_tally(found: list[Mention]) -> list[Mention]:
    """Returns numbers without a tally: of "1, 2, 3, 4" only the last counts."""
    kept = list(found)
    for i in range(len(found) - 2):
        if [one.value - found[i].value for one in found[i : i + 3]] == [0, 1, 2] and found[i].value <= 1:
            end = i
            while end + 1 < len(found) and found[end + 1].value == found[end].value + 1:
                end += 1
            kept = [one for one in found if one not in found[i:end]]
            break
    return kept
