"""Nothing that data, replies or names hold steers the terminal, whichever command prints it."""

import io
import sys
from types import SimpleNamespace

import pytest

from tempbench_lmms.data import terminal

STEERS = [*range(0x09), 0x0B, 0x0C, *range(0x0E, 0x20), *range(0x7F, 0xA0)]
STEERS += [0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A), 0xD800, 0xDFFF]


def test_a_character_that_steers_is_shown_by_its_number():
    for code in STEERS:
        assert terminal.shown(f"a{chr(code)}b") in (f"a\\x{code:02x}b", f"a\\u{code:04x}b")


def test_other_characters_are_left_alone():
    family = "\U0001f468‍\U0001f469‍\U0001f467"  # joined by U+200D
    text = f"tab\there\nline\r\nשלום 北京 {family} nbsp e̵"
    assert terminal.shown(text) == text


def printed(monkeypatch, *pieces, coloured=False, encoding="utf-8"):
    bytes_ = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(bytes_, encoding, newline=""))
    with terminal.guarded(coloured):
        for piece in pieces:
            sys.stdout.write(piece)
        sys.stdout.flush()
    return bytes_.getvalue().decode(encoding)


def test_a_carriage_return_within_a_text_hides_nothing(monkeypatch):
    assert printed(monkeypatch, "wrong answer\rright answer") == "wrong answer\\rright answer"


def test_colours_pass_only_where_somebody_else_paints(monkeypatch):
    class Message(str):
        record = SimpleNamespace()

    text = "\x1b[31mred\x1b[0m\x1b]0;title\x07"
    assert printed(monkeypatch, text) == "\\x1b[31mred\\x1b[0m\\x1b]0;title\\x07"
    for out in (printed(monkeypatch, text, coloured=True), printed(monkeypatch, Message(text))):
        assert out == "\x1b[31mred\x1b[0m\\x1b]0;title\\x07"


def test_a_terminal_without_utf_8_gets_numbers_and_no_traceback(monkeypatch):
    assert printed(monkeypatch, "北京 é", encoding="ascii") == "\\u5317\\u4eac \\xe9"


@pytest.mark.slow
def test_tables_show_markup_and_control_characters_as_text(monkeypatch):
    from rich.table import Table

    stream = io.StringIO()
    monkeypatch.setattr(sys, "stdout", stream)
    table = Table("name", "value", title="t\x1b[2J")
    table.add_row("[/red]\x1b]0;x\x07", ":smile:\u202e")
    with terminal.guarded():
        terminal.console().print(table)
    out = stream.getvalue()
    assert "[/red]\\x1b]0;x\\x07" in out
    assert ":smile:\\u202e" in out
    assert "t\\x1b[2J" in out
    assert terminal.STEERING.search(out) is None


@pytest.mark.parametrize(("columns", "is_whole"), [(None, True), ("40", False)])
def test_a_pipe_gets_whole_lines(columns, is_whole, monkeypatch):
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stdout", stream)
    monkeypatch.delenv("COLUMNS", raising=False)
    if columns:
        monkeypatch.setenv("COLUMNS", columns)
    number = "0.8123456789012345"
    terminal.print_tables({"": [("name", *"abcdef"), ("all", *[number] * 6)]})
    assert (stream.getvalue().count(number) == 6) == is_whole
    if is_whole:
        assert len(stream.getvalue().splitlines()) == 2
