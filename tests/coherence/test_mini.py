"""The bundled sample: sound and small."""

from tempbench_lmms.coherence.card import SCENES, TYPES
from tempbench_lmms.data import roots, tables

ROOT = roots.mini_root("coherence")


def test_size_and_balance() -> None:
    rows = tables.read_rows(ROOT / "qa")
    assert len(rows) >= 30
    assert {row["type"] for row in rows} == {*TYPES}
    assert {row["scene"] for row in rows} == {*SCENES}
    assert sum(path.stat().st_size for path in ROOT.rglob("*") if path.is_file()) < 1_500_000


def test_twelve_captioned_videos_stand_in_pairs() -> None:
    rows = tables.read_rows(ROOT / "caption")
    assert [row["view"] for row in rows] == ["video", "frame"] * 12
    assert all(one["video"] == other["video"] for one, other in zip(rows[::2], rows[1::2], strict=True))
