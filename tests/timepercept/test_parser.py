import pytest

from tempbench_lmms.timepercept.card import LAPSES
from tempbench_lmms.timepercept.parser import read
from tempbench_lmms.timepercept.prompts import options

ICE = options({"test": "ice"})
TPL = options({"test": "tpl"})


@pytest.mark.parametrize(
    ("reply", "test", "shown", "n", "expected"),
    [
        ("Image 3", "tal", (), 5, "3"),
        ("3", "tal", (), 5, "3"),
        ("Image 1 has two houses, image 2 has four. Answer: Image 3", "tal", (), 5, "3"),
        ("The fourth image.", "tal", (), 5, "4"),
        ("Image 6", "tal", (), 5, None),
        ("Image 1 or image 2", "tal", (), 5, None),
        ("3, 1, 2, 5, 4", "isr", (), 5, "3, 1, 2, 5, 4"),
        ("3, 1, 2, 5", "isr", (), 5, None),
        ("True", "sov", (), 5, "True"),
        ("False.", "pov", (), 2, "False"),
        ("Pair 1 grew more. Answer: True", "pic", (), 4, "True"),
        ("maybe", "pic", (), 4, None),
        ("A", "tpl", TPL, 4, "A"),
        ("Position 4, between the second and the third image shown", "tpl", TPL, 4, "B"),
        ("B", "ice", ICE, 2, "B"),
        ("(C)", "ice", ICE, 2, "C"),
        ("31-90 days", "ice", ICE, 2, "B"),
        ("A. 1-30 days", "ice", ICE, 2, "A"),
        ("A or B", "ice", ICE, 2, None),
        ("F", "ice", ICE, 2, None),
        ("C, A, B", "ipr", (), 6, "C, A, B"),
        ("B > A > C", "ipr", (), 6, None),
        ("D", "eii", (), 8, "D"),
        ("Pair D", "eii", (), 8, "D"),
        ("Pair A has 3 new houses, pair D has 9. Answer: D", "eii", (), 8, "D"),
        ("E", "eii", (), 8, None),
        ("river", "ucm", ("beach", "river", "forest", "runway", "harbor"), 1, "B"),
        ("the second image", "transfer_order", options({"test": "transfer_order"}), 2, "B"),
        ("E", "transfer_lapse", LAPSES, 2, "E"),
        ("", "ice", ICE, 2, None),
    ],
)
def test_table(reply, test, shown, n, expected):
    assert read(reply, test, shown, n).value == expected
