"""What a short reply says of lettered options by their place or by comparing two of them.

"The second caption", "the latter"; "B is less likely than A", and of two options "A is worse".
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from tempbench_lmms.parsing.patterns import lazy
from tempbench_lmms.parsing.statements import Mention, unspaced
from tempbench_lmms.parsing.text import holds, table
from tempbench_lmms.parsing.words import CARDINAL, IF, IS, LAST, MAYBE, NOT, OR, ORDINAL, any_of

_LONGEST = 160
_NOUNS = "option|choice|answer|caption|description|sentence|statement|candidate|one"
_NOUNS += "|category|interval|bracket|range|class|kategorie|catégorie|categoría"
_PLACE = lazy(
    rf"(?:(?:it['’]?s|it\s+is|i\s+(?:choose|pick)|(?:i['’]d|i\s+would)\s+put\s+it\s+in(?:to)?)\s+)?(?:(?P<article>the|die|das|der|la|le|el|lo|il)\s+)?"
    rf"(?:(?P<ordinal>{any_of(ORDINAL)})|(?P<last>{any_of(LAST)}|latter)|(?P<former>former))"
    rf"(?:\s+(?P<noun>(?:{_NOUNS})))?"
    rf"|(?:caption|sentence|description|statement)\s+(?:(?P<n>[1-9])|(?P<word>one|two|three|four|five|six))"
    r"|第(?P<cjk>[一二三四五六])(?:个|項|项|种|句|条)?(?:选项|选择|描述|说法|标题)?",
    re.IGNORECASE,
)
# "The second description matches the video, the first does not."
_CHOSEN_PLACE = lazy(
    rf"(?:the\s+)?(?:(?P<ordinal>{any_of(ORDINAL)})|(?P<last>last|latter)|(?P<former>former))"
    r"\s+(?:caption|description|sentence|statement)\s+"
    r"(?:(?:is|seems)\s+(?:the\s+)?(?:(?:most|more)\s+)?(?:correct|right|accurate|true|fitting|appropriate|better|best)(?:\s+(?:one|match|fit|caption|description))?"
    r"|(?:better\s+|best\s+)?(?:matches|fits|describes)(?:\s+(?:the\s+)?(?:video|clip|scene)(?:\s+(?:better|best))?)?)"
    r"(?:,?\s+(?:and\s+|while\s+|but\s+)?the\s+\w+\s+(?:one\s+|caption\s+)?(?:is|does)(?:\s+not|n['’]t)(?:\s+\w+)?)?",
    re.IGNORECASE,
)
# "The latter", "Of the two images, the former": of two options, whatever they say.
_OF_TWO_THINGS = r"(?:(?:choices|options|answers|images|pictures|photos|pairs)\b)?"
_OF_TWO = lazy(
    rf"(?:(?:it['’]?s|it\s+is|so|therefore|i(?:['’]d|\s+would)?\s+(?:choose|pick|go\s+with|say))\s+)?(?:of\s+the\s+two\s*{_OF_TWO_THINGS},?\s+)?(?P<not>not\s+)?"
    r"(?:(?:the|das|die|der|le|la|el)\s+)(?:(?P<former>former|erstere|premier\s+des\s+deux)|latter|letztere|second\s+des\s+deux)"
    rf"(?:\s+(?:choice|option|answer|one|image|picture|photo))?(?:\s+of\s+the\s+two\s*{_OF_TWO_THINGS})?"
    r"(?P<first>\s+(?:(?:was\s+taken|came|comes|happened|happens)\s+(?:first|earlier)|(?:is|was)\s+(?:the\s+)?(?:earlier|first|older)(?:\s+one)?))?"
    rf"|of\s+the\s+two\s+{_OF_TWO_THINGS},?\s+(?:the\s+)(?:(?P<one>first)|second)(?:\s+one)?",
    re.IGNORECASE,
)
_SLOT = lazy(
    r"(?:(?:it\s+(?:goes|belongs|fits|should\s+go)\s+(?:in|into|at)|it['’]s|it\s+is)\s+)?(?:the\s+)(?:(?P<early>earlier|former)|(?P<late>later|latter)|(?P<first>earliest|first)|(?P<last>latest|last)|(?P<middle>middle))"
    r"(?:\s+(?:slot|position|place|spot|gap))?(?:\s+of\s+the\s+(?P<n>two|three|four)(?:\s+(?:slots|positions|places|spots|gaps))?)?",
    re.IGNORECASE,
)
_SLOT_NOUNS = ("slot", "position", "place", "spot", "gap")


def of_two(text: str, in_time: bool) -> int | None:
    """Returns the place, from 0, of the one of two options that a text names as the former or the latter.

    Args:
        text: The text.
        in_time: Whether the question is which of two came first, so that a text may say that of one.

    >>> of_two("The latter.", False), of_two("Of the two images, the former", False), of_two("latter", False)
    (1, 0, None)
    """
    if len(text) > _LONGEST or not holds(text.lower(), _OF_TWO_SIGNS):
        return None
    found = _OF_TWO.fullmatch(text.strip(" \t\n.!,;:\"'*"))
    if found is None or (found["first"] and not in_time) or (found["not"] and found["first"]):
        return None
    return int(not (found["former"] or found["one"])) ^ bool(found["not"])


_OF_TWO_SIGNS = ("former", "latter", "letztere", "erstere", "of the two", "des deux")


def slot(text: str, n: int) -> int | None:
    """Returns the place, from 0, of the one of n positions that a text names by where it is in time.

    >>> slot("The earlier slot", 2), slot("the earlier slot", 3), slot("the latest position", 3)
    (0, None, 2)
    """
    if len(text) > _LONGEST or not holds(text, _SLOT_NOUNS):
        return None
    found = _SLOT.fullmatch(text.strip(" \t\n.!,;:\"'*"))
    if found is None or (found["n"] and CARDINAL[found["n"].lower()] != n):
        return None
    if found["middle"]:
        return n // 2 if n % 2 else None
    if found["early"] or found["late"]:
        return int(bool(found["late"])) if n == 2 else None
    return 0 if found["first"] else n - 1


_DENIED = lazy(r"(?:(?:it['’]?s|it\s+is)\s+)?not\s+(?=the\b)", re.IGNORECASE)
_NOT_ANOTHER = lazy(r",\s*(?:and\s+)?not\s+the\s+\w+(?:\s+\w+)?$", re.IGNORECASE)
_CJK_PLACES = "一二三四五六"


def placed(text: str, n: int) -> int | None:
    """Returns the place, from 0, of the one of n options that a text names by it, and says nothing else.

    >>> placed("The second caption", 2), placed("the latter", 2), placed("Die zweite", 2), placed("second", 2)
    (1, 1, 1, None)
    """
    text = text.strip(" \t\n.!,;:\"'*")
    if behind := _NOT_ANOTHER.search(text):
        text = text[: behind.start()]  # "the first caption, not the second"
    if n == 2 and (denied := _DENIED.match(text)):
        other = placed(text[denied.end() :], n)
        return None if other is None else 1 - other
    if found := _PLACE.fullmatch(text):
        if found["cjk"]:
            place = _CJK_PLACES.index(found["cjk"]) + 1
        elif found["n"] or found["word"]:
            place = int(found["n"]) if found["n"] else CARDINAL[found["word"].lower()]
        elif not (found["article"] or found["noun"]):
            return None
        else:
            place = _place(found, n)
    elif found := _CHOSEN_PLACE.fullmatch(text):
        place = _place(found, n)
    else:
        return None
    return place - 1 if 1 <= place <= n else None


def _place(found: re.Match[str], n: int) -> int:
    if found["former"]:
        return 1 if n == 2 else 0  # of more than two there is no former
    if found["last"]:
        return n if n == 2 or found["last"].lower() != "latter" else 0
    return ORDINAL[found["ordinal"].lower()]


# What praises an option after "more". Any other word may blame it: "more inaccurate", "less wrong".
_GOOD = (
    r"(?:(?:clearly|closely|directly|fully|strongly|well|logically|physically|temporally|visually)\s+)?"
    r"(?:likely|probable|plausible|convincing|believable|credible|reasonable|logical|sensible|coherent|consistent"
    r"|(?:accurate|correct|precise|faithful|exact|appropriate|close|direct|clear)(?:ly)?|true|truthful|right|valid|fitting"
    r"|suitable|apt|well|relevant|compatible|aligned|supported|detailed|complete|specific|descriptive|informative|details?)"
)
_GOOD = rf"{_GOOD}(?:\s+and\s+{_GOOD})?"
_MADE = rf"(?:match|fit|explanation|summary|account|{_NOUNS})"
_WORSE = rf"(?:a\s+)?(?:worse|weaker|poorer|less\s+{_GOOD})(?:\s+{_MADE})?"
_BETTER = rf"(?:a\s+)?(?:better|stronger|closer|more\s+{_GOOD})(?:\s+{_MADE})?"
_UNCLEAR = r"(?:a\s+)?(?:more|less)(?:\s+(?!than\b)\w+){1,3}"
_COMPARED_SIGNS = ("worse", "less", "better", "more", "weaker", "poorer", "stronger", "closer")
_DOES = (
    r"(?:is|seems|looks|sounds|appears|fits|matches|describes|captures|reflects|explains|works)"
    r"(?:\s+(?!(?:than|not|no|hardly|barely|scarcely|never|but|though|although|yet|worse|less|better|more|weaker|poorer|stronger|closer)\b)[\w']+){0,4}?"
)


@lru_cache(maxsize=16)
def _compares(letters: str) -> re.Pattern[str]:
    noun = r"(?:the\s+)?(?:(?:option|choice|answer|caption|sentence|statement)\s+)?"
    one = rf"{noun}[\"'(]*(?-i:[{letters}])[\"')]*"
    one, other = (one.replace("(?-i:", f"(?P<{name}>(?-i:").replace("])", "]))", 1) for name in ("a", "b"))
    return lazy(
        rf"(?:of\s+the\s+two,?\s+)?{one}\s+{_DOES}\s+(?:much\s+|far\s+|slightly\s+|clearly\s+|a\s+bit\s+)?"
        rf"(?:(?P<worse>{_WORSE})|(?P<better>{_BETTER})|(?P<unclear>{_UNCLEAR}))"
        rf"(?:\s+than\s+{other})?",
        re.IGNORECASE,
    )


_NOT = lazy(
    r"\b(?:is|does|are|was)(?:n['’]t|\s+not)\s+(?:any\s+)?(?:worse|less|better|more)\b", re.IGNORECASE
)
_LEFT_OPEN = lazy(rf"{any_of(OR)}|{any_of(MAYBE)}", re.IGNORECASE)


def compared(text: str, letters: str) -> str | None:
    """Returns the letter of the better one of two options that a short reply compares, and says no more.

    >>> compared("B is better than A.", "ABCD"), compared("A is worse.", "AB"), compared("A is worse.", "ABC")
    ('B', 'B', None)
    """
    if len(text) > _LONGEST or not holds(text.lower(), _COMPARED_SIGNS) or _LEFT_OPEN.search(text):
        return None
    found = _compares(letters).fullmatch(text.strip(" \t\n.!*"))
    if found is None or found["unclear"]:
        return None
    a, b = found["a"], found["b"]
    if b is None:
        if found["better"]:
            return a if len(letters) == 2 else None
        return next((letter for letter in letters if letter != a), None) if len(letters) == 2 else None
    if len(letters) > 2 and found["worse"]:
        return None  # the other one is not all that is left
    return (b if found["worse"] else a) if a != b else None


def only_compares(text: str, letters: str) -> bool:
    """Whether a short reply does nothing but compare options, so that what it names first is not chosen.

    >>> only_compares("A is less likely than B", "ABCD"), only_compares("A is more inaccurate.", "AB")
    (True, True)
    """
    if len(text) > _LONGEST or not holds(text.lower(), _COMPARED_SIGNS):
        return False
    if _NOT.search(text):
        return True  # "A is not worse than B": they may be equal
    found = _compares(letters).fullmatch(text.strip(" \t\n.!*"))
    return found is not None and any(found[name] is not None for name in ("worse", "unclear", "b"))


# "The point that corresponds to it is C", "the point labeled A": what may stand before the one that is meant.
_IS_MEANT = lazy(
    rf"(?:{any_of(IS)}|\b(?:corresponds?|matches|points?)\s+(?:to|with)\b)[\s:]*"
    rf"(?:\b(?:the|probably|likely|clearly|most\s+likely)\b\s*|\b(?:\w+[-\s])?(?:labell?ed|circled|marked|called)\b\s*(?:(?:with|as)\s+)?"
    rf"|\b[a-z]+\s*(?=[\s\"'(*\[]*$)|[\s\"'(*\[]){{0,5}}$",
    re.IGNORECASE,
)
_NOT_MEANT = lazy(
    rf"{any_of((*NOT, *OR))}|n['’]t\b"
    r"|\b(?:wrong|incorrect|least|worst|unlike\w*|either|both|options|choices|letters)\b"
    r"|^\W*(?:and\s+)?(?:the\s+)?(?:first|second|third|last|next)\s+(?:one\s+|option\s+|point\s+)?(?:is|was|would)\b",
    re.IGNORECASE,
)
_SUPPOSED = lazy(rf"{any_of((*MAYBE, *IF))}|\?", re.IGNORECASE)
_THEREFORE = lazy(r"\W*(?:therefore|thus|hence|so|in\s+conclusion|overall)\b", re.IGNORECASE)
_COMPOUND = lazy(r"-[a-z]")
_COLON_LINE = lazy(r"(?<=:)[ \t]*\n\s*")
_SENTENCE_ENDS = lazy(r"(?<=[.!?])[\"')*]*\s+|\n")


def concluded(text: str, mentions: Sequence[Mention], labels: bool = False) -> Mention | None:
    """Returns the option that the last sentence with one calls it, as in "The closest point is C".

    Args:
        text: The text.
        mentions: Where it names options, in order.
        labels: Whether the options are but labels: "Therefore, point C on the left matches it".

    >>> concluded("It may be A or B. The closest one is B.", [Mention("A", 10, 11), Mention("B", 37, 38)])
    Mention(value='B', start=37, end=38, sure=True, cue=0, open=False)
    """
    joined = _COLON_LINE.sub(lambda found: " " * len(found.group()), text)
    left = list(mentions)
    while left:
        start = max((end.end() for end in _SENTENCE_ENDS.finditer(joined, 0, left[-1].start)), default=0)
        named = [one for one in left if one.start >= start]
        if {one.value for one in named} != {mentions[-1].value}:
            return None
        after = _SENTENCE_ENDS.split(joined[named[-1].end :], maxsplit=1)[0] if labels else None
        for one in named:
            # "D-like" names no option.
            if not _COMPOUND.match(text, one.end) and _calls(joined[start : one.start], after):
                return one
        left = left[: -len(named)]
    return None


def _calls(before: str, after: str | None) -> bool:
    """Whether a sentence says that the option that it names is the one, by its words before and behind it."""
    clause = before.rpartition(",")[2]
    # Korean, Japanese and Chinese deny behind what they name.
    if unspaced(before):
        return False
    if _SUPPOSED.search(before) or _NOT_MEANT.search(clause):
        return False
    if _IS_MEANT.search(before):
        return True
    if after is None or not _THEREFORE.match(before):
        return False
    return not (_NOT_MEANT.search(after) or _SUPPOSED.search(after))


# What ends no sentence and no option. As letters of options, "A" and "Y" are no such words.
_LINKS = frozenset(table("the|a|and|or|und|oder|et|y|der|das|du|de|el|from|of"))
_VERBS = frozenset(table("is|are|was|were"))
_SHORT_ASSENT = 5
_WORDS = lazy(r"[^\W_]+")
# "What it is made of", "the room that he comes from": a whole phrase.
_STRANDS = lazy(r"\b(?:what|where|which|who|whom|whose|that|made|out)\b", re.IGNORECASE)
# "Neither b nor a"
_BEFORE_LETTER = frozenset(table("nor|not|option|answer|letter"))


def breaks_off(text: str, texts: tuple[str, ...]) -> bool:
    """Whether a text ends in the middle of a phrase: "moving from left to".

    >>> breaks_off("moving from left to", ("left to right",)), breaks_off("turned on", ("turned on",))
    (True, False)
    >>> breaks_off("The door the man opens to", ()), breaks_off("It is not A", ())
    (False, False)
    """
    if not text or not (text[-1].isalnum() or text[-1] in ",-"):
        return False
    *before, last = _WORDS.findall(text[-64:]) or [""]
    word = last if len(last) == 1 else last.lower()
    previous = before[-1].lower() if before else ""
    if word == "then":
        links = previous == "and"
    elif word == "to":
        links = "from" in text.lower() or any(
            f"{previous} to " in option.lower() for option in texts if before
        )
    elif word in ("from", "of"):
        links = not _STRANDS.search(text)
    elif word in _VERBS:  # "Yes, it is" is whole
        links = len(before) > _SHORT_ASSENT and not _STRANDS.search(text)
    else:
        links = word in _LINKS and not (word == "a" and previous in _BEFORE_LETTER)
    return links and not any(option.lower().rstrip(" .").endswith(word) for option in texts)


# What begins a phrase: "he follows her" may end a sentence, "with the" and "after that he" can't.
_BEGINS_PHRASE = frozenset(
    table(
        "the|a|an|and|or|but|because|although|while|whereas|whether|if|as|since|until|which|who|whose"
        "|he|she|they|we|i|its|his|their|my"
    )
)
# "The toy that it plays with", "He knows what they are"
_MAY_STRAND = frozenset(
    table(
        "with|into|onto|of|from|for|to|than|between|among|towards|toward|during|without|against|upon"
        "|is|are|was|were"
    )
)
_LAST_SENTENCE = lazy(r"(?:[.!?:][\"')*]*\s+|\n)(?=[^.!?:\n]*$)")
# "After that" as all there is of a sentence
_ONLY_LINK = lazy(
    r"\W*(?:(?:and\s+)?(?:after|before|following|during|at|in|from|with)\s+(?:that|this|which|the\s+\w+)|then|next|and\s+then)",
    re.IGNORECASE,
)


def fragment(text: str) -> str | None:
    """Returns the last of several sentences where it stops in its middle; None where it is whole.

    >>> fragment("The dog barks. After that"), fragment("The dog barks. A man comes with")
    ('After that', 'A man comes with')
    >>> fragment("It is so. B"), fragment("The dog barks. This is what it plays with")
    (None, None)
    """
    text = text.rstrip()
    if not text or not text[-1].isalpha():
        return None
    last = text[max(0, len(text) - _LONGEST_FRAGMENT) :]
    start = max((found.end() for found in _LAST_SENTENCE.finditer(last)), default=0)
    if not start:
        return None
    last = last[start:]
    words = _WORDS.findall(last)
    if _ONLY_LINK.fullmatch(last):
        return last
    if len(words) == 1 and text[: -len(last)].endswith(": "):
        return last if words[0].lower() in _BEGINS_PHRASE - {"a", "if"} or words[0] == "I" else None
    if len(words) < 2 or words[-1] == "A" or words[-2].lower() in _BEFORE_LETTER:
        return None
    word = words[-1].lower()
    return last if word in _BEGINS_PHRASE or (word in _MAY_STRAND and not _STRANDS.search(last)) else None


_LONGEST_FRAGMENT = 600
_OF_ONE = lazy(
    rf"\W*(?:the\s+|in\s+the\s+)?(?:(?:image|picture|photo|frame)\s+(?P<n>\d)|(?P<word>{any_of(ORDINAL)})\s+(?:image|picture|photo|frame)"
    r"|pair\s+(?P<letter>[A-H]))\s*(?::|,|\b(?:shows|depicts|has|is|contains|displays|features)\b)",
    re.IGNORECASE,
)
_OPENS_ONE = lazy(r"(?<=[.!?]\s)(?=[TtIiPpFf1-9])|\n|^")
_SHORTEST_TOLD = 40
_DECIDES = lazy(
    r"\b(?:so|thus|therefore|hence|answer|correct|longest|earl\w+|match\w*|fits?|statement|true|false"
    r"|contradict\w*|before|after|later|first|happen\w*|came|(?:indicat|suggest|mean|plac)\w*|making|total|times"
    r"|moves?d?|it\s+is|days|years)\b",
    re.IGNORECASE,
)


def told_in_turn(text: str) -> bool:
    """Whether a text stops without a sign in what it tells of the next one of some images.

    >>> told_in_turn("The first image shows a boy at a door. The second image shows a pond, with")
    True
    >>> told_in_turn("Image 1 shows a boy at a door. Image 2 shows him at the pond, with two ducks.")
    False
    """
    text = text.rstrip()
    if len(text) < _SHORTEST_TOLD or not text[-1].isalpha():
        return False
    told = [_place_in_turn(one) for at in _OPENS_ONE.finditer(text) if (one := _OF_ONE.match(text, at.end()))]
    last = max(text.rfind(sign) for sign in (". ", "! ", ".\n"))
    if len(told) < 2 or told != [*range(1, len(told) + 1)] or not _OF_ONE.match(text, last + 2):
        return False
    return _DECIDES.search(text, last + 2) is None


def _place_in_turn(found: re.Match[str]) -> int:
    """Returns the place, from 1, of the image or pair that a sentence is about."""
    if found["letter"]:
        return "ABCDEFGH".index(found["letter"].upper()) + 1
    return int(found["n"]) if found["n"] else ORDINAL[found["word"].lower()]
