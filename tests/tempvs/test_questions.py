"""The official generator's rules, against rows that it wrote and examples that the paper prints."""

import itertools
import json
import math
from collections import Counter

import pytest

from hf_datasets.tempvs import questions, wording


def letters(option):
    return "".join(item[-1] for item in option.split(" -> "))


# index: right order, options A to E, letter. 0 is printed in the paper as the example of MT2, 300 of MT3.
OPTIONS = {
    0: ("cbaed", "cbaed bedac ebcda caedb dceba", "A"),
    1: ("deabc", "adcbe deabc bedac cedba bdace", "B"),
    2: ("ebacd", "abedc adbce ebacd ecdba acbed", "C"),
    3: ("aebcd", "edbac eabdc adceb aebcd baced", "D"),
    4: ("cedab", "eadcb dcabe dabce dceba cedab", "E"),
    300: ("bcdae", "bcdae edcba bedac acebd cbaed", "A"),
}


@pytest.mark.parametrize("index", OPTIONS)
def test_options_of_five_items(index):
    order, options, letter = OPTIONS[index]
    shown, right = questions.shuffled_order(5, index)
    assert "".join(right) == order
    # The right answer, applied to what is shown, gives the true order.
    assert [shown["abcde".index(label)] for label in right] == [0, 1, 2, 3, 4]
    made, made_letter = questions.ordering_options(right, index, "Image")
    assert [letters(option) for option in made] == options.split()
    assert made_letter == letter


@pytest.mark.parametrize("n", [5, 6, 7])
def test_right_option_stands_once_and_is_balanced(n):
    counts = Counter()
    for index in range(20):
        _, right = questions.shuffled_order(n, index)
        made, letter = questions.ordering_options(right, index, "Sentence")
        assert len(set(made)) == 5
        assert letters(made["ABCDE".index(letter)]) == "".join(right)
        counts[letter] += 1
    assert set(counts.values()) == {4}


def test_true_and_false_are_balanced_between_the_letters():
    # T/F, T/F, F/T, F/T with a true, then a false statement: A, B, B, A.
    assert [questions.true_false(i, i % 2 == 0)[1] for i in range(4)] == ["A", "B", "B", "A"]


@pytest.mark.parametrize(
    ("kind", "statement"),
    [
        ("after", "The door closed after Anna ran."),
        ("before", "Anna ran before the door closed."),
        ("then", "Anna ran. Then, the door closed."),
        ("earlier", "The door closed. Earlier, Anna ran."),
        ("implictpair", "Anna ran. The door closed."),
    ],
)
def test_pair_statement(kind, statement):
    made = questions.pair_statement("Anna ran.", "The door closed.", kind, lambda e: e.startswith("Anna"))
    assert made == statement


@pytest.mark.parametrize(
    ("kind", "statement"),
    [
        ("beforeafter", "A dog ran before Anna sat, and after that, it rained."),
        ("laterfinally", "A dog ran. Later, Anna sat. Thereafter, it rained."),
        ("firstsecondthird", "First, A dog ran. Second, Anna sat. Third, it rained."),
        ("implicttriple", "A dog ran. Anna sat. It rained."),
    ],
)
def test_triple_statement(kind, statement):
    events = ["A dog ran.", "Anna sat.", "It rained."]
    assert questions.triple_statement(events, kind, lambda e: e.startswith("Anna")) == statement


def test_wrong_triple_is_wrong():
    orders = {tuple(questions.wrong_triple("abc", index)) for index in range(50)}
    assert orders == set(itertools.permutations("abc")) - {("a", "b", "c")}


def test_number_of_prompts():
    # Paper, section 3.2: 328 = 112 + 72 + 72 + 72.
    sizes = {
        kind: math.prod(len(wording._TEXTS[kind, part]) for part in ("definition", "requirement", "format"))
        for kind in ("mt1", "mt2", "mt3", "gt")
    }
    assert sizes == {"mt1": 112, "mt2": 72, "mt3": 72, "gt": 72}
    assert sum(sizes.values()) == 328


def release(shared, stem):
    path = shared / f"golden/tempvs_release_layout/data/benchmark/flintstones_{stem}_test.json"
    return json.loads(path.read_text(encoding="utf-8"))


def is_name(event):
    return event.split()[0] in {"Fred", "Wilma", "Barney"}


def test_stored_statements_are_the_rule_s(shared):
    for row in release(shared, "paired_event_discrimination"):
        index = int(row["question_id"].rpartition("_q")[2])
        kind, polarity = row["statement_type"].split("_")
        assert kind == questions.PAIR_TYPES[index // 2 % 5]
        events = [row["event_pre"], row["event_post"]]
        first, second = events if polarity == "gt" else events[::-1]
        assert questions.pair_statement(first, second, kind, is_name) == row["statement_text"]
        options, letter = questions.true_false(index, polarity == "gt")
        assert row["option_text"] == f"A. {options[0]}; B. {options[1]}."
        assert row["gt_option"] == letter
    for row in release(shared, "triple_event_discrimination"):
        index = int(row["question_id"].rpartition("_q")[2])
        kind, polarity = row["statement_type"].split("_")
        assert kind == questions.TRIPLE_TYPES[index // 2 % 4]
        events = [row["event_pre"], row["event_mid"], row["event_post"]]
        order = events if polarity == "gt" else questions.wrong_triple(events, index)
        assert questions.triple_statement(order, kind, is_name) == row["statement_text"]


@pytest.mark.parametrize(("stem", "prefix"), [("ordering_texts", "Sentence"), ("ordering_images", "Image")])
def test_stored_options_are_the_rule_s(shared, stem, prefix):
    for row in release(shared, stem):
        index = int(row["question_id"].rpartition("_q")[2])
        _, right = questions.shuffled_order(len(row["gt_answer"]), index)
        made, letter = questions.ordering_options(right, index, prefix)
        assert row["gt_answer"] == [f"{prefix} {label}" for label in right]
        assert row["gt_option"] == letter
        assert row["options"].split(";\n") == [
            f"{name}. {option}" for name, option in zip("ABCDE", made, strict=True)
        ]
