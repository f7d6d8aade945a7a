"""A task of the harness, its own or a user's, as its log and its own aggregations show it.

The value of a question is the result of the task's own aggregation for only that question. If the mean of
these is the reported number, the metric is a mean, and all that is exact for a mean applies to it. If not
(F1, pairs that count together), whole groups of questions are resampled through the aggregation itself.
"""

import base64
import io
import itertools
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from tempbench_lmms.any_task import aggregation, records
from tempbench_lmms.any_task.aggregation import CannotAggregateError, TooSlowError
from tempbench_lmms.any_task.records import ITEMS
from tempbench_lmms.card import BenchmarkCard, Cluster
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness import catalog
from tempbench_lmms.metrics.ratio import Floats, Ratio, Statistic, Sums, ratio
from tempbench_lmms.metrics.sampling import hashed
from tempbench_lmms.record import Better, Metric, Record, Row

DRAWS = 1000
_MOST_CLUSTERS = 500
_MOST_VALUES = 20
_SHORT = 40  # characters
_ANSWERS = re.compile(r"^(id|parsed|failed)$|pred|score|correct|resp|answer|gt|target|label", re.IGNORECASE)
_SCORES = ("score", "acc", "correct")
_NEAR = 1e-9


@dataclass(frozen=True)
class Printed:
    """A number that a run printed.

    Attributes:
        value: The number.
        metric: The metric.
        part: Its place or key, if the metric's value is a list or table of numbers; None if it is a number.
    """

    value: float
    metric: str
    part: Any = None


def printed(reported: Mapping[str, Any]) -> dict[str, Printed]:
    """Returns the numbers among what a run reported, a list's or table's numbers one by one."""
    found: dict[str, Printed] = {}
    for name, value in reported.items():
        if _is_number(value):
            found[name] = Printed(float(value), name)
        elif isinstance(value, (list, dict)):
            pairs = value.items() if isinstance(value, dict) else enumerate(value)
            found |= {f"{name}.{key}": Printed(one, name, key) for key, one in pairs if _is_number(one)}
    return found


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


@dataclass(frozen=True, eq=False)
class AnyTask:
    """A task of the harness or of the user, known from a run's log and, if installed, from its files.

    Attributes:
        name: The task.
        reported: The numbers that the run printed, by metric.
        higher_is_better: Whether higher is better, by metric.
        records: The record of each question.
        config: The task's configuration in the results file.
        group_by: The field that groups the questions; empty to find one by rules.
        of_groups: The numbers that the run printed for its groups of tasks.
    """

    name: str
    reported: Mapping[str, Any]
    higher_is_better: Mapping[str, Any]
    records: Sequence[Record] = field(repr=False)
    config: Mapping[str, Any] = field(default_factory=dict, repr=False)
    group_by: str = ""
    of_groups: Mapping[str, float] = field(default_factory=dict)

    @cached_property
    def documents(self) -> dict[str, dict[str, Any]]:
        """The plain fields of each question's document, by its id; empty without the data."""
        try:
            docs = documents_of(self.name)
        except CannotAggregateError:
            return {}
        ids = (record["id"] for record in self.records)
        return {id_: docs[int(id_)] for id_ in ids if int(id_) < len(docs)}

    @property
    def n_documents(self) -> int:
        """The number of documents.

        Raises:
            TempbenchError: The data is not at hand, or replies to it cannot be scored one by one.
        """
        kind = self.config.get("output_type")
        if kind not in (None, "generate_until") or self.config.get("filter_list"):
            raise TempbenchError(
                f"{self.name}: --until-decided takes no task with rounds or filters of replies"
            )
        try:
            return len(documents_of(self.name))
        except CannotAggregateError as error:
            raise TempbenchError(f"{self.name}: its data is not at hand ({error}); run it once") from None

    @cached_property
    def _clusters(self) -> tuple[dict[str, str], str]:
        known = [{**self.documents.get(record["id"], {}), **record} for record in self.records]
        try:
            names, words = records.clusters_of(known, self.config, self.group_by)
        except KeyError:
            fields = ", ".join(sorted({name for one in known for name in one}))
            raise TempbenchError(
                f"--group-by {self.group_by}: no question of {self.name} has it; choose one of {fields}"
            ) from None
        return dict(zip((record["id"] for record in self.records), names, strict=True)), words

    @property
    def clusters(self) -> dict[str, str]:
        """The cluster of each question, by its id: what intervals resample."""
        return self._clusters[0]

    @property
    def grouped_by(self) -> str:
        """What defines the clusters; empty if each question is one."""
        return self._clusters[1]

    @property
    def card(self) -> BenchmarkCard:
        """The task's card for reports: its metrics, with the headline first."""
        return BenchmarkCard(
            name=self.name,
            title="a task of the harness",
            paper="",
            bibtex="",
            sources=(),
            version="",
            chance={},
            primary=tuple(self.metrics),
            full=(self.name, 0),
            cluster=Cluster(self.grouped_by, ()),  # in words; `clusters` has that of each question
        )

    @cached_property
    def metrics(self) -> dict[str, Printed]:
        """The reported numbers of metrics that questions were given to."""
        given = {name for record in self.records for name in record[ITEMS]}
        return {name: one for name, one in printed(self.reported).items() if one.metric in given}

    def given(self, record: Record) -> frozenset[str]:
        """Returns the metrics that a question was given to."""
        return frozenset(name for name, one in self.metrics.items() if one.metric in record[ITEMS])

    def better(self, metric: str) -> Better:
        """Returns which direction of a metric is better."""
        known = self.higher_is_better.get(self.metrics[metric].metric)
        return "neither" if known is None else "higher" if known else "lower"

    @cached_property
    def _found(self) -> dict[str, tuple[Row | str, dict[str, float]]]:
        """For each metric, its row or why there is none, and the value of each single question."""
        out: dict[str, tuple[Row | str, dict[str, float]]] = {}
        too_slow = ""
        for name, one in self.metrics.items():
            try:
                out[name] = (too_slow, {}) if too_slow else self._row(name, one)
            except CannotAggregateError as error:
                out[name] = str(error), {}
                # The task's other metrics mostly are, too.
                too_slow = str(error) if isinstance(error, TooSlowError) else ""
        return out

    @property
    def rows(self) -> list[Row]:
        """The metrics that are functions of questions; the first one is the headline."""
        return [row for row, _ in self._found.values() if isinstance(row, Row)]

    def why_not(self, metric: str) -> str:
        """Returns why a metric cannot be computed from questions and so has no interval."""
        found, _ = self._found.get(metric, ("", {}))
        return found if isinstance(found, str) else ""

    @property
    def scores(self) -> dict[str, float]:
        """The headline's value for each single question, by its id; 1 or 100 is right."""
        return next((alone for _, alone in self._found.values()), {})

    def marked(self, record: Record) -> Record:
        """Returns a record with `correct`: 1 or 0, or None if its question has no score of its own."""
        score = self.scores.get(record["id"])
        return record | {"correct": None if score is None else int(score >= self._top)}

    @cached_property
    def _top(self) -> float:
        return 100.0 if max(self.scores.values(), default=0) > 1 else 1.0

    @property
    def share(self) -> str:
        """The first metric that is a share of right answers.

        Raises:
            TempbenchError: There is none.
        """
        for row in self.rows:
            if isinstance(row.metric, _Mean) and row.metric.is_share:
                return row.name
        raise TempbenchError(f"{self.name}: no metric is a share of right answers; leave out --until-decided")

    def terms(self, metric: str, replies: Mapping[int, str]) -> tuple[float, float]:
        """Returns how much of a share replies to questions are right, and how many questions enter it.

        Raises:
            CannotAggregateError: The task's code fails, or the metric is no share.
        """
        mean = next(row.metric for row in self.rows if row.name == metric)
        if not isinstance(mean, _Mean) or not mean.is_share or mean.whole is None:
            raise CannotAggregateError("it is not a share")
        file, of = mean.whole.file, mean.whole.printed
        scored = aggregation.here().answer(file, "scored", [*replies.items()])
        items = [one[of.metric] for one in scored if of.metric in one]
        picks = [[i] for i in range(len(items))]
        values = aggregation.child().values(file, (of.metric, of.part), items, picks)
        right = math.fsum(np.array(values, dtype=float)) * mean.factor / mean.top  # None is NaN
        return right, len(items)

    def visuals(self, number: int) -> list[Any]:
        """Returns what a document shows: pictures, and the paths of videos.

        Raises:
            CannotAggregateError: The task or its data is not on this machine.
        """
        from PIL import Image

        if (file := catalog.find(self.name)) is None:
            raise CannotAggregateError(f"{self.name} is not installed")
        return [
            one["path"] if "path" in one else Image.open(io.BytesIO(base64.b64decode(one["jpeg"])))
            for one in aggregation.here().answer(file, "visuals", number)
        ]

    def by_field(self) -> dict[str, dict[str, list[str]]]:
        """Returns the ids of questions by value, for each short field of the documents that divides them.

        A field must have 2 to 20 values and must not be the answer. Without the data, the fields of the
        metrics' inputs are used.
        """
        own = {record["id"]: self.documents.get(record["id"]) or record for record in self.records}
        out: dict[str, dict[str, list[str]]] = {}
        for name in dict.fromkeys(name for fields in own.values() for name in fields):
            values: dict[str, list[str]] = {}
            for id_, fields in own.items():
                if isinstance(value := fields.get(name), (str, int)) and len(str(value)) <= _SHORT:
                    values.setdefault(str(value), []).append(id_)
            is_whole = sum(map(len, values.values())) == len(own)
            if is_whole and 2 <= len(values) <= _MOST_VALUES and not _ANSWERS.search(name):
                out[name] = values
        return out

    def _row(self, name: str, found: Printed) -> tuple[Row | str, dict[str, float]]:
        given = [record for record in self.records if found.metric in record[ITEMS]]
        items = [record[ITEMS][found.metric] for record in given]
        file = catalog.find(self.name)
        whole = None
        if file is None:
            values = [_score(item) for item in items]
        else:
            ask = partial(aggregation.child().values, file, (found.metric, found.part), items)
            whole, turned = ask([[*range(len(items))], [*reversed(range(len(items)))]])
            if whole is not None and not _alike(turned, whole):
                return "the task's aggregation depends on the order of the questions", {}
            try:
                values = ask([[i] for i in range(len(items))])
            except TooSlowError:
                raise
            except CannotAggregateError:
                values = [None]
                ask([[*range(1, len(items))]])  # fails if the aggregation needs a certain number of questions
        if file and not _alike(whole, found.value):
            shown = "no number" if whole is None else f"{whole:g}"
            return f"the task's aggregation gives {shown} for the log's lines", {}
        whole_one = _Resampled(found, file, self.clusters) if file else None
        metric = _mean_of(given, values, found.value, self.clusters, whole_one) or whole_one
        if metric is None:
            return (
                f"{self.name} is not installed, and the mean of its questions' scores is another number",
                {},
            )
        pairs = zip(given, values, strict=False)
        alone = {record["id"]: value for record, value in pairs if value is not None}
        is_first = name == next(iter(self.metrics))
        return Row(name, metric, self.better(name), is_first, frozenset(), has_error=True), alone


def documents_of(task: str) -> list[dict[str, Any]]:
    """Returns the plain fields of a task's documents.

    Raises:
        CannotAggregateError: The task or its data is not at hand.
    """
    if (file := catalog.find(task)) is None:
        raise CannotAggregateError(f"{task} is not installed")
    return aggregation.here().answer(file, "documents")  # type: ignore[no-any-return]


def _score(item: Any) -> float | None:
    found = next((item[name] for name in _SCORES if name in item), None) if isinstance(item, dict) else item
    return float(found) if isinstance(found, (bool, int, float)) and math.isfinite(found) else None


def _is_printed(value: float, reported: float) -> bool:
    """Returns whether a number is the reported one, which may be rounded to four or more digits."""
    digits = len(repr(reported).partition(".")[2])
    return _alike(value, reported) or (digits > 3 and _alike(round(value, digits), reported))


def _alike(one: float | None, other: float) -> bool:
    return one is not None and math.isclose(one, other, rel_tol=_NEAR, abs_tol=_NEAR)


@dataclass(frozen=True, eq=False)
class _Mean:
    """The mean of one value per question; `whole` computes it by the task's aggregation, if installed."""

    values: dict[str, float]
    factor: float
    top: float
    clusters: Mapping[str, str]
    whole: "_Resampled | None" = None

    @property
    def is_share(self) -> bool:
        """Whether each question is right or wrong; unclear if all are wrong."""
        return {*self.values.values()} in ({0.0, self.top}, {self.top})

    def __call__(self, records: Sequence[Record]) -> Ratio:
        kept = [record for record in records if record["id"] in self.values]
        found = ratio(
            ((self.values[one["id"]], 1) for one in kept), (self.clusters[one["id"]] for one in kept)
        )
        return Ratio(found.numerator, found.denominator, found.cluster, found.keys, self.top)


def _mean_of(
    records: Sequence[Record],
    values: Sequence[float | None],
    reported: float,
    clusters: Mapping[str, str],
    whole: "_Resampled | None",
) -> _Mean | None:
    """Returns the metric as a mean of values, or of a hundred times them; None where it is neither."""
    known = [value for value in values if value is not None]
    if not known or len(known) < len(values):
        return None
    mean = math.fsum(known) / len(known)
    factor = next((one for one in (1.0, 100.0) if _is_printed(mean * one, reported)), None)
    if factor is None:
        return None
    scaled = {record["id"]: value * factor for record, value in zip(records, known, strict=True)}
    # A mean of 0 or 100 a question is a share in percent.
    return _Mean(scaled, factor, 100.0 if 1 < max(scaled.values()) <= 100 else 1.0, clusters, whole)


@dataclass(frozen=True, eq=False)
class _Resampled:
    """A metric of all questions together: resamples go through the task's own aggregation."""

    printed: Printed
    file: Path
    clusters: Mapping[str, str]

    def __call__(self, records: Sequence[Record]) -> "Grouped":
        name = self.printed.metric
        kept = [record for record in records if name in record[ITEMS]]
        numbers: dict[str, list[Any]] = {}
        # Which groups are dealt together follows from their names, so that it is the same in two runs.
        pooled = len({self.clusters[record["id"]] for record in kept}) > _MOST_CLUSTERS
        for record in kept:
            cluster = self.clusters[record["id"]]
            key = str(int(hashed(name, cluster)[:8], 16) % _MOST_CLUSTERS) if pooled else cluster
            numbers.setdefault(key, []).append(record[ITEMS][name])
        return Grouped.of(self, [numbers], tuple(numbers))


@dataclass(frozen=True, eq=False)
class Grouped(Statistic):
    """A metric of whole groups' items, as a function of how often each group is drawn.

    Attributes:
        of_metric: The metric.
        items: The items of each group, by its name; for two runs side by side one table each.
    """

    of_metric: _Resampled | None = None
    items: tuple[Mapping[str, Sequence[Any]], ...] = ()

    @classmethod
    def of(
        cls,
        metric: _Resampled,
        items: Sequence[Mapping[str, Sequence[Any]]],
        keys: tuple[str, ...],
        part: int = 0,
    ) -> "Grouped":
        """Returns the metric of the items in table `part`; resamples may take groups of any table."""
        n = len(keys)
        terms = np.zeros((n, n * len(items)))
        for row, key in enumerate(keys):
            # What two runs have alike is no difference between them, whichever it is taken from.
            is_alike = len(items) > 1 and items[0].get(key) == items[1].get(key)
            terms[row, row if is_alike else part * n + row] = 1
        every = [item for own in items for key in keys for item in own.get(key, ())]
        sizes = [len(own.get(key, ())) for own in items for key in keys]
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(int)
        places = [[*range(start, end)] for start, end in itertools.pairwise(starts)]

        def function(counts: Floats) -> Floats:
            rows = np.rint(counts.reshape(-1, len(places))).astype(int)
            picks = [[i for group, n in enumerate(row) for i in places[group] * n] for row in rows]
            found = aggregation.child().values(
                metric.file, (metric.printed.metric, metric.printed.part), every, picks
            )
            return np.array(found, dtype=float).reshape(counts.shape[:-1])  # None is NaN

        return cls(terms, np.arange(n), function, keys, DRAWS, metric, tuple(items))

    def beside(self, other: "Grouped") -> "tuple[Grouped, Grouped]":
        """Returns the metric of this run and of another one as functions of the groups of both."""
        keys = tuple(dict.fromkeys((*self.keys, *other.keys)))
        items = (*self.items, *other.items)
        assert self.of_metric is not None
        one, two = (Grouped.of(self.of_metric, items, keys, part) for part in (0, 1))  # type: ignore[arg-type]
        return one, two


def side_by_side(
    one: Sums, other: Sums, metrics: tuple[Metric, Metric], records: tuple[Sequence[Record], Sequence[Record]]
) -> tuple[Sums, Sums]:
    """Returns a metric of two runs so that they can be paired.

    A metric may be the mean of its questions in one run (in which all are answered, say) and not in the
    other; then it goes through the task's aggregation in both.
    """
    if not any(isinstance(value, Grouped) for value in (one, other)):
        return one, other
    wholes = [metric.whole if isinstance(metric, _Mean) else metric for metric in metrics]
    first, second = (whole(own) if whole else None for whole, own in zip(wholes, records, strict=True))
    if isinstance(first, Grouped) and isinstance(second, Grouped):
        return first.beside(second)
    return one, other
