"""The release in every layout ends in the same tables."""

import pytest

from hf_datasets.rextime.prepare import prepare
from tempbench_lmms.data.tables import read_rows
from tempbench_lmms.rextime.rows import problems
from tests.rextime import releases


def prepared(found, home, monkeypatch):
    monkeypatch.setenv("TEMPBENCH_DATA", str(home))
    prepare(found["source"], {name: found[name] for name in releases.SOURCES})
    assert list(problems(home / "rextime")) == []
    # Where a video lies is all that may differ.
    return {
        split: [{**row, "video": ""} for row in read_rows(home / "rextime" / split)]
        for split in releases.FILES
    }


@pytest.mark.slow
def test_every_layout_gives_the_same_tables(tmp_path, monkeypatch):
    expected = prepared(releases.whole(tmp_path / "whole"), tmp_path / "home", monkeypatch)
    assert {split: len(rows) for split, rows in expected.items()} == {"validation": 4, "test": 2, "train": 2}
    for layout in releases.LAYOUTS:
        found = layout(tmp_path / layout.__name__)
        assert prepared(found, tmp_path / f"home of {layout.__name__}", monkeypatch) == expected
