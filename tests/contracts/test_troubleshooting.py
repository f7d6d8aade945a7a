"""The messages that docs/troubleshooting.md explains are messages of the code."""

import ast
import re
from collections.abc import Iterator
from functools import cache
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


@cache
def sources() -> dict[Path, str]:
    """Returns the package's files, with texts that go over several lines in one piece."""
    files = [*ROOT.glob("tempbench_lmms/**/*.py"), *ROOT.glob("hf_datasets/**/*.py")]
    return {file: re.sub(r'"\s*\n\s*f?"', "", file.read_text(encoding="utf-8")) for file in files}


@cache
def said(file: Path) -> tuple[str, ...]:
    """Returns all texts of a file."""
    return tuple(texts(file.read_text(encoding="utf-8")))


def likely(message: str) -> list[Path]:
    """Returns the package's files, first those that have the words of a message as they stand."""
    parts = [part.strip() for part in message.split("…")]
    return sorted(sources(), key=lambda file: not all(part in sources()[file] for part in parts))


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
    def check(message: str) -> None:
        found = any(says(text, message) for file in likely(message) for text in said(file))
        assert found, "no message reads so"

    for_each(MESSAGE.findall(PAGE.read_text(encoding="utf-8")), check)


@pytest.mark.slow
def test_a_message_that_nobody_says_is_found() -> None:
    message = "… is no model of the harness; …"
    few = [file for file, text in sources().items() if "no model" in text]
    assert few
    assert not any(says(text, message) for file in few for text in said(file))
    assert not says("the folder is missing next to the file", "the folder … is missing next to …")
    assert len(MESSAGE.findall(PAGE.read_text(encoding="utf-8"))) > 20
