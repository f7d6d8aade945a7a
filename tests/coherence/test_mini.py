"""The bundled sample: sound and small."""

from tempbench_lmms.data import roots, tables

ROOT = roots.mini_root("coherence")


def test_twelve_captioned_videos_stand_in_pairs() -> None:
    rows = tables.read_rows(ROOT / "caption")
    assert [row["view"] for row in rows] == ["video", "frame"] * 12
    assert all(one["video"] == other["video"] for one, other in zip(rows[::2], rows[1::2], strict=True))
