"""Replies and what is read of them: five options, and a span."""

import pytest

from tempbench_lmms.nextgqa.parser import read

OPTIONS = ["eat spicy food", "run a marathon", "tour a desert", "sing karaoke", "hold on to the rail"]


@pytest.mark.parametrize(
    ("reply", "letter", "span"),
    [
        ('{"answer": "E", "span": [5, 12]}', "E", (5.0, 12.0)),
        ('```json\n{"answer": "B", "span": [5.5, 12]}\n```', "B", (5.5, 12.0)),
        ('{"answer": "hold on to the rail", "span": [5, 12]}', "E", (5.0, 12.0)),
        ('{"span": [5, 12]}', None, (5.0, 12.0)),
        ('{"answer": "F", "span": [5, 12]}', None, (5.0, 12.0)),
        ('{"answer": null, "span": null}', None, None),
        ("E, from 5 to 12 seconds", "E", (5.0, 12.0)),
        ("E 5-12", "E", (5.0, 12.0)),
        ("(E) hold on to the rail. From 5 to 12 s.", "E", (5.0, 12.0)),
        ("[E, 5, 12]", "E", (5.0, 12.0)),
        ("Answer: E\nStart: 5\nEnd: 12", "E", (5.0, 12.0)),
        ("F, from 5 to 12 seconds", None, (5.0, 12.0)),
        ("A ✗\nB ✗\nE ✓\n5 to 12 seconds", "E", (5.0, 12.0)),
        ("The answer is either D or E, from 5 to 12 seconds.", None, (5.0, 12.0)),
        ("They hold on to the rail.", "E", None),
        ("", None, None),
        ("<think>E", None, None),
        ("I cannot see the video.", None, None),
    ],
)
def test_reply(reply, letter, span):
    found = read(reply, OPTIONS, 60)
    assert (found["letter"].value, found["span"].value) == (letter, span)
