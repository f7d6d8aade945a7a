"""Writes all output to the terminal; data, replies and names cannot control it, and no key is printed.

A reply may hold an escape sequence that clears the screen, a carriage return that hides a line, or a
direction mark that turns "0.1" into "1.0". Everything that a command prints goes through `guarded` or a
`console`, which show such characters as escapes; the tables of reports do the same. Logs, and the questions
of pages, keep the original text.
"""

import contextlib
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tempbench_lmms.data import redaction

if TYPE_CHECKING:
    from rich.console import Console

# C0 without tab and the ends of lines, DEL, C1; marks, embeddings, overrides and isolates of direction;
# halves of surrogates, which no stream can encode.
_CONTROL = r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"
_DIRECTION = r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
STEERING = re.compile(rf"[{_CONTROL}{_DIRECTION}\ud800-\udfff]|\r(?!\n)")
"""A character that controls a terminal instead of being shown."""

# The sequences of tqdm's bars for moving the cursor, and a logger's colours.
_BAR = re.compile(r"\r|\n*(?:\x1b\[A)+\Z")
_COLOUR = re.compile(r"(\x1b\[[0-9;]*m)")


_MAX_LINE = 400
_UNCUT = 10_000  # columns, more than any of our tables has


def shown(text: str) -> str:
    r"""Returns a text with every character that controls a terminal shown as an escape.

    >>> shown("a" + chr(27) + "[31m" + chr(0x202E) + "b")
    'a\\x1b[31m\\u202eb'
    """
    return STEERING.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def one_line(text: str) -> str:
    r"""Returns a foreign text as one short line without control characters and keys.

    >>> one_line("a" + chr(10) + "b" + chr(27) + "[31m")
    'a b\\x1b[31m'
    """
    escaped = shown(" ".join(redaction.hide(text).split()))
    line = "".join(char if char.isprintable() else "?" for char in escaped)
    return line if len(line) <= _MAX_LINE else f"{line[:_MAX_LINE]}..."


def rounded(value: float, digits: int, sign: str = "") -> str:
    """Returns a number with this many significant digits; rounding errors around 0 become 0.

    >>> rounded(1 / 3, 4), rounded(6.261e-17, 4), rounded(-6e-17, 4, "+")
    ('0.3333', '0', '+0')
    """
    return f"{round(value, 12) + 0.0:{sign}.{digits}g}"


def counted(n: int, one: str, many: str = "") -> str:
    """Returns a number with its noun.

    >>> counted(1, "reply", "replies"), counted(2000, "task")
    ('1 reply', '2,000 tasks')
    """
    return f"{n:,} {one if n == 1 else many or f'{one}s'}"


class _Door:
    """A stream that hides keys and escapes control characters; otherwise the original stream.

    Progress bars and coloured log messages of libraries arrive in one piece, which distinguishes them from
    text.
    """

    def __init__(self, stream: Any, coloured: bool) -> None:
        self._stream = stream
        self._coloured = coloured

    def write(self, text: str) -> int:
        head = bar[0] if (bar := _BAR.match(text)) else ""
        rest = redaction.hide(text[len(head) :])
        if self._coloured or hasattr(text, "record"):  # loguru's messages carry one
            parts = _COLOUR.split(rest)
            parts[::2] = map(shown, parts[::2])
            out = head + "".join(parts)
        else:
            out = head + shown(rest)
        try:
            self._stream.write(out)
        except UnicodeEncodeError:  # a terminal that is not set to UTF-8
            coding = self._stream.encoding
            self._stream.write(out.encode(coding, "backslashreplace").decode(coding))
        return len(text)

    def writelines(self, lines: Any) -> None:
        self.write("".join(lines))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextlib.contextmanager
def guarded(coloured: bool = False) -> Iterator[None]:
    """Escapes control characters in everything printed inside the block."""
    out, err = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = _Door(raw(out), coloured), _Door(raw(err), coloured)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = out, err


def raw(stream: Any) -> Any:
    """Returns the unguarded stream, for code that escapes its own output and adds colours."""
    return stream._stream if isinstance(stream, _Door) else stream


def tell(line: str) -> None:
    """Prints a line for people on the standard error stream."""
    with guarded():
        print(f"tempbench: {line}", file=sys.stderr, flush=True)


def console(stderr: bool = False) -> "Console":
    """Returns a console of `rich` for tables and bars.

    Control characters are escaped, and markup is shown as text, because a name may hold brackets. In a file
    or a pipe lines are not cut or folded, unless `$COLUMNS` sets a width.
    """
    from rich.console import Console

    class Shown(Console):
        def render_str(self, text: str, **kwargs: Any) -> Any:
            return super().render_str(shown(redaction.hide(text)), **kwargs)

    stream = raw(sys.stderr if stderr else sys.stdout)
    width = None if stream.isatty() or os.environ.get("COLUMNS") else _UNCUT
    return Shown(file=stream, width=width, markup=False, emoji=False)


def print_tables(tables: Mapping[str, Sequence[Sequence[str]]]) -> None:
    """Prints tables with their titles; the first row of each is its heading."""
    from rich.table import Table

    for title, (head, *rows) in tables.items():
        if title:
            console().print(title)
        table = Table(*head, box=None)
        for row in rows:
            table.add_row(*row)
        console().print(table)


def print_nested(measured: Mapping[str, Any], title: str = "") -> None:
    """Prints nested numbers, one per line."""
    if rows := [*_flat(measured)]:
        print_tables({title: [("what", "value"), *rows]})


def _flat(measured: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, str]]:
    for name, one in measured.items():
        if isinstance(one, Mapping):
            yield from _flat(one, f"{above}{name}, ")
        elif one is None or one != one:
            yield f"{above}{name}", "-"
        else:
            yield f"{above}{name}", f"{one:.4f}" if isinstance(one, float) else str(one)
