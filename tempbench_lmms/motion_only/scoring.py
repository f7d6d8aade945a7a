"""The metrics of the motion-only questions.

Whoever uses single frames alone gets chance: 1/4, and 1/16 in pairs.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from tempbench_lmms import record_reading
from tempbench_lmms.metrics.groups import all_right, complete
from tempbench_lmms.metrics.ratio import Ratio, ratio
from tempbench_lmms.motion_only import parser, prompts
from tempbench_lmms.motion_only.card import KINDS
from tempbench_lmms.record import Metric, Metrics, Record

TASK = "task"
"""The one kind of task."""

METRICS = Metrics(TASK)


def record(doc: Mapping[str, Any], reply: str, failed: bool = False) -> Record:
    """Returns what is known of one answered question.

    Args:
        doc: A row of the data set.
        reply: The model's reply.
        failed: Whether the request failed, so there is no reply to read.
    """
    prompt = record_reading.prompt_of(reply, lambda: prompts.build(doc))
    found = None if failed else parser.read(reply, doc["options"], prompt)
    answer = found.value if found else None
    return {
        "id": doc["question_id"],
        "pair": doc["pair_id"],
        "kind": doc["kind"],
        "gold": doc["answer"],
        "answer": answer,
        "correct": int(answer == doc["answer"]),
        "parsed": int(answer is not None),
        "failed": int(failed),
        **record_reading.fields(found),
    }


def _share(records: Sequence[Record], field: str) -> Ratio:
    return ratio(((record[field], 1) for record in records), (record["pair"] for record in records))


@METRICS.measure(headline=True)
def accuracy(records: Sequence[Record]) -> Ratio:
    """Share of right answers."""
    return _share(records, "correct")


@METRICS.measure(headline=True)
def pair_accuracy(records: Sequence[Record]) -> Ratio:
    """Share of pairs, the same options on two videos, both of which are right; 0 for a constant answer."""
    return all_right(((record["pair"], record["correct"]) for record in records), 2)


def _of(kind: str) -> Metric:
    return lambda records: accuracy([record for record in records if record["kind"] == kind])


for _kind in KINDS:
    METRICS.add(f"accuracy_{_kind}", _of(_kind), headline=True)


@METRICS.measure(headline=True)
def parse_rate(records: Sequence[Record]) -> Ratio:
    """Share of replies that could be read."""
    return _share(records, "parsed")


record_reading.add_metrics(METRICS, "pair")


@METRICS.count(headline=True)
def n_questions(records: Sequence[Record]) -> int:
    """Number of questions."""
    return len(records)


@METRICS.count(better="lower", headline=True)
def n_cut(records: Sequence[Record]) -> int:
    """Number of pairs of which one question was not asked."""
    pairs = [record["pair"] for record in records]
    return len(set(pairs)) - len(complete(pairs, 2))


@METRICS.count(better="lower", headline=True)
def n_failed(records: Sequence[Record]) -> int:
    """Number of questions whose request failed."""
    return sum(record["failed"] for record in records)


def details(records: Sequence[Record]) -> dict[str, Any]:
    """Returns the share of each letter among the answers, and among the right answers."""
    columns = {"answers": "answer", "right_answers": "gold"}
    counts = {name: Counter(one[field] or "unparsed" for one in records) for name, field in columns.items()}
    return {
        name: {letter: n / len(records) for letter, n in sorted(found.items())}
        for name, found in counts.items()
    }
