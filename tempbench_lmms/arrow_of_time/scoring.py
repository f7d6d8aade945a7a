"""The metrics: the paper's accuracy and F1 scores, and pairs of a clip both ways, which count together.

The official repository has no scorer; F1 is the usual one, in which an unread reply is of neither class.
"""

from collections.abc import Mapping
from typing import Any

from tempbench_lmms import record as common
from tempbench_lmms.arrow_of_time import parser, prompts
from tempbench_lmms.arrow_of_time.card import ANSWERS, CATEGORIES, CLUSTER
from tempbench_lmms.record import Metrics, Record, mean, pooled, together

METRICS = Metrics("arrow_of_time")


def record(doc: Mapping[str, Any], reply: str, failed: bool = False) -> Record:
    """Returns the record of one answered question; a failed request has no reply to read."""
    prompt = common.prompt_of(reply, lambda: prompts.SYSTEM + prompts.build(doc))
    found = None if failed else parser.read(reply, prompt)
    own = {
        CLUSTER.field: CLUSTER.of(doc),
        "category": [CATEGORIES.get(name, name) for name in doc["categories"]],
    }
    return common.answered(doc["question_id"], own, doc["answer"], found)


METRICS.add("accuracy", mean("correct", CLUSTER), "Share of right answers.", headline=True)
METRICS.add(
    "pair_accuracy",
    together(2, CLUSTER),
    "Share of clips with the right direction when played both ways; 0 for a constant answer.",
    headline=True,
)


def _add_f1(letter: str, category: str = "") -> None:
    # 2 TP / (2 TP + FP + FN): twice the hits over the clips of the class and the answers that name it.
    f1 = pooled(
        lambda one: (
            2 * (one["gold"] == letter == one["answer"]),
            [one["gold"], one["answer"]].count(letter),
        ),
        CLUSTER,
        lambda one: not category or category in one["category"],
    )
    name, of = ANSWERS[letter], category and f", of clips with {category}"
    METRICS.add(
        f"f1_{name}{category and f'_{category}'}",
        f1,
        f"F1 score of the answer {name}{of}.",
        headline=not category,
    )


for _letter in ANSWERS:
    for _category in ("", *CATEGORIES.values()):
        _add_f1(_letter, _category)
METRICS.add(
    "forward_rate",
    mean(lambda record: record["answer"] == "F", CLUSTER, lambda record: record["parsed"]),
    'Share of "forward" among the answers that were read; half of the right ones are.',
    better="neither",
    headline=True,
)
common.add_counts(METRICS, CLUSTER, 2)
