"""Finds lettered options: by letter, by their own text, by their place."""

import re
from functools import lru_cache

from tempbench_lmms.parsing.expected import Choice, Item
from tempbench_lmms.parsing.mention import Mention, apart
from tempbench_lmms.parsing.mentions import durations, numbers, orders, places, relations, truth, words
from tempbench_lmms.parsing.patterns import lazy
from tempbench_lmms.parsing.tokens import Text

_LETTER = lazy(r"(?<![^\W_])(?<![^\W_]['/.-])([A-H])(?![^\W_]|['-][^\W_])", re.ASCII)
_BRACKETED = lazy(r"[(\[\"']([a-h])[)\]\"']|(?:^|(?<=\n))([a-h])[).](?=\s)")
_BEHIND_NOUN = lazy(r"\s{0,2}(?:is\s|no\.?\s?|#)?[:\s(\[\"'#]{0,4}([A-Ha-h])(?![^\W_]|'[^\W_]|\.\w)")
# "A man", "A, B": an article is followed by a word that is no verb or sign of an answer.
_ARTICLE = lazy(r"\s+[a-zß-ÿ]")
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
    r"\(?\b[A-H]\)?(?:(?:\s?[/|]\s?\(?[A-H]\)?){2,}|\s(?:to|through|bis|à|至|到)\s(?:option\s)?\(?[C-H]\b\)?|\s?[-–]\s?[C-H]\b)"
)
_OTHERS = frozenset(("image", "step", "video"))
_NUMBER = lazy(r"\s?#?(\d)(?![\d.:%]|[^\W_])")
_SHORTEST_TEXT = 2
_BETWEEN = r"[^\w\n]{1,3}"


def letters(text: Text, choice: Choice) -> list[Mention]:
    """Returns the letters of options in a text."""
    found = []
    nouns, others = set(), set()
    for one in _RANGE.finditer(text.text):
        others.update(range(*one.span()))
    shown = _shown(choice.texts)
    for word in text.words:
        following = _BEHIND_NOUN.match(text.text, word.end)
        number = _NUMBER.match(text.text, word.end) if "option" in word.roles else None
        if number and 0 < int(number[1]) <= len(choice.letters) and not _digits(choice.texts):
            found.append(Mention(choice.letters[int(number[1]) - 1], word.start, number.end(), "label"))
        if following is None:
            continue
        named = choice.noun and text.text[word.start : word.end].lower().rstrip("s") == choice.noun
        said = text.text[word.start : word.end].lower()
        if following.start(1) in others:
            continue
        if said in shown or (word.roles & _OTHERS and not word.roles & _NOUNS and not named):
            others.add(following.start(1))
        elif word.roles & _NOUNS or named:
            lower = following[1].islower()
            if lower and (
                following[1] == "a" and following.end() < len(text.text) and text.text[following.end()] == " "
            ):
                continue
            if following[1].upper() in choice.letters and ("option" in word.roles or not lower or named):
                nouns.add(following.start(1))
                start = word.start if "option" in word.roles or named else following.start(1)
                found.append(Mention(following[1].upper(), start, following.end(), "label"))
    for one in _LETTER.finditer(text.text):
        if one[1] not in choice.letters or one.start() in nouns or one.start() in others:
            continue
        if one[1] == "A" and _ARTICLE.match(text.text, one.end()):
            after = next(iter(text.within(one.end(), one.end() + 24)), None)
            if after is None or after.start > one.end() + 1 or not after.roles & _VERBS:
                continue
        found.append(Mention(one[1], one.start(), one.end(), "letter"))
    for one in _BRACKETED.finditer(text.text):
        value = (one[1] or one[2]).upper()
        if value in choice.letters and one.start(1 if one[1] else 2) not in nouns | others:
            found.append(Mention(value, one.start(), one.end(), "letter"))
    return apart(found)


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
    for i, text in sorted(enumerate(texts), key=lambda pair: -len(pair[1])):
        words = re.findall(r"[^\W_]+(?:'[^\W_]+)*", text.lower().replace("’", "'"))
        if words and len("".join(words)) >= _SHORTEST_TEXT:
            said = _BETWEEN.join(map(re.escape, words))
            parts.append(rf"(?P<o{i}>(?<![^\W_]){said}(?![^\W_]))")
    return lazy("|".join(parts)) if parts else None


def texts(text: Text, choice: Choice) -> list[Mention]:
    """Returns the places where an option's own text stands."""
    pattern = _pattern(choice.texts[: len(choice.letters)])
    small = text.text.lower()
    if pattern is None or len(small) != len(text.text):
        return []
    return [
        Mention(choice.letters[int((one.lastgroup or "o0")[1:])], one.start(), one.end(), "text")
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
    named = letters(text, choice)
    heads = {one.end: one for one in named}
    kept = []
    small = tuple(text.lower().strip(" .") for text in choice.texts)
    said = texts(text, choice)
    sequences = words.sequences(choice.texts[: len(choice.letters)])
    if sequences:  # "left" alone says less than the row of directions that its sentence gives
        told = words.find(text, choice.texts, choice.letters)
        whole = [one for one in said if choice.letters.index(one.value) in sequences]
        said = [
            *whole,
            *(one for one in told if all(one.end <= w.start or one.start >= w.end for w in whole)),
        ]
    if set(small) == {"true", "false"}:
        judged = {value: choice.letters[small.index(str(value).lower())] for value in (True, False)}
        said = [one._replace(value=judged[one.value]) for one in truth.find(text)]
    for one in said:
        between = re.search(
            r"[ .):,(\]\"'–—-]{1,4}(?:(?:the|it is|it's) )?$", text.text[max(0, one.start - 12) : one.start]
        )
        before = heads.get(one.start - len(between.group())) if between else None
        if before is None:
            kept.append(one)
        else:
            named[named.index(before)] = before._replace(end=one.end, form="both")
    if len({one.value for one in named if one.form == "both"}) > min(2, len(choice.letters) - 1):
        named = [one._replace(form="listed") if one.form == "both" else one for one in named]
    if set(small) == {"true", "false"}:
        taken = {text.sentence(one.start) for one in named}
        kept = [one for one in kept if text.sentence(one.start) not in taken]
    orders_ = _orders(choice.texts)
    if orders_:
        labels = tuple(sorted(orders_[0]))
        ordered = {order: letter for order, letter in zip(orders_, choice.letters, strict=False)}
        whole = [one for one in orders.find(text, labels) if one.value in ordered]
        kept = [Mention(ordered[one.value], one.start, one.end, "text") for one in whole]
        named = [one for one in named if all(one.end <= w.start or one.start >= w.end for w in whole)]
    elif ranges := durations.ranges(choice.texts[: len(choice.letters)]):
        taken = {text.sentence(one.start) for one in named}
        found = durations.find(text, ranges, choice.letters)
        kept = [*kept, *(one for one in found if text.sentence(one.start) not in taken)]
    elif choice.asks == "first before second" and (
        order := relations.compared(text, images := _images(text))
    ):
        letter = {"before": choice.letters[0], "after": choice.letters[1]}
        kept = [one._replace(value=letter[one.value]) for one in order]
        return apart([*named, *kept])
    elif not named and not kept and choice.texts and set(small) != {"true", "false"}:
        kept = words.find(text, choice.texts, choice.letters)
    row = len(choice.letters)
    placed = _placed(choice.texts)
    row_places = (
        numbers.items(text, Item(row)) if placed else places.find(text, row, frozenset(("option", "answer")))
    )
    kept += [one._replace(value=choice.letters[one.value - 1]) for one in row_places]
    return apart([*named, *kept])


@lru_cache(maxsize=64)
def opposites(choice: Choice) -> dict[str, str] | None:
    """Returns the letters of True and False, each by the other; None for other options."""
    if {text.lower().strip(" .") for text in choice.texts} != {"true", "false"}:
        return None
    return {choice.letters[0]: choice.letters[1], choice.letters[1]: choice.letters[0]}
