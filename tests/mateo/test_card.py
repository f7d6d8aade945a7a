"""The paper's numbers, as its text prints them."""

from tempbench_lmms.mateo.card import CARD, COUNTS
from tempbench_lmms.report.page import marks_of


def test_table_2_is_what_the_card_counts():
    (table,) = [one for one in CARD.tables if one.name == "Table 2"]
    rows = {"plans": "# Recipes", "steps": "# Steps", "branching": "Branching Factor"}
    for split, column in (("train", "Train"), ("validation", "Valid"), ("test", "Test")):
        for name, row in rows.items():
            assert table.cells[row, column].value == COUNTS[split][name]
        # The mean is the quotient, to the one digit that is printed; its deviation stands beside it.
        mean = COUNTS[split]["steps"] / COUNTS[split]["plans"]
        assert table.cells["AVG Steps", column].value == round(mean, 1)
        assert 3.7 <= table.cells["AVG Steps", f"{column} / deviation"].value <= 3.9


def test_section_5_is_what_the_card_counts():
    (table,) = [one for one in CARD.tables if one.name == "Section 5"]
    examples = {
        split: {column: table.cells.get((split, column)) for column in table.columns} for split in table.rows
    }
    assert examples["test"]["before"].value == COUNTS["test"]["edges"]
    assert examples["test"]["independent"].value == COUNTS["test"]["independent"]
    assert examples["training examples"]["before"].value == COUNTS["train"]["edges"]
    assert examples["training examples"]["independent"].value == COUNTS["train"]["independent"]
    assert examples["test"]["all pairs of steps"].value == COUNTS["test"]["steps"] ** 2


def test_a_run_is_compared_with_the_best_of_its_own_setting():
    """Table 3, examples in context with image and text: GPT-5.1's 0.70, on a part of the test set."""
    best = marks_of(CARD, "accuracy", ["both_icl, mini", "both_icl, mini"])["best"]
    assert (best.label, best.value) == ("GPT-5.1, Table 3", 0.7)
    assert "20 %" in best.note
    # Runs of two settings have no best in common.
    assert [*marks_of(CARD, "accuracy", ["both_icl", "text_baseline"])] == ["chance"]
