"""Finds lettered options: by letter, by their own text, by their place."""

import re
from functools import lru_cache
from itertools import pairwise

from tempbench_lmms.parsing.expected import Choice, Item
from tempbench_lmms.parsing.lexicon import Word
from tempbench_lmms.parsing.mention import Mention, apart
from tempbench_lmms.parsing.mentions import durations, numbers, orders, places, relations, truth, words
from tempbench_lmms.parsing.patterns import lazy
from tempbench_lmms.parsing.tokens import Text

_LETTER = lazy(r"(?<![^\W_])(?<![^\W_]['/.-])([A-H])(?![^\W_]|['-][^\W_])", re.ASCII)
_BRACKETED = lazy(r"[(\[\"']([a-h])[)\]\"']|(?:^|(?<=\n))([a-h])(?:[).](?=\s)|(?=,\s\d|\s*\n|$))")
_BEHIND_NOUN = lazy(r"\s{0,2}(?:is\s|no\.?\s?|#)?[:\s(\[\"'#]{0,4}([A-Ha-h])(?![^\W_]|'[^\W_]|\.\w)")
# "A man", "A, B": an article is followed by a word that is no verb or sign of an answer.
_ARTICLE = lazy(r"\s+[a-zß-ÿ]")
_INSIDE = lazy(r"[a-z],? $")
_VERBS = frozenset(
    (
        "is",
        "right",
        "wrong",
        "deny",
        "and",
        "or",
        "because",
        "turn",
        "hedge",
        "likely",
        "conclude",
        "suppose",
        "back",
        "choose",
        "before",
        "after",
        "refuse",
        "early",
        "late",
        "long",
        "short",
        "first",
        "last",
    )
)
_NOUNS = frozenset(("option", "answer", "choose"))
# "A to F", "A/B/C": all options, and no choice.
_RANGE = lazy(
    r"\(?\b[A-H]\)?(?:(?:\s?[/|]\s?\(?[A-H]\)?){2,}"
    r"|\s(?:to|through|bis|à|至|到)\s(?:option\s)?\(?[C-H]\b\)?|\s?[-–]\s?[C-H]\b)"
)
_OTHERS = frozenset(("image", "step", "video"))
_NUMBER = lazy(r"\s?#?(\d)(?![\d.:%]|[^\W_])")
_SHORTEST_TEXT = 2
_PAIR = 2
_LEADS_IN = lazy(r"[ .):,(\]\"'–—-]{1,4}(?:(?:the|it is|it's) )?$")
_IN_BRACKETS = lazy(r"[\"'.]{0,2} \((?:option )?(?=[A-H]\))")
_BETWEEN = r"[^\w\n]{1,3}"


def letters(text: Text, choice: Choice) -> list[Mention]:
    """Returns the letters of options in a text."""
    found = []
    nouns: set[int] = set()
    others: set[int] = set()
    for one in _RANGE.finditer(text.text):
        others.update(range(*one.span()))
    shown = _shown(choice.texts)
    for word in text.words:
        following = _BEHIND_NOUN.match(text.text, word.end)
        found += _numbered(text, word, choice)
        if following is None:
            continue
        named = choice.noun and text.text[word.start : word.end].lower().rstrip("s") == choice.noun
        said = text.text[word.start : word.end].lower()
        if following.start(1) in others:
            continue
        colon = ":" in text.text[word.end : following.start(1)] and text.text[following.end() :][
            :2
        ].strip() in ("", ".")
        if said in shown or (not colon and word.roles & _OTHERS and not word.roles & _NOUNS and not named):
            others.add(following.start(1))
        elif word.roles & _NOUNS or named:
            lower = following[1].islower()
            if lower and (
                following[1] == "a" and following.end() < len(text.text) and text.text[following.end()] == " "
            ):
                continue
            ends = text.text[following.end() :].strip(" .") == ""
            if following[1].upper() in choice.letters and (
                "option" in word.roles or not lower or named or ends
            ):
                nouns.add(following.start(1))
                start = word.start if "option" in word.roles or named else following.start(1)
                found.append(Mention(following[1].upper(), start, following.end(), "label"))
    for one in _LETTER.finditer(text.text):
        if one[1] not in choice.letters or one.start() in nouns or one.start() in others:
            continue
        if (
            one[1] == "A"
            and _ARTICLE.match(text.text, one.end())
            and not _INSIDE.search(text.text, 0, one.start())
        ):
            after = next(iter(text.within(one.end(), one.end() + 24)), None)
            if after is None or after.start > one.end() + 1 or not after.roles & _VERBS:
                continue
        found.append(Mention(one[1], one.start(), one.end(), "letter"))
    for one in _BRACKETED.finditer(text.text):
        value = (one[1] or one[2]).upper()
        if value in choice.letters and one.start(1 if one[1] else 2) not in nouns | others:
            found.append(Mention(value, one.start(), one.end(), "letter"))
    return apart(found)


def _numbered(text: Text, word: Word, choice: Choice) -> list[Mention]:
    """Returns an option that a noun and a number name: "option 2", "caption two"."""
    said = text.text[word.start : word.end].lower()
    if "option" not in word.roles and said != choice.noun:
        return []
    digit = (
        _NUMBER.match(text.text, word.end) if "option" in word.roles and not _digits(choice.texts) else None
    )
    after = next(iter(text.within(word.end, word.end + 8)), None)
    number, end = (int(digit[1]), digit.end()) if digit else (None, word.end)
    if digit is None and after and after.start == word.end + 1 and not said.endswith("s"):
        number, end = places.ordinal(after.roles, "number."), after.end
    if number is None or not 0 < number <= len(choice.letters):
        return []
    return [Mention(choice.letters[number - 1], word.start, end, "label")]


_LESS = lazy(r"\bless\b")


def _compared(text: Text, found: list[Mention]) -> list[Mention]:
    """Returns mentions, and of two that are compared one: "B is less likely than A" names A."""
    kept: list[Mention] = []
    for one in found:
        last = kept[-1] if kept else None
        words_ = text.within(last.end, one.start) if last and last.value != one.value else []
        joins = [w for w in words_ if "than" in w.roles]
        if (
            last is None
            or not joins
            or text.text[last.end : one.start].strip(" )").startswith((",", ".", "("))
        ):
            kept.append(one)
            continue
        said = text.within(last.end, joins[0].start)
        wrong = [w for w in said if "wrong" in w.roles]
        plain = all(text.text[w.start : w.end].lower().startswith(("less", "wors")) for w in wrong)
        well = text.text[: joins[0].start].lower().endswith("well ")
        judged = plain and (wrong or well or any("right" in w.roles for w in said))
        rest = "".join(
            " " if any(w.start <= i < w.end for w in wrong) else text.text[i]
            for i in range(last.end, joins[0].start)
        )
        if not judged or any(w.roles & {"deny", "turn", "because", "hedge"} for w in said):
            kept.append(one)
            continue
        worse = bool(wrong) != bool(_LESS.search(rest))
        kept[-1] = Mention(one.value if worse else last.value, last.start, one.end, "words")
    return kept


@lru_cache(maxsize=512)
def _digits(texts: tuple[str, ...]) -> bool:
    return any(sign.isdigit() for text in texts for sign in text)


@lru_cache(maxsize=512)
def _shown(texts: tuple[str, ...]) -> frozenset[str]:
    """Returns the nouns of labels that options are made of: "Sentence a -> Sentence b"."""
    return frozenset(("image", "sentence", "images", "sentences")) if _orders(texts) else frozenset()


@lru_cache(maxsize=512)
def _placed(texts: tuple[str, ...]) -> bool:
    """Whether each option is a place and nothing else: "the first image"."""
    return all(
        len(places.find(Text(text, spans=False), 12, frozenset(("image", "option")))) == 1 and "," not in text
        for text in texts
    ) and bool(texts)


@lru_cache(maxsize=512)
def _pattern(texts: tuple[str, ...]) -> re.Pattern[str] | None:
    """Returns a pattern for the options' texts, the longest first; its groups are numbered as they are."""
    parts = []
    ways = [(i, way) for i, text in enumerate(texts) for way in {text, *_ways(text)}]
    for n, (i, text) in enumerate(sorted(ways, key=lambda pair: -len(pair[1]))):
        words = re.findall(r"[^\W_]+(?:'[^\W_]+)*", text.lower().replace("’", "'"))
        if words and len("".join(words)) >= _SHORTEST_TEXT:
            said = _BETWEEN.join(map(re.escape, words))
            parts.append(rf"(?P<o{i}_{n}>(?<![^\W_]){said}(?![^\W_]))")
    return lazy("|".join(parts)) if parts else None


def _ways(text: str) -> list[str]:
    """Returns the names that one option gives for the same thing: "square/rectangle"."""
    names = text.strip(" .").split("/")
    return (
        names
        if len(names) > 1 and all(name.isalpha() and len(name) > _SHORTEST_TEXT for name in names)
        else []
    )


@lru_cache(maxsize=512)
def _signs(choice: Choice) -> re.Pattern[str] | None:
    """Returns a pattern for options that are capital letters other than those of the options."""
    signs = [text.strip(" .") for text in choice.texts]
    if (
        not signs
        or not all(len(sign) == 1 and sign.isupper() for sign in signs)
        or set(signs) & set(choice.letters)
    ):
        return None
    return lazy(rf"(?<![^\W_])(?<![^\W_]['.])[{''.join(signs)}](?![^\W_]|['-])")


def texts(text: Text, choice: Choice) -> list[Mention]:
    """Returns the places where an option's own text stands."""
    pattern = _pattern(choice.texts[: len(choice.letters)])
    small = text.text.lower()
    if signs := _signs(choice):
        letter = {
            said.strip(" ."): letter for said, letter in zip(choice.texts, choice.letters, strict=False)
        }
        return [Mention(letter[one.group()], *one.span(), "text") for one in signs.finditer(text.text)]
    if pattern is None or len(small) != len(text.text):
        return []
    return [
        Mention(
            choice.letters[int((one.lastgroup or "o0_0")[1:].split("_")[0])], one.start(), one.end(), "text"
        )
        for one in pattern.finditer(small)
    ]


_LABEL = lazy(
    r"(?:image|sentence|picture|event)\s+([a-h])(?![^\W_])|(?<![^\W_])([A-Ha-h])(?![^\W_])", re.IGNORECASE
)


@lru_cache(maxsize=256)
def _orders(texts: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Returns the order of labels that each option is; nothing where one is none."""
    found = [tuple((one[1] or one[2]).upper() for one in _LABEL.finditer(text)) for text in texts]
    same = (
        found
        and all("->" in text or "→" in text for text in texts)
        and len({frozenset(one) for one in found}) == 1
    )
    return found if same and len(found[0]) > 2 else []


def _images(text: Text) -> list[tuple[int, int, str]]:
    """Returns where the first and the second image are named."""
    image = frozenset(("image",))
    found = [
        (one.start, one.end, "AB"[one.value - 1])
        for one in numbers.items(text, Item(2))
        if one.form == "label" or text.has(image, one.start, one.end)
    ]
    for word in text.words:
        number = places.ordinal(word.roles) or places.ordinal(word.roles, "number.")
        before = next(reversed(text.within(max(0, word.start - 12), word.start)), None)
        named = before and (
            before.roles & {"article", "image"} or text.text[before.start : before.end].lower() == "number"
        )
        if before and "article" in before.roles and places.ordinal(word.roles) is None:
            continue
        if (
            number in (1, 2)
            and named
            and all(word.end <= start or word.start >= end for start, end, _ in found)
        ):
            found.append((word.start, word.end, "AB"[number - 1]))
    return sorted(found)


def find(text: Text, choice: Choice) -> list[Mention]:
    """Returns all places that name an option; a letter that stands with a text counts for both."""
    truths = {said.lower().strip(" .") for said in choice.texts} == {"true", "false"}
    named, kept = _joined(text, _undealt(text, letters(text, choice)), _told(text, choice, truths))
    if _said_again(text, named, choice):
        return []
    if len({one.value for one in named if one.form == "both"}) > min(2, len(choice.letters) - 1):
        named = [one._replace(form="listed") if one.form == "both" else one for one in named]
    if truths:
        kept = _elsewhere(text, kept, named)
    placed = _placed(choice.texts)
    texts_ = choice.texts[: len(choice.letters)]
    if ordered := dict(zip(_orders(choice.texts), choice.letters, strict=False)):
        whole = [one for one in orders.find(text, tuple(sorted(next(iter(ordered))))) if one.value in ordered]
        kept = [Mention(ordered[one.value], one.start, one.end, "text") for one in whole]
        named = _apart_from(named, whole)
    elif ranges := durations.ranges(texts_):
        kept += _elsewhere(text, durations.find(text, ranges, choice.letters), named)
    elif slots := places.slots(texts_):
        kept += [one._replace(value=choice.letters[one.value - 1]) for one in places.in_slots(text, slots)]
    elif choice.asks == "first before second" and (order := relations.compared(text, _images(text))):
        letter = {"before": choice.letters[0], "after": choice.letters[1]}
        return apart([*named, *(one._replace(value=letter[one.value]) for one in order)])
    elif (
        not named
        and choice.texts
        and not (kept and placed)
        and not truths
        and words.movements(texts_) is None
    ):
        said = words.find(text, choice.texts, choice.letters) or words.misspelt(
            text, choice.texts, choice.letters
        )
        kept += _apart_from(said, kept)
    kept = _foreground(text, kept)
    row = len(choice.letters)
    found = (
        numbers.items(text, Item(row)) if placed else places.find(text, row, frozenset(("option", "answer")))
    )
    # "The drum is the first": where an option is named, a rank says something of it.
    found = _elsewhere(text, found, kept) if not placed else found
    found = apart([*named, *kept, *(one._replace(value=choice.letters[one.value - 1]) for one in found)])
    return _compared(text, found) if len(choice.letters) == _PAIR and not choice.asks else found


def _undealt(text: Text, named: list[Mention]) -> list[Mention]:
    """Returns mentions without those to which things are dealt: "step 2 is shown in A, step 3 in B"."""
    inside = [one for one in named if text.text[: one.start].endswith(" in ")]
    dealt = []
    for one, other in pairwise(inside):
        same = text.sentence(one.start) == text.sentence(other.start) and one.value != other.value
        start = text.sentences[text.sentence(one.start)].start
        if same and not text.has(frozenset(("deny", "turn", "than")), start, other.start):
            dealt += [one, other]
    return [one for one in named if one not in dealt]


def _told(text: Text, choice: Choice, truths: bool) -> list[Mention]:
    """Returns the places that say an option in its own text, and movements and truth in any words."""
    if truths:
        letter = {
            said.lower().strip(" ."): letter
            for said, letter in zip(choice.texts, choice.letters, strict=False)
        }
        return [one._replace(value=letter[str(one.value).lower()]) for one in truth.find(text)]
    said = texts(text, choice)
    rows = words.movements(choice.texts[: len(choice.letters)])
    if rows is None:
        return said
    # "left" alone says less than the row of directions that its sentence gives.
    whole = [one for one in said if choice.letters.index(one.value) in rows]
    told = words.find(text, choice.texts, choice.letters) or words.misspelt(
        text, choice.texts, choice.letters
    )
    return [*whole, *_apart_from(told, whole)]


def _joined(text: Text, named: list[Mention], said: list[Mention]) -> tuple[list[Mention], list[Mention]]:
    """Returns letters with the texts that stand beside them, and the texts that stand beside none."""
    heads, starts = {one.end: one for one in named}, {one.start: one for one in named}
    kept = []
    for one in said:
        between = _LEADS_IN.search(text.text[max(0, one.start - 12) : one.start])
        before = heads.get(one.start - len(between.group())) if between else None
        behind = _IN_BRACKETS.match(text.text, one.end)
        follows = starts.get(behind.end()) if behind and before is None else None
        if follows and follows.value == one.value and follows in named:
            named[named.index(follows)] = follows._replace(start=one.start, form="both")
        elif before is None or before not in named:
            kept.append(one)
        else:
            named[named.index(before)] = before._replace(end=one.end, form="both")
    return named, kept


def _apart_from(found: list[Mention], others: list[Mention]) -> list[Mention]:
    return [one for one in found if all(one.end <= other.start or one.start >= other.end for other in others)]


def _elsewhere(text: Text, found: list[Mention], others: list[Mention]) -> list[Mention]:
    """Returns mentions whose sentence holds none of some others."""
    taken = {text.sentence(one.start) for one in others}
    return [one for one in found if text.sentence(one.start) not in taken]


def _said_again(text: Text, named: list[Mention], choice: Choice) -> bool:
    """Whether a text only says the question again: in one line a row of all options, each with its text."""
    whole = "".join(one.value for one in named) == choice.letters and len(named) > _PAIR
    if not whole or "\n" in text.text[named[0].start : named[-1].end]:
        return False
    ends = []
    for one, said in zip(named, choice.texts, strict=False):
        behind = re.match(rf"[ .):]*{re.escape(said.lower().strip(' .'))}", text.text[one.end :].lower())
        ends.append(one.end if one.form == "both" else one.end + behind.end() if behind else -1)
    gaps = [text.text[end : one.start] for end, one in zip(ends, named[1:], strict=False)]
    return min(ends) > 0 and not any(sign.isalnum() for sign in "".join([*gaps, text.text[ends[-1] :]]))


_BACKGROUND = frozenset(("background",))


def _foreground(text: Text, found: list[Mention]) -> list[Mention]:
    """Returns mentions without what another one is compared with: "the drum before the flute"."""
    kept: list[Mention] = []
    for one in sorted(found, key=lambda m: m.start):
        last = kept[-1] if kept else None
        beside = last and last.value != one.value and text.sentence(last.start) == text.sentence(one.start)
        if not (last and beside and text.has(_BACKGROUND, last.end, one.start)):
            kept.append(one)
    return kept


@lru_cache(maxsize=64)
def opposites(choice: Choice) -> dict[str, str] | None:
    """Returns the letters of True and False, each by the other; None for other options."""
    if {text.lower().strip(" .") for text in choice.texts} != {"true", "false"}:
        return None
    return {choice.letters[0]: choice.letters[1], choice.letters[1]: choice.letters[0]}
