"""Records of answered questions, metrics over them, and the table of a benchmark's metrics.

A record also says how a reply was read: `how` is one of `parsing.expected.RULES`, `reason` one of `REASONS`,
`where` the start and end of the answer in the reply; all are None if the request failed. If a letter and a
span are read, each also has fields of its own: `answer_how`, `span_reason`; the whole reply has the reason
of the first one missing. Records of predictions without replies have none of these fields.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, Decimal
from operator import itemgetter
from typing import Any, Literal, TypeVar

from tempbench_lmms.card import Cluster
from tempbench_lmms.metrics.ratio import Ratio, Statistic, ratio, standard_error
from tempbench_lmms.metrics.together import all_right, complete, grouped
from tempbench_lmms.parsing.expected import REASONS, UNLESS_CUT, Reading

Record = dict[str, Any]
"""The record of one answered question, of JSON values only.

Every benchmark's record has `id`, `parsed` and `failed`; metrics read the rest.
"""

Metric = Callable[[Sequence[Record]], Ratio | Statistic | int]
"""A metric over records: a `Ratio`, another function of sums, or a count."""

Better = Literal["higher", "lower", "neither"]
R = TypeVar("R")
AnyMetric = TypeVar("AnyMetric", bound=Callable[..., Ratio | Statistic | int])

UNREAD = "unread_"  # the prefix of the metrics that count why replies were not read
UNDEFINED = "-"  # how an undefined metric is shown, whose denominator is 0

# The fields that hold the values read; each benchmark has some of them.
VALUES = ("answer", "prediction", "number", "spans", "caption")
PARTS = ("answer_", "span_")  # the fields' prefixes if a reply has two answers
HOW, REASON = (tuple(f"{part}{name}" for part in ("", *PARTS)) for name in ("how", "reason"))
READINGS = "readings"  # the key of the shares in `details`


def evaluate(metric: Metric, records: Sequence[Record]) -> float:
    """Returns a metric's value; NaN if undefined."""
    result = metric(records)
    return result if isinstance(result, int) else result.value


def evaluate_error(metric: Metric, records: Sequence[Record]) -> float:
    """Returns a metric's standard error; NaN if undefined, and for counts."""
    result = metric(records)
    return math.nan if isinstance(result, int) else standard_error(result)


def pooled(
    terms: Callable[[Record], tuple[float, float]],
    cluster: Cluster,
    keep: Callable[[Record], bool] = lambda record: True,
    bounded: bool = True,
) -> Callable[[Sequence[Record]], Ratio]:
    """Returns the metric that divides one sum over records by another.

    Args:
        terms: What a record adds to both sums.
        cluster: What the answers vary together in; errors are computed over it.
        keep: Whether a record counts.
        bounded: Whether the metric lies between 0 and 1.
    """

    def metric(records: Sequence[Record]) -> Ratio:
        kept = [record for record in records if keep(record)]
        return ratio(map(terms, kept), (record[cluster.field] for record in kept), bounded)

    return metric


def mean(
    value: str | Callable[[Record], float],
    cluster: Cluster,
    keep: Callable[[Record], bool] = lambda record: True,
) -> Callable[[Sequence[Record]], Ratio]:
    """Returns the metric that is the mean of a field or of a function of a record; 0 or 1 makes a share.

    `cluster` and `keep` are those of `pooled`.
    """
    of = itemgetter(value) if isinstance(value, str) else value
    return pooled(lambda record: (of(record), 1), cluster, keep)


def printed(
    value: Callable[[list[Record]], float], keep: Callable[[Record], bool] = lambda record: True
) -> Callable[[Sequence[Record]], Ratio]:
    """Returns the metric that is a number as an official scorer prints it, of the records that count.

    A rounded number has no standard error.
    """

    def metric(records: Sequence[Record]) -> Ratio:
        kept = [record for record in records if keep(record)]
        return ratio([(value(kept), 1)] if kept else [], ["all"] * bool(kept))

    return metric


def together(size: int, cluster: Cluster, *fields: str) -> Callable[[Sequence[Record]], Ratio]:
    """Returns the share of groups that are all right: records of a cluster that agree in `fields`.

    Groups of fewer than `size` records are left out: `--limit` may have cut them.
    """
    return lambda records: all_right(
        ((tuple(record[name] for name in (cluster.field, *fields)), record["correct"]) for record in records),
        size,
        itemgetter(0),
    )


def total(value: str | Callable[[Record], float]) -> Callable[[Sequence[Record]], int]:
    """Returns the metric that is the sum of a field, or of a function of a record, over all records."""
    of = itemgetter(value) if isinstance(value, str) else value
    return lambda records: sum(int(of(record)) for record in records)


def within(
    metric: Callable[[Sequence[Record]], R], field: str, *values: Any
) -> Callable[[Sequence[Record]], R]:
    """Returns a metric over the records that have one of the values in a field."""
    return lambda records: metric([record for record in records if record[field] in values])


def by_group(
    records: Sequence[Record], key: Callable[[Record], Any], measure: Callable[[list[Record]], R]
) -> dict[str, R]:
    """Returns a measure of each group of records, by the group's name, in order."""
    groups = grouped((key(record), record) for record in records)
    return {str(name): measure(group) for name, group in sorted(groups.items())}


def answers(records: Sequence[Record]) -> dict[str, dict[str, float]]:
    """Returns the share of each answer among the given and among the right answers (the position bias)."""
    columns = {"answers": ("answer", "unparsed"), "right_answers": ("gold", "unknown")}
    counts = {
        name: Counter(one.get(field) or none for one in records) for name, (field, none) in columns.items()
    }
    return {
        name: {answer: n / len(records) for answer, n in sorted(found.items())}
        for name, found in counts.items()
    }


def n_questions(records: Sequence[Record]) -> int:
    """Number of questions asked."""
    return len(records)


def n_failed(records: Sequence[Record]) -> int:
    """Number of questions with a failed request."""
    return sum(record["failed"] for record in records)


def n_reversed(records: Sequence[Record]) -> int:
    """Number of questions with a first span that ends before it starts and so overlaps nothing."""
    return sum(bool(record["spans"]) and record["spans"][0][1] < record["spans"][0][0] for record in records)


def shown(value: float | str | None, digits: int = 4, blank: str = UNDEFINED) -> str:
    """Returns a value for display: counts and words unchanged, "-" or another sign if undefined.

    Halves are rounded away from zero.

    >>> shown(100 / 16, 1), shown(-0.0625, 3), shown(math.nan)
    ('6.3', '-0.063', '-')
    """
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return blank
    if not isinstance(value, float):
        return str(value)
    if abs(value) >= 1e15:  # more digits than a float has
        return f"{value:.{digits}f}"
    return f"{Decimal(value).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP):f}"


@dataclass(frozen=True)
class Row:
    """A row of a benchmark's table of metrics.

    Attributes:
        name: Its name in printed tables and results files.
        metric: The function.
        better: "higher" or "lower"; "neither" for a count without a direction.
        headline: Whether the harness prints it; its results file has every metric.
        tasks: The kinds of task that have it; each benchmark names its own kinds.
        has_error: Whether it has a standard error.
        needs_encoder: Whether a model scores the replies, which is only worth the time for real replies.
    """

    name: str
    metric: Metric
    better: Better
    headline: bool
    tasks: frozenset[str]
    has_error: bool
    needs_encoder: bool = False


class Metrics(Mapping[str, Metric]):
    """A benchmark's table of metrics, the only list of them: functions by name, in order.

    Args:
        kinds: The kinds of task for metrics whose row names none.
    """

    def __init__(self, *kinds: str) -> None:
        self.kinds = frozenset(kinds)
        self.rows: list[Row] = []

    def add(
        self,
        name: str,
        metric: AnyMetric,
        doc: str = "",
        *,
        better: Better = "higher",
        headline: Iterable[str] | bool = False,
        tasks: Iterable[str] = (),
        has_error: bool = True,
    ) -> AnyMetric:
        """Adds a metric as the last row, or as two rows if only some tasks print it, and returns it.

        Args:
            name: Its name.
            metric: The function.
            doc: What it is; its own docstring where omitted.
            better: See `Row`.
            headline: Whether the harness prints it, or the kinds of task for which it does.
            tasks: The kinds of task that have it; none named: the table's own kinds.
            has_error: See `Row`.

        Raises:
            ValueError: A kind of task has a metric of this name already.
        """
        metric.__doc__ = doc or metric.__doc__
        kinds = frozenset(tasks) or self.kinds
        if any(row.name == name and row.tasks & kinds for row in self.rows):
            raise ValueError(f"{name} is listed twice; give each metric of a task a different name")
        printing = (kinds if headline else frozenset()) if isinstance(headline, bool) else frozenset(headline)
        for printed, part in ((True, kinds & printing), (False, kinds - printing)):
            if part:
                self.rows.append(Row(name, metric, better, printed, part, has_error))
        return metric

    def measure(self, **how: Any) -> Callable[[AnyMetric], AnyMetric]:
        """Adds the decorated function under its own name; the arguments are those of `add`."""
        return lambda metric: self.add(metric.__name__, metric, **how)

    def add_all(self, table: Mapping[str, tuple[Metric, str]], **how: Any) -> None:
        """Adds metrics by name, each with what it is; the other arguments are those of `add`."""
        for name, (metric, doc) in table.items():
            self.add(name, metric, doc, **how)

    def add_count(
        self, name: str, metric: AnyMetric, doc: str = "", better: Better = "neither", **how: Any
    ) -> AnyMetric:
        """Adds a number without a standard error or, unless said, a direction."""
        return self.add(name, metric, doc, better=better, has_error=False, **how)

    def count(self, **how: Any) -> Callable[[AnyMetric], AnyMetric]:
        """Adds the decorated function as `add_count` does."""
        return lambda metric: self.add_count(metric.__name__, metric, **how)

    def score_by_encoder(self, names: Iterable[str]) -> None:
        """Marks metrics that need an encoder (see `Row`)."""
        wanted = set(names)
        self.rows = [replace(row, needs_encoder=True) if row.name in wanted else row for row in self.rows]

    def add_tests(
        self, suite: str, tests: Iterable[str], headline: Sequence[str], field: str = "", kind: str = ""
    ) -> None:
        """Adds the metrics of each test to a suite, prefixed with the test's name: `isr_pnr`.

        Args:
            suite: The kind of task that asks all tests. It has the shares of unread replies once, over all.
            tests: The tests.
            headline: The metrics that the harness prints.
            field: The field that names a record's test; if empty, the metric gets only the records of its
                test.
            kind: The kind of task of one test; the test's own name where omitted.
        """
        for test in tests:
            for row in self.of(kind or test).rows:
                if not row.name.startswith(UNREAD):
                    metric = within(row.metric, field, test) if field else row.metric
                    own = replace(row, name=f"{test}_{row.name}", metric=metric, tasks=frozenset({suite}))
                    self.rows.append(replace(own, headline=row.name in headline))

    def of(self, kind: str) -> "Metrics":
        """Returns the metrics of one kind of task."""
        part = Metrics(kind)
        part.rows = [row for row in self.rows if kind in row.tasks]
        return part

    def __getitem__(self, name: str) -> Metric:
        return {row.name: row.metric for row in reversed(self.rows)}[name]

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(row.name for row in self.rows))

    def __len__(self) -> int:
        return len({row.name for row in self.rows})


def answered(
    id_: str, own: Record, gold: str, found: Reading[str] | None, more: Record | None = None
) -> Record:
    """Returns the record of a question whose answer is simply right or wrong.

    Args:
        id_: The question's.
        own: The benchmark's own fields, which come first.
        gold: The right answer.
        found: The reading of the reply; None where the request failed.
        more: Further fields, which come after `failed`.
    """
    answer = found.value if found else None
    return {
        "id": id_,
        **own,
        "gold": gold,
        "answer": answer,
        "correct": int(answer == gold),
        "parsed": int(answer is not None),
        "failed": int(found is None),
        **(more or {}),
        **fields(found),
    }


def in_time(
    doc: Mapping[str, Any],
    found: Mapping[str, Reading[Any]] | None,
    ask: str,
    spans: Sequence[Sequence[float]],
    cluster: Cluster,
) -> Record:
    """Returns the common fields of a question that is answered with a letter and a span of its video.

    Args:
        doc: Its row.
        found: The readings of `letter` and `span`; None where the request failed.
        ask: What was asked for: `both`, `answer` or `span`. The first part that is missing gives the reason.
        spans: The spans that the reply states; the first one is scored.
        cluster: The benchmark's.
    """
    letter, span = (found["letter"], found["span"]) if found else (None, None)
    answer = letter.value if letter else None
    asked = {"both": (letter, span), "answer": (letter,), "span": (span,)}[ask]
    missing = [one for one in asked if one and one.value is None]
    how = fields(missing[0] if missing else asked[0])
    if ask == "both":
        how |= fields(letter, PARTS[0]) | fields(span, PARTS[1])
    return {
        "id": doc["question_id"],
        cluster.field: cluster.of(doc),
        "gold": doc["answer"],
        "windows": [list(window) for window in doc["windows"]],
        "answer": answer,
        "spans": [list(one) for one in spans],
        "answer_parsed": int(answer is not None),
        "span_parsed": int(bool(spans)),
        "parsed": int((ask == "span" or answer is not None) and (ask == "answer" or bool(spans))),
        "failed": int(found is None),
        **how,
    }


def parse_rate_per(cluster: Cluster) -> Callable[[Sequence[Record]], Ratio]:
    """Returns the metric of the share of questions whose answer could be read."""
    rate = mean("parsed", cluster)
    rate.__doc__ = "Share of questions whose answer could be read."
    return rate


def fields(found: Reading[Any] | None, prefix: str = "") -> Record:
    """Returns the fields of a record that say how a reply was read.

    Args:
        found: The reading; None where the request failed.
        prefix: Put before the fields' names: "", or one of `PARTS`.
    """
    how, reason, where = (f"{prefix}{name}" for name in ("how", "reason", "where"))
    if not found:
        return dict.fromkeys((how, reason, where))
    return {how: found.how, reason: found.reason, where: list(found.where) if found.where else None}


def prompt_of(reply: str, wording: Callable[[], str]) -> str | None:
    """Returns the prompt for the reader, which ignores the prompt's lines in a reply.

    Most replies have one line and cannot repeat a line of the prompt, so their prompt is not built.

    Args:
        reply: The model's reply.
        wording: Builds the prompt.
    """
    return wording() if len(reply.splitlines()) > 1 else None


def at_limit(record: Record) -> Record:
    """Returns a record for a reply that ended at its token limit.

    Without an answer its reason is `cut_off`, as in `parsing.reader.read` with `at_limit`.
    """
    return record | {
        reason: "cut_off"
        for how, reason in zip(HOW, REASON, strict=True)
        if record.get(reason) in UNLESS_CUT and record.get(how) is None
    }


def manner(record: Record) -> str:
    """Returns in a few words how a reply was read; empty if the record does not say.

    >>> manner({"how": "json", "reason": None}), manner({"how": None, "reason": "refused"})
    ('json', 'unread: refused')
    """
    found = []
    for part in PARTS if "span_how" in record else ("",):
        how, reason = record.get(f"{part}how"), record.get(f"{part}reason")
        if said := how or (f"unread: {reason}" if reason else ""):
            found.append(f"{part.rstrip('_')} {said}".strip())
    return "; ".join(found)


def is_share_of_reason(name: str) -> bool:
    """Returns whether a metric of this name is one that `add_metrics` adds."""
    return any(name.endswith(f"{UNREAD}{reason}") for reason in REASONS)


def shares(records: Sequence[Record]) -> dict[str, dict[str, float]]:
    """Returns the share of each rule and of each reason among all records, most frequent first.

    Empty for predictions without replies.
    """
    known = [record for record in records if "reason" in record]
    out = {}
    for name in (*HOW, *REASON):
        if counts := Counter(record[name] for record in known if record.get(name)):
            out[name] = {word: n / len(known) for word, n in counts.most_common()}
    return out


def add_metrics(
    metrics: Metrics,
    cluster: Cluster,
    tasks: Iterable[str] = (),
    reasons: Sequence[str] = REASONS,
    prefix: str = "",
) -> None:
    """Adds the share of questions unread for each reason: `unread_empty` and so on.

    Together with `parse_rate_per` and the share of failed requests they add up to 1.

    Args:
        metrics: A benchmark's table.
        cluster: The benchmark's.
        tasks: See `Metrics.add`.
        reasons: The possible reasons.
        prefix: Put before the names.
    """
    for reason in reasons:
        metrics.add(
            f"{prefix}{UNREAD}{reason}",
            _share(reason, cluster),
            f"Share of questions whose reply was not read, for the reason `{reason}`.",
            better="lower",
            tasks=tasks,
            has_error=False,
        )


def add_counts(metrics: Metrics, cluster: Cluster, size: int = 0) -> None:
    """Adds the common metrics: the rate of read replies, reasons for unread ones, questions and failures.

    Args:
        metrics: The table.
        cluster: The benchmark's.
        size: How many questions of a cluster count together; if given, adds the number of clusters that lack
            one.
    """
    metrics.add("parse_rate", parse_rate_per(cluster), headline=True)
    add_metrics(metrics, cluster)
    metrics.count(headline=True)(n_questions)
    if size:

        @metrics.count(better="lower", headline=True)
        def n_cut(records: Sequence[Record]) -> int:
            """Number of groups of questions of which some were not asked."""
            found = [record[cluster.field] for record in records]
            return len(set(found)) - len(complete(found, size))

    metrics.count(better="lower", headline=True)(n_failed)


def _share(reason: str, cluster: Cluster) -> Metric:
    # Predictions without replies do not tell: undefined, not 0.
    return mean(lambda record: record["reason"] == reason, cluster, lambda record: "reason" in record)
