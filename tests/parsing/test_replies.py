"""The reader on labelled replies in the benchmarks' own contexts."""

from collections import Counter

import pytest

from tempbench_lmms import benchmarks
from tempbench_lmms.parsing import fields, plain, reader
from tests.parsing import replies

ROWS = list(replies.load())
MISREAD, WRONG = 0.003, 0.02
"""Shares of the replies: read as another answer; and that or not read at all. To misread is worse."""


def test_the_replies_cover_what_is_asked():
    kinds = {(row.benchmark, row.kind) for row in ROWS}
    assert {name for name, _ in kinds} <= {*benchmarks.names(), "choice", "truth"}
    assert len(kinds) >= 25
    assert len(ROWS) >= 1_500
    assert 0.05 < sum(row.label is None for row in ROWS) / len(ROWS) < 0.2
    assert len({(str(row.context), row.kind, row.reply) for row in ROWS}) == len(ROWS)
    # No more than a few of one pattern, whatever the answer.
    patterns = Counter((row.kind, row.reply) for row in ROWS)
    assert max(patterns.values()) <= 12


@pytest.fixture(scope="module")
def read():
    """What is read of every reply, and whether some of it was read at once, without the reader's stages."""
    at_once = []

    def noted(function):
        def note(*given):
            found = function(*given)
            at_once.append(found is not None)
            return found

        return note

    found = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plain, "read", noted(plain.read))
        patch.setattr(fields, "_at_once", noted(fields._at_once))
        for row in ROWS:
            at_once.clear()
            found.append((row, row.readings(), any(at_once)))
    return found


@pytest.mark.slow
def test_every_reply_is_read_as_it_was(read):
    """A change of the reader shows every reply that it reads otherwise, for better or worse."""
    changed = [
        (row.benchmark, row.kind, row.reply[:200], f"{row.known}, now {verdict}")
        for row, readings, _ in read
        if (verdict := row.verdict(readings)) != row.known
    ]
    assert changed == [], "look at each; then python -m tests.parsing.replies"


@pytest.mark.slow
def test_what_is_read_at_once_is_what_the_stages_read(read, monkeypatch):
    """A word, or a letter and a span; the others were read by the stages."""
    short = [(row, readings) for row, readings, at_once in read if at_once]
    assert len(short) > 400
    monkeypatch.setattr(plain, "read", lambda reply, expected: None)
    reader._short.cache_clear()
    assert [row.readings() for row, _ in short] == [readings for _, readings in short]
    monkeypatch.setattr(fields, "_at_once", lambda reply, both: None)
    reader._short.cache_clear()
    for row, readings in short:
        if row.benchmark == "rextime":
            staged = row.readings()
            # "62,97" is a span where it is all of the reply; the stages look for no such one.
            assert all(staged[name].value in (None, one.value) for name, one in readings.items()), row
    reader._short.cache_clear()


@pytest.mark.parametrize("name", ["", *sorted({row.benchmark for row in ROWS})])
def test_shares(name):
    """Of all replies, and of each benchmark, where few replies allow twice the share."""
    rows = [row for row in ROWS if name in ("", row.benchmark)]
    found, times = Counter(row.known for row in rows), 2 if name else 1
    assert set(found) <= {"right", "unread", "misread"}
    assert found["misread"] <= times * MISREAD * len(rows)
    assert found["misread"] + found["unread"] <= times * WRONG * len(rows)


@pytest.mark.slow
def test_nothing_is_read_in_most_replies_without_an_answer():
    nothing = [row for row in ROWS if row.label is None]
    assert sum(row.known == "misread" for row in nothing) <= 0.02 * len(nothing)
