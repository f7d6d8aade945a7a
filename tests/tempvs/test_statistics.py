"""Counts of a data set, beside Table 2."""

import json

from tempbench_lmms.data.roots import mini_root
from tempbench_lmms.data.tables import read_rows
from tempbench_lmms.tempvs import statistics
from tests.command import tempbench

ROWS = read_rows(mini_root("tempvs") / "all")


def test_counts_of_the_bundled_sample():
    done = tempbench("stats", "tempvs", "--mini", "--json")
    measured = json.loads(done.stdout)
    mains = {test: sum(row["tests"] == [test] for row in ROWS) for test in ("mt1_two", "mt3_event")}
    assert {test: sum(measured["questions"][test].values()) for test in mains} == mains
    assert measured["answers"]["mt1_two"] == {"A": 60, "B": 60}
    assert measured["statements"]["after"] == {"true": 12, "false": 12}
    assert measured["non_events"] == {}
    assert sum(measured["images"].values()) == sum(measured["sequences"].values()) == 30
    assert "statements" in tempbench("stats", "tempvs", "--mini").stdout


def test_a_count_stands_beside_the_paper_s():
    rows = [row | {"invalid": row["tests"] == ["mt1_two"]} for row in ROWS]
    measured = statistics.measure(rows)
    tables = statistics.as_tables(measured, beside_paper=True)
    (line,) = [
        row for row in tables["questions by source (Table 2, without non-events)"] if row[0] == "mt1_two"
    ]
    assert line == ("mt1_two", "32 (2104)", "32 (864)", "28 (850)", "28 (3742)", "120", "120")
