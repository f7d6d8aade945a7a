"""The metrics of TimeBlind: four questions per instance, which count alone, in pairs, and together.

Source: the paper's four accuracies; `utils.py` for those that end in `_official`. Pairs and instances that
`--limit` cut are left out, and counted in `n_cut`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from tempbench_lmms import record as common
from tempbench_lmms.metrics.ratio import Ratio, ratio
from tempbench_lmms.metrics.together import grouped
from tempbench_lmms.record import Metric, Metrics, Record, mean, together, within
from tempbench_lmms.timeblind import official, parser, prompts
from tempbench_lmms.timeblind.card import CLUSTER, LEVELS, SIZE, TAGS

METRICS = Metrics("timeblind")

_LEVEL_OF = {tag: level for level, tags in LEVELS.items() for tag in tags}


def record(doc: Mapping[str, Any], reply: str, failed: bool = False) -> Record:
    """Returns the record of one answered question; a failed request has no reply to read."""
    # A question with its options is one line: a reply of one line may be a copy of it.
    found = None if failed else parser.read(reply, doc["options"], prompts.build(doc))
    own = {
        CLUSTER.field: CLUSTER.of(doc),
        "question": doc["index"] % SIZE // 2,
        "video": doc["index"] % 2,
        "tag": TAGS.get(doc["tag"] or "", ""),
        "level": _LEVEL_OF.get(doc["tag"] or "", ""),
    }
    said = official.UNREAD if failed else official.parse_official(reply, doc["options"])
    return common.answered(doc["question_id"], own, doc["answer"], found, {"official": said})


i_acc = together(SIZE, CLUSTER)
acc = mean("correct", CLUSTER)
METRICS.add_all(
    {
        "i_acc": (
            i_acc,
            "Share of instances all four of whose questions are right. The paper's first metric.",
        ),
        "q_acc": (together(2, CLUSTER, "question"), "Share of questions that are right on both videos."),
        "v_acc": (together(2, CLUSTER, "video"), "Share of videos both of whose questions are right."),
        "acc": (acc, "Share of right answers."),
    },
    headline=True,
)


def _official(name: str) -> Metric:
    def metric(records: Sequence[Record]) -> Ratio:
        instances = grouped(
            (one[CLUSTER.field], (2 * one["question"] + one["video"], one["official"])) for one in records
        )
        found = [
            official.points([said for _, said in sorted(own)] if len(own) == SIZE else official.NONE)
            for own in instances.values()
        ]
        return ratio((one[name] for one in found), instances)

    return metric


for _name in ("I_Acc", "Q_Acc", "V_Acc", "Acc"):
    METRICS.add(
        f"{_name.lower()}_official",
        _official(_name),
        f"{_name} as the official scorer computes it, from what its rules read.",
        headline=_name == "I_Acc",
    )
METRICS.add(
    "first_rate",
    mean(lambda record: record["answer"] in ("Yes", "A"), CLUSTER, lambda record: record["parsed"]),
    "Share of Yes and A among the answers that were read; half of the right ones are.",
    better="lower",
    headline=True,
)
for _field, _groups in (("level", tuple(LEVELS)), ("tag", tuple(TAGS.values()))):
    for _name, _metric in (("i_acc", i_acc), ("acc", acc)):
        for _group in _groups:
            METRICS.add(f"{_name}_{_group}", within(_metric, _field, _group))
common.add_counts(METRICS, CLUSTER, SIZE)


@METRICS.count()
def n_instances(records: Sequence[Record]) -> int:
    """Number of instances."""
    return len({record[CLUSTER.field] for record in records})
