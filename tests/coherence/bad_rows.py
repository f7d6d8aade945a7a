"""Rows that are wrong, for `tests/contracts/test_bad_data.py`."""

WRONG = {
    "qa/test": [
        ("question_id", ""),
        ("type", "colour"),
        ("scene", "nowhere"),
        ("question", ""),
        ("options", []),
        ("options", ["one", "one"]),
        ("options", lambda row: ["", *row["options"][1:]]),
        ("answer", "Z"),
        ("answer", "AB"),
        ("target", "Z"),
        ("choices", []),
        ("choices", ["A", "A"]),
        ("variation", [""]),
        ("reference", ""),
        ("reference_source", "somebody"),
        ("n_frames", 0),
        ("n_frames", -1),
        ("order", "upside down"),
    ],
    "caption/test": [
        ("question_id", ""),
        ("view", "picture"),
        ("n_frames", 0),
        ("target", "not among the choices"),
        ("choices", []),
        ("choices", [""]),
        ("events", [""]),
    ],
}
