"""Reads replies in the forms that prompts ask for, such as JSON; no other stage sees them."""

import itertools
import json
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from tempbench_lmms.parsing.expected import Choice, Count, Item, Order, Relation, TimeSpan, Truth
from tempbench_lmms.parsing.finders import Finder
from tempbench_lmms.parsing.lexicon import phrases, roles, scan
from tempbench_lmms.parsing.mentions import relations, spans
from tempbench_lmms.parsing.tokens import Text

# A bracket that what follows it does not rule out.
_OPENING = re.compile(r'\{(?=\s*["}])|\[(?=\s*[\[{\]"\d\-tfnNI])')
_BRACKET = re.compile(r"[\[{\]}]")
_DEEPEST = 50
_PASSES = 10
_ATTEMPT = 50


def json_values(text: str) -> list[Any]:
    """Returns the outermost JSON objects and arrays in a text, in order.

    Text that is not JSON is left out. If brackets are nested more than 50 deep, everything is.

    >>> json_values('Sure: {"a": 1}')
    [{'a': 1}]
    """
    return [*_decoded(text)] if "{" in text or "[" in text else []


@lru_cache(maxsize=4)  # several fields are read from one text
def _decoded(text: str) -> tuple[Any, ...]:
    # Brackets in strings count, too.
    signs = (1 if bracket in "[{" else -1 for bracket in _BRACKET.findall(text))
    if max(itertools.accumulate(signs), default=0) > _DEEPEST:
        return ()
    found, place = [], 0
    # An opening bracket that begins no JSON may cost a pass over the rest of the text, so they are limited.
    walk = _PASSES * (len(text) + _ATTEMPT)
    while walk >= 0 and (match := _OPENING.search(text, place)):
        place = match.start()
        try:
            value, end = _DECODER.raw_decode(text, place)
        except ValueError as error:  # no JSON, or a number of thousands of digits
            walk -= getattr(error, "pos", len(text)) - place + _ATTEMPT
            place += 1
        else:
            found.append(value)
            place = end
    return tuple(found)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Returns an object, without fields that it gives twice with different values."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        found[name] = None if name in found and found[name] != value else value
    return found


_DECODER = json.JSONDecoder(object_pairs_hook=_object)


_MARKS = " \t\r\n.,;:!\"'()[]{}*#`~–—|•✓✔✅☑→➡👉"
_LABEL = re.compile(
    rf"(?:the )?(?:(?:correct|final|best) )*(?:{phrases('answer')}|(?:option|choice|letter|pair|caption)"
    r"(?!\W*\d))(?: is| ist| est| es|是|は)?\s*:?\s*(?![^\W\d_]{2})(?![\s:]*(?:it|s?he|th\w+) )",
    re.I,
)
_LETTER = re.compile(r"([A-H])(?:[\"')\].:,\s-]+(\S.*))?", re.IGNORECASE)
_IMAGE = re.compile(rf"(?:(?:the )?(?:{phrases('image')})\s?(?:no\.?|number)?\s?[#:]?\s?)?(\d)", re.I)
_COUNT = re.compile(r"([A-H])?[.:,)\s]*(\d{1,4})?")
_ROW = re.compile(r"\w(?:(?:,|->|[→–-]| )\s?\w)*|\w+")
_TICKED = re.compile(
    r"(?:\[\s*[xX✓✔]\s*\]|\([xX✓✔]\)|[✓✔✅☑☒])\s*([^\[\]\n✓✔✅☑☐✗✘❌]{1,80}?)\s*(?=\[|\n|$|[☐✗✘❌])"
)
_BOX = re.compile(r"(?:^|(?<=\n))[ *•-]{0,8}(?:\[[xX✓✔ ]?\]|\([xX✓✔ ]?\)|[☐☑☒✅❌✗✘])\s*\S|\[[ ]?\]")
_KEYS = (
    r"(final|revised|corrected)_?(answer|choice|decision|order)?",
    r"(correct_?)?answer(_\w+)?|ans",
    r"((chosen|selected|best|final|my|right)_)?(caption|choice|option|letter)(_(letter|index|id|number|label))?"
    r"|correct_(choice|option)|selected\w*|prediction|label|response",
    r"result|output|verdict|value|conclusion|longest\w*|image(_\w+)?|pair(_\w+)?|order|ranking|sequence"
    r"|count|number|is_\w+|statement|truth",
)
_TRUTHS = dict.fromkeys(("t", "true", "yes", "是"), True) | dict.fromkeys(("f", "false", "no", "否"), False)
_BRIEFLY = re.compile(
    r"(?:it|s?he|they|th(?:is|at|ese|ere)) (?:is|are|was|were|do|does|did|has|have|had|can|will)(n.t| not)?"
    r"(?: indeed)?"
)
_CLASSES = {"before": "before", "after": "after", "parallel": "independent", "independent": "independent"}
_SHORT, _MOST = 60, 50


def read(text: str, finder: Finder) -> tuple[Any, str] | None:
    """Returns the value of a text that is only an answer, and the rule; None for other texts."""
    wanted = finder.expected
    if isinstance(wanted, TimeSpan):
        return _span(text, wanted)
    triple = isinstance(wanted, Relation) and wanted.form == "triple"
    if triple and (label := relations.triple(Text(text, spans=False))) is not None:
        return label, "form"
    rule = _WHOLE.get(type(wanted)) if len(text) <= _SHORT else None
    if rule and (found := rule(_bare(text), wanted)) is not None:
        return found, "whole"
    if "{" in text and (objects := json_values(text)):
        for value in objects[: -_MOST - 1 : -1]:
            if (found := _of_json(value, finder)) is not None:
                return found, "json"
        if text[-1] == "}" and isinstance(objects[0], Mapping):
            return None, "json"
    if len(_BOX.findall(text)) > 1:
        ticked = {finder.read_text(one[1]) for one in _TICKED.finditer(text)} - {None}
        return (ticked.pop() if len(ticked) == 1 else None), "form"
    return None


def _bare(text: str) -> str:
    label = _LABEL.match(text := text.strip(_MARKS))
    return text[label.end() :].strip(_MARKS) if label else text


def _span(text: str, span: TimeSpan) -> tuple[Any, str] | None:
    values = json_values(text)
    for value in reversed(values):
        if not isinstance(value, Mapping) and (len(values) > 1 or text[0] + text[-1] != "[]"):
            continue  # "A [1, 5], B [12, 20]" are no lists of JSON
        if stated := spans.of_json(value, span):
            return stated[0], "json"
        if isinstance(value, Mapping) and spans.has_field(value):
            return None, "json"
    return None


def _choice(bare: str, expected: Choice) -> str | None:
    found = _LETTER.fullmatch(bare.lower().removeprefix(f"{expected.noun} "))
    letter = found[1].upper() if found and found[1].upper() in expected.letters else ""
    if found and letter and not found[2]:
        return letter
    said = dict(zip(expected.letters, map(_plain, expected.texts), strict=False))
    if found and letter and said.get(letter) == _plain(found[2]):
        return letter
    same = [one for one, text in said.items() if text == _plain(bare)]
    return same[0] if len(same) == 1 else None


def _item(bare: str, expected: Item) -> int | None:
    found = _IMAGE.fullmatch(bare)
    return int(found[1]) if found and 0 < int(found[1]) <= expected.upper else None


def _count(bare: str, expected: Count) -> tuple[str | None, int] | None:
    said = _COUNT.fullmatch(bare.upper())
    rows = zip(expected.letters, expected.texts, strict=False)
    same = [row for row in rows if said and {*filter(None, said.groups())} <= {*row}]
    return (same[0][0], int(same[0][1])) if len(same) == 1 and same[0][1].isdecimal() else None


def _order(bare: str, expected: Order) -> tuple[str, ...] | None:
    row = tuple(re.findall(r"\w", bare.upper())) if _ROW.fullmatch(bare) else ()
    return row if sorted(row) == sorted(expected.labels) else None


_WHOLE: dict[type, Callable[[str, Any], Any]] = {
    Choice: _choice,
    Item: _item,
    Count: _count,
    Order: _order,
    Truth: lambda bare, _: _truth(bare.lower()),
    Relation: lambda bare, _: _CLASSES.get(bare.lower()),
}


def _truth(bare: str) -> bool | None:
    briefly = _BRIEFLY.fullmatch(bare)  # "it doesn't"
    return briefly[1] is None if briefly else _TRUTHS.get(bare)


@lru_cache(maxsize=512)
def _plain(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", text.lower()))


def _of_json(value: Any, finder: Finder) -> Any | None:
    """Returns the answer of a decoded value: the field with an answer's name, or the only possible field."""
    if not isinstance(value, Mapping):
        return _of_field(value, finder)
    names = _names(value)
    named = [(name, item) for key in _KEYS for name, item in names.items() if re.fullmatch(key, name)]
    if isinstance(finder.expected, Order):
        rows = [one for one in named if "longest" not in one[0]][:1] or names.items()
        return finder.read_text("\n".join(f"{key.replace('_', ' ')}: {item}" for key, item in rows))
    if isinstance(finder.expected, Relation) and (found := _of_questions(names, finder)) is not None:
        return found
    asked = finder.terms.approves - {"right", "wrong"} | roles("answer")
    named += [
        (name, item)
        for name, item in names.items()
        if any(word.roles & asked for word in scan(name.replace("_", " "), spans=False))
    ]
    for _, item in named:
        if item is None or (found := _of_json(item, finder)) is not None:
            return None if item is None else found
    left = [one for item in names.values() if (one := _of_field(item, finder)) is not None]
    return left[0] if len({*left}) == 1 else None


def _of_questions(names: Mapping[str, Any], finder: Finder) -> Any | None:
    """Returns the answer of an object with three questions as names: "a_before_b"."""
    said = ("yes" if item is True else "no" if item is False else item for item in names.values())
    lines = [f"{key.replace('_', ' ').upper()}? {item}" for key, item in zip(names, said, strict=True)]
    return finder.read_text("\n".join(lines)) if len(lines) > 2 else None


def _names(value: Mapping[Any, Any]) -> dict[str, Any]:
    names = {re.sub(r"[\s-]+", "_", str(key).strip().lower()): item for key, item in value.items()}
    return {name: item for name, item in names.items() if not re.search(phrases("other_key"), name)}


def _of_field(item: Any, finder: Finder) -> Any | None:
    return None if item is None or isinstance(item, Mapping) else finder.read_text(str(item))
