"""Warnings that records alone give: failed requests, unread replies, one-sided answers."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

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


@dataclass(frozen=True)
class Warned:
    """A reason not to trust a run's scores."""

    kind: str  # one of the columns of a report's first screen, `report.problems.PROBLEMS`
    text: str

    def __str__(self) -> str:
        return self.text


def of_records(records: Sequence[Record], knows_limit: bool = True) -> list[Warned]:
    """Returns the warnings about how replies were read.

    Args:
        records: The records of a run.
        knows_limit: Whether the records tell which replies ended at their token limit (`record.at_limit`).
    """
    out = []
    failed = sum(bool(record["failed"]) for record in records)
    if failed:
        out.append(
            Warned("failed", f"{share(failed, len(records))} of the requests failed; they count as wrong")
        )
    answered = len(records) - failed
    unread = [record for record in records if not record["parsed"] and not record["failed"]]
    if answered and len(unread) / answered > MAX_UNPARSED:
        counts = Counter(record["reason"] for record in unread if record.get("reason"))  # not of predictions
        or_cut = "" if knows_limit else " or cut off"
        listed = ", ".join(
            f"{reason.replace('_', ' ')}{or_cut if reason in UNLESS_CUT else ''} {n}"
            for reason, n in counts.most_common()
        )
        why = f" ({listed})" if listed else ""
        text = f"{share(len(unread), answered)} of the replies are unread{why}; they count as wrong"
        out.append(Warned("unread", text))
    return [*out, *_one_sided(records)]


def _one_sided(records: Sequence[Record]) -> Iterator[Warned]:
    """Yields a line if most answers are the same; letters, numbers and words are counted separately."""
    answers: dict[str, Counter[str]] = defaultdict(Counter)
    golds: dict[str, Counter[str]] = defaultdict(Counter)
    for record in records:
        answer, gold = record.get("answer", record.get("prediction")), record.get("gold")
        if record["parsed"] and isinstance(answer, str) and 0 < len(answer) <= SHORT:
            answers[_kind(answer)][answer] += 1
            if isinstance(gold, str):
                golds[_kind(gold)][gold] += 1
    for kind, counts in answers.items():
        answer, n = counts.most_common(1)[0]
        right = golds[kind]
        expected = right[answer] / right.total() if right.total() else 0.0
        if counts.total() >= ENOUGH and n / counts.total() > max(MAX_ONE_ANSWER, expected + _LEANING):
            of = share(n, counts.total())
            yield Warned("other", f"{of} of the answers are {answer!r}, right for {expected:.0%} of them")


def _kind(answer: str) -> str:
    return "letter" if len(answer) == 1 and answer.isalpha() else "number" if answer.isdigit() else "word"


def share(n: int, of: int) -> str:
    """Returns a share as percent, with its counts."""
    return f"{n / of:.1%} ({n} of {of})"
