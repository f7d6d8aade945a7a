"""The messages that docs/troubleshooting.md explains are messages of the code."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.each import for_each

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/troubleshooting.md"
MESSAGE = re.compile(r"^\| `([^`]* [^`]*)` \|", re.M)
"""A first cell that is all code and has words."""
GAP = "\0"


def texts(source: str) -> Iterator[str]:
    """Yields the texts in a program, with a mark where something is filled in."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else GAP for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def says(text: str, message: str) -> bool:
    """Returns whether a text has a message's words in their order, and gaps where it has."""
    at = 0
    for number, part in enumerate(message.split("…")):
        found = text.find(part.strip(), at)
        if found < 0 or (number and part.strip() and GAP not in text[at:found]):
            return False
        at = found + len(part.strip())
    return True


@pytest.mark.slow
def test_an_explained_message_is_one_of_the_code() -> None:
    files = [*ROOT.glob("tempbench_lmms/**/*.py"), *ROOT.glob("hf_datasets/**/*.py")]
    every = {text for file in files for text in texts(file.read_text(encoding="utf-8"))}
    messages = MESSAGE.findall(PAGE.read_text(encoding="utf-8"))
    assert len(messages) > 20
    for_each(messages, lambda message: _is_said(message, every))
    with pytest.raises(AssertionError, match="no message reads so"):
        _is_said("the folder … is missing next to …", {"the folder is missing next to the file"})


def _is_said(message: str, every: set[str]) -> None:
    assert any(says(text, message) for text in every), "no message reads so"
