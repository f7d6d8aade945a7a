"""Rows that are wrong, for `tests/contracts/test_bad_data.py`."""

_WRONG = [
    ("question_id", ""),
    ("video_id", ""),
    ("video_id", "another"),
    ("type", "DC"),
    ("duration", 0.0),
    ("duration", -1.0),
    ("question", ""),
    ("options", ["one"]),
    ("options", ["one", "two", "three", "four", ""]),
    ("answer", "F"),
    ("answer", ""),
    ("answer", "AB"),
    ("windows", []),
    ("windows", [[2.0, 1.0]]),
    ("windows", [[1.0, 1.0]]),
    ("windows", [[-1.0, 1.0]]),
    ("windows", [[0.0, 9999.0]]),
    ("windows", [[1.0]]),
    ("target", "no answer"),
    ("target", lambda row: row["choices"]["ABCDE".index(row["answer"]) - 1]),
    ("target", lambda row: f'{{"answer": "{row["answer"]}", "span": [0.123, 0.456]}}'),
    ("choices", []),
    ("choices", ["A"]),
    ("choices", lambda row: [row["target"]] * 2),
]
WRONG = {"test/test": _WRONG, "validation/test": _WRONG}
FREE: dict[str, set[str]] = {"test/test": set(), "validation/test": set()}
