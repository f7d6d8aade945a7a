"""Writes the questions of runs one by one as CSV: each answer's record and scores."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from tempbench_lmms import benchmarks
from tempbench_lmms.report.sheet import written
from tempbench_lmms.runs.task_log import Sample, TaskLog, edited

FIRST = ("task", "model", "id", "target", "whole_reply")
"""The columns before the records' own. A record's `reply` may be shortened."""


def as_csv(tasks: Sequence[tuple[TaskLog, Sequence[Sample]]]) -> str:
    """Returns one line per question: its record's fields, and the scores that only an aggregation computes.

    These come from a benchmark's `items.scores`, such as BERTScore and CLIPScore, which need an encoder.
    Lists are JSON; missing fields and undefined scores are empty.
    """
    rows = [row for log, samples in tasks for row in _rows(log, samples)]
    names = dict.fromkeys([*FIRST, *(name for row in rows for name in row)])
    return written([names, *([row.get(name) for name in names] for row in rows)])


def _rows(log: TaskLog, samples: Sequence[Sample]) -> Iterator[dict[str, Any]]:
    module = benchmarks.optional(log.benchmark, "items") if log.benchmark else None
    with edited(log.file):
        scores = module.scores([sample.record for sample in samples]) if module else [{}] * len(samples)
    for sample, own in zip(samples, scores, strict=True):
        row = {"task": log.task, "model": log.model, "target": sample.target, "whole_reply": sample.reply}
        row |= {**sample.record, **own}
        # None and NaN: undefined.
        yield {name: _plain(value) for name, value in row.items() if value is not None and value == value}


def _plain(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (list, dict)) else value
