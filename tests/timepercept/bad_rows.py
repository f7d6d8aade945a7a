"""Rows that are wrong, for `tests/contracts/test_bad_data.py`."""

WRONG = {
    "all/test": [
        ("question_id", ""),
        ("test", "other"),
        ("source", ""),
        ("places", []),
        ("places", [""]),
        ("images", []),
        ("images", lambda row: row["images"][:-1]),
        ("dates", []),
        ("dates", lambda row: ["yesterday"] * len(row["images"])),
        ("options", ["one", "two"]),
        ("answer", "Z"),
        ("answer", ""),
        ("target", "Z"),
        ("choices", []),
        ("choices", ["nothing"]),
        ("kind", "other"),
        ("days", [1, 2, 3, 4, 5, 6]),
        ("days", [-1], ("test", "ice")),
        ("days", [], ("test", "eii")),
        ("days", lambda row: [1] if row["answer"] != "A" else [40_000], ("test", "ice")),
    ],
    "ucm/test": [
        ("options", ["one"] * 5),
        ("options", []),
        ("answer", "F"),
        ("dates", ["2020-01-01"]),
    ],
    "transfer_order/test": [("answer", "C"), ("options", ["one"])],
    "transfer_lapse/test": [("answer", "G"), ("kind", "G")],
    "train/ice/train": [("answer", "F")],
}
FREE = {
    "all/test": {"category"},
}


def few(rows):
    """One of each test."""
    tests = list({row["test"]: row for row in rows}.values())
    return tests if len(tests) > 1 else rows[:4]
