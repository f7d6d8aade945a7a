"""Finds the numbers of images, and numbers at all."""

import re

from tempbench_lmms.parsing.expected import Choice, Count, Item
from tempbench_lmms.parsing.lexicon import Word
from tempbench_lmms.parsing.mention import Mention, apart, as_list
from tempbench_lmms.parsing.mentions import places
from tempbench_lmms.parsing.patterns import lazy
from tempbench_lmms.parsing.tokens import Text

_DIGITS = lazy(
    r"(?<![A-Za-z\d_])(?<!\d[.:/-])(?<![-/])#?(\d{1,4})(?![\d/%]|:\d|[^\W\d_\u2e80-\uffff]|\.\d|,\d{3})"
)
_BEHIND = lazy(
    r"\s{0,2}(?:is\s|ist\s|est\s|es\s|è\s|は|が|是|为|no\.?\s?|n[°º]\s?|number\s|#|_)?[:\s(\[\"'#]{0,4}(\d{1,2})(?![\d%]|:\d|\.\d|[^\W\d_\u2e80-\uffff])"
)
_MORE = lazy(
    r"[\s,&]{1,3}(?:[^\W\d_]{1,4}\s)?(?:#|[^\W\d_]{5,9}\s)?(\d{1,2})(?![\d%]|:\d|\.\d|[^\W\d_\u2e80-\uffff])"
)
_JOINED = lazy(r"\s?(?:,|and|und|et|y|&)\s?\d")
_JOINS = lazy(r"\d\s?(?:,|and|und|et|y|&)\s?$")
_SIGN = lazy(r"\s*[^\s\w]|\s*$|\s*\n|\s+\d")
_AFTER = frozenset(
    (
        "is",
        "right",
        "wrong",
        "because",
        "deny",
        "and",
        "or",
        "turn",
        "conclude",
        "likely",
        "hedge",
        "suppose",
        "back",
        "to",
        "all",
        "courtesy",
    )
)


def value_of(text: str) -> int | None:
    """Returns the number that an option's text is; None for any other text."""
    found = re.fullmatch(r"\s*(-?\d{1,6})\s*\.?\s*", text)
    return int(found[1]) if found else None


def _listed(text: Text, start: int, first: re.Match[str]) -> list[Mention]:
    """Returns the numbers behind a noun: "images 1, 4 and 6" names three."""
    found = [Mention(int(first[1]), start, first.end(), "label")]
    end = first.end()
    while following := _MORE.match(text.text, end):
        joins = text.within(end, following.start(1))
        if (
            "," not in following.group()
            and "&" not in following.group()
            and not (joins and joins[0].roles & {"and", "or"})
        ):
            break
        found.append(Mention(int(following[1]), following.start(1), following.end(), "label"))
        end = following.end()
    return found


def items(text: Text, item: Item) -> list[Mention]:
    """Returns the places that name one of some numbered images."""
    found: list[Mention] = []
    for word in text.words:
        if word.roles & {"image", "option", "answer"}:
            behind = _BEHIND.match(text.text, word.end)
            if behind and word.roles & {"image", "option"}:
                found += _listed(text, word.start, behind)
                continue
            after = text.within(word.end, word.end + 16)
            if after and after[0].start <= word.end + 1 and "image" in word.roles:
                number = places.ordinal(after[0].roles, "number.")
                if number is not None:
                    found.append(Mention(number, word.start, after[0].end, "label"))
        number = places.ordinal(word.roles, "number.")
        if (
            number is not None
            and number > 1
            and (text.ends(word.end) or _SIGN.match(text.text, word.end))
            and "image" not in word.roles
        ):
            before = text.within(max(0, word.start - 20), word.start)
            if (
                not before
                or before[-1].end < word.start - 1
                or before[-1].roles & {"answer", "is", "choose", "conclude", "fill", "image"}
            ):
                found.append(Mention(number, word.start, word.end, "number"))
    for one in _DIGITS.finditer(text.text):
        lead = text.within(max(0, one.start() - 8), one.start())
        if lead and "total" in lead[-1].roles and lead[-1].end == one.start() - 1:
            continue
        unit = next(iter(text.within(one.end(), one.end() + 30)), None)
        joined = _JOINED.match(text.text, one.end()) or _JOINS.search(
            text.text, max(0, one.start() - 8), one.start()
        )
        if joined and found and abs(found[-1].end - one.start()) < 8:
            found.append(Mention(int(one[1]), one.start(), one.end(), "number"))
        elif unit and unit.start == one.end() and "counter" in unit.roles:
            found.append(Mention(int(one[1]), one.start(), unit.end, "place"))
        elif _ends(text, one) or (unit and unit.start in (one.end(), one.end() + 1) and unit.roles & _AFTER):
            found.append(Mention(int(one[1]), one.start(), one.end(), "number"))
    found += places.find(text, item.upper, frozenset(("image",)))
    return [one for one in apart(found) if 0 < one.value <= item.upper]


def _ends(text: Text, one: re.Match[str]) -> bool:
    """Whether a sign or the end of the sentence follows a number."""
    return text.sentences[text.sentence(one.start())].end <= one.end() + 1 or bool(
        _SIGN.match(text.text, one.end())
    )


_ANY = lazy(
    r"(?<![A-Za-z\d_])(?<!\d[.:/-])(?<![-/#])(\d{1,4})(?![\d/%]|:\d|[A-Za-z]|\.\d|,\d{3}|(?:st|nd|rd|th)\b)"
)
_UNITS = ("unit.", "number.", "ordinal.")


_DETERMINES = frozenset(("first", "last", "other", "article", "ordinal.1", "ordinal.2", "ordinal.3"))


def counts(text: Text, count: Count) -> list[Mention]:
    """Returns the places that name a number, by itself or by the letter of its option."""
    values = {value_of(said): letter for letter, said in zip(count.letters, count.texts, strict=False)}
    from tempbench_lmms.parsing.mentions.options import letters

    named = letters(text, Choice(count.letters, count.texts))
    numbers = [Mention(int(one[1]), one.start(), one.end(), "number") for one in _ANY.finditer(text.text)]
    for word in text.words:
        number = places.ordinal(word.roles, "number.")
        if (
            number is not None
            and (number != 1 or word.end - word.start > 1)
            and "ordinal." not in str(word.roles)
            and not ("one" in word.roles and _is_pronoun(text, word))
        ):
            numbers.append(Mention(number, word.start, word.end, "number"))
    pictured = _pictures(text)
    found = [
        one
        for one in apart(numbers)
        if not _measures(text, one) and not any(start <= one.start < end for start, end in pictured)
    ]
    found = _without_tally(found)
    kept: list[Mention] = []
    row = places.find(text, len(count.letters), frozenset(("option",)))
    named = apart(
        [
            *named,
            *(
                one._replace(value=count.letters[one.value - 1])
                for one in row
                if text.has(frozenset(("option",)), one.start, one.end)
            ),
        ]
    )
    for one in named:
        same = next(
            (
                n
                for n in found
                if 0 < n.start - one.end <= 4 and not text.text[one.end : n.start].strip(" .:()[],-–=\"'")
            ),
            None,
        )
        if same is not None:
            found.remove(same)
        end = same.end if same else one.end
        kept.append(
            Mention(
                (one.value, value_of(count.texts[count.letters.index(one.value)])),
                one.start,
                end,
                "both" if same else one.form,
            )
        )
    found += [Mention(0, word.start, word.end, "number") for word in text.words if _none(text, word)]
    if not found and not named:
        none = [w for w in text.words if w.roles & {"none", "deny"} and "is" not in w.roles]
        found = [Mention(0, word.start, word.end, "number") for word in none[:1] if "none" in word.roles]
    kept = as_list(kept, len(count.letters))
    kept += [Mention((values.get(one.value), one.value), one.start, one.end, one.form) for one in found]
    return apart(kept)


_THERE = frozenset(("fill", "is", "conclude", "has"))


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
    return not any(sign.isalnum() for sign in before + text.text[place : word.start])


_LISTED = lazy(r"[\s#:]{0,2}\d{1,3}(?:\s?(?:,|-|–|&|/|to|and|,\s?and|bis|und|et|y|至|到|和)\s?\d{1,3})*")


def _pictures(text: Text) -> list[tuple[int, int]]:
    """Returns where numbers stand that belong to pictures: "frames 2, 6 and 9"."""
    heads = (_LISTED.match(text.text, word.end) for word in text.words if word.roles & {"image", "step"})
    return [head.span() for head in heads if head]


def _is_pronoun(text: Text, word: Word) -> bool:
    """Whether "one" stands for a thing: "the last one"."""
    before = text.within(max(0, word.start - 12), word.start)
    return bool(before) and before[-1].end == word.start - 1 and bool(before[-1].roles & _DETERMINES)


def _measures(text: Text, one: Mention) -> bool:
    """Whether a number measures time, numbers a picture or an entry, or is a part: "in 4 of the 16 frames"."""
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
