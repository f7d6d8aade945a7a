"""The metrics of TimePerceptBench.

Source: paper, section III.D. PNR is pooled: positive pairs of all orderings over negative pairs of all
orderings. An ordering that cannot be read, or is no permutation, is left out of both counts. The paper does
not say so; the values that it prints are possible in no other way (`README.md`).
"""

from collections.abc import Mapping, Sequence
from typing import Any

from tempbench_lmms import record as common
from tempbench_lmms.metrics.ordering import direction_score, pair_counts
from tempbench_lmms.metrics.ratio import Ratio, Statistic, mean_of_ratios, smoothed_log_odds, statistic
from tempbench_lmms.record import (
    Metric,
    Metrics,
    Record,
    by_group,
    mean,
    n_failed,
    n_questions,
    pooled,
    together,
    total,
    within,
)
from tempbench_lmms.timepercept import parser, prompts
from tempbench_lmms.timepercept.card import CLUSTER, CONTROLS, INTERVALS, RANKINGS, TESTS, TIU, TOU, TRANSFER

FAR_BELOW = -3.0
"""Standard deviations below random orderings from which on a model is said to order backwards; chance gets
there once in 700 runs."""


SUITE = "suite"
"""The kind of task that asks all nine tests; every other kind is one test, or one of `CONTROLS`."""
KINDS = {
    "tal": ("time", "place"),
    "sov": ("ordered", "shuffled"),
    "pov": ("ordered", "shuffled"),
    "ice": ("A", "B", "C", "D", "E"),
    "transfer_lapse": ("A", "B", "C", "D", "E", "F"),
}
"""The kinds of question that a test reports apart."""
_EACH = (*TESTS, *CONTROLS)
CHOICES = tuple(test for test in _EACH if test not in RANKINGS)

METRICS = Metrics(SUITE, *_EACH)


def interval_class(days: int) -> str:
    """Returns the ICE class of an interval of whole days, of which it has at least one: A to E."""
    return next(
        letter for letter, (_, last) in zip("ABCDE", INTERVALS, strict=True) if not last or days <= last
    )


def record(doc: Mapping[str, Any], reply: str, failed: bool = False) -> Record:
    """Returns the record of one answered question; a failed request has no reply to read."""
    test = doc["test"]
    prompt = common.prompt_of(reply, lambda: prompts.wording(doc))
    found = None if failed else parser.read(reply, test, prompts.options(doc), len(doc["images"]), prompt)
    own = {
        "test": test,
        CLUSTER.field: CLUSTER.of(doc),
        "category": doc["category"],
        "kind": doc["kind"],
    }
    out = common.answered(doc["question_id"], own, doc["answer"], found)
    if test in RANKINGS:
        truth = doc["answer"].split(", ")
        out["items"], out["pairs"] = len(truth), len(truth) * (len(truth) - 1) // 2
        said = found.value.split(", ") if found and found.value else []
        counts = (
            pair_counts(range(len(truth)), [truth.index(label) for label in said]) if said else ((0,), (0,))
        )
        out["positive"], out["negative"] = (int(n[0]) for n in counts)
    return out


accuracy = mean("correct", CLUSTER)
pnr = pooled(lambda one: (one["positive"], one["negative"]), CLUSTER, bounded=False)
pnr_strict = pooled(lambda one: (one["positive"], one["pairs"] - one["positive"]), CLUSTER, bounded=False)
pair_accuracy = pooled(lambda one: (one["positive"], one["pairs"]), CLUSTER)
kendall_tau = pooled(
    lambda one: ((one["positive"] - one["negative"]) / one["pairs"], 1),
    CLUSTER,
    lambda one: one["parsed"],
    bounded=False,
)
n_invalid = total(lambda record: not record["parsed"] and not record["failed"])


def log_odds(records: Sequence[Record]) -> Statistic:
    """log((positive + 0.5) / (negative + 0.5)): finite where PNR is not, 0 for random orderings."""
    return statistic(
        ((record["positive"], record["negative"]) for record in records),
        (record[CLUSTER.field] for record in records),
        2,
        smoothed_log_odds,
    )


def orders_backwards(records: Sequence[Record]) -> int:
    """1 if PNR is so far below 1 that chance does not explain it: the model orders backwards."""
    sizes = [record["items"] for record in records if record["parsed"]]
    positive, negative = (sum(record[name] for record in records) for name in ("positive", "negative"))
    return int(direction_score(positive, negative, sizes) < FAR_BELOW)


def _share(record: Record) -> tuple[float, float]:
    """Returns how far a question is answered rightly, from 0 to 1: the share of pairs in an ordering."""
    if record["test"] in RANKINGS:
        return record["positive"] / record["pairs"], 1
    return record["correct"], 1


def _mean_over(records: Sequence[Record], field: str, groups: Sequence[str]) -> Statistic:
    """Returns the mean over groups of how far questions are answered rightly; each group counts once."""
    n = max(1, len(groups))

    def term(record: Record) -> list[float]:
        terms = [0.0] * (2 * n)
        index = groups.index(record[field])
        terms[index], terms[index + n] = _share(record)
        return terms

    return statistic(map(term, records), (record[CLUSTER.field] for record in records), 2 * n, mean_of_ratios)


def _average(tests: Sequence[str]) -> Metric:
    """Returns the mean over tests of accuracy, and of pair accuracy for orderings, each test counting once.

    The paper prints no average; PNR has no upper bound and cannot be averaged with accuracies.
    """
    return lambda records: _mean_over([one for one in records if one["test"] in tests], "test", tests)


def category_average(records: Sequence[Record]) -> Statistic:
    """Mean accuracy over scene categories; each category counts once."""
    return _mean_over(records, "category", sorted({record["category"] for record in records}))


def tests_of(record: Record) -> list[str]:
    """Returns the test of a question."""
    return [record["test"]]


def details(records: Sequence[Record]) -> dict[str, Any]:
    """Returns how far questions are answered rightly by scene category, and by test and kind of question.

    Each share, from 0 to 1, comes with its number of questions.
    """
    return {
        "by_category": _grouped(records, "category"),
        "by_kind": by_group(records, lambda record: record["test"], lambda group: _grouped(group, "kind")),
    }


def _grouped(records: Sequence[Record], field: str) -> dict[str, dict[str, float]]:
    return by_group(
        [record for record in records if record[field]],
        lambda record: record[field],
        lambda group: {"share": pooled(_share, CLUSTER)(group).value, "n": len(group)},
    )


METRICS.add("tou_average", _average(TOU), headline=True, tasks=(SUITE,))
METRICS.add("tiu_average", _average(TIU), headline=True, tasks=(SUITE,))
METRICS.add("category_average", category_average, tasks=(SUITE,))
METRICS.add_all(
    {
        "pnr": (pnr, "Positive pairs over negative pairs, of all orderings. Random ones get 1."),
        "pnr_strict": (pnr_strict, "PNR in which all pairs of an unreadable ordering count as negative."),
        "log_odds": (log_odds, ""),
        "pair_accuracy": (pair_accuracy, "Share of all pairs in the right order."),
        "kendall_tau": (kendall_tau, "Mean of Kendall's tau over readable orderings, from -1 to 1."),
        "exact": (accuracy, "Share of right answers; an unreadable one is wrong."),
    },
    headline=True,
    tasks=RANKINGS,
)
METRICS.add_count("n_positive", total("positive"), tasks=RANKINGS)
METRICS.add_count("n_negative", total("negative"), better="lower", tasks=RANKINGS)
for _name, _count, _doc in (
    ("n_invalid", n_invalid, "Number of replies that give no permutation."),
    ("orders_backwards", orders_backwards, ""),
):
    METRICS.add_count(_name, _count, _doc, better="lower", headline=True, tasks=RANKINGS)
METRICS.add("accuracy", accuracy, headline=True, tasks=CHOICES)
for _kind in dict.fromkeys(kind for kinds in KINDS.values() for kind in kinds):
    _tests = [test for test, kinds in KINDS.items() if _kind in kinds]
    METRICS.add(f"accuracy_{_kind.lower()}", within(accuracy, "kind", _kind), headline=True, tasks=_tests)
METRICS.add("parse_rate", common.parse_rate_per(CLUSTER), headline=True)
common.add_metrics(METRICS, CLUSTER)
METRICS.add_count("n", n_questions, headline=_EACH)
METRICS.add_count("n_failed", n_failed, better="lower", headline=_EACH)

METRICS.add_tests(SUITE, TESTS, ("accuracy", "pnr"), field="test")


def transfer_overall_accuracy(records: Sequence[Record]) -> Ratio:
    """Share of right answers of both transfer tests together; undefined unless both were asked.

    Source: Table 4, "Overall Accuracy", which is (720 x order + 125 x interval) / 845: all questions count
    alike.
    """
    asked = {test: [record for record in records if record["test"] == test] for test in TRANSFER}
    return accuracy([record for own in asked.values() for record in own] if all(asked.values()) else [])


FROM_LOG = Metrics(*TRANSFER)
"""Numbers of the papers' tables that need the questions of two tests, or pairs of questions: no run prints
them, reports compute them from the log."""
FROM_LOG.add("transfer_overall_accuracy", transfer_overall_accuracy)
# Source: TemporalVQA (arXiv 2501.10674), "consistent accuracy".
FROM_LOG.add(
    "transfer_order_consistent",
    within(together(2, CLUSTER), "test", "transfer_order"),
    "Share of pairs of images with a right answer in both orders of presentation.",
)
