"""The paper's numbers, as its text prints them."""

from tempbench_lmms.mateo.card import CARD


def test_tables_3_and_4_are_whole():
    # Six models with 3 x 5 accuracies, and a fine-tuned one with 3; three models with 3 x 5 F1 scores.
    tables = [reference.table for reference in CARD.reference]
    assert tables.count("Table 3") == 6 * 15 + 3
    assert tables.count("Table 4") == 3 * 15
    values = {(r.model, r.metric): r.value for r in CARD.reference}
    assert values["Qwen2.5-VL-72B", "both_icl_accuracy"] == 0.68
    assert values["InternVL3.5-8B fine-tuned", "both_instructions_accuracy"] == 0.69
    # Section 6: chain of thought brings +32 % and +310 % over the baseline.
    cot, baseline = (
        {label: values["Qwen2.5-VL-72B", f"both_{setting}_f1_{label}"] for label in ("before", "independent")}
        for setting in ("cot", "baseline")
    )
    assert round(cot["before"] / baseline["before"] - 1, 2) == 0.32
    assert round(cot["independent"] / baseline["independent"] - 1, 1) == 3.1


def test_what_cannot_be_compared_says_why():
    assert all(reference.note for reference in CARD.reference if not reference.comparable)
    assert all(not r.comparable for r in CARD.reference if r.model == "GPT-5.1" or r.table == "Section 6")
