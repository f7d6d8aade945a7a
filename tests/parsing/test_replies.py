"""The reader on labelled replies in the benchmarks' own contexts."""

import zlib
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks import parsing, reading
from tempbench_lmms import benchmarks
from tempbench_lmms.parsing import reader
from tempbench_lmms.parsing.reading import Reading
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
    assert all(row.known == "right" for row in ROWS if row.locked)  # nothing says which are read wrongly


@pytest.fixture(scope="module")
def read():
    """What is read of every reply."""
    return [(row, row.readings()) for row in ROWS]


@pytest.mark.slow
def test_every_reply_is_read_as_it_was(read):
    """A change of the reader shows every reply of `dev` that it reads otherwise, for better or worse."""
    changed = [
        (row.benchmark, row.kind, row.reply[:200], f"{row.known}, now {verdict}")
        for row, readings in read
        if not row.locked and (verdict := row.verdict(readings)) != row.known
    ]
    assert changed == [], "look at each; then python -m tests.parsing.replies"


@pytest.mark.slow
def test_the_docs_have_the_shares(read):
    table = list(reading.shares([(row, row.verdicts(readings)) for row, readings in read]))
    docs = (Path(__file__).parents[2] / "docs" / "reading_replies.md").read_text(encoding="utf-8").split("\n")
    assert [line for line in table if line not in docs] == [], "python benchmarks/reading.py prints them"


@pytest.mark.slow
@pytest.mark.parametrize("name", invariances.CHANGES)
def test_what_changes_a_reading(name):
    """Of a twenty-fifth of `dev`, which rows that are added leave as it is."""
    rows = [row for row in DEV if zlib.crc32(row.reply.encode()) % 25 == 0 and row.verdict() == "right"]
    changed = list(invariances.read_changed(name, rows))
    found = Counter(verdict for verdict, _ in changed)
    _, follow, misread = invariances.CHANGES[name]
    others = [
        (verdict, row.kind, row.reply[-200:], row.label) for verdict, row in changed if verdict != "right"
    ]
    assert found["right"] >= follow / 100 * len(changed) > 0, others
    assert found["misread"] <= misread / 100 * len(changed), others


@settings(max_examples=200)
@given(st.text(st.sampled_from("fghjklmnopqrstuvwxyzFGHJKLMNOPQRSTUVWXYZ .,:;!?()'\"\n-"), max_size=120))
def test_no_answer_is_read_where_none_can_be(reply):
    """Without the letters on offer, without a digit, and without the options' words nothing is chosen."""
    for row in {
        row.kind: row for row in ROWS if row.benchmark == "choice" and "group" in row.context
    }.values():
        assert row.kind == "two" or replace(row, reply=reply).readings()[""].value is None


def test_what_earns_its_place(monkeypatch):
    """A pattern or rule that changes no reading is listed, and one that all readings need is not."""
    parsing.parsers()  # what is imported from now on would be switched
    monkeypatch.setattr(reading.Switch, "made", [])
    needed = reading.Switch("(?s)^(.*)$", 0, "reader:1 _NEEDED")
    reading.Switch("no such words", 0, "reader:2 _IDLE").search("")
    rules = {"needed": lambda text: needed.sub(r"\1!", text, count=1), "idle": lambda text: None}
    monkeypatch.setattr(reader, "RULES", rules, raising=False)

    def readings(row):
        return {"": Reading(next(filter(None, (rule(row.reply) for rule in rules.values())), None))}

    monkeypatch.setattr(replies.Labelled, "readings", readings)
    lines = list(reading.Earns(nth=200).lines())
    assert lines[1:-1] == ["| `reader:2 _IDLE` | 0 | 0 | 0 |", "| `parsing.reader RULES idle` | 0 | 0 | 0 |"]
    assert "2 of 4 (50%)" in lines[-1]
    assert list(rules) == ["needed", "idle"]
