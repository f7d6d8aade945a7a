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
def test_shares():
    found = replies.verdicts(ROWS)
    assert found["misread"] <= MISREAD * len(ROWS)
    assert found["misread"] + found["unread"] <= WRONG * len(ROWS)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted({row.benchmark for row in ROWS}))
def test_shares_of_each_benchmark(name):
    rows = [row for row in ROWS if row.benchmark == name]
    found = replies.verdicts(rows)
    assert found["misread"] <= 2 * MISREAD * len(rows)
    assert found["misread"] + found["unread"] <= 2 * WRONG * len(rows)


@pytest.mark.slow
def test_nothing_is_read_in_most_replies_without_an_answer():
    nothing = [row for row in ROWS if row.label is None]
    assert replies.verdicts(nothing)["misread"] <= 0.02 * len(nothing)
