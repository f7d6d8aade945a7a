import pytest
from hypothesis import given
from hypothesis import strategies as st

from tempbench_lmms.parsing.permutation import parse_permutation

ORDER = ("2", "4", "1", "5", "3")


@pytest.mark.parametrize(
    "reply",
    [
        "2, 4, 1, 5, 3",
        "2-4-1-5-3",
        "2 – 4 – 1 – 5 – 3",
        "2 > 4 > 1 > 5 > 3",
        "2 -> 4 -> 1 -> 5 -> 3",
        "2→4→1→5→3",
        "2 < 4 < 1 < 5 < 3",
        "24153",
        "2 4 1 5 3",
        "two, four, one, five, three",
        "[2, 4, 1, 5, 3]",
        "(2)(4)(1)(5)(3)",
        '{"order": ["Image 2", "Image 4", "Image 1", "Image 5", "Image 3"]}',
        '```json\n{"answer": [2, 4, 1, 5, 3]}\n```',
        "Image 2, Image 4, Image 1, Image 5, Image 3",
        "image_2, image_4, image_1, image_5, image_3",
        "Image 2 (earliest), Image 4, Image 1, Image 5, Image 3 (latest)",
        "Image 2, then Image 4, followed by Image 1, Image 5, and finally Image 3.",
        "1. Image 2\n2. Image 4\n3. Image 1\n4. Image 5\n5. Image 3",
        "1. 2\n2. 4\n3. 1\n4. 5\n5. 3",
        "1st: Image 2, 2nd: Image 4, 3rd: Image 1, 4th: Image 5, 5th: Image 3",
        '{"1": "Image 2", "2": "Image 4", "3": "Image 1", "4": "Image 5", "5": "Image 3"}',
        "- Image 2\n- Image 4\n- Image 1\n- Image 5\n- Image 3",
        "Images 1, 2, 3, 4 and 5 show a town. Answer: 2, 4, 1, 5, 3",
        "The order is 2, 4, 1, 5, 3. Image 3 is the latest, since 5 houses are new.",
        "<think>1, 2, 3, 4, 5? No.</think>**2, 4, 1, 5, 3**",
        "\\boxed{2, 4, 1, 5, 3}",
        "<answer>2, 4, 1, 5, 3</answer>",
        "２，４，１，５，３",
    ],
)
def test_read(reply):
    assert parse_permutation(reply, "12345") == ORDER


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "I cannot tell.",
        "1, 1, 2, 3, 4",
        "2, 4, 1, 5",
        "2, 4, 1, 5, 3, 6",
        "0, 1, 2, 3, 4",
        "<think>2, 4, 1, 5, 3",
        "2, 4, 1, 5, 3? Rather 2, 2, 1, 5, 3",  # the last list is the answer, and it is none
        "1: 3, 2: 1, 3: 2, 4: 4, 5: 5",  # either number could be the place
        "Image 2 is the earliest and image 3 the latest.",
        "20245",
        "2.4 1.5 3",
    ],
)
def test_unreadable(reply):
    assert parse_permutation(reply, "12345") is None


@pytest.mark.parametrize(
    "reply", ["C, A, B", "c, a, b", "CAB", "C < A < B", "Pair C, Pair A, Pair B", "C -> A -> B"]
)
def test_quantities(reply):
    assert parse_permutation(reply, "ABC", quantities=True) == ("C", "A", "B")


def test_greater_than_between_quantities_is_not_read():
    # Either an arrow, or "B is the longest"; the two readings are opposite.
    assert parse_permutation("B > A > C", "ABC", quantities=True) is None


def test_an_article_is_no_label():
    assert parse_permutation("A pair of images shows a town; B, C", "ABC") is None
    assert parse_permutation("A pair of images: C, A, B", "ABC") == ("C", "A", "B")


@given(st.permutations("12345"), st.sampled_from([", ", "-", " > ", " -> ", "\n", " ", " then "]))
def test_whatever_is_written_is_read(order, separator):
    assert parse_permutation(separator.join(order), "12345") == tuple(order)


@given(st.text(max_size=200))
def test_never_raises_and_never_invents(text):
    found = parse_permutation(text, "12345")
    assert found is None or sorted(found) == list("12345")
