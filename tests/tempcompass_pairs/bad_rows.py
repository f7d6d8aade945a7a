"""Rows that are wrong, for `tests/contracts/test_bad_data.py`."""

WRONG = {
    "questions/test": [
        ("question_id", ""),
        ("kind", "captioning"),
        ("kind", lambda row: "yes_no" if row["kind"] == "multi_choice" else "multi_choice"),
        ("aspect", "colour"),
        ("detail", "no aspect"),
        ("video_id", ""),
        ("video_id", "another"),
        ("question", ""),
        ("answer", "Z"),
        ("answer", ""),
        ("target", "no answer"),
        ("target", lambda row: next(one for one in row["choices"] if one != row["target"])),
        ("choices", []),
        ("choices", lambda row: [row["target"]] * 2),
        ("choices", lambda row: row["choices"][:-1]),
    ],
}
