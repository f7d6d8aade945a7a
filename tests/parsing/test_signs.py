"""The signs without which a pattern is not looked for: whatever the pattern finds holds one of them."""

import importlib
import random
import re
import sys
from typing import Any

import pytest

from tempbench_lmms.parsing import clean

# Python 3.11 gave the module its new name.
PARSER = importlib.import_module("re._parser" if sys.version_info >= (3, 11) else "sre_parse")


def found_by(tree: Any, draw: random.Random) -> str:
    """Returns a text that a parsed pattern finds, but for what it says of the text around it."""
    return "".join(_found(str(code), argument, draw) for code, argument in tree)


def _found(code: str, argument: Any, draw: random.Random) -> str:
    if code in ("LITERAL", "NOT_LITERAL"):
        return chr(argument) if code == "LITERAL" else "."
    if code == "BRANCH":
        return found_by(draw.choice(argument[1]), draw)
    if code == "SUBPATTERN":
        return found_by(argument[-1], draw)
    if code in ("MAX_REPEAT", "MIN_REPEAT"):
        least, most, inner = argument
        return "".join(found_by(inner, draw) for _ in range(draw.randint(least, min(most, least + 1))))
    if code == "IN":
        kinds = [(str(kind), value) for kind, value in argument]
        if kinds[0][0] == "NEGATE":
            return "x"
        kind, value = draw.choice(kinds)
        if kind == "CATEGORY":
            return " " if str(value) == "CATEGORY_SPACE" else "." if "NOT" in str(value) else "1"
        return chr(value if kind == "LITERAL" else value[0])
    return "x" if code == "ANY" else ""


@pytest.mark.parametrize(("sign", "pattern"), [change[:2] for change in clean._CHANGES])
def test_what_a_pattern_finds_holds_its_sign(sign: str, pattern: Any) -> None:
    draw = random.Random(0)
    tree = PARSER.parse(pattern.pattern, re.IGNORECASE)
    texts = [found_by(tree, draw) for _ in range(1_000)]
    assert [text for text in texts if sign not in text] == []
