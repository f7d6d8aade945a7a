"""The card's numbers."""

import json

import pytest

from tempbench_lmms.coherence import captioning
from tempbench_lmms.coherence.card import BUDGETS, CARD, COUNTS
from tempbench_lmms.coherence.scoring import METRICS
from tempbench_lmms.metrics.text import numeric_distance


def test_metrics_are_ours():
    for cell in CARD.reference:
        names = {cell.metric, cell.metric.removesuffix("_16f")}  # `bertscore_rotation` of `coherence_qa_16f`
        assert names & {*METRICS, *captioning.METRICS}, cell


def test_chance_of_numeric_distance_on_the_real_questions(shared):
    questions = json.loads((shared / "real/tomato/count.json").read_text(encoding="utf-8")).values()
    means = []
    for question in questions:
        options = [int(option) for option in question["options"]]
        truth = options[question["answer"]]
        means.append(sum(numeric_distance(option, truth) for option in options) / len(options))
    assert len(means) == COUNTS["count"]
    for n in BUDGETS:
        assert sum(means) / len(means) == pytest.approx(CARD.chance[f"numeric_distance_{n}f"], abs=5e-6)
