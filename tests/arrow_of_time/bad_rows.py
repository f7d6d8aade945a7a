"""Rows that are wrong, for `tests/contracts/test_bad_data.py`."""

WRONG = {
    "test/test": [
        ("question_id", ""),
        ("pair_id", ""),
        ("categories", ["Jump"]),
        ("answer", "A"),
        ("target", "B or F"),
        ("choices", []),
        ("choices", ["no answer"]),
    ],
}
