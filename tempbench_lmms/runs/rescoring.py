"""Scores stored replies again: computes a task's scores over new records.

`tempbench rescore`, `--reparse` and second readers differ only in the records that count (`task_log.scored`
makes one from a reply). All of them use `rescored`.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tempbench_lmms import __version__
from tempbench_lmms.data import provenance
from tempbench_lmms.data.tables import Row
from tempbench_lmms.data.terminal import rounded
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness.tasks import docs_of, load_task, root_of
from tempbench_lmms.metrics.ratio import Sums
from tempbench_lmms.metrics.resampling import interval
from tempbench_lmms.record import REASON, UNDEFINED, VALUES, manner
from tempbench_lmms.runs import run_card
from tempbench_lmms.runs.task_log import Sample, TaskLog, edited, metrics_of, recompute, scored

# The fields of a record that change if a reply is read differently.
_READING = (*VALUES, "parsed", "failed", "correct")


@dataclass(frozen=True)
class Change:
    """A question whose reply is now read differently."""

    id: str
    reply: str
    then: dict[str, Any]  # how the run read it: some of the record's fields
    now: dict[str, Any]
    how_then: str = ""  # the rule, or why not; empty if unknown
    how_now: str = ""


@dataclass(frozen=True)
class Rescored:
    """A task's scores before and now."""

    log: TaskLog
    then: dict[str, Any]
    now: dict[str, Any]
    intervals: dict[str, tuple[float, float]]  # 95 %, of the new scores
    changes: tuple[Change, ...]
    samples: tuple[Sample, ...] = ()  # behind the new scores
    code: str = ""  # that read the replies again; "" if none did

    @property
    def differing(self) -> list[str]:
        """The metrics whose number (to the last bit) or nested table has changed."""
        return [name for name in self.now if _comparable(self.then.get(name)) != _comparable(self.now[name])]


def _comparable(value: Any) -> Any:
    # Compare what a results file can hold: JSON has no int keys and no tuples. The run's versions are not
    # scores.
    plain = json.loads(json.dumps(value, default=str))
    if isinstance(plain, dict):
        plain.pop(provenance.KEY, None)
    return plain


def rescored(
    log: TaskLog,
    samples: tuple[Sample, ...],
    before: tuple[Sample, ...] | None = None,
    intervals: bool = True,
) -> Rescored:
    """Returns a task's scores over samples, beside those of the same questions before.

    Args:
        log: The task.
        samples: The samples.
        before: The samples to compare with; by default those of the log, with the run's own scores.
        intervals: Whether to compute intervals.
    """
    now = recompute(log, samples)
    then = log.values if before is None else recompute(log, before)
    metrics = metrics_of(replace(log, samples=samples)) if intervals else ()
    values = {metric.name: metric() for metric in metrics}
    return Rescored(
        log=log,
        then={name: then[name] for name in now if name in then},
        now=now,
        intervals={name: interval(one) for name, one in values.items() if isinstance(one, Sums)},
        changes=tuple(_changes(log.samples if before is None else before, samples)),
        samples=samples,
    )


def _changes(then: Sequence[Sample], now: Sequence[Sample]) -> Iterator[Change]:
    for sample, other in zip(then, now, strict=True):
        old, new = sample.record, other.record
        names = [name for name in _READING if name in new and old.get(name) != new[name]]
        if names or any(name in old and old[name] != new.get(name) for name in REASON):
            values = [{name: record.get(name) for name in names} for record in (old, new)]
            yield Change(sample.id, sample.reply, values[0], values[1], manner(old), manner(new))


def rescore(log: TaskLog, reparse: bool = False, intervals: bool = True, anyway: bool = False) -> Rescored:
    """Computes a task's metrics again, beside those of the run.

    Args:
        log: The task.
        reparse: Also read the replies again, with the installed parser and the local data; otherwise the
            log's records are used unchanged.
        intervals: Whether to compute intervals.
        anyway: Read the replies again even if the local data is not the run's.

    Raises:
        TempbenchError: There is no sample log, or the data is missing or not the run's.
    """
    if not log.samples:
        raise TempbenchError(log.no_samples)
    if not reparse:
        return rescored(log, log.samples, intervals=intervals)
    url, data = run_card.data_of(log)
    then, here = data.get("sha256"), provenance.origin_of(root_of(load_task(log.task))[1]) or {}
    if not anyway and then is not None and then != provenance.sum_of_table(here.get("sha256"), url):
        raise TempbenchError(
            f"{log.task}: the local data is not the data of the run (the checksums differ); prepare the "
            "run's data, or add --anyway to read the replies with the local data"
        )
    found = rescored(log, read_again(log), intervals=intervals)
    return replace(found, code=provenance.of_numbers(log.benchmark))


def read_again(log: TaskLog) -> tuple[Sample, ...]:
    """Returns a log's samples with their replies read by the installed version.

    Raises:
        TempbenchError: The data is not on this machine, or lacks a question of the log.
    """
    config = load_task(log.task)
    read = (with_reply(config, sample, doc, sample.reply) for sample, doc in with_docs(log))
    return tuple(replace(sample, record=log.with_limit(sample)) for sample in read)


def with_reply(config: dict[str, Any], sample: Sample, doc: Row, reply: str) -> Sample:
    """Returns the sample that the task's own scoring makes from a reply."""
    now = scored(config, doc, reply)
    return replace(sample, record=now.record, metrics=now.metrics)


def with_docs(log: TaskLog) -> Iterator[tuple[Sample, Row]]:
    """Yields a log's samples, each with its question's row in the data.

    Raises:
        TempbenchError: The data is not on this machine, or lacks a question of the log.
    """
    docs = {str(doc["question_id"]): doc for doc in docs_of(load_task(log.task))}
    for sample in log.samples:
        if sample.id not in docs:
            raise TempbenchError(
                f"{log.task}: question {sample.id} is not in the local data; use the run's data"
            )
        yield sample, docs[sample.id]


def of_one_run(log: TaskLog, partial: bool = False) -> TaskLog:
    """Checks that a log gives the scores of its results file; returns the log.

    Args:
        log: The task.
        partial: Note a mismatch in the log's `problems` instead of raising an error.

    Raises:
        TempbenchError: The log that the run wrote is missing, or gives other scores.
    """
    with edited(log.file):
        problem = _not_of_one_run(log)
    if problem is None:
        return log
    if not partial:
        raise TempbenchError(f"{problem}; add --partial to continue with the numbers as they are")
    return replace(log, problems=(*log.problems, problem))


def _not_of_one_run(log: TaskLog) -> str | None:
    if not log.samples:
        is_gone = log.options.get("log_samples") and not log.log_file.is_file()
        return log.no_samples if is_gone else None
    run = log.details.get(provenance.KEY) or {}
    is_ours = run.get("packages", {}).get("tempbench-lmms") == __version__  # imports record no code
    code = run.get(provenance.CODE)
    if not is_ours or code not in (None, provenance.of_numbers(log.benchmark)) or log.problems:
        return None  # the metrics' definitions may have changed since, or the log is known to be damaged
    found = rescore(log, intervals=False)
    if differing := [name for name in found.differing if not isinstance(found.now[name], dict)]:
        return (
            f"the log of {log.file} gives other values of {log.task} ({', '.join(differing[:5])}): the "
            "results file and the log are from different runs, or one was changed"
        )
    return None


def as_text(found: Rescored, then: str, now: str, n_changes: int = 20) -> str:
    """Returns a task's scores for a terminal."""
    rows = [("metric", then, now, "95 % interval", "")]
    for name, value in found.now.items():
        if name.endswith("_stderr") or isinstance(value, dict):
            continue
        low, high = found.intervals.get(name, (float("nan"), float("nan")))
        ends = f"{rounded(low, 4)} to {rounded(high, 4)}" if low == low else ""
        mark = "differs" if name in found.differing else ""
        rows.append((name, _shown(found.then.get(name)), _shown(value), ends, mark))
    lines = [f"{found.log.task}, {found.log.model}, {len(found.log.samples):,} questions", *columns(rows)]
    if found.changes:
        lines.append(f"  {len(found.changes):,} questions are now read differently:")
        for change in found.changes[:n_changes]:
            was, is_ = _fields(change.then, change.how_then), _fields(change.now, change.how_now)
            lines.append(f"    {change.id}: {was} -> {is_}; {change.reply[:80]!r}")
        if len(found.changes) > n_changes:
            lines.append(f"    and {len(found.changes) - n_changes:,} more; see --json")
    return "\n".join(lines)


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Returns the lines of a table with aligned columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    cells = [[cell.ljust(width) for cell, width in zip(row, widths, strict=True)] for row in rows]
    return [f"  {'  '.join(row)}".rstrip() for row in cells]


def _shown(value: Any) -> str:
    if isinstance(value, (int, float)):
        return rounded(value, 6)
    return UNDEFINED if value is None else str(value)


def _fields(values: dict[str, Any], how: str) -> str:
    found = ", ".join(f"{name} {value}" for name, value in values.items())
    return f"{found} ({how})".strip() if how else found


def as_json(found: Rescored) -> dict[str, Any]:
    """Returns a task's scores as JSON values."""
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
