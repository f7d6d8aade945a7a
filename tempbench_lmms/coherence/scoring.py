"""The metrics of the video questions, at one number of frames and over all of them.

Source: the paper, sections 3.1 and 4.3 (BERTScore, numeric distance, their trend over the frames); TOMATO
(accuracy by reasoning type and scene, multi-frame gain, frame order sensitivity).

A question asked in several ways (`condition`: a number of frames, or a control) enters a metric that compares
them only if it was asked in all of the ways compared: `--limit` may cut one off (`n_cut`).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import fsum
from operator import mul
from typing import Any

from tempbench_lmms import record as common
from tempbench_lmms.coherence import encoders, official, parser, prompts
from tempbench_lmms.coherence.card import BUDGETS, CLUSTER, CONTROLS, CURVES, SCENES, TYPES
from tempbench_lmms.metrics.ratio import Ratio, area_weights, gain_weights, ratio, slope_weights
from tempbench_lmms.metrics.text import numeric_distance
from tempbench_lmms.metrics.together import grouped
from tempbench_lmms.parsing.clean import clip, final_answer
from tempbench_lmms.parsing.expected import Reading
from tempbench_lmms.parsing.mentions.numbers import value_of
from tempbench_lmms.record import (
    Metric,
    Metrics,
    Record,
    answers,
    n_failed,
    n_questions,
    total,
    within,
)

BUDGET_CONDITIONS = tuple(f"{n}f" for n in BUDGETS)
FULL = f"{BUDGETS[-1]}f"
CONTROL_CONDITIONS = (FULL, *CONTROLS)

ONCE, BUDGETED, CONTROLLED = "once", "budgets", "controls"
"""The kinds of task: each question asked once; with 4, 8, 12 and 16 frames; with 16, one, 16 shuffled, 16
reversed and none."""

METRICS = Metrics(ONCE, BUDGETED, CONTROLLED)
"""Every metric of questions: rows below the functions. Captions have theirs in `captioning.py`."""

Score = Callable[[Sequence[Record]], Sequence[float | None]]
"""Takes records and returns one score each; None where a record has no such score."""


def reference_of(doc: Mapping[str, Any]) -> tuple[str, str]:
    """Returns the sentence that an answer is compared with, and its origin."""
    if doc.get("reference"):
        return str(doc["reference"]), str(doc.get("reference_source") or "column")
    return prompts.template(doc["question"], prompts.right_option(doc)), "template"


def record(doc: Mapping[str, Any], reply: str, failed: bool = False) -> Record:
    """Returns the record of one answered question; a failed request has no reply to read."""
    options, gold = doc["options"], value_of(prompts.right_option(doc))
    prompt = common.prompt_of(reply, lambda: prompts.wording(doc))
    found = None if failed else parser.read(reply, options, prompt)
    answer, number = (found.value if found else None) or (None, None)
    reference, source = reference_of(doc)
    own = {"condition": doc["condition"], CLUSTER.field: CLUSTER.of(doc)}
    own |= {
        "type": doc["type"],
        "scene": doc["scene"],
        "question": doc["base_id"],
        "variation": list(doc.get("variation") or ()),
    }
    more = {
        "correct_official": int(not failed and official.parse_official(reply, options) == doc["answer"]),
        "reply": "" if failed else clip(reply),
        "final": "" if failed else final_answer(reply) or "",
        "reference": reference,
        "reference_source": source,
    }
    if doc["type"] == "count" and gold is not None:
        more |= {"gold_number": gold, "number": number}
        more["number_official"] = None if failed else official.number_official(reply, options)
    letter = None
    if found:  # a number that no option has is kept, and no option is read
        reason = "nothing" if number is not None and answer is None else found.reason
        letter = Reading(answer, found.how, found.where, reason)
    return common.answered(doc["question_id"], own, doc["answer"], letter, more)


def _value(name: str) -> Score:
    return lambda records: [float(record[name]) for record in records]


def _distance(name: str) -> Score:
    return lambda records: [
        numeric_distance(record[name], record["gold_number"]) if "gold_number" in record else None
        for record in records
    ]


def _bertscore(field: str) -> Score:
    def score(records: Sequence[Record]) -> Sequence[float | None]:
        try:
            return encoders.bertscore([(record[field], record["reference"]) for record in records])
        except encoders.EncoderUnavailableError:  # reported once, where it was loaded
            return [None] * len(records)

    return score


SCORES: dict[str, Score] = {
    "accuracy": _value("correct"),
    "accuracy_official": _value("correct_official"),
    "bertscore": _bertscore("reply"),
    "bertscore_answer": _bertscore("final"),
    "numeric_distance": _distance("number"),
    "numeric_distance_official": _distance("number_official"),
    "parse_rate": _value("parsed"),
}
"""What one answer gets, from 0 to 1. BERTScore is that of the whole reply, as in the official code, and that
of the final answer: what stands behind the reasoning or in an answer tag, 0 where the reply ends before."""


def _mean(score: Score) -> Metric:
    def metric(records: Sequence[Record]) -> Ratio:
        scored = zip(records, score(records), strict=True)
        found = [(value, record[CLUSTER.field]) for record, value in scored if value is not None]
        return ratio(((value, 1) for value, _ in found), (cluster for _, cluster in found))

    return metric


def _complete(
    records: Sequence[Record], score: Score, conditions: Sequence[str]
) -> list[tuple[str, list[float]]]:
    """Returns each question's cluster and scores, one a condition; for questions asked in all of them."""
    asked: dict[tuple[str, str], dict[str, float]] = {}
    for record, value in zip(records, score(records), strict=True):
        if value is not None and record["condition"] in conditions:
            asked.setdefault((record["question"], record[CLUSTER.field]), {})[record["condition"]] = value
    return [
        (cluster, [scores[condition] for condition in conditions])
        for (_, cluster), scores in asked.items()
        if len(scores) == len(conditions)
    ]


def trend(score: Score, weights: Iterable[float]) -> Metric:
    """Returns the metric that is the mean over questions of a weighted sum of their scores at each budget."""
    factors = [float(weight) for weight in weights]

    def metric(records: Sequence[Record]) -> Ratio:
        rows = _complete(records, score, BUDGET_CONDITIONS)
        sums = ((fsum(map(mul, factors, scores)), 1) for _, scores in rows)
        return ratio(
            sums, (cluster for cluster, _ in rows), bounded=min(factors) >= 0
        )  # a slope can be negative

    return metric


def gain_over(condition: str) -> Metric:
    """Returns the metric accuracy(16 frames in order) / accuracy(`condition`) - 1 over the same questions."""

    def metric(records: Sequence[Record]) -> Ratio:
        rows = _complete(records, SCORES["accuracy"], (FULL, condition))
        gains = ((full - control, control) for _, (full, control) in rows)
        return ratio(gains, (cluster for cluster, _ in rows), bounded=False)

    return metric


def _n_cut(conditions: Sequence[str]) -> Metric:
    return lambda records: (
        len({record["question"] for record in records})
        - len(_complete(records, SCORES["accuracy"], conditions))
    )


_BREAKDOWNS = {**dict.fromkeys(TYPES, "type"), **dict.fromkeys(SCENES, "scene")}
# `slope` is the score a frame, by least squares; `gain` the score with 16 frames less that with 4; `area` is
# the area under the curve from 4 to 16 frames, divided by 12.
_TRENDS = {"slope": slope_weights(BUDGETS), "gain": gain_weights(BUDGETS), "area": area_weights(BUDGETS)}
_MEANS = {name: _mean(score) for name, score in SCORES.items()}
_OF_BUDGETS = {
    (name, budget): within(metric, "condition", budget)
    for name, metric in _MEANS.items()
    for budget in BUDGET_CONDITIONS
}
_ADDED: dict[str, dict[str, Metric]] = {
    ONCE: _MEANS
    | {
        f"{name}_{part}": within(_MEANS[name], field, part)
        for name in ("accuracy", "bertscore", "bertscore_answer")
        for part, field in _BREAKDOWNS.items()
    },
    BUDGETED: {f"{name}_{budget}": metric for (name, budget), metric in _OF_BUDGETS.items()}
    | {
        f"accuracy_{part}_{budget}": within(_OF_BUDGETS["accuracy", budget], field, part)
        for part, field in _BREAKDOWNS.items()
        for budget in BUDGET_CONDITIONS
    }
    | {
        f"{name}_{kind}": trend(SCORES[name], weights)
        for name in (*CURVES, "bertscore_answer")
        for kind, weights in _TRENDS.items()
    }
    | {
        f"accuracy_{part}_gain": within(trend(SCORES["accuracy"], _TRENDS["gain"]), field, part)
        for part, field in _BREAKDOWNS.items()
    },
    CONTROLLED: {
        **{f"accuracy_{one}": within(_MEANS["accuracy"], "condition", one) for one in CONTROL_CONDITIONS},
        "multi_frame_gain": gain_over("1f"),
        "frame_order_sensitivity": gain_over("shuffled"),
        "frame_order_sensitivity_reversed": gain_over("reversed"),
        "gain_over_blind": gain_over("blind"),
        "parse_rate": _MEANS["parse_rate"],
    },
}
_PRINTED = {
    *_ADDED[CONTROLLED],
    *("accuracy", "bertscore", "numeric_distance", "parse_rate", f"parse_rate_{FULL}", "accuracy_gain"),
    *(f"accuracy_{name}" for name in (*TYPES, *BUDGET_CONDITIONS)),
    *(f"{name}_{budget}" for name in ("bertscore", "numeric_distance") for budget in ("4f", FULL)),
}
for _kind, _metrics in _ADDED.items():
    for _name, _metric in _metrics.items():
        METRICS.add(_name, _metric, headline=_name in _PRINTED, tasks=(_kind,))
METRICS.score_by_encoder([_name for _name in METRICS if _name.startswith("bertscore")])
common.add_metrics(METRICS, CLUSTER)
METRICS.count(headline=True)(n_questions)
METRICS.add_count(
    "n_counting",
    total(lambda record: "gold_number" in record),
    "Number of answers to counting questions, over which the numeric distance is a mean.",
    tasks=(ONCE, BUDGETED),
)
METRICS.count(better="lower", headline=True)(n_failed)
METRICS.add_count(
    "n_reference_template",
    total(lambda record: record["reference_source"] == "template"),
    "Number of answers compared with a template, because the data has no reference sentence.",
    better="lower",
    tasks=(ONCE, BUDGETED),
)
for _kind, _conditions in ((BUDGETED, BUDGET_CONDITIONS), (CONTROLLED, CONTROL_CONDITIONS)):
    METRICS.add_count(
        f"n_cut_{_kind}",
        _n_cut(_conditions),
        "Number of questions that were not asked with every number of frames, or in every control.",
        better="lower",
        tasks=(_kind,),
    )


def details(records: Sequence[Record]) -> dict[str, Any]:
    """Returns accuracy by TOMATO's variation, and the position bias.

    By condition and variation each share comes with its number of questions; a question may have several
    variations. Position bias is the share of each letter among the answers, and among the right answers.
    Captions have no letters, and their table is empty.
    """
    asked = [record for record in records if "gold" in record]
    by_condition = grouped((one["condition"], one) for one in asked if one.get("variation"))
    by_variation = {
        condition: {
            name: {"share": sum(right) / len(right), "n": len(right)}
            for name, right in sorted(
                grouped((name, one["correct"]) for one in group for name in one["variation"]).items()
            )
        }
        for condition, group in by_condition.items()
    }
    return ({"by_variation": by_variation} if by_variation else {}) | (answers(asked) if asked else {})
