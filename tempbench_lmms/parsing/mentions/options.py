"""Finds lettered options: by letter, by their own text, by their place; and counts, numbers with letters."""

import re
from functools import lru_cache
from itertools import pairwise

from tempbench_lmms.parsing.expected import Choice, Count, Item
from tempbench_lmms.parsing.lexicon import UNSPACED, Word, roles
from tempbench_lmms.parsing.mentions import Mention, apart, as_list, numbers, orders, relations, truth, words
from tempbench_lmms.parsing.tokens import Text, is_entry

_LETTER = re.compile(r"(?<![^\W_])(?<![^\W_]['.-])(?<![^\W_A-H]/)([A-H])(?![^\W_]|['-][^\W_]|\+\+)", re.ASCII)
_BEHIND_NOUN = re.compile(r"\s{0,2}(?:is\s|no\.?\s?|#)?[:\s(\[\"'#]{0,4}([A-Ha-h])(?![^\W_]|'[^\W_]|\.\w)")
# "A man", "A, B": an article is followed by a word that is no verb or sign of an answer.
_ARTICLE = re.compile(r"\s+[a-zß-ÿ]")
_INSIDE = re.compile(r"[a-z],? $")
_VERBS = roles(
    "is right wrong deny and or because turn hedge likely conclude suppose back choose before after refuse"
    " early late long short first last tells quotes needs"
)
_NOUNS, _OTHERS = roles("option answer choose"), roles("image step video")
_NAMES = _NOUNS | _OTHERS
# "A to F", "A/B/C": all options, and no choice.
_RANGE = re.compile(
    r"\(?\b[A-H]\)?(?:(?:\s?[/|]\s?\(?[A-H]\)?){2,}"
    r"|\s(?:to|through|bis|à|至|到)\s(?:option\s)?\(?[C-H]\b\)?|\s?[-–]\s?[C-H]\b)"
)
_NUMBER = re.compile(r"\s?#?(\d)(?!\d|[.:]\d|%|[^\W_])")
# A small letter that a sign, a number or the end follows; it is no word there, but "a" may be.
_SMALL = re.compile(
    r"(?<![^\W_\u2e80-\uffff])(?<![^\W_]['/.-])(a(?! |$)|[b-h])"
    r"(?=[ )\]\"']*(?:\s*$|\s*[,;:(\n–—。、，]|\.(?!\w)|\s-\s|\s[\[(\d]|[\u2e80-\uffff])|\)\s)"
)

_LEAD = roles("is answer option choose conclude likely switch final back")


def letters(text: Text, choice: Choice) -> list[Mention]:
    """Returns the letters of options in a text."""
    found: list[Mention] = []
    taken = {place for one in _RANGE.finditer(text.text) for place in range(*one.span())}
    for word in (word for word in text.words if word.roles & _NAMES):
        found += _numbered(text, word, choice)
        behind = _BEHIND_NOUN.match(text.text, word.end)
        if behind and behind.start(1) not in taken:
            found += _labelled(text, word, behind, choice, taken)
    alone = [one for one in _LETTER.finditer(text.text) if not _is_article(text, one)]
    small = text.text.islower()
    below = _SMALL.finditer(text.text) if not _shown(choice.texts) else ()
    alone += [one for one in below if _is_said(text, one.start()) or (one[1] != "a" and small)]
    named = (one for one in alone if one.start() not in taken and one[1].upper() in choice.letters)
    return apart([*found, *(Mention(one[1].upper(), *one.span(), "letter") for one in named)])


def _labelled(
    text: Text, word: Word, behind: re.Match[str], choice: Choice, taken: set[int]
) -> list[Mention]:
    """Returns the option that a noun and a letter name; such a letter has no other meaning."""
    said, letter, end = text.text[word.start : word.end].lower(), behind[1], behind.end()
    option = "option" in word.roles
    noun = option or bool(word.roles & _NOUNS)
    linked = "is" in behind.group()  # "the speed of the video is C"
    colon = ":" in behind.group() and text.text[end : end + 2].strip() in ("", ".")
    if said in _shown(choice.texts) or (not colon and not noun and not linked and word.roles & _OTHERS):
        taken.add(behind.start(1))
        return []
    small = letter.islower() and (linked or not option) and not text.ends(end)  # "the sentence is a ..."
    if not noun or small or letter.upper() not in choice.letters:
        return []
    taken.add(behind.start(1))
    return [Mention(letter.upper(), word.start if option else behind.start(1), end, "label")]


def _is_said(text: Text, start: int) -> bool:
    """Returns whether a place begins a sentence, or follows a word that announces an answer."""
    lead = text.before(start, 4)
    begins = not text.text[text.around(start).start : start].strip(" \"'(")
    return begins or bool(lead and lead.roles & _LEAD)


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
    inside = number and number <= len(choice.letters)
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


_PAIR = 2
_LEADS_IN = re.compile(r"[ .):,(\]\"'–—-]{1,4}(?:(?:the|it is|it's) )?$")
_IN_BRACKETS = re.compile(r"[\"'.]{0,2} \((?:option )?(?=[A-H]\))")
_WORD = re.compile(rf"[{UNSPACED}]|[^\W_{UNSPACED}]+")
_BETWEEN, _COMPOUND = re.compile(r"[^\w\n]{0,3}"), re.compile(r"\w-$")


@lru_cache(maxsize=512)
def _placed(texts: tuple[str, ...]) -> bool:
    found = (numbers.places(text, 12, roles("image option")) for text in map(words.shown, texts))
    return bool(texts) and "," not in "".join(texts) and all(len(one) == 1 for one in found)


@lru_cache(maxsize=512)
def _ways(choice: Choice) -> dict[str, list[tuple[list[str], str]]]:
    """Returns the words of the options' texts with their letters, the longest first, by the first word."""
    ways = [*zip(choice.texts, choice.letters, strict=False)]
    heads = [text.partition(",")[0] for text, _ in ways]
    if len({*heads}) == len(ways) and all("," in said for said, _ in ways):
        ways += [(head, one) for head, (_, one) in zip(heads, ways, strict=True)]
    found: dict[str, list[tuple[list[str], str]]] = {}
    for text, letter in sorted(ways, key=lambda way: -len(way[0])):
        words_ = _WORD.findall(text.lower())
        if len("".join(words_)) > 1:
            found.setdefault(words_[0], []).append((words_, letter))
    return found


def texts(text: Text, choice: Choice) -> list[Mention]:
    """Returns the places of the options' own texts."""
    ways, place, found = _ways(choice), 0, list[Mention]()
    if not any(head in text.low for head in ways):
        return found
    units = [*_WORD.finditer(text.low)]
    said = [unit.group() for unit in units]
    for i in (i for i, word in enumerate(said) if word in ways):
        unit = units[i]
        for words_, letter in ways[said[i]] if i >= place else ():
            whole = units[i : i + len(words_)]
            gaps = (text.text[a.end() : b.start()] for a, b in pairwise(whole))
            if said[i : i + len(words_)] == words_ and all(map(_BETWEEN.fullmatch, gaps)):
                if not _COMPOUND.search(text.text, max(0, unit.start() - 2), unit.start()):
                    found.append(Mention(letter, unit.start(), whole[-1].end(), "text"))
                    place = i + len(words_)
                break
    return found


def two(text: Text, noun: str) -> list[tuple[int, int, str]]:
    """Returns where the first and the second of two images, or of two pairs, are named."""
    found = [
        (one.start, one.end, "AB"[one.value - 1])
        for one in numbers.items(text, Item(_PAIR))
        if text.has(noun, one.start, one.end)
    ]
    for word in text.words:
        place, number = numbers.place(word.roles, _PAIR), word.number
        before = next(reversed(text.within(max(0, word.start - 12), word.start)), None)
        if before is None or (place or number) not in (1, 2):
            continue
        counted = text.text[before.start : before.end].lower() == "number"
        if (place if "article" in before.roles else counted) and all(
            word.end <= start or word.start >= end for start, end, _ in found
        ):
            found.append((word.start, word.end, "AB"[(place or number or 1) - 1]))
    return sorted(found)


def find(text: Text, choice: Choice) -> list[Mention]:
    """Returns all places that name an option; a letter with its text is one mention."""
    row, truths = len(choice.letters), is_truth(choice)
    named, kept = _joined(text, letters(text, choice), _told(text, choice, truths))
    named = as_list(named, min(3, row))
    if choice.asks == "first before second" and (order := relations.compared(text, two(text, "image"))):
        letter = {"before": choice.letters[0], "after": choice.letters[1]}
        return apart([*named, *(one._replace(value=letter[one.value]) for one in order)])
    ordered = dict(zip(orders_of(choice.texts), choice.letters, strict=False))
    if truths:
        kept = _elsewhere(text, kept, named)
    elif ordered:
        whole = [one for one in orders.find(text, tuple(sorted(next(iter(ordered))))) if one.value in ordered]
        kept = [one._replace(value=ordered[one.value], form="text") for one in whole]
    else:
        kept += _by_sense(text, choice, named)
    if _placed(choice.texts):
        found = numbers.items(text, Item(row))
    else:  # "The drum is the first": where an option is named, a rank says something of it
        option = roles("option answer")
        ranked = numbers.places(text, row, option)
        found = [one for one in ranked if one.form == "label"]  # "the last two"
        ranked = _elsewhere(text, [one for one in ranked if one.form == "place"], kept)
        found += [o for o in ranked if not ordered or text.has(option, *o[1:3]) or _is_all(text, o)]
    return apart([*named, *kept, *(one._replace(value=choice.letters[one.value - 1]) for one in found)])


def _is_all(text: Text, one: Mention) -> bool:
    """Returns whether a text says nothing besides a mention."""
    return text.filled(0, one.start, "fill option") and text.filled(one.end, len(text.text), "fill is")


def _by_sense(text: Text, choice: Choice, named: list[Mention]) -> list[Mention]:
    """Returns the places that mean an option: an amount of time, a slot in a row, other words for it."""
    shown = choice.texts[: len(choice.letters)]
    if ranges := words.ranges(shown):
        return _elsewhere(text, words.amounted(text, ranges, choice.letters), named)
    if named or not shown or words.movements(shown) is not None:
        return []
    ranges_ = [Mention("", *one.span(), "") for one in _RANGE.finditer(text.text)]
    return _apart_from(words.find(text, shown, choice.letters), [*texts(text, choice), *ranges_])


def _told(text: Text, choice: Choice, truths: bool) -> list[Mention]:
    if truths:
        shown = zip(choice.texts, choice.letters, strict=False)
        letter = {said.lower().strip(" ."): one for said, one in shown}
        return [one._replace(value=letter[str(one.value).lower()]) for one in truth.find(text)]
    said, moves = texts(text, choice), not words.MOTION.isdisjoint(text.roles)
    rows = words.movements(choice.texts[: len(choice.letters)]) if moves else None
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
    taken = {text.sentence(one.start) for one in others}
    return [one for one in found if text.sentence(one.start) not in taken]


@lru_cache(maxsize=64)
def is_truth(choice: Choice) -> bool:
    """Returns whether the options are True and False."""
    return {text.lower().strip(" .") for text in choice.texts} == {"true", "false"}


_ANY = re.compile(
    r"(?<![A-Za-z\d_])(?<!\d[.:/-])(?<![-/#])(\d{1,4})"
    r"(?![\d/%]|:\d|[-–]\d|(?!x(?:$|[.,;!\n]))[A-Za-z]|\.\d|,\d{3}|(?:st|nd|rd|th)\b)"
)
_ROW = re.compile(r"[\s#:]{0,2}\d{1,3}(?:\s?(?:,|-|–|&|/|to|and|,\s?and|bis|und|et|y|至|到|和)\s?\d{1,3})*")
_NEAR, _FAR = 4, 60


def counts(text: Text, count: Count) -> list[Mention]:
    """Returns the places that name a number, by itself or by the letter of its option."""
    values = dict(zip(map(numbers.value_of, count.texts), count.letters, strict=False))
    found = _numbers(text)
    placed = numbers.places(text, len(count.letters), roles("option"))
    placed = [one for one in placed if text.has("option", one.start, one.end)]
    placed = [one._replace(value=count.letters[one.value - 1]) for one in placed]
    named = []
    for one in apart([*letters(text, Choice(count.letters, count.texts)), *placed]):
        same = next((n for n in found if 0 < n.start - one.end <= _NEAR), None)
        value = one.value, numbers.value_of(count.texts[count.letters.index(one.value)])
        end, form = (same.end, "both") if same else (one.end, one.form)
        named.append(Mention(value, one.start, end, form))
    found += [Mention(0, word.start, word.end, "number") for word in text.words if _none(text, word)]
    if not found and not named and not any(word.ordinal for word in text.words):
        none = [w for w in text.words if w.roles & {"none", "deny"}]
        found = [Mention(0, word.start, word.end, "number") for word in none[:1] if "none" in word.roles]
    numbered = [Mention((values.get(one.value), one.value), one.start, one.end, one.form) for one in found]
    return apart([*as_list(named, len(count.letters)), *numbered])


def _numbers(text: Text) -> list[Mention]:
    found = [Mention(int(one[1]), *one.span(), "number") for one in _ANY.finditer(text.text)]
    for word in text.words:
        if (number := word.number) is not None and word.ordinal is None:
            found.append(Mention(number, word.start, word.end, "number"))
    found = [one for one in found if not _is_ranked(text, one)]
    heads = (_ROW.match(text.text, word.end) for word in text.words if word.roles & {"image", "step"})
    pictured = [head.span() for head in heads if head]  # "frames 2, 6 and 9"
    counted = [one for one in apart(found) if not _measures(text, one)]
    return [one for one in counted if not any(start <= one.start < end for start, end in pictured)]


def _is_ranked(text: Text, one: Mention) -> bool:
    """Returns whether a number only says which: "the last one", "the first 2 knocks"."""
    lead = text.before(one.start, 1)
    ranks = lead and (lead.ordinal or lead.roles & roles("first last other article"))
    article = lead and text.has("article", lead.start - 4, lead.start)
    return bool(ranks and (article or text.has("one", one.start, one.end)))


def _none(text: Text, word: Word) -> bool:
    """Returns whether the first word of a sentence says that there is nothing to count: "No spins"."""
    start = text.around(word.start).start
    if not word.roles >= roles("none no") or word.start - start > _FAR:
        return False
    behind, after = text.text[word.end : word.end + 2], text.after(word.end, 1)  # not "no fourth spin"
    opens = text.filled(start, word.start, "fill is conclude has")
    return opens and behind[:1] == " " and behind[1:].isalpha() and not (after and after.ordinal)


def _measures(text: Text, one: Mention) -> bool:
    after = text.after(one.end, 1)
    if after and any(role.startswith("unit.") for role in after.roles):
        return True
    begins = text.text[one.start : one.end].isdigit() and text.text[: one.start].rstrip(" ")[-1:] in "\n"
    begins = begins and is_entry(text.text[one.start : one.end], text.text)
    return begins and text.text[one.end : one.end + 2] in (". ", ") ")
