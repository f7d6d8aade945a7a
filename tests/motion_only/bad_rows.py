"""Rows that are wrong, for `tests/contracts/test_bad_data.py`."""

WRONG = {
    "test/test": [
        ("question_id", ""),
        ("pair_id", ""),
        ("kind", "colour"),
        ("options", ["one"]),
        ("options", ["one", "one", "two", "three"]),
        ("options", ["one", "two", "three", ""]),
        ("options", ["one", "two", "three", "four"]),
        ("answer", "E"),
        ("answer", ""),
        ("target", "nothing"),
        ("target", lambda row: row["choices"]["ABCD".index(row["answer"]) - 1]),
        ("choices", []),
        ("choices", ["nothing"]),
        ("choices", lambda row: [row["target"]] * 2),
    ],
}
