"""The metrics: the paper's accuracy and F1 scores, and pairs of a clip both ways, which count together.

The official repository has no scorer; F1 is the usual one, in which an unread reply is of neither class.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from tempbench_lmms import record_reading
from tempbench_lmms.arrow_of_time import parser, prompts
from tempbench_lmms.arrow_of_time.card import ANSWERS, CATEGORIES
from tempbench_lmms.metrics.groups import all_right
from tempbench_lmms.metrics.ratio import Ratio, ratio
from tempbench_lmms.record import Metric, Metrics, Record, mean

METRICS = Metrics("arrow_of_time")


def record(doc: Mapping[str, Any], reply: str, failed: bool = False) -> Record:
    """Returns the record of one answered question; a failed request has no reply to read."""
    prompt = record_reading.prompt_of(reply, lambda: prompts.SYSTEM + prompts.build(doc))
    found = None if failed else parser.read(reply, prompt)
    own = {"pair": doc["pair_id"], "category": [CATEGORIES.get(name, name) for name in doc["categories"]]}
    return record_reading.answered(doc["question_id"], own, doc["answer"], found)


accuracy = mean("correct", "pair", doc="Share of right answers.")
METRICS.add("accuracy", accuracy, headline=True)


@METRICS.measure(headline=True)
def pair_accuracy(records: Sequence[Record]) -> Ratio:
    """Share of clips with the right direction when played both ways; 0 for a constant answer."""
    return all_right(((record["pair"], record["correct"]) for record in records), 2)


def _f1(letter: str, category: str = "") -> Metric:
    def metric(records: Sequence[Record]) -> Ratio:
        kept = [one for one in records if not category or category in one["category"]]
        sides = [((one["gold"] == letter), (one["answer"] == letter)) for one in kept]
        # 2 TP / (2 TP + FP + FN): twice the hits over the clips of the class and the answers that name it.
        terms = ((2 * (gold and said), gold + said) for gold, said in sides)
        return ratio(terms, (one["pair"] for one in kept))

    metric.__doc__ = f"F1 score of the answer {ANSWERS[letter]}{category and f', of clips with {category}'}."
    return metric


for _letter, _name in ANSWERS.items():
    METRICS.add(f"f1_{_name}", _f1(_letter), headline=True)
    for _category in CATEGORIES.values():
        METRICS.add(f"f1_{_name}_{_category}", _f1(_letter, _category))


@METRICS.measure(better="neither", headline=True)
def forward_rate(records: Sequence[Record]) -> Ratio:
    """Share of "forward" among the answers that were read; half of the right ones are."""
    read = [record for record in records if record["parsed"]]
    return ratio(((record["answer"] == "F", 1) for record in read), (record["pair"] for record in read))


record_reading.add_counts(METRICS, "pair", 2)
