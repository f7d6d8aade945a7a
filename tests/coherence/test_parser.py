"""The answer parsers: forms of replies over real questions, and the official rules."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tempbench_lmms.coherence import official as theirs
from tempbench_lmms.coherence import parser
from tempbench_lmms.metrics.text import numeric_distance

FORMS = (
    "{L}",
    "{l}",
    "({L})",
    "{L}.",
    "{L}: {t}",
    "{L}. {t}",
    "{L}) {t}",
    "**{L}**",
    "Answer: {L}",
    "The answer is {L}.",
    "The correct answer is ({L}) {t}",
    "Option {L}",
    "Based on the video frames, the answer is {L}: {t}",
    "\\boxed{{{L}}}",
    "<think>The person moves; it could be B or C.</think>\n{L}",
    "<answer>{L}</answer>",
    "{{'{L}': '{t}'}}",
    "{t}",
    "The answer is {t}",
    "I choose {L} because the frames show it.",
    "Correct answer: {L}: {t}.",
    "The person does it slowly.\n\nAnswer: {L}",
)
NO_ANSWER = (
    "",
    "I cannot tell.",
    "It may be A or B.",
    "A person moves a hand.",
    "<think>It is A",
    "The frames show a scene.",
    "Not A.",
)


def letter_of(reply: str, options: list[str]) -> str | None:
    return (parser.read(reply, options).value or (None, None))[0]


@pytest.fixture(scope="module")
def real(shared: Path) -> list[tuple[str, list[str], int]]:
    files = sorted((shared / "real" / "tomato").glob("*.json"))
    return [
        (file.stem, item["options"], item["answer"])
        for file in files
        for item in json.loads(file.read_text(encoding="utf-8")).values()
    ]


@pytest.mark.slow
@pytest.mark.parametrize("in_any_order", [True, pytest.param(False, marks=pytest.mark.exhaustive)])
def test_real_questions_in_twenty_forms(real: list[tuple[str, list[str], int]], in_any_order: bool) -> None:
    """The test command asks one of the questions that differ in the order of their options alone."""
    assert len(real) == 1484
    assert len(FORMS) >= 20
    asked = {
        (frozenset(options), options[answer]) if in_any_order else i: (options, answer)
        for i, (_, options, answer) in enumerate(real)
    }
    right = total = 0
    for options, answer in asked.values():
        letter = "ABCDEFG"[answer]
        for form in FORMS:
            read = letter_of(form.format(L=letter, l=letter.lower(), t=options[answer]), options)
            assert read in (letter, None), (form, options, read)
            right += read == letter
            total += 1
        for reply in NO_ANSWER:
            assert letter_of(reply, options) is None, (reply, options)
    assert right / total >= 0.995, right / total


def test_numeric_distance_on_the_real_counts(real: list[tuple[str, list[str], int]]) -> None:
    counting = [(options, answer) for kind, options, answer in real if kind == "count"]
    # A model that is always right, and answers with the letter, loses half by the official rule.
    official = [
        numeric_distance(theirs.number_official("ABCDEF"[answer], options), int(options[answer]))
        for options, answer in counting
    ]
    assert round(sum(official) / 292, 4) == 0.5611
    assert official.count(1) == 44


OPTIONS = ["2", "1", "3", "5"]


@pytest.mark.parametrize(
    ("reply", "letter", "official", "number", "number_official"),
    [
        ("A", "A", "A", 2, 1),
        ("a", "A", "A", 2, 1),
        ("a: 2", "A", "A", 2, 1),
        ("Answer is:(A)", "A", "A", 2, 1),
        ("Answer is: A", "A", None, 2, 1),
        ("(A)", "A", None, 2, 1),
        ("C: 3.", "C", None, 3, 3),
        ("3", "C", None, 3, 3),
        ("I count three of them", "C", None, 3, 3),
        ("The person draws 4 circles.", None, None, 4, 4),
        ("", None, None, None, None),
        ("option c", "C", None, 3, 3),
        ("None of these is clear", None, None, None, None),
    ],
)
def test_replies_to_a_count(
    reply: str, letter: str | None, official: str | None, number: int | None, number_official: int | None
) -> None:
    assert (parser.read(reply, OPTIONS).value or (None, None)) == (letter, number)
    assert theirs.parse_official(reply, OPTIONS) == official
    assert theirs.number_official(reply, OPTIONS) == number_official


def test_the_official_rules_miss_small_letters_and_g() -> None:
    assert theirs.parse_official("A: Left.", ["Left.", "Right."]) is None
    seven = [f"Way {i}." for i in range(7)]
    assert theirs.parse_official("Answer is:G", seven) is None
    assert letter_of("Answer is:G", seven) == "G"


@pytest.mark.slow
@given(st.text(max_size=200))
def test_only_letters_on_offer(reply: str) -> None:
    assert letter_of(reply, OPTIONS) in (*"ABCD", None)
    assert theirs.parse_official(reply, OPTIONS) in (*"ABCD", None)
