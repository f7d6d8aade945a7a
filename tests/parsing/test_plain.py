"""A word that is read at once is what the stages of the reader would read; test_replies.py has replies."""

import pytest

from tempbench_lmms.parsing import plain, reader
from tempbench_lmms.parsing.expected import Choice, Count, Item, Relation, Truth

FORMS = (
    "{}",
    "{}.",
    "({})",
    "The answer is {}.",
    "The answer is: **{}**",
    "**Answer:** {}",
    "Final answer: {}",
    "<answer>{}</answer>",
    "\\boxed{{{}}}",
    "The answer is \\boxed{{{}}}.",
    '{{"answer": "{}"}}',
    '```json\n{{"answer": "{}"}}\n```',
)
EXPECTED = {
    "B": Choice("ABCD", ("a dog", "a cat", "two men", "nobody")),
    "d": Choice("ABCD", ("a dog", "a cat", "two men", "nobody")),
    "3": Item(5),
    "4": Count("AB", ("3", "4")),
    "False": Truth("chronological"),
    "After": Relation("cot"),
}


@pytest.fixture
def long_way(monkeypatch):
    def only_stages(read):
        with monkeypatch.context() as patched:
            patched.setattr(plain, "read", lambda reply, expected: None)
            reader._short.cache_clear()
            found = read()
        reader._short.cache_clear()
        return found

    return only_stages


@pytest.mark.parametrize("word", EXPECTED)
@pytest.mark.parametrize("form", FORMS)
def test_one_word_in_every_form(long_way, form, word):
    reply, expected = form.format(word), EXPECTED[word]
    assert plain.read(reply, expected) is not None
    assert reader.read(reply, expected) == long_way(lambda: reader.read(reply, expected))


@pytest.mark.parametrize(
    "reply", ["B or C", "The answer is B?", "not B", "<answer>B</answer> C", "The answer is\nB"]
)
def test_more_than_a_word_goes_the_long_way(reply):
    assert plain.read(reply, EXPECTED["B"]) is None


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("Answer: i", Item(5)),
        ("The answer is correct.", Truth()),
        ("The final answer is: i", Choice("ABCDEFGHIJ")),
    ],
)
def test_behind_a_lead_an_i_or_a_judgement_is_no_answer(reply, expected):
    assert reader.read(reply, expected).value is None
