"""The order that a reply gives to labelled items: "2-4-1-5-3", "Image 2, then Image 4, ...", "[C, A, B]".

The text is cut into tokens once, and runs of labels between separators are collected; no pattern spans a run,
so the cost is linear in the length of the reply. An order that is called backwards ("from latest to
earliest", "longest: A, ...") is turned round.
"""

import itertools
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from tempbench_lmms.parsing.ends import backwards
from tempbench_lmms.parsing.numerals import CARDINALS
from tempbench_lmms.parsing.patterns import lazy
from tempbench_lmms.parsing.places import in_digits
from tempbench_lmms.parsing.ranks import by_signs, ranked, stated, valued
from tempbench_lmms.parsing.statements import Mention
from tempbench_lmms.parsing.text import holds, outer, signs, squeeze
from tempbench_lmms.parsing.words import (
    AND,
    EARLIEST,
    FOLLOWS,
    HAPPENS,
    IF,
    IMAGE,
    LAST,
    LATEST,
    LONGEST,
    MAYBE,
    OPTION,
    OR,
    ORDINAL,
    REVERSED,
    SHORTEST,
    TAKEN,
    any_of,
)

Found = tuple[int, int, tuple[str, ...] | None]
"""Where an order begins and ends, and the order; None where it repeats or lacks a label."""

_NUMBERS = {word: str(i) for i, word in enumerate(CARDINALS[:10]) if i}
_NOUNS = any_of(
    (*IMAGE, *OPTION, "group", "no", "label", "images", "pairs", "rank", "position", "place", "第")
)
_SKIPPED = lazy(
    rf"(?:{_NOUNS}|{any_of(AND)}|{any_of((*EARLIEST, *LATEST, *SHORTEST, *LONGEST))}"
    rf"|{any_of((*HAPPENS, *TAKEN))}|st|nd|rd|th|the|is"
    rf"|of|to|then|followed|by|next|after|that|finally|lastly|lower|comes|precedes|before|middle"
    r"|medium|mid|to|in|between|time|dann|danach|schließlich|gefolgt|von|puis|ensuite|enfin|suivie|suivi"
    r"|de|luego|después|finalmente|seguida|seguido|por|la|el|l"
    r"|然后|然後|接着|接著|最后|最後|其次|再|是|次|次に|続いて|その後|そして|が|は|の|다음|그다음|그리고|마지막|마지막으로|번|は最も|で)+",
    re.IGNORECASE,
)
_TOKEN = lazy(
    r"(?P<item>\d+|[^\W\d_]+)|(?P<greater>>)|(?P<skip>[\s,;:<|/→➔➜⇒⟶\-–—\[\](){}\"'#&_`=~*+]+)|(?P<other>.)",
    re.DOTALL,
)
_EARLY = any_of((*EARLIEST, *SHORTEST))
_LATE = any_of((*LATEST, *LONGEST))


def _role_of(early: str, late: str) -> re.Pattern[str]:
    return lazy(
        rf"(?P<early>{early})|(?P<late>{late})|(?P<middle>\b(?:middle|medium|mid|in\s+between|intermediate"
        rf"|mittlere?|moyenne|intermedia)\b|中间|居中|真ん中|중간)",
        re.IGNORECASE,
    )


def _reverse_of(early: str, late: str, newest: Sequence[str]) -> re.Pattern[str]:
    return lazy(
        rf"(?:from\s+|von\s+|de\s+|desde\s+|从|從)?(?:the\s+|la\s+|le\s+|der\s+"
        rf"|(?:most\s+))*(?:{late})(?:\s+(?:one|image|time|first|zu))?\s*(?:first\b|to|bis|zu|à|hasta|a|到|至"
        rf"|から|에서|->|→|-|–|>)\s*(?:the\s+|la\s+|le\s+)*(?:{early})?"
        rf"|{any_of(REVERSED)}"
        rf"|{any_of(newest)}\s+(?:one\s+)?first",
        re.IGNORECASE,
    )


_NEWEST = ("latest", "newest", "most recent")
_ROLE, _REVERSE = _role_of(_EARLY, _LATE), _reverse_of(_EARLY, _LATE, (*_NEWEST, "longest", "largest"))
# What is largest may come first in time: of an order in time only words for times tell the end.
_IN_TIME = any_of(EARLIEST), any_of(LATEST)
_TIME_ROLE, _TIME_REVERSE = _role_of(*_IN_TIME), _reverse_of(*_IN_TIME, _NEWEST)
_LATE_SIGNS = signs((*LATEST, *LONGEST))
_REVERSE_SIGNS = signs((*LATEST, *LONGEST, *REVERSED))
_ROLE_SIGNS = signs(
    (
        *EARLIEST,
        *SHORTEST,
        *LATEST,
        *LONGEST,
        "mid",
        "medium",
        "in between",
        "intermedia",
        "mittler",
        "moyenne",
        "中间",
        "居中",
        "真ん中",
        "중간",
    )
)
# "1. Image 3", "2nd: Image 1", a row of a table: the first number is the place, the second one the item.
_ROW = lazy(
    rf"(?:^|\n)[ \t]*[\"'(\[*#•-]*[ ]?(?:(?i:position|rank|place|step"
    rf"|no\.?)\s*)?(?P<place>\d{{1,2}})(?:st|nd|rd|th)?[\"')\]]*[ ]?(?:[.):=→-]"
    rf"|->)?[ ]?[\"'(\[*]*(?:(?i:{_NOUNS})[ ]?[:]?[ ]?)?#?(?P<item>\d{{1,2}}|[A-Z])(?![\w.])"
)
_LISTED = lazy(
    rf"(?:^|[,;{{\n])[ \t]*[\"'(\[*#-]*[ ]?(?:position |rank |place )?(?P<place>\d{{1,2}})(?:st|nd|rd"
    rf"|th)?[\"')]*"
    rf"[ ]?(?:[.):=→-][ ]?[\"'(\[*]*(?:{_NOUNS})s?[ ]?[#:]?[ ]?|(?<=\d)[.)][ ])(?P<item>\d{{1,2}}|[A-Z])\b",
    re.IGNORECASE,
)
# "B > A > C in terms of elapsed time"
_BY_SIZE = lazy(
    r"\s*,?\s*(?:in|by|regarding)\s+(?:terms\s+of\s+)?(?:\w+\s+){0,2}(?:length|duration|time|size|span|gap)\b",
    re.IGNORECASE,
)


# "B > A > C, i.e. B spans the most time"
def _end_named_of(early: str, late: str) -> re.Pattern[str]:
    return lazy(
        rf"\s*[,;:.(–—-]+\s*(?:(?:i\.\s?e\.|so|that\s+is|meaning|with|where|which\s+means|since|because|as)[\s,]+(?:that\s+)?)?(?:{_NOUNS}\s*)?#?(?P<item>\d{{1,2}}|[A-Z])"
        rf"\s+(?:(?:is|has|spans|shows|covers|being|as|comes|was|lasts|takes)\s+)?(?:by\s+far\s+)?(?:the\s+)?(?:(?P<late>{late})|{early})",
        re.IGNORECASE,
    )


_END_NAMED, _TIME_END_NAMED = _end_named_of(_EARLY, _LATE), _end_named_of(*_IN_TIME)


# "earliest 3 open farmland", "5 first roads"
def _column_row_of(early: str, late: str) -> re.Pattern[str]:
    return lazy(
        rf"[\W_]*(?:(?P<late>(?i:{late}))|(?P<early>(?i:{early})))?[\W_]*(?:(?i:{_NOUNS})\W{{0,3}})?"
        r"(?P<item>\d{1,2}|[A-Z])(?!\w|[.,:]\d|[.)]\s)"
        rf"(?!\s*(?:(?i:{any_of((*OR, *AND))})|[/,&])\s*(?:(?i:{_NOUNS})\s*)?(?:\d|[A-Z]\b))"
    )


_COLUMN_ROW, _TIME_COLUMN_ROW = _column_row_of(_EARLY, _LATE), _column_row_of(*_IN_TIME)
_NUMBER = lazy(r"\d+")
_COMMENT = lazy(r"\(([^()\n]{2,80})\)")
_PAIRS = ("pair", "pairs", "paar", "paire", "par", "配对", "ペア", "组", "组合", "対", "쌍")
_NAMED = lazy(
    rf"(?:{any_of((*IMAGE, *_PAIRS))})\s*[#:(\"'*]*\s*(?P<item>\d{{1,2}}|[A-Z](?!\w))(?![\w.]\w)",
    re.IGNORECASE,
)
_ASCII_ORDINALS = tuple(word for word in ORDINAL if word.isascii())
_LASTS = (*(word for word in LAST if word.isascii()), *LATEST[:2])
_FOLLOWING = lazy(
    rf"{any_of(FOLLOWS)}\s+(?:the\s+)?(?:{_NOUNS}\s*)?[#(\"'*]*(?:\d{{1,2}}|[A-Z])$", re.IGNORECASE
)
_ENDS_PLACE = lazy(
    rf"(?:\s+(?:{_NOUNS}|one)(?!\s+\w))?(?:\s+(?:in\s+time|of\s+(?:the\s+)?two))?"
    r"(?=\s*(?:[.,;!)]|$)|\s+(?:because|since|as|and|while|whereas)\b)",
    re.IGNORECASE,
)
_LEFT_OPEN = lazy(rf"{any_of((*OR, *IF, *MAYBE, 'either', 'both', 'shown', 'listed'))}", re.IGNORECASE)
_PLACED = lazy(
    rf"(?<!\w)(?P<item>\d{{1,2}}|[A-Z])\s*(?:(?P<verb>{any_of(HAPPENS)})\s+(?:{any_of(TAKEN)}\s+)?|[=:]\s*)"
    rf"(?:the\s+)?(?P<place>{any_of((*_ASCII_ORDINALS, *_LASTS, *EARLIEST[:2]))})",
    re.IGNORECASE,
)
_PLACE_SIGNS = signs((*_ASCII_ORDINALS, *_LASTS, *EARLIEST[:2]))
_EVIDENCE = lazy(
    rf"{_EARLY}|{_LATE}|\b(?:follow|then|finally|next|before|first|dann|puis|luego)|然后|接着|次に|다음",
    re.IGNORECASE,
)
_CJK_BORDER = lazy(
    r"(?<=[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af])(?=[A-Za-z0-9])"
    r"|(?<=[A-Za-z0-9])(?=[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af])"
)
_WORD = lazy(r"[^\W\d_]{2}")
_WORD_SIGN = lazy(r"\w")
_LETTER = lazy(r"[^\W\d_]")
_ARROW = lazy(r"[-=–—]+>|\\to\b|\\rightarrow\b")
_SENTENCE = lazy(r"[.!?](?:\s|(?=[\u3040-\uffff]))|\n\n")
_ORDINAL_SIGN = lazy(r"st|nd|rd|th")
_ONE_ITEM = lazy(r"(?:pair\s+|image\s+)?(?:\d{1,2}|[A-Z])\b", re.IGNORECASE)
_LONGEST_PLAIN = 60
_LOOK_BACK = 90
_JUST_BEFORE = 14
_LOOK_AHEAD = 60
_ARTICLE = lazy(r" (?:pair|set|group|satellite|list|series|few|new|large|small)\b")
_NUMBER_WORDS = (*_NUMBERS, *(word for word in ORDINAL if word.isascii()))


def _role(text: str) -> re.Match[str] | None:
    """Returns the first word for an end or the middle of an order."""
    return _ROLE.search(text) if holds(text.lower(), _ROLE_SIGNS) else None


def _reversed(text: str) -> bool:
    """Whether a text says somewhere that an order goes backwards."""
    return holds(text.lower(), _REVERSE_SIGNS) and _REVERSE.search(text) is not None


@lru_cache(maxsize=4096)
def _skipped(word: str) -> bool:
    """Whether a word may stand between two labels of one order."""
    return _SKIPPED.fullmatch(word) is not None


@lru_cache(maxsize=8)
def tidy(text: str) -> str:
    """Returns a text with one kind of arrow, and without comments in brackets that hide an order."""

    def comment(match: re.Match[str]) -> str:
        inner = match.group(1)
        if _reversed(inner) or any(backwards(inner, which) is not None for which in (False, True)):
            return f" {inner} "
        if role := _role(inner):
            return f". {inner} " if _ONE_ITEM.match(inner) else f" {role.group()} "
        return " " if re.search(r"[^\W\d_]{2}|\d{4}", inner) else match.group()

    text = in_digits(text)
    if "(" in text:
        text = _COMMENT.sub(comment, text)
    text = squeeze(text if text.isascii() else _CJK_BORDER.sub(" ", text))
    if ">" in text or "\\" in text:
        text = _ARROW.sub("→", text)
    # No word is in it, so that an "a" can be no article.
    return text if _WORD.search(text) else text.upper()


@lru_cache(maxsize=8)
def orders(text: str, labels: tuple[str, ...], quantities: bool = False) -> tuple[Mention, ...]:
    """Returns the orders that a text gives, the last one last.

    Args:
        text: What `tidy` returned.
        labels: The labels on offer: "1", "2", ... or "A", "B", ...
        quantities: Whether a bare ">" says the contrary of what was asked.
    """
    found, may_turn = _as_written(text, labels, quantities)
    if not may_turn:
        return found
    # "Latest first: 1, 3, 2, so earliest first: 2, 3, 1": what is said of one order says nothing of the next.
    # The same one again, "B, A, C (B > A > C)", goes the same way.
    ends = [0]
    for before, order in itertools.pairwise(found):
        ends.append(ends[-1] if before.value == order.value else before.end)
    return tuple(
        order._replace(value=_turned(text, (since, order.start), order.end, order.value, quantities))
        for since, order in zip(ends, found, strict=False)
    )


def alone(text: str, labels: tuple[str, ...], quantities: bool = False) -> tuple[str, ...] | None:
    """Returns the order that a text is by itself, without words around it; the arguments are `orders`'.

    >>> alone("2, 1, 3.", ("1", "2", "3")), alone("It is 2, 1, 3.", ("1", "2", "3"))
    (('2', '1', '3'), None)
    """
    found, may_turn = _as_written(text, labels, quantities)
    if len(found) != 1 or found[0].value is None:
        return None
    value, start, end = found[0][:3]
    if _WORD_SIGN.search(text, end) or _LETTER.search(text, 0, start):
        return None
    return _turned(text, (0, start), end, value, quantities) if may_turn else value


@lru_cache(maxsize=8)
def _as_written(text: str, labels: tuple[str, ...], quantities: bool) -> tuple[tuple[Mention, ...], bool]:
    """Returns the orders as they stand in a text, and whether its words may turn them round."""
    if quantities and not _too_few(text, labels) and (by_role := _by_role(text, labels)):
        return (by_role,), False
    if "<" in text and (order := by_signs(text, labels)):
        return (Mention(order, 0, len(text)),), False
    if by_place := _by_place(text, labels):
        return (by_place,), False
    if column := _column(text, labels, quantities):
        return (column,), False
    if order := ranked(text, labels):
        return (Mention(order, 0, len(text)),), False
    lists = _lists(text, labels)
    runs = [
        run
        for run in _runs(text, labels, quantities)
        if not any(start < run[1] and run[0] < end for start, end, _ in lists)
    ]
    found = sorted([*lists, *runs])
    said, clear = None, True
    complete = any(order for _, _, order in found)
    once = sum(map(text.count, labels)) == len(labels)
    if not complete or (once and _WORD.search(text) and holds(text.lower(), _LATE_SIGNS)):
        said, clear = stated(text, labels, quantities)
    if said:
        return (Mention(said, 0, len(text)),), False
    if not found and clear:
        if order := valued(text, labels, quantities):
            return (Mention(order, 0, len(text)),), False
        if named := _named(text, labels):
            found = [named]
    if len(labels) == 2:
        # "Either image 1 or image 2 came first."
        found = [one for one in found if not _LEFT_OPEN.search(text, max(0, one[0] - _JUST_BEFORE), one[1])]
    return tuple(Mention(order, start, end) for start, end, order in found), True


# "2, 4, 1, 5, 3", "B > C" is none: the sign has two meanings.
_PLAIN = lazy(r"(?:\d{1,2}|[A-Z])(?:(?:, ?|; ?| ?(?:->|[→–-]) ?|\n| )(?:\d{1,2}|[A-Z])){2,}")
_BEFORE_EACH = ("Image ", "Pair ")
_ITEMS = lazy(r"\d+|[A-Z]")


def plain(text: str, labels: tuple[str, ...]) -> tuple[str, ...] | None:
    """Returns the order of a text that is nothing but a run of all labels; None for any other text.

    >>> plain("2-1-3", ("1", "2", "3")), plain("Not 2, 1, 3", ("1", "2", "3"))
    (('2', '1', '3'), None)
    """
    for noun in _BEFORE_EACH:
        if text.startswith(noun):
            text = text.replace(noun, "")
    if len(text) > _LONGEST_PLAIN or not _PLAIN.fullmatch(text):
        return None
    return _complete(_ITEMS.findall(text), labels)


def may_name(text: str, labels: tuple[str, ...]) -> bool:
    """Whether a text may name all labels but one, by digits or by words for numbers."""
    if labels[0].isalpha():
        return sum(map(text.count, labels)) >= len(labels) - 1
    named = [label for label in labels if label in text]
    return len(named) >= len(labels) - 1 or not text.isascii() or holds(text.lower(), _NUMBER_WORDS)


def _too_few(text: str, labels: Sequence[str]) -> bool:
    """Whether a text can't name all labels."""
    if all(label in text for label in labels):
        return False
    small = text.lower()
    return not labels[0].isdigit() or sum(word in small for word in _NUMBER_WORDS) < len(labels)


def _turned(
    text: str, begins: tuple[int, int], end: int, order: tuple[str, ...] | None, quantities: bool
) -> tuple[str, ...] | None:
    """Returns an order from its earliest or smallest item, whichever way the text goes.

    `begins` says where the words about it may begin, and where itself.
    """
    if order is None:
        return None
    since, start = begins
    if len(order) == 2 and _FOLLOWING.search(text[start:end]):
        return order[::-1]  # "Image 2 came after Image 1"
    if (turned := _end_named(text, end, order, quantities)) is not None:
        return order[::-1] if turned else order
    before = _SENTENCE.split(text[max(since, start - _LOOK_BACK) : start])[-1]
    after = _SENTENCE.split(text[end : end + _LOOK_AHEAD])[0]
    back = backwards(before, quantities)
    if back is None:
        back = backwards(after, quantities)
    if back is not None:
        return order[::-1] if back else order
    if not holds(text[start - len(before) : end + 40].lower(), _REVERSE_SIGNS):
        return order  # no word for the late end
    reverse, role = (_REVERSE, _ROLE) if quantities else (_TIME_REVERSE, _TIME_ROLE)
    if reverse.search(before) or reverse.match(text[end : end + 40].lstrip(" ,.;-")):
        return order[::-1]
    roles = [match.lastgroup for match in role.finditer(text, start - len(before), min(len(text), end + 25))]
    ends = [role for role in roles if role != "middle"]
    return order[::-1] if ends and ends[0] == "late" and "early" in ends else order


def _complete(items: Sequence[str], labels: Sequence[str]) -> tuple[str, ...] | None:
    return tuple(items) if sorted(items) == sorted(labels) else None


def _by_role(text: str, labels: Sequence[str]) -> Mention | None:
    """Returns the order of three labels that are each given a role: shortest, middle, longest."""
    roles: dict[str, str] = {}
    places = []
    for part in re.finditer(r"[^.,;\n|]+", text):
        items = re.findall(r"(?<![\w'])([A-Z])(?![\w'])", part.group())
        role = _role(part.group()) if len(items) == 1 and items[0] in labels else None
        if role and role.lastgroup:
            roles.setdefault(role.lastgroup, items[0])
            places += [part.start(), part.end()]
    order = [roles.get(role, "") for role in ("early", "middle", "late")]
    if len(roles) == 2 and len(labels) == 3:
        rest = [label for label in labels if label not in order]
        order = [item or rest[0] for item in order] if len(rest) == 1 else order
        if not rest or not re.search(rf"(?<!\w){rest[0]}(?!\w)", text):
            return None
    complete = _complete(order, labels)
    return Mention(complete, min(places), max(places)) if complete and len(roles) > 1 else None


def _by_place(text: str, labels: Sequence[str]) -> Mention | None:
    """Returns the order of labels that are each given a place: "Image 1 is third, Image 2 is first"."""
    if not holds(text.lower(), _PLACE_SIGNS):
        return None
    matches = outer(_PLACED.finditer(text))
    if not matches:
        return None
    items = {match["item"].upper(): _place(match["place"].lower(), len(labels)) for match in matches}
    if len(items) == len(labels) - 1 and len(matches) == len(items):
        items |= _left_over(text, labels, items, matches)
    if len(matches) > len(labels) or sorted(items.values()) != list(range(1, len(labels) + 1)):
        return None
    order = _complete(sorted(items, key=items.__getitem__), labels)
    return Mention(order, matches[0].start(), matches[-1].end()) if order else None


def _column(text: str, labels: Sequence[str], quantities: bool) -> Mention | None:
    r"""Returns the order of the rows of a table that names only its ends: "earliest 3", "5", "latest 1"."""
    if text.count("\n") < len(labels) - 1:
        return None
    pattern = _COLUMN_ROW if quantities else _TIME_COLUMN_ROW
    rows = [pattern.match(line) for line in text.split("\n") if _WORD_SIGN.search(line)]
    ends = [i for i, row in enumerate(rows) if row and (row["late"] or row["early"])]
    if len(ends) != 2 or ends[1] - ends[0] != len(labels) - 1:
        return None
    some = [row for row in rows[ends[0] : ends[1] + 1] if row]
    if bool(some[0]["late"]) == bool(some[-1]["late"]):
        return None
    order = _complete([row["item"].upper() for row in some], labels)
    if order is None:
        return None
    return Mention(order[::-1] if some[0]["late"] else order, 0, len(text))


def _left_over(
    text: str, labels: Sequence[str], items: Mapping[str, int], matches: Sequence[re.Match[str]]
) -> dict[str, int]:
    """Returns the place of the one label that is not named: "Image 1 came first", of two."""
    rest = next(label for label in labels if label not in items)
    free = [place for place in range(1, len(labels) + 1) if place not in items.values()]
    sure = all(match["verb"] and _ENDS_PLACE.match(text, match.end()) for match in matches)
    if not sure or len(free) != 1 or _LEFT_OPEN.search(text) or re.search(rf"(?<!\w){rest}(?!\w)", text):
        return {}
    return {rest: free[0]}


def _place(word: str, n: int) -> int:
    """Returns the place that a word stands for among n."""
    return ORDINAL.get(word) or (n if word in _LASTS else 1)


def _lists(text: str, labels: Sequence[str]) -> list[Found]:
    """Returns the enumerations of as many entries as there are labels."""
    found: list[Found] = []
    # Each entry has a number for its place.
    if len(_NUMBER.findall(text)) < len(labels) * (1 + labels[0].isdigit()):
        return found
    for pattern in (_ROW, _LISTED):
        start = 0
        entries: list[str] = []
        matches = list(pattern.finditer(text))
        for match in matches:
            place = int(match.group("place"))
            if place == 1:
                entries, start = [], match.start()
            if place != len(entries) + 1:
                continue
            entries.append(match.group("item").upper())
            if len(entries) == len(labels):
                order = _complete(entries, labels)
                # "1: 3 houses" in a row describes the items in the order shown.
                if order or pattern is _LISTED:
                    found.append((start, match.end(), order))
                entries = []
        if found:
            return found
        if by_place := _of_places(matches, labels):
            return [by_place]
    return found


def _of_places(entries: Sequence[re.Match[str]], labels: Sequence[str]) -> Found | None:
    """Returns the order of entries that each have a place of their own, whichever comes first."""
    if len(entries) != len(labels):
        return None
    items = {int(match["place"]): match["item"].upper() for match in entries}
    if sorted(items) != list(range(1, len(labels) + 1)):
        return None
    order = _complete([items[place] for place in sorted(items)], labels)
    # "1: 3 houses" tells no order of the items.
    ordinal = all(_ORDINAL_SIGN.match(entries[0].string, match.end("place")) for match in entries)
    return (entries[0].start(), entries[-1].end(), order) if order and ordinal else None


def _named(text: str, labels: Sequence[str]) -> Found | None:
    """Returns the order in which a text names each label once, where it says that it is one."""
    matches = list(_NAMED.finditer(text))
    order = _complete([match["item"].upper() for match in matches], labels)
    return (matches[0].start(), matches[-1].end(), order) if order and _EVIDENCE.search(text) else None


def _runs(text: str, labels: tuple[str, ...], quantities: bool) -> list[Found]:
    """Returns the runs of at least as many labels as there are."""
    digits, own = labels[0].isdigit(), sorted(labels)
    in_words = digits and sum(text.count(label) for label in labels) < len(labels)
    found: list[Found] = []
    run: list[str] = []
    start = end = colon = behind = 0
    readable = True
    opens_at = _opens(labels, quantities, in_words)

    def close() -> None:
        nonlocal run, readable, start, colon
        if len(run) == 1 and sorted(run[0]) == own:
            run = list(run[0])
        if colon and len(run) - colon == len(labels) and {*run[:colon]} <= {*labels}:
            run, start = run[colon:], behind  # "so it comes before 4: 5, 1, 4, 2, 3"
        if len(run) >= len(labels) and (readable or _says_which_end(text, start, end, quantities, run)):
            found.append((start, end, _complete(run, labels)))
        run, readable, colon = [], True, 0

    place = 0
    while place < len(text):
        if not run and readable:
            # What stands between two runs is not looked at.
            opens = opens_at.search(text, place)
            place = opens.start() if opens else len(text)
        match = _TOKEN.match(text, place)
        if match is None:
            break
        place, token, kind = match.end(), match.group(), match.lastgroup
        if kind == "item":
            whole = len(token) == len(own) and sorted(token) == own
            item = token if whole else _label(token, digits, in_words)
            if item == "A" and _ARTICLE.match(text, match.end()):
                close()
            elif item is not None:
                start = start if run else match.start()
                behind = match.start() if len(run) == colon else behind
                run.append(item)
                end = match.end()
            elif not _skipped(token) or (in_words and token.lower() in HAPPENS):
                close()  # "2 was first": no 2 and 1
        elif kind == "greater":
            readable = readable and not quantities
        elif kind == "skip" and ":" in token and run and len(run) < len(labels):
            colon = len(run)
        elif kind == "other" or _parts(token, len(run) == len(labels)):
            close()
    close()
    return found


def _parts(sign: str, whole: bool) -> bool:
    """Whether signs end a run: an empty line; behind a whole run "B, C, A (A > C > B)", "B, C, A; A is"."""
    return sign.count("\n") > 1 or (whole and ("(" in sign or ";" in sign))


def _says_which_end(text: str, start: int, end: int, quantities: bool, run: Sequence[str]) -> bool:
    """Whether the words around a run say which of its ends comes first."""
    begin = max(0, start - _LOOK_BACK)
    return (
        _REVERSE.search(text, begin, end + 40) is not None
        or backwards(text[begin : end + _LOOK_AHEAD], quantities) is not None
        or _end_named(text, end, run, quantities) is not None
    )


def _end_named(text: str, end: int, run: Sequence[str], quantities: bool) -> bool | None:
    """Whether the words behind a run make its first label the latest or largest; None where none is named."""
    if ">" in text and _BY_SIZE.match(text, end):
        return True
    named = (_END_NAMED if quantities else _TIME_END_NAMED).match(text, end)
    if named is None or named["item"].upper() not in (run[0], run[-1]):
        return None
    return (named["item"].upper() == run[0]) == (named["late"] is not None)


@lru_cache(maxsize=32)
def _opens(labels: tuple[str, ...], quantities: bool, in_words: bool) -> re.Pattern[str]:
    """Returns the pattern of what a run of labels may open with."""
    if labels[0].isdigit():
        words = "|".join((*_NUMBERS, *ORDINAL) if in_words else _NUMBERS)
        item = rf"\d|(?<![^\W\d_])(?i:{words})(?![^\W\d_])"
    else:
        item = rf"(?<![^\W\d_])(?:[A-Z]|[{''.join(labels)}]{{{len(labels)}}})(?![^\W\d_])"
    return lazy(f"{item}|>" if quantities else item)


def _label(token: str, digits: bool, in_words: bool) -> str | None:
    if not digits:
        return token if len(token) == 1 and token.isascii() and token.isupper() and token != "I" else None
    if token.isdecimal():
        return token
    word = token.lower()
    if word in _NUMBERS and (in_words or word != "one"):
        return _NUMBERS[word]
    return str(ORDINAL[word]) if in_words and word in ORDINAL else None


def of_json(value: Any, labels: Sequence[str], text_of: Any) -> list[Any]:
    """Returns the orders in a decoded value: a list, or an object by role or place.

    Args:
        value: The decoded value.
        labels: The labels on offer.
        text_of: Reads an order from a string.
    """
    if isinstance(value, str):
        return list(text_of(value))
    if isinstance(value, list):
        items = [_item(entry) for entry in value]
        order = _complete([item for item in items if item], labels) if all(items) else None
        return [order] if order else []
    if isinstance(value, Mapping):
        return _of_mapping(value, labels)
    return []


def _item(entry: Any) -> str | None:
    if isinstance(entry, Mapping):
        named = [
            item
            for key, item in entry.items()
            if re.search(r"image|pair|item|label|id", str(key), re.IGNORECASE)
        ]
        entry = named[0] if len(named) == 1 else None
    if isinstance(entry, bool) or entry is None:
        return None
    found = re.findall(r"\d+|\b[A-Z]\b", str(entry))
    return found[-1] if found else None


def _of_mapping(value: Mapping[Any, Any], labels: Sequence[str]) -> list[Any]:
    places: list[tuple[int, list[str]]] = []
    others: list[str] = []
    for place, (key, entry) in enumerate(value.items()):
        items = [_item(part) for part in (entry if isinstance(entry, list) else [entry])]
        named = [item for item in items if item is not None and item in labels]
        if not named or len(named) < len(items) or isinstance(entry, Mapping):
            continue
        name = str(key).lower().replace("_", " ")
        role = _ROLE.search(name)
        number = re.search(r"\d+", name)
        if role and role.lastgroup in ("early", "late"):
            places.append((-1 if role.lastgroup == "early" else 1000, named))
        elif len(named) > 1 and not (role and role.lastgroup == "middle"):
            continue
        elif name in ORDINAL or number or (role and role.lastgroup == "middle"):
            places.append((ORDINAL.get(name) or (int(number.group()) if number else 100 + place), named))
        else:
            others += named
    if len(places) == 2 and len(others) == 1 and {place for place, _ in places} == {-1, 1000}:
        places.append((0, others))  # both ends, and what is left
    order = _complete([item for _, named in sorted(places) for item in named], labels)
    return [order] if order else []
