"""Finds lettered options: by letter, by their own text, by their place."""

import re
from functools import lru_cache

from tempbench_lmms.parsing.expected import Choice, Item
from tempbench_lmms.parsing.lexicon import roles
from tempbench_lmms.parsing.mention import Mention, apart, as_list
from tempbench_lmms.parsing.mentions import durations, numbers, orders, places, relations, truth, words
from tempbench_lmms.parsing.mentions.letters import letters, orders_of
from tempbench_lmms.parsing.tokens import Text

_PAIR = 2
_LISTED = 3
_LEADS_IN = re.compile(r"[ .):,(\]\"'–—-]{1,4}(?:(?:the|it is|it's) )?$")
_IN_BRACKETS = re.compile(r"[\"'.]{0,2} \((?:option )?(?=[A-H]\))")
_BETWEEN = r"[^\w\n]{1,3}"


@lru_cache(maxsize=512)
def _placed(texts: tuple[str, ...]) -> bool:
    """Returns whether each option is only a place: "the first image"."""
    found = [places.find(Text(text, spans=False), 12, roles("image option")) for text in texts]
    return bool(texts) and all(len(one) == 1 for one in found) and "," not in "".join(texts)


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+(?:'[^\W_]+)*", text.lower().replace("’", "'"))


@lru_cache(maxsize=512)
def _pattern(choice: Choice) -> tuple[re.Pattern[str], list[str]] | None:
    """Returns a pattern for the options' texts, the longest first, and the letter of each of its groups."""
    ways = [
        way for way in zip(choice.texts, choice.letters, strict=False) if len("".join(_words(way[0]))) > 1
    ]
    ways.sort(key=lambda way: -len(way[0]))
    said = "|".join(f"({_BETWEEN.join(map(re.escape, _words(text)))})" for text, _ in ways)
    return (
        (re.compile(rf"(?<![^\W_])(?<!\w-)(?:{said})(?![^\W_])", re.IGNORECASE), [one for _, one in ways])
        if ways
        else None
    )


def texts(text: Text, choice: Choice) -> list[Mention]:
    """Returns the places of the options' own texts."""
    if (known := _pattern(choice)) is None:
        return []
    pattern, named = known
    return [
        Mention(named[(one.lastindex or 1) - 1], *one.span(), "text") for one in pattern.finditer(text.text)
    ]


def images(text: Text) -> list[tuple[int, int, str]]:
    """Returns where the first and the second image are named."""
    image = roles("image")
    found = [
        (one.start, one.end, "AB"[one.value - 1])
        for one in numbers.items(text, Item(_PAIR))
        if text.has(image, one.start, one.end)
    ]
    for word in text.words:
        place, number = places.place(word.roles, _PAIR), word.number
        before = next(reversed(text.within(max(0, word.start - 12), word.start)), None)
        if before is None or (place or number) not in (1, 2):
            continue
        noun = text.text[before.start : before.end].lower() == "number"
        named = place if "article" in before.roles else noun
        if named and all(word.end <= start or word.start >= end for start, end, _ in found):
            found.append((word.start, word.end, "AB"[(place or number or 1) - 1]))
    return sorted(found)


def find(text: Text, choice: Choice) -> list[Mention]:
    """Returns all places that name an option; a letter with its text is one mention."""
    row, truths = len(choice.letters), is_truth(choice)
    named, kept = _joined(text, letters(text, choice), _told(text, choice, truths))
    named = as_list(named, min(_LISTED, row))
    if choice.asks == "first before second" and (order := relations.compared(text, images(text))):
        letter = {"before": choice.letters[0], "after": choice.letters[1]}
        return apart([*named, *(one._replace(value=letter[one.value]) for one in order)])
    placed = _placed(choice.texts)
    ordered = dict(zip(orders_of(choice.texts), choice.letters, strict=False))
    if truths:
        kept = _elsewhere(text, kept, named)
    elif ordered:
        whole = [one for one in orders.find(text, tuple(sorted(next(iter(ordered))))) if one.value in ordered]
        kept = [one._replace(value=ordered[one.value], form="text") for one in whole]
        named = _apart_from(named, whole)
    else:
        kept += _by_sense(text, choice, named)
    if placed:
        found = numbers.items(text, Item(row))
    else:  # "The drum is the first": where an option is named, a rank says something of it
        option = roles("option answer")
        found = _elsewhere(text, places.find(text, row, option), kept)
        found = [one for one in found if not ordered or text.has(option, one.start, one.end)]
    return apart([*named, *kept, *(one._replace(value=choice.letters[one.value - 1]) for one in found)])


def _by_sense(text: Text, choice: Choice, named: list[Mention]) -> list[Mention]:
    """Returns the places that mean an option: an amount of time, a slot in a row, other words for it."""
    shown = choice.texts[: len(choice.letters)]
    if ranges := durations.ranges(shown):
        return _elsewhere(text, durations.find(text, ranges, choice.letters), named)
    if named or not shown or words.movements(shown) is not None:
        return []
    return _apart_from(words.find(text, shown, choice.letters), texts(text, choice))


def _told(text: Text, choice: Choice, truths: bool) -> list[Mention]:
    """Returns the places that give an option's own text, and movements and truth in any words."""
    if truths:
        letter = {
            said.lower().strip(" ."): one for said, one in zip(choice.texts, choice.letters, strict=False)
        }
        return [one._replace(value=letter[str(one.value).lower()]) for one in truth.find(text)]
    said = texts(text, choice)
    rows = words.movements(choice.texts[: len(choice.letters)])
    if rows is None:
        return said
    # "left" means less than the row of directions in its sentence.
    whole = [one for one in said if choice.letters.index(one.value) in rows]
    return [*whole, *_apart_from(words.find(text, choice.texts, choice.letters), whole)]


def _joined(text: Text, named: list[Mention], said: list[Mention]) -> tuple[list[Mention], list[Mention]]:
    """Returns letters with the texts beside them, and the texts without a letter."""
    heads, starts = {one.end: one for one in named}, {one.start: one for one in named}
    kept = []
    for one in said:
        between = _LEADS_IN.search(text.text[max(0, one.start - 12) : one.start])
        before = heads.get(one.start - len(between.group())) if between else None
        behind = _IN_BRACKETS.match(text.text, one.end)
        follows = starts.get(behind.end()) if behind else None
        if follows in named and follows.value == one.value:
            named[named.index(follows)] = follows._replace(start=one.start, form="both")
        elif before not in named:
            kept.append(one)
        else:
            named[named.index(before)] = before._replace(end=one.end, form="both")
    return named, kept


def _apart_from(found: list[Mention], others: list[Mention]) -> list[Mention]:
    return [one for one in found if all(one.end <= other.start or one.start >= other.end for other in others)]


def _elsewhere(text: Text, found: list[Mention], others: list[Mention]) -> list[Mention]:
    """Returns mentions in sentences without any of some other mentions."""
    taken = {text.sentence(one.start) for one in others}
    return [one for one in found if text.sentence(one.start) not in taken]


@lru_cache(maxsize=64)
def is_truth(choice: Choice) -> bool:
    """Returns whether the options are True and False."""
    return {text.lower().strip(" .") for text in choice.texts} == {"true", "false"}
