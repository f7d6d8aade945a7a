import pytest

from tempbench_lmms.rextime import prompts
from tempbench_lmms.rextime.parser import parse, parse_answer

OPTIONS = ["they eat spicy food", "they run a marathon", "they tour a desert", "they sing karaoke"]


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ('{"answer": "B", "span": [5, 12]}', "B"),
        ('```json\n{"relevant_span": [5, 12], "answer": "b"}\n```', "B"),
        ('{"answer": "B. they run a marathon", "span": [5, 12]}', "B"),
        ('{"answer": "they run a marathon"}', "B"),
        ('{"answer": ["B"]}', "B"),
        ('{"option": "(C)", "span": [5, 12]}', "C"),
        ('{"Answer": "D"}', "D"),
        ('{"final_answer": "D"}', "D"),
        ('<think>{"answer": "A"}</think>{"answer": "B"}', "B"),
        ("B", "B"),
        ("(B) From 5 to 10", "B"),
        ("B. they run a marathon. From 5 to 10 s.", "B"),
        ("From 5 to 10, B.", "B"),
        ("Answer: B\nStart: 5\nEnd: 10", "B"),
        ("The answer is C, between 5 and 10 seconds.", "C"),
        ("From 0 to 28, they eat spicy food.", "A"),
        ("They sing karaoke.", "D"),
        ("", None),
        ('{"answer": null, "span": [5, 12]}', None),
        ('{"answer": "E", "span": [5, 12]}', None),
        ('{"answer": 2}', None),
        ('{"answer": "A or B"}', None),
        ("A man runs from 5 to 10.", None),
        ("From 5 to 10 seconds", None),
        ("<think>B", None),
    ],
)
def test_answer(reply, answer):
    assert parse_answer(reply, OPTIONS) == answer


def test_prompt(docs):
    doc = docs[0]
    text = prompts.build(doc, "video", "both")
    assert text.startswith("The video is 4 seconds long.\nQuestion: ")
    assert all(f"{letter}. {option}" in text for letter, option in zip("ABCD", doc["options"], strict=True))
    assert text.endswith('{"answer": "<letter>", "span": [<start>, <end>]}')
    assert not any(option in prompts.build(doc, "video", "span") for option in doc["options"])
    assert "span" not in prompts.build(doc, "none", "answer")
    assert "4 seconds" not in prompts.build(doc, "none", "answer")
    assert "2 frames are taken at these times, in seconds: 0.0, 2.0." in prompts.build(
        doc, "frames", "both", (0.0, 2.0)
    )
    assert "Options: A, B, C, D" in prompts.build(doc | {"options": []}, "video", "both")


@pytest.mark.parametrize(("media", "ask"), [("audio", "both"), ("video", "everything")])
def test_unknown_prompt(media, ask, docs):
    with pytest.raises(prompts.TempbenchError, match="no prompt"):
        prompts.build(docs[0], media, ask)


@pytest.mark.parametrize(
    ("reply", "read"),
    [
        ("[A, 66.6, 74.0]", ("A", (66.6, 74.0))),
        ("(B, 10-20)", ("B", (10.0, 20.0))),
        ("they tour a desert,60,90", ("C", (60.0, 90.0))),
        ("He lifts weights, 2, 3", (None, None)),
        ("B 28.0-30.0 \u2615", ("B", (28.0, 30.0))),
        ("They sing karaoke! 26-30", ("D", (26.0, 30.0))),
        ("Time: 72-81 | Answer: they run a marathon | Frames used: 0-15 | fps: 0.5", ("B", (72.0, 81.0))),
        ("Q: What do they do?\nA: (C)\nTime: 10-18", ("C", (10.0, 18.0))),
        ("I'd exclude A (no food), B (no runner) and D (no song).", ("C", None)),
        ("Either B or C, somewhere in the first or in the second half.", (None, None)),
        ("Es geschieht von zwanzig bis dreißig Sekunden.", (None, (20.0, 30.0))),
        ("de soixante-dix à quatre-vingt-cinq secondes", (None, (70.0, 85.0))),
        ("entre treinta y cinco y cuarenta y dos segundos", (None, (35.0, 42.0))),
    ],
)
def test_letter_and_span(reply, read):
    letter, spans = parse(reply, OPTIONS, 100)
    assert (letter, spans[0] if spans else None) == read
