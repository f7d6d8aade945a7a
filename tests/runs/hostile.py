"""Replies that a file, a terminal or a parser may stumble over."""

import random

PIECES = (
    *(
        "\ud800",
        "\udfff",
        "\ud83d",
        "\ude00",
        "\udcff",
        "\ud83d\ude00",
        "\U0010f7ff",
        "\U0010f800",
        "\U0010ffff",
    ),
    *("\0", "\x01", "\x07", "\x1b[31m", "\x1b]0;title\x07", "\x7f", "\x85", "\x9b", "\u2028", "\u2029"),
    *("\r", "\r\n", "\n", "\t", "\v", "\f", "\ufeff", "\ufffe", "\u202e", "\u200b", "e\u0301", "\U0001f600"),
    *(
        "<script>alert(1)</script>",
        "</script>",
        "]]>",
        "&#0;",
        "{",
        "}",
        "[[",
        '"',
        "'",
        "\\",
        "\\ud800",
        "%s",
        "{0}",
    ),
    *(
        "A",
        "The answer is B.",
        "True",
        "null",
        "NaN",
        "1e999",
        '{"answer": "A"}',
        "<think>",
        "</think>",
        "None",
    ),
)
OTHERS = (None, 5, 1.5, float("nan"), True, b"A", b"\xff", ["A"], {"answer": "A"}, {1}, object())


def replies(n: int, seed: int = 0) -> list[object]:
    """Returns so many replies, the same for the same seed: most are text of odd pieces, some are no text."""
    draw = random.Random(seed)
    found: list[object] = ["", " ", "\n", "A" * 1_000_000, "\ud800" * 200_000, *OTHERS]
    found += list(PIECES)
    while len(found) < n:
        found.append("".join(draw.choices(PIECES, k=draw.randint(1, 12))))
    draw.shuffle(found)
    return found[:n]
