"""The metrics of MATEO. The unit of the headline is an unordered pair of steps, asked in both orders.

Source: section 6. A pair is right if both orders are: before and after for a dependent pair, independent
twice for an independent one. A pair of which only one order was asked (`--limit` cut it) is in no metric over
pairs; `n_cut` counts it. F1 is one-vs-rest over one order: TP, FP and FN of all questions of that order, with
the fourth prediction "other" a FN of the true class and a FP of none.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tempbench_lmms import record_reading
from tempbench_lmms.mateo import parser, prompts
from tempbench_lmms.mateo.card import CLASSES
from tempbench_lmms.metrics import ordering
from tempbench_lmms.metrics.ratio import Ratio, ratio
from tempbench_lmms.record import Metrics, Record, by_group, n_failed, n_questions

VERSIONS = ("original", "swapped")
BEFORE, AFTER, INDEPENDENT = CLASSES
GOLD = dict(zip(VERSIONS, ((BEFORE, INDEPENDENT), (AFTER, INDEPENDENT)), strict=True))
PREDICTIONS = (*CLASSES, parser.OTHER)
SWAPPED = {BEFORE: AFTER, AFTER: BEFORE, INDEPENDENT: INDEPENDENT}
"""The class of a pair by its class in the other order."""

METRICS = Metrics("triple", "cot", "reflection")
"""Every metric of MATEO: one function below, with its direction and whether the harness prints it. The kinds
of task are the forms of a reply (`parser.FORMS`); a metric that names none is one of all three."""
REFLECTION = ("reflection",)

Pair = tuple[Record, Record]
Term = tuple[float, float]
Edge = tuple[str, str]


def record(doc: Mapping[str, Any], reply: str, form: str, failed: bool = False) -> Record:
    """Returns the record of one answered question; a failed request has no reply to read."""
    prompt = record_reading.prompt_of(reply, lambda: prompts.wording(doc, form))
    found = None if failed else parser.read(reply, form, prompt)
    answer = found.value if found else None
    out: Record = {
        "id": doc["question_id"],
        "pair": doc["pair_id"],
        "plan": doc["plan_id"],
        "version": doc["version"],
        "gold": doc["label"],
        "prediction": answer or parser.OTHER,
        "correct": int(answer == doc["label"]),
        "parsed": int(answer is not None),
        "strict": None if failed else parser.parse_strict(reply, form),
        "failed": int(failed),
        "n_steps": doc["n_steps"],
        "distance": doc["distance"],
        **record_reading.fields(found),
    }
    if form == "reflection":
        out["first"] = None if failed else parser.parse_first(reply)
    return out


def pairs(records: Sequence[Record]) -> list[Pair]:
    """Returns the pairs that were asked in both orders: the original one, the swapped one."""
    by_version = {
        version: {record["pair"]: record for record in records if record["version"] == version}
        for version in VERSIONS
    }
    swapped = by_version["swapped"]
    return [
        (record, swapped[pair]) for pair, record in sorted(by_version["original"].items()) if pair in swapped
    ]


def is_dependent(record: Record) -> bool:
    """Returns whether one of the two steps needs the other's outcome."""
    return bool(record["gold"] != INDEPENDENT)


def is_right(pair: Pair) -> bool:
    """Returns whether both orders are answered correctly."""
    return bool(pair[0]["correct"] and pair[1]["correct"])


def is_consistent(pair: Pair) -> bool:
    """Returns whether the two predictions agree about the pair, right or wrong."""
    return bool(SWAPPED.get(pair[0]["prediction"]) == pair[1]["prediction"])


def _share(
    records: Sequence[Record],
    hit: Callable[[Pair], bool],
    among: Callable[[Record], bool] = lambda record: True,
) -> Ratio:
    chosen = [pair for pair in pairs(records) if among(pair[0])]
    return ratio(((hit(pair), 1) for pair in chosen), (pair[0]["plan"] for pair in chosen))


def _over(records: Sequence[Record], term: Callable[[Record], Term]) -> Ratio:
    return ratio(map(term, records), (record["plan"] for record in records))


@METRICS.measure(headline=True)
def accuracy(records: Sequence[Record]) -> Ratio:
    """Share of pairs that are right in both orders: the paper's accuracy (Table 3)."""
    return _share(records, is_right)


def _in_exact_form(records: Sequence[Record]) -> list[Record]:
    """Returns the records as if only the exact form of the prompt could be read."""
    return [
        {
            **record,
            "prediction": record["strict"] or parser.OTHER,
            "correct": int(record["strict"] == record["gold"]),
            "parsed": int(record["strict"] is not None),
        }
        for record in records
    ]


@METRICS.measure(headline=("triple", "cot"))
def accuracy_strict(records: Sequence[Record]) -> Ratio:
    """Accuracy if only answers in the exact form of the prompt count."""
    return accuracy(_in_exact_form(records))


@METRICS.measure(headline=("triple", "cot"))
def always_independent(records: Sequence[Record]) -> Ratio:
    """The accuracy of answering "independent" to everything: the share of independent pairs."""
    return _share(records, lambda pair: not is_dependent(pair[0]))


@METRICS.measure(headline=True)
def accuracy_dependent(records: Sequence[Record]) -> Ratio:
    """Accuracy over the dependent pairs."""
    return _share(records, is_right, is_dependent)


@METRICS.measure(headline=True)
def accuracy_independent(records: Sequence[Record]) -> Ratio:
    """Accuracy over the independent pairs."""
    return _share(records, is_right, lambda record: not is_dependent(record))


def _f1(records: Sequence[Record], label: str, version: str) -> Ratio:
    def term(record: Record) -> Term:
        gold, predicted = record["gold"] == label, record["prediction"] == label
        return 2 * (gold and predicted), gold + predicted

    return _over([record for record in records if record["version"] == version], term)


@METRICS.measure(headline=True)
def f1_before(records: Sequence[Record]) -> Ratio:
    """F1 of the class before in the original order (Table 4)."""
    return _f1(records, BEFORE, "original")


@METRICS.measure(headline=True)
def f1_independent(records: Sequence[Record]) -> Ratio:
    """F1 of the class independent in the original order (Table 4)."""
    return _f1(records, INDEPENDENT, "original")


@METRICS.measure()
def always_independent_f1(records: Sequence[Record]) -> Ratio:
    """F1 of the class independent, original order, if every answer is "independent"."""
    asked = [record for record in records if record["version"] == "original"]
    # TP: independent; FP: dependent; FN: none.
    return _over(asked, lambda record: (0, 1) if is_dependent(record) else (2, 2))


@METRICS.measure(headline=True)
def f1_after(records: Sequence[Record]) -> Ratio:
    """F1 of the class after in the swapped order (Table 4)."""
    return _f1(records, AFTER, "swapped")


@METRICS.measure(headline=True)
def consistency_dependent(records: Sequence[Record]) -> Ratio:
    """Share of dependent pairs whose two predictions agree, be they right or wrong (section 6)."""
    return _share(records, is_consistent, is_dependent)


@METRICS.measure(headline=True)
def consistency_independent(records: Sequence[Record]) -> Ratio:
    """Share of independent pairs whose two predictions agree, be they right or wrong (section 6)."""
    return _share(records, is_consistent, lambda record: not is_dependent(record))


@METRICS.measure(better="lower")
def other_rate(records: Sequence[Record]) -> Ratio:
    """Share of questions whose prediction is "other": unreadable, undecided or contradictory."""
    return _over(records, lambda record: (record["prediction"] == parser.OTHER, 1))


parse_rate = record_reading.parse_rate("plan")
METRICS.add("parse_rate", parse_rate, headline=True)


@METRICS.measure()
def parse_rate_strict(records: Sequence[Record]) -> Ratio:
    """Share of questions whose answer has the exact form of the prompt."""
    return parse_rate(_in_exact_form(records))


@METRICS.measure(better="lower")
def unread_rate(records: Sequence[Record]) -> Ratio:
    """Share of questions whose answer could not be read: the paper's "failure rate" (section 6)."""
    return _over(records, lambda record: (not record["parsed"], 1))


def claim(pair: Pair) -> Edge | None:
    """Returns the edge that a model's two answers on a pair claim together: which step comes before which.

    None if the answers say that the steps are independent, contradict each other, or one is missing.
    """
    if not is_consistent(pair) or pair[0]["prediction"] == INDEPENDENT:
        return None
    first, second = _steps(pair)
    return (first, second) if pair[0]["prediction"] == BEFORE else (second, first)


def _steps(pair: Pair) -> Edge:
    first, _, second = str(pair[0]["pair"]).rpartition("/")[2].partition("-")
    return first, second


def _plans(records: Sequence[Record]) -> dict[str, list[Pair]]:
    plans: dict[str, list[Pair]] = {}
    for pair in pairs(records):
        plans.setdefault(pair[0]["plan"], []).append(pair)
    return plans


def _over_plans(records: Sequence[Record], terms: Callable[[list[Pair]], Term | None]) -> Ratio:
    found = {plan: term for plan, own in _plans(records).items() if (term := terms(own)) is not None}
    return ratio(found.values(), found)


@METRICS.measure()
def edge_precision(records: Sequence[Record]) -> Ratio:
    """Share of the claimed edges (`claim`) that are edges of the plan. Ours; the paper has no such number."""
    claimed = [pair for pair in pairs(records) if claim(pair)]
    return ratio(((is_right(pair), 1) for pair in claimed), (pair[0]["plan"] for pair in claimed))


@METRICS.measure()
def edge_recall(records: Sequence[Record]) -> Ratio:
    """Share of the plan's edges that are claimed: `accuracy_dependent` by its name for graphs."""
    return accuracy_dependent(records)


@METRICS.measure()
def edge_f1(records: Sequence[Record]) -> Ratio:
    """Harmonic mean of `edge_precision` and `edge_recall`: 2 TP / (claimed edges + edges of the plan)."""

    def term(pair: Pair) -> Term:
        edge = claim(pair) is not None
        return 2 * (edge and is_right(pair)), edge + is_dependent(pair[0])

    asked = pairs(records)
    return ratio(map(term, asked), (pair[0]["plan"] for pair in asked))


@METRICS.measure(better="lower")
def cyclic_plans(records: Sequence[Record]) -> Ratio:
    """Share of plans whose claimed edges (`claim`) have a cycle, so that no order of steps fulfils them."""
    return _over_plans(records, lambda own: (ordering.has_cycle(filter(None, map(claim, own))), 1))


@METRICS.measure(better="lower")
def transitivity_violations(records: Sequence[Record]) -> Ratio:
    """Share of chains that are contradicted: A before B and B before C are claimed, and A before C is not.

    Over the chains whose third pair was asked about and has two answers that agree; pairs that are dependent
    through other steps alone are in no data set. Undefined where there is no such chain.
    """

    def terms(own: list[Pair]) -> Term:
        edges = {edge for pair in own if (edge := claim(pair))}
        # The claims about each pair of steps, in both directions: True for an edge in this direction.
        said = {ends: ends in edges for pair in own if is_consistent(pair) for ends in _both_ends(pair)}
        known = [said[ends] for ends in ordering.chains(edges) if ends in said]
        return known.count(False), len(known)

    return _over_plans(records, terms)


def _both_ends(pair: Pair) -> tuple[Edge, Edge]:
    first, second = _steps(pair)
    return (first, second), (second, first)


@METRICS.measure()
def plans_right(records: Sequence[Record]) -> Ratio:
    """Share of plans with all pairs right in both orders; a plan with a cut pair (`n_cut`) is left out."""
    whole = {pair[0]["pair"] for pair in pairs(records)}
    cut = {record["plan"] for record in records if record["pair"] not in whole}
    return _over_plans(
        records, lambda own: None if own[0][0]["plan"] in cut else (all(map(is_right, own)), 1)
    )


record_reading.add_metrics(METRICS, "plan")


METRICS.count()(n_questions)


@METRICS.count(headline=True)
def n_pairs(records: Sequence[Record]) -> int:
    """Number of pairs asked in both orders."""
    return len(pairs(records))


@METRICS.count()
def n_dependent(records: Sequence[Record]) -> int:
    """Number of dependent pairs asked in both orders."""
    return sum(is_dependent(pair[0]) for pair in pairs(records))


@METRICS.count()
def n_independent(records: Sequence[Record]) -> int:
    """Number of independent pairs asked in both orders."""
    return n_pairs(records) - n_dependent(records)


@METRICS.count(better="lower")
def n_cut(records: Sequence[Record]) -> int:
    """Number of pairs left out because only one order was asked."""
    return len({record["pair"] for record in records}) - n_pairs(records)


METRICS.count(better="lower")(n_failed)


def _reflected(records: Sequence[Record]) -> list[Record]:
    """Returns the records with an answer before and after the reflection."""
    return [record for record in records if record.get("first") and record["parsed"]]


def _changed(records: Sequence[Record], was_right: bool, is_right_now: bool) -> Ratio:
    def term(record: Record) -> Term:
        was, now = record["first"] == record["gold"], bool(record["correct"])
        return (was, now) == (was_right, is_right_now), 1

    return _over(_reflected(records), term)


@METRICS.measure(tasks=REFLECTION)
def reflection_kept(records: Sequence[Record]) -> Ratio:
    """Share of answers stated before and after the reflection that it left as they were."""
    return _over(_reflected(records), lambda record: (record["first"] == record["prediction"], 1))


@METRICS.measure(headline=True, tasks=REFLECTION)
def reflection_corrected(records: Sequence[Record]) -> Ratio:
    """Share of answers stated before and after the reflection that it turned from wrong to right."""
    return _changed(records, was_right=False, is_right_now=True)


@METRICS.measure(better="lower", headline=True, tasks=REFLECTION)
def reflection_spoiled(records: Sequence[Record]) -> Ratio:
    """Share of answers stated before and after the reflection that it turned from right to wrong."""
    return _changed(records, was_right=True, is_right_now=False)


@METRICS.count(tasks=REFLECTION)
def n_reflected(records: Sequence[Record]) -> int:
    """Number of questions answered both before and after the reflection."""
    return len(_reflected(records))


def confusion(records: Sequence[Record], version: str) -> dict[str, dict[str, int]]:
    """Returns how often each class was predicted as what, in one order.

    Args:
        records: Records of both orders.
        version: One of `VERSIONS`.

    Returns:
        Counts by true class and prediction.
    """
    table = {gold: dict.fromkeys(PREDICTIONS, 0) for gold in GOLD[version]}
    for record in records:
        if record["version"] == version:
            table[record["gold"]][record["prediction"]] += 1
    return table


def details(records: Sequence[Record]) -> dict[str, Any]:
    """Returns every breakdown, each share beside its count; a share is None where it is undefined.

    Confusion matrices of both orders, and accuracy over pairs, with what always answering "independent" would
    get, by the plan's number of steps and by how many positions apart the plan lists the two steps.
    """
    return {
        "confusion": {version: confusion(records, version) for version in VERSIONS},
        "by_steps": _grouped(records, "n_steps"),
        "by_distance": _grouped(records, "distance"),
    }


def _grouped(records: Sequence[Record], field: str) -> dict[str, dict[str, float | None]]:
    return by_group(
        records,
        lambda record: record[field],
        lambda group: {
            "accuracy": _value(accuracy(group)),
            "always_independent": _value(always_independent(group)),
            "n_pairs": n_pairs(group),
        },
    )


def _value(share: Ratio) -> float | None:
    return None if math.isnan(share.value) else share.value
