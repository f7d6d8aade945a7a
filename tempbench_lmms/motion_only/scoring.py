"""The metrics of the motion-only questions.

Single frames give chance: 1/4, and 1/16 in pairs.
"""

from collections.abc import Mapping
from typing import Any

from tempbench_lmms import record as common
from tempbench_lmms.motion_only import parser, prompts
from tempbench_lmms.motion_only.card import CLUSTER, KINDS
from tempbench_lmms.record import Metrics, Record, mean, together, within

METRICS = Metrics("motion_only")


def record(doc: Mapping[str, Any], reply: str, failed: bool = False) -> Record:
    """Returns the record of one answered question; a failed request has no reply to read."""
    prompt = common.prompt_of(reply, lambda: prompts.build(doc))
    found = None if failed else parser.read(reply, doc["options"], prompt)
    own = {CLUSTER.field: CLUSTER.of(doc), "kind": doc["kind"]}
    return common.answered(doc["question_id"], own, doc["answer"], found)


accuracy = METRICS.add("accuracy", mean("correct", CLUSTER), "Share of right answers.", headline=True)
METRICS.add(
    "pair_accuracy",
    together(2, CLUSTER),
    "Share of pairs, the same options on two videos, both of which are right; 0 for a constant answer.",
    headline=True,
)
for _kind in KINDS:
    METRICS.add(f"accuracy_{_kind}", within(accuracy, "kind", _kind), headline=True)
common.add_counts(METRICS, CLUSTER, 2)
