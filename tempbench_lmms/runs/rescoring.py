"""`tempbench rescore`: a finished run's numbers again from its log, without a model."""

import importlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tempbench_lmms import __version__
from tempbench_lmms.data import code_digest, provenance
from tempbench_lmms.data.tables import Row
from tempbench_lmms.data.terminal import rounded
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness.adapter import Item
from tempbench_lmms.harness.tasks import docs_of, load_task, root_of
from tempbench_lmms.metrics.resampling import Sums, interval
from tempbench_lmms.record import UNDEFINED, Record
from tempbench_lmms.record_reading import REASON, VALUES, manner
from tempbench_lmms.runs import run_card
from tempbench_lmms.runs.logs import Sample, TaskLog, edited, metrics_of, recompute

# The fields of a record in which a reply that is read differently differs.
_READING = (*VALUES, "parsed", "failed", "correct")
_OFFICIAL = "_official"


@dataclass(frozen=True)
class Change:
    """A question that is read differently now.

    Attributes:
        id: The question.
        reply: The model's reply.
        then: How the run read it: some of the record's fields.
        now: How it is read now.
        how_then: By which rule the run read it, or why not; empty where its log does not say.
        how_now: The same now.
    """

    id: str
    reply: str
    then: dict[str, Any]
    now: dict[str, Any]
    how_then: str = ""
    how_now: str = ""


@dataclass(frozen=True)
class Rescored:
    """A task's numbers as the run printed them and as they are now.

    Attributes:
        log: The task.
        then: As the run printed them.
        now: Computed again.
        intervals: 95 % intervals of the numbers now, for ratios and the like.
        changes: The questions that are read differently now.
        differing: The metrics whose number is not the run's.
        samples: The samples that the numbers now are of.
        code: What is known of the code that has read the replies again; "" where none has.
    """

    log: TaskLog
    then: dict[str, Any]
    now: dict[str, Any]
    intervals: dict[str, tuple[float, float]]
    changes: tuple[Change, ...]
    samples: tuple[Sample, ...] = ()
    code: str = ""

    @property
    def differing(self) -> list[str]:
        """The metrics whose number, to the last bit, or whose nested table is not the run's."""
        return [name for name in self.now if _comparable(self.then.get(name)) != _comparable(self.now[name])]


def _comparable(value: Any) -> Any:
    # What a results file holds: JSON has no int keys and no tuples. The run's own versions are not scores.
    plain = json.loads(json.dumps(value, default=str))
    return (
        {key: table for key, table in plain.items() if key != provenance.KEY}
        if isinstance(plain, dict)
        else plain
    )


def of_one_run(log: TaskLog, partial: bool = False) -> TaskLog:
    """Returns a log after a look whether it is the one that the numbers of its results file are of.

    Args:
        log: The task.
        partial: Say so in the log's `problems` where it is not, instead of raising.

    Raises:
        TempbenchError: The log is gone that the run has written, or gives other numbers.
    """
    with edited(log.file):
        problem = _not_of_one_run(log)
    if problem is None:
        return log
    if not partial:
        raise TempbenchError(f"{problem}; add --partial to go on with the numbers as they are")
    return replace(log, problems=(*log.problems, problem))


def _not_of_one_run(log: TaskLog) -> str | None:
    if not log.samples:
        arguments = (log.header.get("config") or {}).get("resolved_cli_args") or {}
        is_gone = arguments.get("log_samples") and not log.log_file.is_file()
        return log.no_samples if is_gone else None
    run = log.details.get(provenance.KEY) or {}
    if run.get("packages", {}).get("tempbench-lmms") != __version__ or is_of_other_code(log):
        return None  # metrics may have been defined otherwise then
    if log.problems:
        return None  # the log is known to be damaged
    found = rescore(log, intervals=False)
    if differing := [name for name in found.differing if not isinstance(found.now[name], dict)]:
        return (
            f"{log.file} has other numbers of {log.task} than its log gives ({', '.join(differing[:5])}): "
            "one of the two is of another run, or was changed"
        )
    return None


def is_of_other_code(log: TaskLog) -> bool:
    """Whether other code than that here made numbers of the replies; an import notes none."""
    then = (log.details.get(provenance.KEY) or {}).get(code_digest.KEY)
    return then is not None and then != code_digest.of_numbers(log.benchmark)


def rescore(log: TaskLog, reparse: bool = False, intervals: bool = True, anyway: bool = False) -> Rescored:
    """Computes a task's metrics again.

    Args:
        log: The task.
        reparse: Read the replies again too, with this version's parser and the data at hand; else the
            records of the log are used as they are.
        intervals: Whether to compute intervals.
        anyway: Read the replies again although the data here is not the run's.

    Raises:
        TempbenchError: There is no sample log; or the data is not here, or not the run's.
    """
    if not log.samples:
        raise TempbenchError(log.no_samples)
    changed: tuple[Change, ...] = ()
    samples = log.samples
    if reparse:
        if not anyway:
            _check_data(log)
        samples, changed = read_again(log)
    now = recompute(log, samples)
    then = {name: log.values[name] for name in now if name in log.values}
    ends = intervals_of(replace(log, samples=tuple(samples))) if intervals else {}
    read_by = code_digest.of_numbers(log.benchmark) if reparse else ""
    return Rescored(log, then, now, ends, changed, samples, read_by)


def intervals_of(log: TaskLog) -> dict[str, tuple[float, float]]:
    """Returns the 95 % interval of every metric of a log that has one."""
    out = {}
    for metric in metrics_of(log):
        result = metric()
        if isinstance(result, Sums):
            out[metric.name] = interval(result)
    return out


def _check_data(log: TaskLog) -> None:
    """Raises where the data of the run is known and not the data at hand."""
    url, data = run_card.data_of(log)
    then, here = data.get("sha256"), provenance.origin_of(root_of(load_task(log.task))[1]) or {}
    now = provenance.sum_of_table(here.get("sha256"), url)
    if then is not None and then != now:
        raise TempbenchError(
            f"{log.task}: the data here is not the data of the run (their checksums differ); prepare that of "
            "the run, or add --anyway to read the replies with the data here"
        )


def read_again(log: TaskLog) -> tuple[tuple[Sample, ...], tuple[Change, ...]]:
    """Returns a log's samples with their replies read by this version, and what is read differently.

    Raises:
        TempbenchError: The data is not on this machine, or a question of the log is missing in it.
    """
    config = load_task(log.task)
    read = (scored(config, sample, doc) for sample, doc in with_docs(log))
    samples = tuple(replace(sample, record=log.with_limit(sample)) for sample in read)
    return samples, changes(log.samples, [sample.record for sample in samples])


def with_docs(log: TaskLog) -> Iterator[tuple[Sample, Row]]:
    """Yields a log's samples, each with its question's row in the data.

    Raises:
        TempbenchError: The data is not on this machine, or a question of the log is missing in it.
    """
    # Who imports replies need not have the media.
    rows = docs_of(load_task(log.task), media=run_card.IMPORTED not in log.header)
    docs = {str(doc["question_id"]): doc for doc in rows}
    for sample in log.samples:
        id_ = str(sample.record["id"])
        if id_ not in docs:
            raise TempbenchError(
                f"{log.task}: question {id_} is not in the data here; use the data that the run was made with"
            )
        yield sample, docs[id_]


def scored(config: dict[str, Any], sample: Sample, doc: Row, reply: str | None = None) -> Sample:
    """Returns a sample as the task's own scoring makes it of a reply.

    Args:
        config: The task's configuration.
        sample: The sample.
        doc: Its question's row.
        reply: The reply, such as a `Reread`; the sample's own where omitted.
    """
    out = config["process_results"](doc, [sample.reply if reply is None else reply])
    metrics = frozenset(name for name, value in out.items() if isinstance(value, Item))
    return replace(sample, record=out["record"], metrics=metrics)


def changes(samples: Sequence[Sample], records: Sequence[Record]) -> tuple[Change, ...]:
    """Returns the questions whose reply was read differently in other records."""
    out = []
    for sample, record in zip(samples, records, strict=True):
        then, now = sample.record, record
        names = [name for name in _READING if name in now and then.get(name) != now[name]]
        reasons = [name for name in REASON if name in then and then[name] != now.get(name)]
        if names or reasons:
            out.append(
                Change(
                    str(record["id"]),
                    sample.reply,
                    {name: then.get(name) for name in names},
                    {name: now[name] for name in names},
                    manner(then),
                    manner(now),
                )
            )
    return tuple(out)


def has_official(log: TaskLog) -> bool:
    """Whether a task has numbers of an official parser."""
    return any(metric.name.endswith(_OFFICIAL) for metric in metrics_of(log))


def official(log: TaskLog) -> Rescored:
    """Sets the official parser's numbers beside ours, with the questions that the two read differently.

    A benchmark with an official parser has metrics `NAME_official` beside `NAME`; which questions it reads
    differently is known where its `scoring` has `as_official_of_run` or its records `correct_official`.

    Returns:
        `then` ours, where we have that number, `now` the official one, both under the name of the metric.

    Raises:
        TempbenchError: The task has no such metrics.
    """
    values = recompute(log)
    names = [name for name in values if name.endswith(_OFFICIAL)]
    if not names:
        raise TempbenchError(f"{log.task} has no official parser")
    ends = {_without_suffix(name): value for name, value in intervals_of(log).items() if name in names}
    ours = {name: values[name] for name in map(_without_suffix, names) if name in values}
    theirs = {_without_suffix(name): values[name] for name in names}
    return Rescored(log, ours, theirs, ends, tuple(_official_changes(log)))


def _without_suffix(name: str) -> str:
    return name.removesuffix(_OFFICIAL)


def _official_changes(log: TaskLog) -> list[Change]:
    scoring = importlib.import_module(f"tempbench_lmms.{log.benchmark}.scoring")
    of_run: Callable[..., list[Record]] | None = getattr(scoring, "as_official_of_run", None)
    if of_run is not None:
        read = {record["id"]: record["correct"] for record in of_run(log.records, log.arguments)}
    else:
        read = {r["id"]: r["correct_official"] for r in log.records if "correct_official" in r}
    samples = [sample for sample in log.samples if sample.record["id"] in read]
    return [
        Change(
            str(sample.record["id"]),
            sample.reply,
            {"correct": sample.record["correct"]},
            {"correct": read[sample.record["id"]]},
            manner(sample.record),
        )
        for sample in samples
        if sample.record["correct"] != read[sample.record["id"]]
    ]


def as_text(found: Rescored, then: str, now: str, n_changes: int = 20) -> str:
    """Returns a task's numbers for a terminal.

    Args:
        found: The numbers.
        then: Heading of the old numbers.
        now: Heading of the new.
        n_changes: How many questions to list.
    """
    rows = [("metric", then, now, "95 % interval", "")]
    for name, value in found.now.items():
        if name.endswith("_stderr") or isinstance(value, dict):
            continue
        low, high = found.intervals.get(name, (float("nan"), float("nan")))
        ends = f"{rounded(low, 4)} to {rounded(high, 4)}" if low == low else ""
        mark = "differs" if name in found.differing else ""
        rows.append((name, _shown(found.then.get(name)), _shown(value), ends, mark))
    widths = [max(len(row[i]) for row in rows) for i in range(5)]
    lines = [f"{found.log.task}, {found.log.model}, {len(found.log.samples):,} questions"]
    lines += [
        "  " + "  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows
    ]
    if found.changes:
        lines.append(f"  {len(found.changes):,} questions are read differently:")
        for change in found.changes[:n_changes]:
            was, is_ = _fields(change.then, change.how_then), _fields(change.now, change.how_now)
            lines.append(f"    {change.id}: {was} -> {is_}; {change.reply[:80]!r}")
        if len(found.changes) > n_changes:
            lines.append(f"    and {len(found.changes) - n_changes:,} more; see --json")
    return "\n".join(lines)


def _shown(value: Any) -> str:
    if isinstance(value, (int, float)):
        return rounded(value, 6)
    return UNDEFINED if value is None else str(value)


def _fields(values: dict[str, Any], how: str) -> str:
    found = ", ".join(f"{name} {value}" for name, value in values.items())
    return f"{found} ({how})".strip() if how else found


def as_json(found: Rescored) -> dict[str, Any]:
    """Returns a task's numbers as JSON values."""
    return {
        "task": found.log.task,
        "run": run_card.run_card(found.log),
        **({"code_now": found.code} if found.code else {}),
        "then": found.then,
        "now": found.now,
        "intervals": {
            name: [None if end != end else end for end in ends] for name, ends in found.intervals.items()
        },
        "differing": found.differing,
        "changes": [vars(change) for change in found.changes],
        "problems": list(found.log.problems),
    }
