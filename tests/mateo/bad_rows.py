"""Rows that are wrong, for `tests/contracts/test_bad_data.py`."""

WRONG = {
    "pairs/test": [
        ("question_id", ""),
        ("pair_id", ""),
        ("pair_id", "another"),
        ("version", "third"),
        ("plan_id", ""),
        ("plan_id", "another", ("version", "swapped")),
        ("title", "another", ("version", "swapped")),
        ("text_a", ""),
        ("text_b", " "),
        ("image_a", lambda row: row["image_b"], ("version", "swapped")),
        ("image_b", lambda row: row["image_a"]),
        ("label", "sideways"),
        ("label", "after", ("version", "original")),
        ("target", "Q1: No."),
        ("target", lambda row: next(one for one in row["choices"] if one != row["target"])),
        ("choices", []),
        ("choices", lambda row: [row["target"]] * 2),
        ("choices", lambda row: [row["target"], "nothing"]),
        ("n_steps", 1),
        ("n_steps", -1),
        ("distance", 0),
        ("distance", 99),
    ],
}


def few(rows):
    """Those of the first plan."""
    return [row for row in rows if row["plan_id"] == rows[0]["plan_id"]]
