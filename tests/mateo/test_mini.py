"""The bundled sample: small and sound."""

from collections import Counter

from tempbench_lmms.data.roots import mini_root
from tempbench_lmms.data.tables import read_rows

ROWS = read_rows(mini_root("mateo") / "pairs")


def test_classes_are_balanced():
    found = Counter((row["version"], row["label"]) for row in ROWS)
    assert len(set(found.values())) == 1
    assert set(found) == {
        ("original", "before"),
        ("swapped", "after"),
        ("original", "independent"),
        ("swapped", "independent"),
    }


def test_both_orders_stand_next_to_each_other():
    for original, swapped in zip(ROWS[::2], ROWS[1::2], strict=True):
        assert original["pair_id"] == swapped["pair_id"]
        assert (original["version"], swapped["version"]) == ("original", "swapped")
        assert (original["text_a"], original["image_b"]) == (swapped["text_b"], swapped["image_a"])
