"""The forms that prompts ask for: a reply in one of them is read here and goes no further."""

import re
from collections.abc import Mapping
from typing import Any

from tempbench_lmms.parsing.expected import Choice, Count, Item, Order, Relation, TimeSpan, Truth
from tempbench_lmms.parsing.finders import Finder
from tempbench_lmms.parsing.json_values import json_values
from tempbench_lmms.parsing.lexicon import scan
from tempbench_lmms.parsing.mentions import numbers, relations, spans
from tempbench_lmms.parsing.patterns import lazy
from tempbench_lmms.parsing.tokens import Text

_MARKS = " \t\r\n.,;:!?\"'()[]{}<>*#`~-–—|•✓✔✅☑→➡👉"
_LETTER = lazy(
    r"(?:(?:option|answer|choice|letter|pair|caption)\s*:?\s*)?[(\[\"']{0,2}([A-Ha-h])[\"')\]]{0,2}", re.I
)
_TICKED = lazy(
    r"(?:\[\s*[xX✓✔]\s*\]|\([xX✓✔]\)|[✓✔✅☑☒])\s*([^\[\]\n✓✔✅☑☐✗✘❌]{1,80}?)\s*(?=\[|\n|$|[☐✗✘❌])"
)
_BOX = lazy(r"(?:^|(?<=\n))[\s*•-]*(?:\[[xX✓✔ ]?\]|\([xX✓✔ ]?\)|[☐☑☒])\s*\S|\[[ ]?\]")
_NO_KEY = lazy(
    r"reason|expl|conf|think|thought|analysis|descr|evidence|comment|note|summary|score|prob|runner|second|reject"
    r"|initial|exclu|eliminat|alternativ|short|observ|frame|violat"
)
_KEYS = (
    r"final_?(answer|choice|decision|order)?",
    r"(correct_?)?answer(_\w+)?|ans",
    r"choice|option|letter|selected\w*|prediction|label|response",
    r"result|output|verdict|value|conclusion|longest\w*|image(_\w+)?|pair(_\w+)?|order|ranking|sequence|count|number|is_\w+|statement|truth",
)
_TICKS = ("✓", "✔", "✅", "☑", "✗", "✘", "❌", "✖")
_SHORT = 60


def read(text: str, finder: Finder) -> tuple[Any, str] | None:
    """Returns the value of a text that is an answer by itself, and the rule; None for any other."""
    if isinstance(finder.expected, Relation) and finder.expected.form == "triple":
        label = relations.triple(Text(text, spans=False))
        if label is not None:
            return label, "form"
    if (found := bare(text, finder)) is not None:
        return found, "whole"
    if "{" in text and (objects := json_values(text)):
        for value in reversed(objects):
            if (found := of_json(value, finder)) is not None:
                return found, "json"
        if text[0] == "{" and text[-1] == "}" and len(objects) == 1 and isinstance(objects[0], Mapping):
            return None, "json"
    if len(_BOX.findall(text)) > 1:
        ticked = {finder.read_text(one[1]) for one in _TICKED.finditer(text)} - {None}
        if not ticked and finder.spans:
            return None
        return (ticked.pop() if len(ticked) == 1 else None), "form"
    return None


def bare(text: str, finder: Finder) -> Any | None:
    """Returns the value of a short text that is a bare answer."""
    return whole(text, finder) if len(text) <= _SHORT else None


def whole(text: str, finder: Finder) -> Any | None:
    """Returns the value of a bare answer."""
    bare = text.strip(_MARKS)
    expected = finder.expected
    if isinstance(expected, (Choice, Count)):
        found = _LETTER.fullmatch(bare)
        if found and found[1].upper() in expected.letters:
            return finder.by_letter(found[1].upper())
        if isinstance(expected, Count):
            number = numbers.value_of(bare)
            letters = [
                letter
                for letter, said in zip(expected.letters, expected.texts, strict=False)
                if numbers.value_of(said) == number
            ]
            return None if number is None else (letters[0] if letters else None, number)
        same = [i for i, said in enumerate(expected.texts) if _plain(said) == _plain(bare) and bare]
        if len(same) == 1 and same[0] < len(expected.letters):
            return finder.by_letter(expected.letters[same[0]])
    if isinstance(expected, Item) and re.fullmatch(r"(?:image|#)?\s*\d{1,2}", bare, re.I):
        value = int(re.sub(r"\D", "", bare))
        return value if 0 < value <= expected.upper else None
    if isinstance(expected, Truth):
        if bare.upper() in ("T", "F"):
            return bare.upper() == "T"
        if text.strip() in _TICKS:
            return text.strip() in "✓✔✅☑"
        words = scan(bare.lower())
        if len(words) == 1 and words[0].end - words[0].start == len(bare):
            yes, no = bool(words[0].roles & {"true", "yes"}), bool(words[0].roles & {"false", "no"})
            return yes if yes != no else None
    if isinstance(expected, Order):
        labels = re.findall(r"[A-Za-z]+|\d+", bare)
        if len(labels) == len(expected.labels) and not re.sub(r"\w|[\s,;→]|->|-(?!-)", "", bare):
            order = tuple(label.upper() for label in labels)
            return order if set(order) == set(expected.labels) else None
    return None


def _plain(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", text.lower()))


def of_json(value: Any, finder: Finder) -> Any | None:
    """Returns what one decoded value answers: the field whose name says so, else the only field that can."""
    if isinstance(finder.expected, TimeSpan):
        return next(iter(spans.of_json(value, finder.expected)), None)
    if not isinstance(value, Mapping):
        return _of_field(value, finder)
    if isinstance(finder.expected, Relation) and finder.expected.form == "triple" and len(value) >= 3:
        rows = "\n".join(
            f"Q{i + 1}: {'yes' if item is True else 'no' if item is False else item}"
            for i, item in enumerate([*value.values()][:3])
        )
        return relations.triple(Text(rows, spans=False))
    names = {re.sub(r"[\s-]+", "_", str(key).strip().lower()): item for key, item in value.items()}
    if isinstance(finder.expected, Order):
        return _order_of({name: item for name, item in names.items() if not _NO_KEY.search(name)}, finder)
    for pattern in _KEYS:
        for name, item in names.items():
            if re.fullmatch(pattern, name) and not _NO_KEY.search(name):
                if isinstance(item, Mapping):
                    if (inner := of_json(item, finder)) is not None:
                        return inner
                    continue
                if item is None or (said := _of_field(item, finder)) is not None:
                    return None if item is None else said
    asked = finder.terms.approves - {"right", "wrong"}
    for name, item in names.items():
        if (
            any(word.roles & asked for word in scan(name.replace("_", " ")))
            and (said := _of_field(item, finder)) is not None
        ):
            return said
    found = [_of_field(item, finder) for name, item in names.items() if not _NO_KEY.search(name)]
    left = [one for one in found if one is not None]
    return left[0] if len(left) == 1 else None


def _order_of(names: Mapping[str, Any], finder: Finder) -> Any | None:
    """Returns the order in a field that is called so, or that all make: `{"latest": 2, "earliest": 1}`."""
    for pattern in _KEYS:
        for name, item in names.items():
            if re.fullmatch(pattern, name):
                is_object = isinstance(item, Mapping)
                return of_json(item, finder) if is_object else finder.read_text(_row(name, item))
    return finder.read_text("\n".join(_row(name, item) for name, item in names.items()))


def _row(name: str, item: Any) -> str:
    row = item if isinstance(item, list) else [item]
    said = ", ".join(_row("", one) if isinstance(one, list) else str(one) for one in row)
    return f"{name.replace('_', ' ')}: {said}"


def _of_field(item: Any, finder: Finder) -> Any | None:
    if isinstance(item, bool):
        return item if isinstance(finder.expected, Truth) else whole(str(item), finder)
    if isinstance(item, list):
        if isinstance(finder.expected, Order):
            objects = [one for one in item if isinstance(one, Mapping)]
            rows = [", ".join(_row(str(k), v) for k, v in one.items()) for one in objects]
            return finder.read_text("\n".join(rows) if rows else ", ".join(map(str, item)))
        return _of_field(item[0], finder) if len(item) == 1 else None
    if isinstance(item, (str, int, float)):
        return finder.read_text(str(item))
    return None
