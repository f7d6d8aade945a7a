import json

import pytest

from tempbench_lmms.parsing.exact import json_values


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ('a [1] b {"c": 2}', [[1], {"c": 2}]),
        ("it's {no json}", []),
        ('{"u": "http://x.org"}', [{"u": "http://x.org"}]),
        ("[ [1, 2]", [[1, 2]]),
        ('{"a": {"b": [1, 2]}', [{"b": [1, 2]}]),
        ("[" * 50 + "]" * 50, [json.loads("[" * 50 + "]" * 50)]),
        # No reply is meant so, and what walks over it would run out of stack.
        ("[" * 51 + "]" * 51 + " [1]", []),
        ("[" * 100_000, []),
        ("[[1, 2]," * 30_000 + "[3]" + "]" * 30_000, []),
        # More digits than Python turns into a number.
        ("[" + "9" * 5000 + "] [1]", [[1]]),
    ],
    ids=range(10),
)
def test_json_values(text, values):
    assert json_values(text) == values
