"""Shared code of all hooks: turns a reply into a record, and records into the harness's table.

One reply on its way to a report (B is a benchmark):

1. `process_results` (here), which `B/hooks.py` makes from `B/scoring.py`, hands the reply to `record` there.
2. `B/parser.py` says which answer is expected, `parsing` reads it, and `record.py` makes the record.
3. `aggregation` (here) computes each row of `METRICS` as a `Ratio` (`metrics/ratio.py`).
4. The harness writes results and log; `patches.py` has each record written once.
5. `runs/logs.py` finds the results, `runs/task_log.py` reads both files, with the metrics of the installed
   task (`tasks.py`).
6. `report/numbers.py` adds intervals and assigns numbers to runs and benchmarks, `report/page.py` makes the
   first table, and `report/page.html` shows it.
"""

import contextlib
import dataclasses
import functools
import inspect
import itertools
import logging
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from typing import Any

from tempbench_lmms import record_quality
from tempbench_lmms.data import provenance
from tempbench_lmms.data.redaction import hide, scrubbed
from tempbench_lmms.record import (
    READINGS,
    UNDEFINED,
    Metrics,
    Record,
    Row,
    answers,
    evaluate,
    evaluate_error,
    shares,
)

# What the harness passes instead of an answer if an API request failed or its budget ran out. It is text, and
# a parser could mistake its letters for an answer. The last one is `async_openai`'s for a response without
# content.
_FAILURES = (
    "[LMMS_EVAL_REQUEST_FAILED",
    "[LMMS_EVAL_BUDGET_EXCEEDED",
    'Error: can only concatenate str (not "NoneType") to str',
)


def reply_of(results: Sequence[Any]) -> str:
    """Returns the model's reply from what the harness passes to `process_results`.

    The harness passes a list with one string; with `repeats`, a list of lists. If the string is None, an API
    answered without content (withheld, or cut off while the model was thinking). That differs from an empty
    reply, so it is a failed request.
    """
    first = results[0] if results else ""
    if isinstance(first, (list, tuple)):
        first = first[0] if first else ""
    if first is None:
        return failure("the response has no content")
    return first if isinstance(first, str) else ""


def question_and_reply(line: Any) -> tuple[Any, Any]:
    """Returns question and reply of a line of a sample log, or of JSON with `question_id` and `reply`.

    A reply that is null is a failed request, as in `reply_of`.

    Raises:
        KeyError, TypeError: The object has neither form.
    """
    if "record" not in line:
        reply = line["reply"]
        return line["question_id"], failure("the file has no reply") if reply is None else reply
    # One reply is logged as it is, several as a list.
    replies = line["filtered_resps"]
    return line["record"]["id"], replies if isinstance(replies, str) else reply_of(replies)


def failure(reason: str) -> str:
    """Returns the notice in place of an answer to a question that was not asked, with the reason."""
    return f"{_FAILURES[0]}: {reason}]"


class FirstReply:
    """A task's filter: the first reply, like the harness's own filter, but with None distinct from "".

    The harness turns None into an empty reply before scoring, so only a filter can see a missing reply.
    """

    def apply(self, resps: Sequence[Any], docs: Any) -> list[str]:
        """Returns one reply per question from each question's list of replies."""
        return [without_keys(reply_of(replies)) for replies in resps]


def request_failed(reply: Any) -> bool:
    """Returns whether the harness gave a failure notice instead of an answer, or of one in several rounds."""
    if isinstance(reply, (list, tuple)):
        return any(map(request_failed, reply))
    return isinstance(reply, str) and bool(notice_of(reply))


def notice_of(reply: str) -> str:
    """Returns the harness's own words at the beginning of a failure notice; empty for an answer."""
    words = reply.lstrip()
    begun = next((one for one in _FAILURES if words.startswith(one)), "")
    return begun and reply[: len(reply) - len(words) + len(begun)]


def without_keys(reply: Any) -> Any:
    """Returns a reply, or all replies, without keys that a server echoes.

    The notice of a failed request quotes the server, so all of it is treated as a failure message.
    """
    if isinstance(reply, str):
        notice = notice_of(reply)
        return notice + scrubbed(reply[len(notice) :]) if notice else hide(reply)
    if isinstance(reply, (list, tuple)):
        return [without_keys(one) for one in reply]
    if dataclasses.is_dataclass(reply) and isinstance(text := getattr(reply, "text", None), str):
        return dataclasses.replace(reply, text=without_keys(text))  # type: ignore[type-var]
    return reply


@dataclasses.dataclass(frozen=True, eq=False)
class Item:
    """A record on its way to one aggregation.

    The harness collects the records under every metric's name and writes every metric's value of a question
    into the sample log. The log shows an `Item` as a word, so that a record with twenty metrics is logged
    once, as `record`, instead of twenty times.
    """

    record: Record

    def __str__(self) -> str:
        return "see record"


class Details(dict[str, Any]):
    """A nested table among a task's metrics, which is in the results file but not in the printed table.

    The harness prints a dict as one wide cell, and leaves out values of length 0. So this dict reports length
    0, but is true, which the JSON encoder needs.
    """

    def __len__(self) -> int:
        return 0

    def __bool__(self) -> bool:
        return True


def emit(record: Record, metrics: Iterable[str], *more: str) -> dict[str, Any]:
    """Returns the result of `process_results`: the record under the name of each metric that reads it.

    Args:
        record: The record.
        metrics: The metrics' names.
        more: Names of aggregations that are not metrics, and so have no standard error.

    Returns:
        `record` (the whole of it, for the log and for rescoring), `score` (0 or 1, which the harness's
        `--baseline` reads), an `Item` for each metric and its standard error, and one for `details`. The row
        of a metric and of its error must come in that order: the error overwrites what the harness computed.
    """
    names = itertools.chain.from_iterable((name, f"{name}_stderr") for name in metrics)
    own = {"record": record, "score": float(record.get("correct", 0))}
    return own | dict.fromkeys([*names, "details", *more], Item(record))


def records_of(items: Sequence[Any]) -> list[Record]:
    """Returns the records behind `items`, sorted by id, because ranks arrive one by one."""
    records = (item.record if isinstance(item, Item) else item for item in items)
    return sorted(records, key=lambda record: str(record["id"]))


def details(
    table: Callable[[Sequence[Record]], dict[str, Any]], items: Sequence[Any], benchmark: str = ""
) -> Details:
    """Returns a nested table over the records behind `items`; empty, with a log entry, if it fails.

    `readings` has the shares of how replies were read (`record.shares`), `run` the facts that only
    the run itself knows (`provenance.recorded`); warnings about the records are logged.
    """
    records = records_of(items)

    def readings(records: Sequence[Record]) -> dict[str, Any]:
        found = shares(records)
        return {READINGS: found} if found else {}

    def run(records: Sequence[Record]) -> dict[str, Any]:
        # Commands that read the log give these warnings with what only the log tells.
        for warning in [] if STRICT.get() else record_quality.of_records(records, knows_limit=False):
            logging.getLogger(__name__).warning("%s: %s", benchmark, warning)
        return {provenance.KEY: provenance.recorded(benchmark)}

    out = Details()
    for make in (table, readings, *([run] if benchmark else [])):
        try:
            out |= make(records)
        except Exception as error:  # an exception here would lose the run
            _report(make.__name__, error)
    return out


STRICT = ContextVar("strict", default=False)
"""Whether metrics that cannot be computed raise errors: with a log, no run can be lost."""


@contextlib.contextmanager
def true_within(variable: ContextVar[bool]) -> Iterator[None]:
    """Makes a variable true inside the block."""
    token = variable.set(True)
    try:
        yield
    finally:
        variable.reset(token)


def _report(name: str, error: Exception) -> None:
    if STRICT.get():
        raise error
    logging.getLogger(__name__).exception("%s could not be computed: %r", name, error)


def aggregation(row: Row, error: bool = False) -> Callable[..., float | str]:
    """Returns the harness's aggregation of a metric, or of its standard error.

    An exception in an aggregation loses a finished run, results and samples alike, so none is let out: the
    metric is shown as undefined and the reason is logged. A metric that has a parameter `args` gets the
    harness's command line.
    """
    takes_arguments = "args" in inspect.signature(row.metric).parameters

    def aggregate(items: Sequence[Any], args: Any = None) -> float | str:
        metric: Any = functools.partial(row.metric, **({"args": args} if takes_arguments else {}))
        try:
            value = (evaluate_error if error else evaluate)(metric, records_of(items))
        except Exception as problem:  # see the docstring
            _report(row.name, problem)
            return UNDEFINED
        # "-" and not NaN: the harness writes NaN bare into results.json, which is not JSON, and "nan" into
        # its table; the papers print "-".
        return UNDEFINED if isinstance(value, float) and not math.isfinite(value) else value

    aggregate.__name__ = f"aggregate_{row.name}{'_stderr' if error else ''}"
    # Used by intervals, comparisons and the printed table, which need more than the value.
    aggregate.row = None if error else row  # type: ignore[attr-defined]
    return aggregate


def metric_list(
    metrics: Metrics,
    table: Callable[[Sequence[Record]], dict[str, Any]],
    benchmark: str = "",
    **more: Callable[..., Any],
) -> list[dict[str, Any]]:
    """Returns a task's `metric_list` for the harness.

    Args:
        metrics: The task's metrics. The standard error follows its metric: it overwrites the harness's own.
        table: The nested table `details`, which comes last.
        benchmark: The benchmark.
        more: Aggregations that are not metrics, by name: files written, encoders used.
    """

    def aggregate_details(items: Sequence[Any]) -> Details:
        return details(table, items, benchmark)

    entries: list[tuple[str, Callable[..., Any], bool]] = []
    for row in metrics.rows:
        # The harness has only two directions; `printed` shows no arrow for a count without one.
        entries.append((row.name, aggregation(row), row.better != "lower"))
        if row.has_error:
            entries.append((f"{row.name}_stderr", aggregation(row, error=True), False))
    entries += [(name, function, True) for name, function in (*more.items(), ("details", aggregate_details))]
    return [
        {"metric": name, "aggregation": function, "higher_is_better": higher}
        for name, function, higher in entries
    ]


def scored(
    score: Callable[..., Record],
    metrics: Metrics,
    table: Callable[[Sequence[Record]], dict[str, Any]] = answers,
    reading: Callable[[Record], Iterable[str]] | None = None,
    **more: Callable[..., Any],
) -> tuple[Callable[..., dict[str, Any]], list[dict[str, Any]]]:
    """Returns a task's `process_results` and `metric_list`.

    Args:
        score: Makes the record of a document, a reply, and whether its request failed.
        metrics: The task's metrics.
        table: The nested table `details`; how often each answer was given, and is right, where omitted.
        reading: Returns the metrics that read a record; all where omitted.
        more: Aggregations that are not metrics, by name.
    """
    names = tuple(metrics)
    benchmark = getattr(score, "func", score).__module__.split(".")[1]  # perhaps of a `partial`

    def process_results(doc: Mapping[str, Any], results: Sequence[Any]) -> dict[str, Any]:
        reply = reply_of(results)
        record = score(doc, reply, failed=request_failed(reply))
        return emit(record, reading(record) if reading else names, *more)

    return process_results, metric_list(metrics, table, benchmark, **more)


def of_kind(
    scoring: Any, kind: str = "", *, more: Mapping[str, Callable[..., Any]] | None = None, **how: Any
) -> tuple[Callable[..., dict[str, Any]], list[dict[str, Any]]]:
    """Returns `process_results` and `metric_list` of a kind of task.

    Args:
        scoring: A benchmark's module with `record`, `METRICS` and perhaps `details`.
        kind: The kind of task; the only one where omitted.
        more: Aggregations that are not metrics, by name.
        how: Given to `record`.
    """
    metrics = scoring.METRICS.of(kind) if kind else scoring.METRICS
    record, table = functools.partial(scoring.record, **how), getattr(scoring, "details", answers)
    return scored(record, metrics, table, **(more or {}))


def suite(scoring: Any, every: Sequence[str]) -> tuple[Callable[..., dict[str, Any]], list[dict[str, Any]]]:
    """Returns `process_results` and `metric_list` of a task that asks several tests.

    Args:
        scoring: A benchmark's module as for `of_kind`, with its kind `SUITE`, whose metrics are those of each
            test and those over all (`Metrics.add_tests`), and `tests_of`, the tests whose metrics read a
            record.
        every: All tests.
    """
    metrics = scoring.METRICS.of(scoring.SUITE)

    @functools.cache
    def names_of(asked: tuple[str, ...]) -> list[str]:
        return [name for name in metrics if name.startswith(tuple(f"{test}_" for test in asked))]

    over_all = [name for name in metrics if name not in names_of(tuple(every))]

    def reading(record: Record) -> list[str]:
        return [*names_of(tuple(scoring.tests_of(record))), *over_all]

    return scored(scoring.record, metrics, scoring.details, reading)


def rows_of(config: Mapping[str, Any]) -> list[Row]:
    """Returns the rows of a task's metrics, in the order of its `metric_list`."""
    found = (getattr(entry["aggregation"], "row", None) for entry in config.get("metric_list") or ())
    return [row for row in found if row is not None]


LEFT_OUT, GIVEN = "not_given_to", "given_to"
"""The key in a log's line for the metrics of `metric_list` that do not read its record, or for those that do,
whichever are fewer. A metric's name also covers its error."""
_ERROR = "_stderr"


def names_in(config: Mapping[str, Any]) -> tuple[str, ...]:
    """Returns the names in the `metric_list` of a task's configuration, or of one in a results file."""
    return tuple(str(entry["metric"]) for entry in config.get("metric_list") or ())


def shortened(metrics: Sequence[str], samples: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Returns the lines of a sample log with each record written once.

    The harness writes every metric's value of a question into its line. For our tasks, that is the record,
    under up to two hundred names.
    """
    names = {*metrics}
    told = [name for name in metrics if not (name.endswith(_ERROR) and name.removesuffix(_ERROR) in names)]
    lines = []
    for sample in samples:
        items = {name for name, value in sample.items() if isinstance(value, Item)}
        # Hooks list an error beside each metric, but counts have none.
        if items and {name.removesuffix(_ERROR) for name in items} <= names:
            sample = {name: value for name, value in sample.items() if name not in items}
            given, left_out = ([name for name in told if (name in items) is there] for there in (True, False))
            sample |= {GIVEN: given} if len(given) < len(left_out) else {LEFT_OUT: left_out}
        lines.append(dict(sample))
    return lines


def given_to(row: Mapping[str, Any], metrics: tuple[str, ...]) -> frozenset[str]:
    """Returns the metrics that a line's record enters.

    Args:
        row: The line; as the harness writes it, it has a word under each metric's name.
        metrics: The names in the run's `metric_list`.

    Returns:
        Their names; from a short line those of the list alone.

    Raises:
        KeyError: The line needs the list, and there is none.
        TypeError: The line was edited.
    """
    for key in (GIVEN, LEFT_OUT):
        if key in row:
            if not metrics:
                raise KeyError("metric_list")
            if not isinstance(row[key], list):
                raise TypeError(f"{key} is not a list")
            return _of(metrics, tuple(map(str, row[key])), key == GIVEN)
    word = str(Item({}))
    return frozenset(name for name, value in row.items() if value == word)


@functools.lru_cache(maxsize=64)
def _of(metrics: tuple[str, ...], told: tuple[str, ...], are_given: bool) -> frozenset[str]:
    # Many lines of a log have equal sets here, so they share one.
    named = {*told, *(f"{name}{_ERROR}" for name in told)}
    return frozenset(name for name in metrics if (name in named) is are_given)
