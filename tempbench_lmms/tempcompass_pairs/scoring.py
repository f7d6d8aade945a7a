"""Accuracy by kind and aspect, and the share of contrast groups in which every answer is right.

Source of the group score: the paper's conflicting videos (section 3.1), which are made so that neither one
frame nor the question alone gives the answer; the official code scores every question by itself.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from tempbench_lmms import record as common
from tempbench_lmms.metrics.ratio import Ratio, ratio
from tempbench_lmms.metrics.together import grouped
from tempbench_lmms.parsing.clean import clip
from tempbench_lmms.record import (
    Metric,
    Metrics,
    Record,
    answers,
    by_group,
    mean,
    n_failed,
    n_questions,
    within,
)
from tempbench_lmms.tempcompass_pairs import official, parser, prompts
from tempbench_lmms.tempcompass_pairs.card import ASPECTS, CLUSTER, DETAILS, KINDS, PAIRED

ALL, ONE = "all", "one"
"""The kinds of task: all kinds of question, or one of them."""

METRICS = Metrics(ALL, ONE)


def record(doc: Mapping[str, Any], reply: str, failed: bool = False) -> Record:
    """Returns the record of one answered question; a failed request has no reply to read."""
    prompt = common.prompt_of(reply, lambda: prompts.build(doc))
    found = None if failed else parser.read(reply, doc["choices"], prompt)
    rules = None if failed else official.rating(doc["kind"], reply, doc["question"], doc["target"])
    own = {name: doc[name] for name in ("kind", "aspect", "detail", "group", "group_size")}
    more = {
        CLUSTER.field: CLUSTER.of(doc),
        "correct_official": rules or 0,
        "decided_official": int(rules is not None),
        "reply": "" if failed else clip(reply),
    }
    return common.answered(doc["question_id"], own, doc["answer"], found, more)


def complete_groups(records: Sequence[Record]) -> list[list[Record]]:
    """Returns the contrast groups with every question asked."""
    found = grouped((one["group"], one) for one in records if one["group"])
    return [own for own in found.values() if len(own) == own[0]["group_size"]]


def _groups_right(field: str = "correct") -> Metric:
    def metric(records: Sequence[Record]) -> Ratio:
        found = complete_groups(records)
        return ratio(
            ((all(one[field] for one in own), 1) for own in found), (own[0][CLUSTER.field] for own in found)
        )

    return metric


_accuracy, _group_score = mean("correct", CLUSTER), _groups_right()
METRICS.add("accuracy", _accuracy, headline=True)
METRICS.add("group_score", _group_score, headline=True)
for _kind in KINDS:
    METRICS.add(f"accuracy_{_kind}", within(_accuracy, "kind", _kind), headline=True, tasks=(ALL,))
    METRICS.add(f"group_score_{_kind}", within(_group_score, "kind", _kind), headline=True, tasks=(ALL,))
for _aspect in ASPECTS:
    METRICS.add(f"accuracy_{_aspect}", within(_accuracy, "aspect", _aspect), headline=(ONE,))
for _name, _metric in {
    **{f"group_score_{aspect}": within(_group_score, "aspect", aspect) for aspect in PAIRED},
    **{
        f"accuracy_{re.sub(r'[^a-z]+', '_', detail)}": within(_accuracy, "detail", detail)
        for details in DETAILS.values()
        if len(details) > 1
        for detail in details
    },
    "accuracy_official": mean("correct_official", CLUSTER),
    "group_score_official": _groups_right("correct_official"),
    "match_rate_official": mean("decided_official", CLUSTER),
}.items():
    METRICS.add(_name, _metric)
METRICS.add("parse_rate", common.parse_rate_per(CLUSTER), headline=True)
common.add_metrics(METRICS, CLUSTER)


@METRICS.count(headline=True)
def n_groups(records: Sequence[Record]) -> int:
    """Number of contrast groups with every question asked."""
    return len(complete_groups(records))


METRICS.count()(n_questions)
METRICS.count(better="lower", headline=True)(n_failed)


@METRICS.count(better="lower")
def n_cut(records: Sequence[Record]) -> int:
    """Number of contrast groups with a question that was not asked; group scores leave them out."""
    return len({one["group"] for one in records if one["group"]}) - len(complete_groups(records))


def details(records: Sequence[Record]) -> dict[str, Any]:
    """Returns, by kind, how often each answer was given and is right, and how many of a group are right.

    `of_a_group` is the share of groups by their number of right answers, which shows models that give one
    answer to a whole group.
    """

    def table(own: list[Record]) -> dict[str, Any]:
        found = complete_groups(own)
        right = Counter(f"{sum(one['correct'] for one in group)} of {len(group)}" for group in found)
        same = sum(len({one["answer"] for one in group}) == 1 for group in found)
        return {
            **answers(own),
            "of_a_group": {name: n / len(found) for name, n in sorted(right.items())},
            "groups_with_one_answer": same / len(found) if found else 0.0,
        }

    return by_group(records, lambda record: record["kind"], table)
