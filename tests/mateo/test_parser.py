"""A table of replies with the class that a careful reader gives them; None where the reply states none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tempbench_lmms.mateo import official, parser, prompts
from tempbench_lmms.mateo.card import CLASSES


def three(first, second, third, form="Q{}: The answer is: {}."):
    return "\n".join(form.format(i + 1, answer) for i, answer in enumerate((first, second, third)))


BEFORE = ("Yes", "No", "No")
AFTER = ("No", "Yes", "No")
PARALLEL = ("No", "No", "Yes")
UNSURE = "I don’t know"

TRIPLES = [
    # The form that is asked for.
    (three(*BEFORE), "before"),
    (three(*AFTER), "after"),
    (three(*PARALLEL), "independent"),
    # Every other combination of the answers is the class Other (section 3).
    (three("Yes", "Yes", "No"), "other"),
    (three("No", "No", "No"), "other"),
    (three(UNSURE, UNSURE, UNSURE), "other"),
    (three("I do not know", "Yes", "No"), "other"),
    (three("No", "I dont know", "No"), "other"),
    # The form, loosely kept.
    (three(*BEFORE, form="Q{}: {}"), "before"),
    (three(*AFTER, form="Q{} - {}"), "after"),
    (three(*PARALLEL, form="Q{}) {}"), "independent"),
    (three(*PARALLEL, form="**Q{}:** The answer is: **{}**."), "independent"),
    (three(*BEFORE, form="Q{}: The answer is: <{}>."), "before"),
    (three(*AFTER, form="Q {}: The answer is: '{}'."), "after"),
    (three(*AFTER, form="q{}: the answer is: {}"), "after"),
    (three(*AFTER, form="Question {}: {}"), "after"),
    (three(*PARALLEL, form="Q{}: The answer is: [{}]"), "independent"),
    (three(*PARALLEL, form="Q{}:\n{}"), "independent"),
    (three("YES", "NO", "NO"), "before"),
    ("Q1: Yes. Q2: No. Q3: No.", "before"),
    ("Q3: No\nQ2: No\nQ1: Yes", "before"),
    ("Ｑ１: Ｙｅｓ\nＱ２: Ｎｏ\nＱ３: Ｎｏ", "before"),
    # More than the answers.
    ("Sure, here are the answers:\n" + three(*AFTER), "after"),
    (three(*PARALLEL, form="Q{}: The answer is: {}, as neither step needs the other."), "independent"),
    ("Q1: Yes, because A makes the dough.\nQ2: No, B needs it.\nQ3: No, no and no.", "before"),
    # The prompt, repeated; the last answer to a question counts.
    (prompts._FORMAT + "\n" + three(*BEFORE), "before"),
    (prompts._QUESTIONS + "\n" + three(*PARALLEL), "independent"),
    (three(*BEFORE) + "\nWait.\n" + three(*AFTER), "after"),
    ("Q1: Must Step A be executed before Step B? Yes\nQ1: The answer is: Yes.\n" + three(*BEFORE), "before"),
    # Reasoning in tags does not count, the answers after it do.
    ("<think>" + three(*AFTER) + "</think>\n" + three(*BEFORE), "before"),
    ("<answer>" + three(*AFTER) + "</answer>", "after"),
    # Nothing to be read.
    ("", None),
    (prompts._FORMAT, None),
    ("Yes, No, No", None),
    ("Step A must be executed before Step B.", None),
    ("The answer is: Before.", None),
    ("Q1: The answer is: Yes.", None),
    ("Q1: Yes\nQ2: No\nQ3:", None),
    ("Q1: Yes\nQ2: No\nQ4: No", None),
    ("Q1: Yes or No\nQ2: No\nQ3: No", None),
    ("Q1: Yes/No\nQ2: Yes/No\nQ3: Yes/No", None),
    ("Q1: <Yes/No/I don't know>\nQ2: No\nQ3: No", None),
    ("Q1: yesterday\nQ2: none\nQ3: nothing", None),
    ("Q11: Yes\nQ12: No\nQ13: No", None),
    ("<think>" + three(*BEFORE), None),
    ("Q1: True\nQ2: False\nQ3: False", None),
]

ANALYSIS = "Step A produces: Dough.\nStep B requires: Dough.\nDependency analysis: B needs A.\n"
COTS = [
    ("The answer is: Before.", "before"),
    ("The answer is: Independent.", "independent"),
    (ANALYSIS + "The answer is: Before.", "before"),
    ("the answer is after", "after"),
    ("The answer is: **Before**.", "before"),
    ("The answer is: <Parallel>", "independent"),
    ("The answer is:\nBefore", "before"),
    ("The answer is\n\n**Parallel**", "independent"),
    ("The answer is: $\\text{Before}$", "before"),
    ("The answer is: Before step B can begin, A must be done.", "before"),
    ("The answer is: After. Reflection: ... The final answer: Before", "after"),
    ("At first I thought: The answer is: After. No. The answer is: Before.", "before"),
    ("<think>The answer is: After.</think>The answer is: Parallel.", "independent"),
    ("You must choose from: Before, After, or Parallel. The answer is: After.", "after"),
    ("", None),
    ("Before.", None),
    ("The answer is: Yes.", None),
    (three(*BEFORE), None),
    ("The answer is: Before, After, or Parallel.", None),
    ("The answer is: Before or After.", None),
    ("The answer is: Before/After", None),
    ("The answer is: not Before.", None),
    ("The answer is: Afterwards.", None),
    ("The answer is after careful thought unclear.", None),
    ("The answer is, after considering both steps, unclear.", None),
    ("The final answer: Before", None),
    ("<think>The answer is: Before.", None),
]

REFLECTIONS = [
    ("The answer is: Before.\nReflection: It holds.\nThe final answer: Before", "before"),
    ("The answer is: Before.\nReflection: I erred.\nThe final answer: After.", "after"),
    ("The answer is: After.\nReflection: Yes.\nThe final answer is: Parallel.", "independent"),
    ("The answer is: After.\n**Reflection:** Yes.\n**The final answer:** **Independent**", "independent"),
    ("The final answer: Before. Hm. The final answer: After.", "after"),
    # No fall-back to the answer before the reflection.
    ("The answer is: Before.", None),
    ("The answer is: Before.\nReflection: <your_reflection>\nThe final answer: <final_answer>", None),
    ("The answer is: Before.\nReflection: fine.\nThe final answer: confirmed.", None),
    ("The final answer: Before or Parallel", None),
    ("Final answer: Before", None),
    ("", None),
    (three(*BEFORE), None),
]


@pytest.mark.parametrize(("reply", "expected"), TRIPLES)
def test_triple(reply, expected):
    assert official.parse_strict(reply, "triple") == expected


@pytest.mark.parametrize(("reply", "expected"), COTS)
def test_cot(reply, expected):
    assert official.parse_strict(reply, "cot") == expected


@pytest.mark.parametrize(("reply", "expected"), REFLECTIONS)
def test_reflection(reply, expected):
    assert official.parse_strict(reply, "reflection") == expected


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("The answer is: Before.\nReflection: no.\nThe final answer: After", "before"),
        ("The answer is: Before.\nReflection: Is it true that the answer is After? No.", "before"),
        ("The answer is: After.\nThe final answer: Before. The answer is: Before.", "after"),
        ("Reflection: none.\nThe final answer: Before", None),
        ("", None),
    ],
)
def test_answer_before_the_reflection(reply, expected):
    assert official.parse_first(reply) == expected


@pytest.mark.parametrize("form", parser.FORMS)
@pytest.mark.parametrize("label", CLASSES)
def test_the_full_reply_is_right_in_every_form(form, label):
    assert parser.read(prompts.full_reply(label), form).value == label


@given(st.text(), st.sampled_from(parser.FORMS))
def test_any_text_is_read_without_an_error(reply, form):
    assert parser.read(reply, form).value in {*CLASSES, "other", None}
    official.parse_first(reply)


@given(st.lists(st.sampled_from(["Yes", "No", UNSURE]), min_size=3, max_size=3))
def test_a_class_is_yes_to_its_question_and_no_to_both_others(answers):
    expected = "other"
    for label, pattern in zip(CLASSES, (BEFORE, AFTER, PARALLEL), strict=True):
        if tuple(answers) == pattern:
            expected = label
    assert parser.read(three(*answers), "triple").value == expected
