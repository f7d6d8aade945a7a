import pytest

from tempbench_lmms.rextime import prompts
from tempbench_lmms.rextime.parser import read

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
    assert read(reply, OPTIONS)["letter"].value == answer


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
