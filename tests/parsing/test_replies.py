"""The reader on labelled replies in the benchmarks' own contexts."""

from collections import Counter

import pytest

from tempbench_lmms import benchmarks
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


@pytest.mark.slow
def test_every_reply_is_read_as_it_was():
    """A change of the reader shows every reply that it reads otherwise, for better or worse."""
    changed = [
        (row.benchmark, row.kind, row.reply[:200], f"{row.known}, now {verdict}")
        for row in ROWS
        if (verdict := row.verdict()) != row.known
    ]
    assert changed == [], "look at each; then python -m tests.parsing.replies"


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
