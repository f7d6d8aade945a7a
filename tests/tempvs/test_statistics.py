"""Counts of a data set, beside Table 2."""

import json

from tempbench_lmms.data.roots import mini_root
from tempbench_lmms.data.tables import read_rows
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
