"""Rows that are wrong, for `tests/contracts/test_bad_data.py`."""

WRONG = {
    "test/test": [
        ("question_id", ""),
        ("index", -1),
        ("index", lambda row: row["index"] ^ 1),
        ("pair_id", ""),
        ("pair_id", "another instance"),
        ("video", "tempbench://timeblind/mini/media/another.mp4"),
        ("tag", "Colour"),
        ("question", ""),
        ("question", "Another question?"),
        ("options", ["one"]),
        ("options", ["one", "one"]),
        ("options", ["one", ""]),
        ("answer", "Maybe"),
        ("answer", ""),
        ("target", "nothing"),
        ("target", lambda row: row["choices"][row["choices"][0] == row["answer"]]),
        ("choices", []),
        ("choices", ["nothing"]),
        ("choices", lambda row: [row["target"]] * 2),
    ],
}
