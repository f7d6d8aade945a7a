"""Patterns that are compiled by their first use."""

import re
from pathlib import Path

import pytest

from tempbench_lmms import parsing
from tempbench_lmms.parsing import patterns
from tempbench_lmms.parsing.patterns import lazy


def test_nothing_is_compiled_before_the_first_use(monkeypatch: pytest.MonkeyPatch) -> None:
    """Importing the reader would take seconds else."""
    compiled: list[str] = []
    real = re.compile

    def counted(pattern: str, flags: int = 0) -> re.Pattern[str]:
        compiled.append(pattern)
        return real(pattern, flags)

    monkeypatch.setattr(patterns.re, "compile", counted)
    letter = lazy("[ab]", re.IGNORECASE)
    assert letter.pattern == "[ab]"
    assert not compiled
    assert letter.findall("xAyb") == ["A", "b"]
    assert letter.sub("-", "cab") == "c--"
    assert compiled == ["[ab]"]


def test_a_lazy_pattern_has_no_other_attributes():
    """A slip of the pen is an error here as it is with a compiled pattern."""
    with pytest.raises(AttributeError, match="serach"):
        lazy("a").serach("a")


def test_no_parser_compiles_when_it_is_imported():
    """All patterns of the parsers are lazy."""
    folder = Path(parsing.__file__).parent
    eager = [
        path.name
        for path in folder.rglob("*.py")
        if path.name != "patterns.py" and "re.compile(" in path.read_text(encoding="utf-8")
    ]
    assert not eager
