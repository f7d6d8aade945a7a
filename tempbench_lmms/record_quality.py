"""Warnings about degenerate runs, from records only: failed requests, unread replies, one-sided answers."""

from collections import Counter
from collections.abc import Iterator, Sequence

from tempbench_lmms.parsing.expected import UNLESS_CUT
from tempbench_lmms.record import Record

MAX_UNPARSED = 0.05
MAX_ONE_ANSWER = 0.6
ENOUGH = 20
"""Fewer answers than this are never called one-sided."""
SHORT = 20
"""Characters; a longer answer is a text."""
# Right answers may favour one option; the given answers may favour it by this much more.
_LEANING = 0.1


def warnings(records: Sequence[Record], knows_limit: bool = True) -> list[str]:
    """Returns the warnings about a run's records.

    Args:
        records: The records of a run.
        knows_limit: Whether the records tell which replies ended at their token limit
            (`record.at_limit`).
    """
    out = []
    failed = sum(bool(record["failed"]) for record in records)
    if failed:
        out.append(f"{share(failed, len(records))} of the requests failed; they count as wrong")
    answered = len(records) - failed
    unread = [record for record in records if not record["parsed"] and not record["failed"]]
    if answered and len(unread) / answered > MAX_UNPARSED:
        counts = Counter(record["reason"] for record in unread if record.get("reason"))  # not of predictions
        words = {
            reason: reason.replace("_", " ")
            if knows_limit or reason not in UNLESS_CUT
            else f"{reason} or cut off"
            for reason in counts
        }
        listed = ", ".join(f"{words[reason]} {n}" for reason, n in counts.most_common())
        why = f" ({listed})" if listed else ""
        out.append(f"{share(len(unread), answered)} of the replies are unread{why}; they count as wrong")
    out += _one_sided(records)
    return out


def _one_sided(records: Sequence[Record]) -> Iterator[str]:
    """Yields a line if most answers are the same; letters, numbers and words are counted separately."""
    answers: dict[str, Counter[str]] = {}
    golds: dict[str, Counter[str]] = {}
    for record in records:
        answer, gold = record.get("answer", record.get("prediction")), record.get("gold")
        if record["parsed"] and isinstance(answer, str) and 0 < len(answer) <= SHORT:
            kind = _kind(answer)
            answers.setdefault(kind, Counter())[answer] += 1
            if isinstance(gold, str):
                golds.setdefault(_kind(gold), Counter())[gold] += 1
    for kind, counts in answers.items():
        answer, n = counts.most_common(1)[0]
        part = n / counts.total()
        right = golds.get(kind, Counter())
        expected = right[answer] / right.total() if right.total() else 0.0
        if counts.total() >= ENOUGH and part > MAX_ONE_ANSWER and part > expected + _LEANING:
            yield (
                f"{share(n, counts.total())} of the answers are {answer!r}, right for {expected:.0%} of them"
            )


def _kind(answer: str) -> str:
    return "letter" if len(answer) == 1 and answer.isalpha() else "number" if answer.isdigit() else "word"


def share(n: int, of: int) -> str:
    """Returns a share as percent, with its counts."""
    return f"{n / of:.1%} ({n} of {of})"
