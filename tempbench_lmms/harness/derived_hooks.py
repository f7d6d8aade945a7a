"""The hooks of derived tasks, `NAME_rotated` and `NAME_lite`.

`harness.variants` lists these tasks. Their YAML names a function here by its purpose, the benchmark, and the
hook of its base task: `rotated_docs__rextime__with_videos`. It is created on first use.
"""

import itertools
import logging
import pkgutil
import string
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from tempbench_lmms import benchmarks
from tempbench_lmms.card import joined
from tempbench_lmms.data.questions import Turned, turned
from tempbench_lmms.data.terminal import counted
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness import adapter
from tempbench_lmms.harness.variants import table_of
from tempbench_lmms.metrics import together
from tempbench_lmms.metrics.ratio import Ratio, Statistic, ratio
from tempbench_lmms.metrics.sampling import drawn
from tempbench_lmms.record import Metrics, Record, add_metrics, mean, n_failed, n_questions

KEY = "rotation"
"""The key of a record for the order of the options."""

Process = Callable[[Any], Any]


@cache
def __getattr__(name: str) -> Any:
    what, _, rest = name.partition("__")
    if what not in _MADE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _MADE[what](*rest.partition("__")[::2])


def _hook(benchmark: str, name: str) -> Any:
    return pkgutil.resolve_name(f"tempbench_lmms.{benchmark}.hooks:{name}")


def _chained(first: Process, second: Process) -> Process:
    return lambda dataset: second(first(dataset))


# ---- options in every order


@cache
def multiple_choice(benchmark: str) -> dict[str, Any]:
    """Returns the multiple-choice entry of a benchmark's table."""
    return table_of(benchmark)["multiple_choice"]  # type: ignore[no-any-return]


def _rotated_docs(benchmark: str, hook: str) -> Process:
    own = multiple_choice(benchmark).get("rotate")
    rotate = pkgutil.resolve_name(own) if own else turned

    def rotated(dataset: Any) -> Any:
        asked = [rotations(doc, rotate) for doc in dataset]
        rows = list(itertools.chain.from_iterable(asked))
        if not rows:
            raise TempbenchError(f"{benchmark}: no question has options; ask the task without `_rotated`")
        if lacking := sum(not own for own in asked):
            _warn(
                f"{benchmark}: {lacking} of {counted(len(asked), 'question')} left out of `_rotated`: their "
                "options cannot be reordered"
            )
        return type(dataset).from_list(rows)

    return _chained(_hook(benchmark, hook), rotated) if hook else rotated


@cache  # once per process: the same documents are made several times
def _warn(message: str) -> None:
    logging.getLogger(__name__).warning("%s", message)


def rotations(
    doc: Mapping[str, Any], rotate: Callable[[Mapping[str, Any], int], Turned | None] = turned
) -> list[dict[str, Any]]:
    """Returns a question once for each of its options, rotated by one more place each time."""
    first = rotate(doc, 0)
    out = []
    for by in range(len(first.texts) if first else 0):
        if now := rotate(doc, by):
            own = {
                "rotation_of": doc["question_id"],
                "question_id": f"{doc['question_id']}#r{by}",
                "rotation_labels": list(now.labels),
                "rotation_texts": list(now.texts),
            }
            out.append({**doc, **now.changes, **own})
    return out


def _rotated_results(benchmark: str, hook: str) -> Callable[..., dict[str, Any]]:
    scored, names = _hook(benchmark, hook), tuple(_metrics(benchmark))

    def process_results(doc: Mapping[str, Any], results: Sequence[Any]) -> dict[str, Any]:
        """Scores an answer like the base task, and records the right and the chosen place."""
        out = scored(doc, results)
        record = {**out["record"], KEY: _places(doc, out["record"]["answer"])}
        return adapter.emit(record, names) | {"score": float(record[KEY]["right"])}

    return process_results


def _places(doc: Mapping[str, Any], answer: str | None) -> dict[str, Any]:
    labels, texts = doc["rotation_labels"], doc["rotation_texts"]
    gold = labels.index(doc["answer"])
    place = labels.index(answer) if answer in labels else None
    return {
        "of": doc["rotation_of"],
        "n": len(labels),
        "gold": gold,
        "answer": place,
        "right": int(place is not None and texts[place] == texts[gold]),
    }


@cache
def _metrics(benchmark: str) -> Metrics:
    cluster = benchmarks.card(benchmark).cluster
    metrics = Metrics(KEY)

    def asked(records: Sequence[Record]) -> list[together.Rotation]:
        return [
            together.Rotation(
                own["of"], record[cluster.field], own["n"], own["gold"], own["answer"], bool(own["right"])
            )
            for record in records
            for own in (record[KEY],)
        ]

    @metrics.measure(headline=True)
    def circular_accuracy(records: Sequence[Record]) -> Ratio:
        """Share of questions that are right in every order, among those asked in every order."""
        return together.circular_accuracy(asked(records))

    @metrics.measure(headline=True)
    def accuracy(records: Sequence[Record]) -> Ratio:
        """Share of right options over all orders."""
        return ratio(((one.right, 1) for one in asked(records)), (one.cluster for one in asked(records)))

    @metrics.measure(better="lower", headline=True)
    def position_bias(records: Sequence[Record]) -> Statistic:
        """Standard deviation, over places, of the share of right options found there (RStd)."""
        return together.position_bias(asked(records))

    metrics.add(
        "parse_rate",
        mean("parsed", cluster),
        "Share of replies in which everything asked for could be read.",
        headline=True,
    )
    add_metrics(metrics, cluster)
    metrics.count(headline=True)(n_questions)

    @metrics.count(headline=True)
    def n_circular(records: Sequence[Record]) -> int:
        """Number of questions that were asked in every order."""
        return sum(1 for _ in together.asked_in_every_order(asked(records)))

    @metrics.count(better="lower", headline=True)
    def n_cut(records: Sequence[Record]) -> int:
        """Number of questions that were not asked in every order; `circular_accuracy` leaves them out."""
        return len({record[KEY]["of"] for record in records}) - n_circular(records)

    metrics.count(better="lower", headline=True)(n_failed)
    return metrics


def details(records: Sequence[Record]) -> dict[str, Any]:
    """Returns the share of each place among the answers and the right answers, and the recall of each."""
    asked = [record[KEY] for record in records]
    letters = string.ascii_uppercase
    golds = Counter(letters[one["gold"]] for one in asked)
    answers = Counter("unparsed" if one["answer"] is None else letters[one["answer"]] for one in asked)
    found = Counter(letters[one["gold"]] for one in asked if one["answer"] == one["gold"])
    return {
        "answers": {place: n / len(asked) for place, n in sorted(answers.items())},
        "right_answers": {place: n / len(asked) for place, n in sorted(golds.items())},
        "recall": {place: {"share": found[place] / n, "n": n} for place, n in sorted(golds.items())},
    }


# ---- a tenth of the clusters, complete, and the same ones everywhere


def strata_of(clusters: Sequence[str], columns: Mapping[str, Sequence[Any]]) -> dict[str, str]:
    """Returns the stratum of each cluster: the values that its rows have in some columns.

    Args:
        clusters: The cluster of each row.
        columns: The values of these columns, in the order of the rows.

    >>> strata_of(["v", "w", "v"], {"type": ["why", "how", "how"]})
    {'v': 'type=how,type=why', 'w': 'type=how'}
    """
    found: dict[str, set[str]] = {cluster: set() for cluster in clusters}
    for name, values in columns.items():
        for cluster, value in zip(clusters, values, strict=True):
            found[cluster].add(f"{name}={joined(value)}")
    return {cluster: ",".join(sorted(values)) for cluster, values in found.items()}


def _lite_docs(benchmark: str, hook: str) -> Process:
    def draw(dataset: Any) -> Any:
        cluster, strata = benchmarks.card(benchmark).cluster, table_of(benchmark)["lite"].get("strata", ())
        clusters = [*map(cluster.name, *(dataset[column] for column in cluster.columns))]
        kept = drawn(
            strata_of(clusters, {name: dataset[name] for name in strata if name in dataset.column_names})
        )
        return dataset.select([i for i, own in enumerate(clusters) if own in kept])

    return _chained(draw, _hook(benchmark, hook)) if hook else draw


_MADE: dict[str, Callable[[str, str], Any]] = {
    "rotated_docs": _rotated_docs,
    "rotated_results": _rotated_results,
    "rotated_metrics": lambda benchmark, hook: adapter.metric_list(_metrics(benchmark), details, benchmark),
    "lite_docs": _lite_docs,
}
