"""The reader on labelled replies in the benchmarks' own contexts."""

import re
import subprocess
import sys
import zlib
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks import reading
from tempbench_lmms import benchmarks
from tests.parsing import invariances, replies

ROWS = list(replies.load())
DEV = [row for row in ROWS if not row.locked]


def test_the_replies_cover_what_is_asked():
    kinds = {(row.benchmark, row.kind) for row in ROWS}
    assert {name for name, _ in kinds} <= {*benchmarks.names(), "choice", "truth", "item", "order"}
    assert len(kinds) >= 25
    assert 0.05 < sum(row.label is None for row in ROWS) / len(ROWS) < 0.2
    assert len({(str(row.context), row.kind, row.reply) for row in ROWS}) == len(ROWS)
    # No more than a few of one pattern, whatever the answer.
    patterns = Counter((row.kind, row.reply) for row in ROWS)
    assert max(patterns.values()) <= 12
    groups = Counter(row.context["group"] for row in ROWS if "group" in row.context)
    assert {"terse", "chatty", "markdown", "latex", "languages", "refusal", "reasoning", "json"} <= set(
        groups
    )
    assert {"loops", "look-alikes", "long", "nothing", "correction"} <= set(groups)
    assert min(groups.values()) >= 10
    assert max(len(row.reply) for row in ROWS) >= 100_000


def test_a_quarter_is_locked_by_context():
    asked = [(row.benchmark, row.kind, row.context) for row in DEV]
    assert not any(replies.is_locked(*one) for one in asked)
    assert 0.2 < sum(row.locked for row in ROWS) / len(ROWS) < 0.35


@pytest.fixture(scope="module")
def read():
    """What is read of every reply."""
    return [(row, row.readings()) for row in ROWS]


@pytest.mark.slow
def test_the_docs_have_the_shares(read, update_goldens):
    table = list(reading.shares([(row, row.verdicts(readings)) for row, readings in read]))
    page = Path(__file__).parents[2] / "docs" / "reading_replies.md"
    docs = page.read_text(encoding="utf-8")
    before, _, behind = docs.partition(table[0])
    wanted = before + "\n".join(table) + re.sub(r"\A(?:\n?\|.*)*", "", behind)
    if update_goldens:
        page.write_text(wanted, encoding="utf-8", newline="\n")
    assert update_goldens or wanted == docs, (
        "look at what changed, then write the table anew with --update-goldens"
    )


@pytest.mark.slow
def test_what_changes_a_reading_and_what_does_not():
    """Of a twenty-fifth of `dev`, which rows that are added leave as it is."""
    rows = [row for row in DEV if zlib.crc32(row.reply.encode()) % 25 == 0 and row.verdict() == "right"]
    total, wrong = Counter[str](), []
    for name in invariances.CHANGES:
        changed = list(invariances.read_changed(name, rows))
        found = Counter(verdict for verdict, _ in changed)
        assert found["right"] >= 0.96 * found.total() > 0, name
        total += found
        wrong += [(name, verdict, row.reply[-200:]) for verdict, row in changed if verdict != "right"]
    assert total["right"] >= 0.98 * total.total(), wrong
    assert total["misread"] <= 0.005 * total.total(), wrong


@settings(max_examples=200)
@given(st.text(st.sampled_from("fghjklmnopqrstuvwxyzFGHJKLMNOPQRSTUVWXYZ .,:;!?()'\"\n-"), max_size=120))
def test_no_answer_is_read_where_none_can_be(reply):
    """Without the letters on offer, without a digit, and without the options' words nothing is chosen."""
    first = {row.kind: row for row in ROWS[::-1] if row.benchmark == "choice" and "group" in row.context}
    for row in first.values():
        assert row.kind == "two" or replace(row, reply=reply).readings()[""].value is None


@pytest.mark.exhaustive
def test_what_earns_its_place():
    """On so few replies, most patterns and rules change nothing; what all readings need is not listed."""
    command = [sys.executable, reading.__file__, "--earns", "--nth", "400"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "| `parsing.stance:" in said
    assert "| `parsing.mentions." in said
    shares = re.search(r"\n(\d+) of (\d+) \(\d+%\), on \d+ replies\n$", said)
    assert shares
    assert 0 < int(shares[1]) < int(shares[2])
