"""The metrics of MATEO. The unit of the headline is an unordered pair of steps, asked in both orders.

Source: section 6. A pair is right if both orders are: before and after for a dependent pair, independent
twice for an independent one. A pair of which only one order was asked (`--limit` cut it) is in no metric over
pairs; `n_cut` counts it. F1 is one-vs-rest over one order: TP, FP and FN of all questions of that order, with
the fourth prediction "other" a FN of the true class and a FP of none.
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tempbench_lmms import record as common
from tempbench_lmms.mateo import official, parser, prompts
from tempbench_lmms.mateo.card import CLASSES, CLUSTER
from tempbench_lmms.metrics import ordering
from tempbench_lmms.metrics.ratio import Ratio, ratio
from tempbench_lmms.metrics.together import grouped
from tempbench_lmms.record import Metrics, Record, by_group, mean, n_failed, n_questions, pooled, total

VERSIONS = ("original", "swapped")
BEFORE, AFTER, INDEPENDENT = CLASSES
GOLD = dict(zip(VERSIONS, ((BEFORE, INDEPENDENT), (AFTER, INDEPENDENT)), strict=True))
PREDICTIONS = (*CLASSES, parser.OTHER)
SWAPPED = {BEFORE: AFTER, AFTER: BEFORE, INDEPENDENT: INDEPENDENT}
"""The class of a pair by its class in the other order."""

METRICS = Metrics("triple", "cot", "reflection")
"""Every metric of MATEO, a row each, with its direction and whether the harness prints it. The kinds
of task are the forms of a reply (`parser.FORMS`); a metric that names none is one of all three."""
REFLECTION = ("reflection",)

Pair = tuple[Record, Record]
Term = tuple[float, float]
Share = Callable[[Sequence[Record]], Ratio]
Edge = tuple[str, str]


def record(doc: Mapping[str, Any], reply: str, form: str, failed: bool = False) -> Record:
    """Returns the record of one answered question; a failed request has no reply to read."""
    prompt = common.prompt_of(reply, lambda: prompts.wording(doc, form))
    found = None if failed else parser.read(reply, form, prompt)
    answer = found.value if found else None
    return {
        "id": doc["question_id"],
        "pair": doc["pair_id"],
        CLUSTER.field: CLUSTER.of(doc),
        "version": doc["version"],
        "gold": doc["label"],
        "prediction": answer or parser.OTHER,
        "correct": int(answer == doc["label"]),
        "parsed": int(answer is not None),
        "strict": None if failed else official.parse_strict(reply, form),
        "failed": int(failed),
        "n_steps": doc["n_steps"],
        "distance": doc["distance"],
        **common.fields(found),
        **({"first": None if failed else official.parse_first(reply)} if form == "reflection" else {}),
    }


def pairs(records: Sequence[Record]) -> list[Pair]:
    """Returns the pairs that were asked in both orders: the original one, the swapped one."""
    original, swapped = (
        {record["pair"]: record for record in records if record["version"] == version} for version in VERSIONS
    )
    return [(record, swapped[pair]) for pair, record in sorted(original.items()) if pair in swapped]


def is_dependent(pair: Pair) -> bool:
    """Returns whether one of the two steps needs the other's outcome."""
    return bool(pair[0]["gold"] != INDEPENDENT)


def is_independent(pair: Pair) -> bool:
    """Returns whether neither step needs the other's outcome."""
    return not is_dependent(pair)


def is_right(pair: Pair) -> bool:
    """Returns whether both orders are answered correctly."""
    return bool(pair[0]["correct"] and pair[1]["correct"])


def is_consistent(pair: Pair) -> bool:
    """Returns whether the two predictions agree about the pair, right or wrong."""
    return bool(SWAPPED.get(pair[0]["prediction"]) == pair[1]["prediction"])


def _of_pairs(terms: Callable[[Pair], Term], among: Callable[[Pair], object] = bool) -> Share:
    def metric(records: Sequence[Record]) -> Ratio:
        chosen = list(filter(among, pairs(records)))
        return ratio(map(terms, chosen), (pair[0][CLUSTER.field] for pair in chosen))

    return metric


def _share(hit: Callable[[Pair], bool], among: Callable[[Pair], object] = bool) -> Share:
    return _of_pairs(lambda pair: (hit(pair), 1), among)


def _n(among: Callable[[Pair], bool]) -> Callable[[Sequence[Record]], int]:
    return lambda records: sum(map(among, pairs(records)))


def _in_exact_form(metric: Share) -> Share:
    """Returns a metric over the records as if only the exact form of the prompt could be read."""
    return lambda records: metric(
        [
            {
                **record,
                "correct": int(record["strict"] == record["gold"]),
                "parsed": int(record["strict"] is not None),
            }
            for record in records
        ]
    )


def _f1(label: str, version: str) -> Share:
    def terms(record: Record) -> Term:
        gold, predicted = record["gold"] == label, record["prediction"] == label
        return 2 * (gold and predicted), gold + predicted

    return pooled(terms, CLUSTER, lambda record: record["version"] == version)


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


def _over_plans(records: Sequence[Record], terms: Callable[[list[Pair]], Term | None]) -> Ratio:
    plans = grouped((pair[0][CLUSTER.field], pair) for pair in pairs(records))
    found = {plan: term for plan, own in plans.items() if (term := terms(own)) is not None}
    return ratio(found.values(), found)


accuracy, always_independent, parse_rate = _share(is_right), _share(is_independent), mean("parsed", CLUSTER)

METRICS.add("accuracy", accuracy, "Share of pairs that are right in both orders (Table 3).", headline=True)
METRICS.add_all(
    {
        "accuracy_strict": (
            _in_exact_form(accuracy),
            "Accuracy if only the exact form of the prompt counts.",
        ),
        "always_independent": (always_independent, 'Accuracy of answering "independent" to everything.'),
    },
    headline=("triple", "cot"),
)
METRICS.add_all(
    {
        "accuracy_dependent": (_share(is_right, is_dependent), "Accuracy over the dependent pairs."),
        "accuracy_independent": (_share(is_right, is_independent), "Accuracy over the independent pairs."),
        "f1_before": (_f1(BEFORE, "original"), "F1 of the class before, original order (Table 4)."),
        "f1_independent": (_f1(INDEPENDENT, "original"), "F1 of independent, original order (Table 4)."),
    },
    headline=True,
)
METRICS.add(
    "always_independent_f1",
    # TP: independent; FP: dependent; FN: none.
    pooled(
        lambda record: (2, 2) if record["gold"] == INDEPENDENT else (0, 1),
        CLUSTER,
        lambda record: record["version"] == "original",
    ),
    'F1 of the class independent, original order, if every answer is "independent".',
)
METRICS.add_all(
    {
        "f1_after": (_f1(AFTER, "swapped"), "F1 of the class after, swapped order (Table 4)."),
        "consistency_dependent": (
            _share(is_consistent, is_dependent),
            "Share of dependent pairs whose two predictions agree, be they right or wrong (section 6).",
        ),
        "consistency_independent": (
            _share(is_consistent, is_independent),
            "Share of independent pairs whose two predictions agree, be they right or wrong (section 6).",
        ),
    },
    headline=True,
)
METRICS.add(
    "other_rate",
    mean(lambda record: record["prediction"] == parser.OTHER, CLUSTER),
    'Share of questions whose prediction is "other": unreadable, undecided or contradictory.',
    better="lower",
)
METRICS.add("parse_rate", parse_rate, "Share of questions whose answer could be read.", headline=True)
METRICS.add(
    "parse_rate_strict", _in_exact_form(parse_rate), "Share of answers in the exact form of the prompt."
)
METRICS.add(
    "unread_rate",
    mean(lambda record: not record["parsed"], CLUSTER),
    'Share of questions whose answer could not be read: the paper\'s "failure rate" (section 6).',
    better="lower",
)
METRICS.add_all(
    {
        "edge_precision": (
            _share(is_right, claim),
            "Share of the claimed edges (`claim`) that are edges. Ours.",
        ),
        "edge_recall": (_share(is_right, is_dependent), "Share of the plan's edges that are claimed."),
        "edge_f1": (
            _of_pairs(
                lambda pair: (
                    2 * bool(claim(pair) and is_right(pair)),
                    bool(claim(pair)) + is_dependent(pair),
                )
            ),
            "Harmonic mean of `edge_precision` and `edge_recall`: 2 TP / (claims + edges of the plan).",
        ),
    }
)


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
        ends = [_steps(pair) for pair in own if is_consistent(pair)]
        said = {edge: edge in edges for edge in (*ends, *(end[::-1] for end in ends))}
        known = [said[edge] for edge in ordering.chains(edges) if edge in said]
        return known.count(False), len(known)

    return _over_plans(records, terms)


@METRICS.measure()
def plans_right(records: Sequence[Record]) -> Ratio:
    """Share of plans with all pairs right in both orders; a plan with a cut pair (`n_cut`) is left out."""
    whole = {pair[0]["pair"] for pair in pairs(records)}
    cut = {record["plan"] for record in records if record["pair"] not in whole}
    return _over_plans(
        records, lambda own: None if own[0][0]["plan"] in cut else (all(map(is_right, own)), 1)
    )


common.add_metrics(METRICS, CLUSTER)
METRICS.count()(n_questions)
n_pairs = METRICS.add_count("n_pairs", _n(bool), "Number of pairs asked in both orders.", headline=True)
METRICS.add_count("n_dependent", _n(is_dependent), "Number of dependent pairs asked in both orders.")
METRICS.add_count("n_independent", _n(is_independent), "Number of independent pairs asked in both orders.")


@METRICS.count(better="lower")
def n_cut(records: Sequence[Record]) -> int:
    """Number of pairs left out because only one order was asked."""
    return len({record["pair"] for record in records}) - n_pairs(records)


METRICS.count(better="lower")(n_failed)


def _is_reflected(record: Record) -> bool:
    return bool(record.get("first") and record["parsed"])


def _changed(was_right: bool, is_right_now: bool) -> Share:
    def changed(record: Record) -> bool:
        return (record["first"] == record["gold"], bool(record["correct"])) == (was_right, is_right_now)

    return mean(changed, CLUSTER, _is_reflected)


METRICS.add(
    "reflection_kept",
    mean(lambda record: record["first"] == record["prediction"], CLUSTER, _is_reflected),
    "Share of answers stated before and after the reflection that it left as they were.",
    tasks=REFLECTION,
)
METRICS.add(
    "reflection_corrected",
    _changed(was_right=False, is_right_now=True),
    "Share of answers stated before and after the reflection that it turned from wrong to right.",
    headline=True,
    tasks=REFLECTION,
)
METRICS.add(
    "reflection_spoiled",
    _changed(was_right=True, is_right_now=False),
    "Share of answers stated before and after the reflection that it turned from right to wrong.",
    better="lower",
    headline=True,
    tasks=REFLECTION,
)
METRICS.add_count(
    "n_reflected",
    total(_is_reflected),
    "Number of questions answered both before and after the reflection.",
    tasks=REFLECTION,
)


def confusion(records: Sequence[Record], version: str) -> dict[str, dict[str, int]]:
    """Returns how often each class was predicted as what in one order, by true class and prediction."""
    own = Counter((one["gold"], one["prediction"]) for one in records if one["version"] == version)
    return {gold: {said: own[gold, said] for said in PREDICTIONS} for gold in GOLD[version]}


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
