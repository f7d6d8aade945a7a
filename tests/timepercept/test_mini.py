"""The bundled sample: it can be rebuilt, and what is drawn decides the answers."""

from tempbench_lmms.data.roots import mini_root
from tempbench_lmms.data.tables import read_rows
from tempbench_lmms.timepercept.card import CONTROLS, TESTS

ROOT = mini_root("timepercept")


def test_size_and_extent():
    assert sum(path.stat().st_size for path in ROOT.rglob("*") if path.is_file()) < 1_500_000
    places = set()
    for test in TESTS:
        rows = read_rows(ROOT / test / "test.parquet")
        assert len(rows) >= 20
        places |= {place for row in rows for place in row["places"]}
    assert len(places) >= 40
    for test in CONTROLS:
        assert len(read_rows(ROOT / test / "test.parquet")) >= 20


def test_partners_stand_next_to_each_other():
    rows = read_rows(ROOT / "transfer_order" / "test.parquet")
    for one, other in zip(rows[::2], rows[1::2], strict=True):
        assert one["images"] == other["images"][::-1]
        assert (one["answer"], other["answer"]) == ("A", "B")
