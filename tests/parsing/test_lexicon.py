"""The words of the languages: what a file may hold, and that a new one is enough."""

from collections import Counter
from pathlib import Path

import pytest

from tempbench_lmms.parsing import lexicon

NOT_ENGLISH = {"counter", "postposed"}  # "枚目", "之后"


def test_every_role_is_one_of_the_english_file():
    """A role with a slip of the pen would do nothing."""
    known = {entry.role for entry in lexicon.entries() if entry.language in ("en", "signs")} | NOT_ENGLISH
    assert [entry for entry in lexicon.entries() if entry.role not in known] == []


def test_a_language_says_a_word_once_in_a_role():
    twice = {entry: n for entry, n in Counter(lexicon.entries()).items() if n > 1}
    assert twice == {}


def test_lines_hold_several_roles_and_go_on(tmp_path: Path):
    text = "# Words\nanswer: rispondo;\n  risposta  is: è; sono\n[times]\nto: fino a\n"
    (tmp_path / "it.txt").write_text(text, encoding="utf-8")
    assert [entry[1:] for entry in lexicon.entries(tmp_path)] == [
        ("answer", "rispondo", False),
        ("answer", "risposta", False),
        ("is", "è", False),
        ("is", "sono", False),
        ("to", "fino a", True),
    ]


def test_a_phrase_without_a_role_is_an_error(tmp_path: Path):
    (tmp_path / "it.txt").write_text("risposta; è\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"it.txt: 'risposta' has no role"):
        list(lexicon.entries(tmp_path))


@pytest.mark.parametrize(
    ("text", "word", "joins"),
    [
        ("the letter of the right option", "of", False),
        ("afbeelding 3 of afbeelding 4 past", "of", True),  # Dutch
    ],
)
def test_a_word_has_the_roles_of_the_languages_that_are_spoken(text, word, joins):
    found = {text[one.start : one.end]: one.roles for one in lexicon.scan(text)}
    assert ("or" in found[word]) == joins
