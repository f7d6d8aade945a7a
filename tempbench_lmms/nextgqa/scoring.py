"""The metrics of NExT-GQA: answers, their grounding, and answers that count only if grounded.

All shares are over all questions that were asked: an unreadable reply is wrong, and so is a span that is not
given. The `_official` ones reproduce the official scorer, which leaves such questions out (`official.py`).
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from tempbench_lmms import record as common
from tempbench_lmms.metrics.spans import best_iop, best_iou
from tempbench_lmms.nextgqa import official, prompts
from tempbench_lmms.nextgqa.card import CLUSTER, FAMILIES, THRESHOLDS, TYPES
from tempbench_lmms.nextgqa.parser import read
from tempbench_lmms.record import Metric, Metrics, Record, mean, n_failed, n_questions, n_reversed, within

BOTH, ANSWER, SPAN = "both", "answer", "span"
"""The kinds of task: the letter and the span, only the letter, only the span."""

METRICS = Metrics(BOTH, ANSWER, SPAN)


def record(doc: Mapping[str, Any], reply: str, failed: bool = False, ask: str = BOTH) -> Record:
    """Returns the record of one answered question; a failed request has no reply to read."""
    kind = ask if ask in (BOTH, ANSWER) else SPAN
    prompt = common.prompt_of(reply, lambda: prompts.wording(doc, ask))
    found = None if failed else read(reply, doc["options"], doc["duration"], prompt=prompt)
    span = found["span"].value if found else None
    out = common.in_time(doc, found, kind, [span] if span else [], CLUSTER)
    truths = doc["windows"]
    iou, iop = (best_iou(span, truths), best_iop(span, truths)) if span else (0.0, 0.0)
    iou_official, iop_official = official.best(truths, span) if span else (0.0, 0.0)
    right, grounded = out["answer"] in _right_letters(doc), iop >= THRESHOLDS[-1]
    return out | {
        "type": doc["type"],
        "right": int(right),
        "iou": iou,
        "iop": iop,
        "iou_official": iou_official,
        "iop_official": iop_official,
        "correct": int({BOTH: right and grounded, ANSWER: right, SPAN: grounded}[kind]),
    }


def _right_letters(doc: Mapping[str, Any]) -> set[str]:
    """Returns the right letter, and another one if the release gives it the same text."""
    text = doc["options"][prompts.LETTERS.index(doc["answer"])]
    return {letter for letter, one in zip(prompts.LETTERS, doc["options"], strict=True) if one == text}


def _reached(name: str, threshold: float) -> Metric:
    return mean(lambda record: record[name] >= threshold, CLUSTER)


acc, miop, miou = (mean(name, CLUSTER) for name in ("right", "iop", "iou"))
acc_gqa = mean(lambda record: record["right"] and record["iop"] >= THRESHOLDS[-1], CLUSTER)


def _official(records: Sequence[Record], name: str) -> float:
    found = [(one["iou_official"], one["iop_official"], one["answer"] == one["gold"]) for one in records]
    return float(f"{official.percent(found)[name]:.1f}")


def _acc_official(records: Sequence[Record]) -> float:
    right = sum(record["answer"] == record["gold"] for record in records)
    return float(f"{right * 100.0 / len(records):.2f}")


_MAIN: tuple[tuple[str, Metric, tuple[str, ...], str], ...] = (
    ("acc", acc, (BOTH, ANSWER), "Share of questions with the right letter (Acc@QA)."),
    ("acc_gqa", acc_gqa, (BOTH,), "Share of questions with the right letter and an IoP of at least 0.5."),
    ("miop", miop, (BOTH, SPAN), "Mean intersection over the predicted span, the best of all true segments."),
    ("miou", miou, (BOTH, SPAN), "Mean intersection over union, the best of all true segments."),
)
for _name, _metric, _tasks, _doc in _MAIN:
    METRICS.add(_name, _metric, _doc, headline=True, tasks=_tasks)
for _name in ("iop", "iou"):
    for _t in THRESHOLDS:
        METRICS.add(f"{_name}_at_{_t * 100:.0f}", _reached(_name, _t), headline=True, tasks=(BOTH, SPAN))
METRICS.add("parse_rate", common.parse_rate_per(CLUSTER), headline=True)
for _part in ("answer", "span"):
    METRICS.add(f"{_part}_parse_rate", mean(f"{_part}_parsed", CLUSTER), headline=True, tasks=(BOTH,))
common.add_metrics(METRICS, CLUSTER)
for _group, _types in {**{name: (name,) for name in TYPES.values()}, **FAMILIES}.items():
    _own = [type_ for type_, name in TYPES.items() if name in _types]
    for _name, _metric, _tasks, _ in _MAIN:
        METRICS.add(f"{_name}_{_group}", within(_metric, "type", *_own), tasks=_tasks)
METRICS.add(
    "acc_official",
    common.printed(_acc_official),
    "The official accuracy: percent, two decimals; of two options with one text only the first is right.",
    tasks=(BOTH, ANSWER),
    has_error=False,
)
for _name in official.METRICS:
    METRICS.add(
        f"{_name}_official",
        common.printed(partial(_official, name=_name), lambda record: bool(record["span_parsed"])),
        f"The official {_name}: percent, one decimal, over the questions that have a span.",
        tasks=(BOTH,) if _name == "acc_gqa" else (BOTH, SPAN),
        has_error=False,
    )
METRICS.count(headline=True)(n_questions)
METRICS.count(better="lower")(n_failed)
METRICS.count(better="lower", tasks=(BOTH, SPAN))(n_reversed)
