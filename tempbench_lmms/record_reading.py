"""The fields of a record that say how a reply was read, or why not, and the shares of both.

`how` is one of `parsing.expected.RULES`, `reason` one of `REASONS`, `where` the start and end of the answer
in the reply; all are None if the request failed. If a letter and a span are read, each also has fields of its
own: `answer_how`, `span_reason`; the whole reply has the reason of the first one missing. Records of
predictions without replies have none of these fields.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from tempbench_lmms.metrics.groups import complete
from tempbench_lmms.metrics.ratio import Ratio
from tempbench_lmms.parsing.expected import REASONS, UNLESS_CUT, Reading
from tempbench_lmms.record import UNREAD, Metric, Metrics, Record, mean, n_failed, n_questions

VALUES = ("answer", "prediction", "number", "spans", "caption")
"""The fields that hold the values read; each benchmark has some of them."""
PARTS = ("answer_", "span_")
"""The fields' prefixes if a reply has two answers."""
HOW, REASON = (tuple(f"{part}{name}" for part in ("", *PARTS)) for name in ("how", "reason"))
_FIELDS = {part: (f"{part}how", f"{part}reason", f"{part}where") for part in ("", *PARTS)}
KEY = "readings"
"""The key of the shares in `details`."""


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
) -> Record:
    """Returns the common fields of a question that is answered with a letter and a span of its video.

    Args:
        doc: Its row.
        found: The readings of `letter` and `span`; None where the request failed.
        ask: What was asked for: `both`, `answer` or `span`.
        spans: The spans that the reply states; the first one is scored.
    """
    letter, span = (found["letter"], found["span"]) if found else (None, None)
    answer = letter.value if letter else None
    return {
        "id": doc["question_id"],
        "video": doc["video_id"],
        "gold": doc["answer"],
        "windows": [list(window) for window in doc["windows"]],
        "answer": answer,
        "spans": [list(one) for one in spans],
        "answer_parsed": int(answer is not None),
        "span_parsed": int(bool(spans)),
        "parsed": int((ask == "span" or answer is not None) and (ask == "answer" or bool(spans))),
        "failed": int(found is None),
        **fields_of_parts(letter, span, ask),
    }


def parse_rate(unit: str) -> Callable[[Sequence[Record]], Ratio]:
    """Returns the metric of the share of questions whose answer could be read."""
    rate = mean("parsed", unit)
    rate.__doc__ = "Share of questions whose answer could be read."
    return rate


def fields(found: Reading[Any] | None, prefix: str = "") -> Record:
    """Returns the fields of a record that say how a reply was read.

    Args:
        found: The reading; None where the request failed.
        prefix: Put before the fields' names: "", or one of `PARTS`.
    """
    how, reason, where = _FIELDS[prefix]
    if not found:
        return dict.fromkeys((how, reason, where))
    return {how: found.how, reason: found.reason, where: list(found.where) if found.where else None}


def fields_of_parts(letter: Reading[Any] | None, span: Reading[Any] | None, ask: str) -> Record:
    """Returns the fields of a record that say how the letter and the span of a reply were read.

    Args:
        letter: The reading of the letter; None if the request failed.
        span: The reading of the span; None if the request failed.
        ask: What was asked for: `both`, or one of them; the first requested part that is missing gives the
            reply's reason.
    """
    asked = {"both": (letter, span), "answer": (letter,), "span": (span,)}[ask]
    missing = [found for found in asked if found and found.value is None]
    out = fields(missing[0] if missing else asked[0])
    if ask == "both":
        for part, found in zip(PARTS, asked, strict=True):
            out |= fields(found, part)
    return out


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
    cut = {
        reason: "cut_off"
        for how, reason in zip(HOW, REASON, strict=True)
        if record.get(reason) in UNLESS_CUT and record.get(how) is None
    }
    return {**record, **cut}


def manner(record: Record) -> str:
    """Returns in a few words how a reply was read; empty if the record does not say.

    >>> manner({"how": "json", "reason": None}), manner({"how": None, "reason": "refused"})
    ('json', 'unread: refused')
    """
    if "span_how" in record:
        words = [(part, _manner(record, part)) for part in PARTS]
        return "; ".join(f"{part.rstrip('_')} {said}" for part, said in words if said)
    return _manner(record)


def _manner(record: Record, part: str = "") -> str:
    how, reason = record.get(f"{part}how"), record.get(f"{part}reason")
    return str(how) if how else f"unread: {reason}" if reason else ""


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
        counts = Counter(record[name] for record in known if record.get(name))
        if counts:
            out[name] = {word: n / len(known) for word, n in counts.most_common()}
    return out


def add_metrics(
    metrics: Metrics, unit: str, tasks: Iterable[str] = (), reasons: Sequence[str] = REASONS, prefix: str = ""
) -> None:
    """Adds the share of questions unread for each reason: `unread_empty` and so on.

    Together with `parse_rate` and the share of failed requests they add up to 1.

    Args:
        metrics: A benchmark's table.
        unit: The field of a record that names the unit of sampling, such as `video`.
        tasks: See `Metrics.add`.
        reasons: The possible reasons.
        prefix: Put before the names.
    """
    for reason in reasons:
        metrics.add(
            f"{prefix}{UNREAD}{reason}",
            _share(reason, unit),
            f"Share of questions whose reply was not read, for the reason `{reason}`.",
            better="lower",
            tasks=tasks,
            has_error=False,
        )


def add_counts(metrics: Metrics, unit: str, size: int = 0) -> None:
    """Adds the common metrics: the rate of read replies, reasons for unread ones, questions and failures.

    Args:
        metrics: The table.
        unit: The field that names the unit of sampling.
        size: How many questions of a unit count together; if given, adds the number of units that lack one.
    """
    metrics.add("parse_rate", parse_rate(unit), headline=True)
    add_metrics(metrics, unit)
    metrics.count(headline=True)(n_questions)
    if size:

        @metrics.count(better="lower", headline=True)
        def n_cut(records: Sequence[Record]) -> int:
            """Number of groups of questions of which some were not asked."""
            units = [record[unit] for record in records]
            return len(set(units)) - len(complete(units, size))

    metrics.count(better="lower", headline=True)(n_failed)


def _share(reason: str, unit: str) -> Metric:
    # Predictions without replies do not tell: undefined, not 0.
    return mean(lambda record: record["reason"] == reason, unit, lambda record: "reason" in record)
