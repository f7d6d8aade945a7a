"""Replies that a file, a terminal or a parser may stumble over."""

import random

_CODES = "d800 dfff d83d de00 dcff 10f7ff 10f800 10ffff 0 1 7 7f 85 9b 2028 2029 feff fffe 202e 200b 1f600"
_SIGNS = "\ud83d\ude00|\x1b[31m|\x1b]0;title\x07|\r|\r\n|\n|\t|\v|\f|e\u0301"
_MARKUP = "<script>alert(1)</script>|</script>|]]>|&#0;|{|}|[[|\"|'|\\|\\ud800|%s|{0}"
_WORDS = 'A|The answer is B.|True|null|NaN|1e999|{"answer": "A"}|<think>|</think>|None'
PIECES = (*(chr(int(code, 16)) for code in _CODES.split()), *"|".join((_SIGNS, _MARKUP, _WORDS)).split("|"))
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
