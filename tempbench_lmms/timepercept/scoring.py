"""The metrics of TimePerceptBench.

Source: paper, section III.D. PNR is pooled: positive pairs of all orderings over negative pairs of all
orderings. An ordering that cannot be read, or is no permutation, is left out of both counts. The paper does
not say so; the values that it prints are possible in no other way (`README.md`).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tempbench_lmms import record_reading
from tempbench_lmms.metrics.groups import all_right
from tempbench_lmms.metrics.ordering import direction_score, pair_counts
from tempbench_lmms.metrics.ratio import Ratio, Statistic, mean_of_ratios, ratio, smoothed_log_odds, statistic
from tempbench_lmms.record import Metric, Metrics, Record, by_group, mean, n_failed, n_questions, within
from tempbench_lmms.timepercept import parser, prompts
from tempbench_lmms.timepercept.card import CONTROLS, INTERVALS, RANKINGS, TESTS, TIU, TOU, TRANSFER

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
"""Every metric of TimePerceptBench: rows below the functions."""
SUITE_HEADLINE = ("accuracy", "pnr")
"""What the harness prints of each test of the suite."""


def interval_class(days: int) -> str:
    """Returns the ICE class of an interval of whole days, A to E.

    Raises:
        ValueError: Less than a day.
    """
    if days < 1:
        raise ValueError(f"{days} days; an interval has at least one")
    return next(
        letter for letter, (_, last) in zip("ABCDE", INTERVALS, strict=True) if not last or days <= last
    )


def record(doc: Mapping[str, Any], reply: str, failed: bool = False) -> Record:
    """Returns the record of one answered question; a failed request has no reply to read."""
    test = doc["test"]
    prompt = record_reading.prompt_of(reply, lambda: prompts.wording(doc))
    found = None if failed else parser.read(reply, test, prompts.options(doc), len(doc["images"]), prompt)
    own = {
        "test": test,
        # Pairs of several places were drawn together, so their question is a unit of its own.
        "place": "+".join(doc["places"]),
        "category": doc["category"],
        "kind": doc["kind"],
    }
    out = record_reading.answered(doc["question_id"], own, doc["answer"], found)
    if test in RANKINGS:
        truth = doc["answer"].split(", ")
        out["items"] = len(truth)
        out["pairs"] = len(truth) * (len(truth) - 1) // 2
        said = found.value if found else None
        out["positive"], out["negative"] = _pairs(truth, said.split(", ")) if said else (0, 0)
    return out


def _pairs(truth: list[str], predicted: list[str]) -> tuple[int, int]:
    rank = {label: i for i, label in enumerate(truth)}
    positive, negative = pair_counts(range(len(truth)), [rank[label] for label in predicted])
    return int(positive[0]), int(negative[0])


def _ratio(
    records: Sequence[Record], term: Callable[[Record], tuple[float, float]], bounded: bool = True
) -> Ratio:
    return ratio((term(record) for record in records), (record["place"] for record in records), bounded)


accuracy = mean("correct", "place", doc="Share of right answers; an answer that cannot be read is wrong.")


def pnr(records: Sequence[Record]) -> Ratio:
    """Positive pairs over negative pairs, of all orderings together. Random orderings get 1."""
    return _ratio(records, lambda record: (record["positive"], record["negative"]), False)


def pnr_strict(records: Sequence[Record]) -> Ratio:
    """PNR in which all pairs of an unreadable ordering count as negative."""
    return _ratio(records, lambda record: (record["positive"], record["pairs"] - record["positive"]), False)


def log_odds(records: Sequence[Record]) -> Statistic:
    """log((positive + 0.5) / (negative + 0.5)): finite where PNR is not, 0 for random orderings."""
    return statistic(
        ((record["positive"], record["negative"]) for record in records),
        (record["place"] for record in records),
        2,
        smoothed_log_odds,
    )


def pair_accuracy(records: Sequence[Record]) -> Ratio:
    """Share of all pairs that are in the right order; those of an unreadable ordering are not."""
    return _ratio(records, lambda record: (record["positive"], record["pairs"]))


def kendall_tau(records: Sequence[Record]) -> Ratio:
    """Mean of Kendall's tau over the orderings that could be read, from -1 to 1."""
    read = [record for record in records if record["parsed"]]
    return _ratio(
        read, lambda record: ((record["positive"] - record["negative"]) / record["pairs"], 1), False
    )


def n_invalid(records: Sequence[Record]) -> int:
    """Number of replies that give no permutation; failed requests are counted apart."""
    return sum(not record["parsed"] and not record["failed"] for record in records)


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

    return statistic(map(term, records), (record["place"] for record in records), 2 * n, mean_of_ratios)


def _average(tests: Sequence[str]) -> Metric:
    """Returns the mean over tests of accuracy, and of pair accuracy for orderings, each test counting once.

    The paper prints no average; PNR has no upper bound and cannot be averaged with accuracies.
    """
    return lambda records: _mean_over([one for one in records if one["test"] in tests], "test", tests)


def category_average(records: Sequence[Record]) -> Statistic:
    """Mean accuracy over scene categories; each category counts once."""
    return _mean_over(records, "category", sorted({record["category"] for record in records}))


def details(records: Sequence[Record]) -> dict[str, Any]:
    """Returns how far questions are answered rightly by scene category, and by test and kind of question.

    Each share, from 0 to 1, comes with its number of questions.
    """
    return {
        "by_category": _grouped(records, "category"),
        "by_kind": by_group(records, lambda record: record["test"], lambda group: _grouped(group, "kind")),
    }


def _grouped(records: Sequence[Record], field: str) -> dict[str, dict[str, float]]:
    named = [record for record in records if record[field]]
    shares = lambda group: {"share": _ratio(group, _share).value, "n": len(group)}  # noqa: E731
    return by_group(named, lambda record: record[field], shares)


def _sum(field: str) -> Metric:
    return lambda records: sum(int(record[field]) for record in records)


METRICS.add("tou_average", _average(TOU), headline=True, tasks=(SUITE,))
METRICS.add("tiu_average", _average(TIU), headline=True, tasks=(SUITE,))
METRICS.add("category_average", category_average, tasks=(SUITE,))
METRICS.add("pnr", pnr, headline=True, tasks=RANKINGS)
METRICS.add("pnr_strict", pnr_strict, headline=True, tasks=RANKINGS)
METRICS.add("log_odds", log_odds, headline=True, tasks=RANKINGS)
METRICS.add("pair_accuracy", pair_accuracy, headline=True, tasks=RANKINGS)
METRICS.add("kendall_tau", kendall_tau, headline=True, tasks=RANKINGS)
METRICS.add("exact", accuracy, headline=True, tasks=RANKINGS)
METRICS.add("n_positive", _sum("positive"), better="neither", tasks=RANKINGS, has_error=False)
METRICS.add("n_negative", _sum("negative"), better="lower", tasks=RANKINGS, has_error=False)
METRICS.add("n_invalid", n_invalid, better="lower", headline=True, tasks=RANKINGS, has_error=False)
METRICS.add(
    "orders_backwards", orders_backwards, better="lower", headline=True, tasks=RANKINGS, has_error=False
)
METRICS.add("accuracy", accuracy, headline=True, tasks=CHOICES)
for _kind in dict.fromkeys(kind for kinds in KINDS.values() for kind in kinds):
    _tests = [test for test, kinds in KINDS.items() if _kind in kinds]
    METRICS.add(f"accuracy_{_kind.lower()}", within(accuracy, "kind", _kind), headline=True, tasks=_tests)
METRICS.add("parse_rate", record_reading.parse_rate("place"), headline=True)
record_reading.add_metrics(METRICS, "place")
METRICS.add("n", n_questions, better="neither", headline=_EACH, has_error=False)
METRICS.add("n_failed", n_failed, better="lower", headline=_EACH, has_error=False)

METRICS.add_tests(SUITE, TESTS, SUITE_HEADLINE, field="test")


def transfer_overall_accuracy(records: Sequence[Record]) -> Ratio:
    """Share of right answers of both transfer tests together; undefined unless both were asked.

    Source: Table 4, "Overall Accuracy", which is (720 x order + 125 x interval) / 845: all questions count
    alike.
    """
    asked = {test: [record for record in records if record["test"] == test] for test in TRANSFER}
    return accuracy([record for own in asked.values() for record in own] if all(asked.values()) else [])


def transfer_order_consistent(records: Sequence[Record]) -> Ratio:
    """Share of pairs of images with a right answer in both orders of presentation.

    Source: TemporalVQA (arXiv 2501.10674), "consistent accuracy".
    """
    asked = [record for record in records if record["test"] == "transfer_order"]
    return all_right(((record["place"], record["correct"]) for record in asked), 2)


FROM_LOG = Metrics(*TRANSFER)
"""Numbers of the papers' tables that need the questions of two tests, or pairs of questions: no run prints
them, reports compute them from the log."""
FROM_LOG.add("transfer_overall_accuracy", transfer_overall_accuracy)
FROM_LOG.add("transfer_order_consistent", transfer_order_consistent)
