"""The bundled sample: it can be rebuilt, and what is drawn decides the answers."""

from tempbench_lmms.data.roots import mini_root
from tempbench_lmms.data.tables import read_rows

ROOT = mini_root("timepercept")


def test_partners_stand_next_to_each_other():
    rows = read_rows(ROOT / "transfer_order" / "test.parquet")
    for one, other in zip(rows[::2], rows[1::2], strict=True):
        assert one["images"] == other["images"][::-1]
        assert (one["answer"], other["answer"]) == ("A", "B")
