"""Which of the release's records can be asked: what contradicts itself is left out and listed.

Nobody can say which half of a contradiction is right, so nothing is mended.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tempbench_lmms.data import tables
from tempbench_lmms.rextime import rows
from tempbench_lmms.rextime.prompts import LETTERS

from ..parts import Skipped

_ANSWER = re.compile(r"from .+? to .+?, (?P<option>.*?)\.?", re.IGNORECASE | re.DOTALL)
"""The release's sentence. In it `<option>` stands for the option's text, or the text itself does."""


def sound(
    records: Sequence[Mapping[str, Any]], found: Sequence[tables.Row], split: str
) -> tuple[list[tables.Row], Skipped]:
    """Returns the rows of a split that can be asked, and what is left out."""
    kept: list[tables.Row] = []
    left_out: Skipped = []
    times = Counter(row["question_id"] for row in found)
    for record, row in zip(records, found, strict=True):
        why = next(_problems(record, row, times[row["question_id"]], split != "test"), None)
        if why is None:
            kept.append(row)
        else:
            own = {"id": row["question_id"], "split": split}
            left_out.append({**own, "why": why, "reason": "contradicts itself"})
    return kept, left_out


def _problems(record: Mapping[str, Any], row: tables.Row, times: int, has_answers: bool) -> Iterator[str]:
    if times > 1:
        yield f"{times} questions have this id"
    yield from rows.row_problems(row, has_answers)
    named = _named(str(record.get("answer") or ""), row["options"]) if has_answers else None
    if named and named != row["answer"]:
        yield f"ans: {row['answer']}, and the text in `answer` is that of option {named}"


def _named(answer: str, options: Sequence[str]) -> str | None:
    """Returns the letter of the option that the sentence `answer` contains; None if it contains none."""
    found = _ANSWER.fullmatch(answer.strip())
    said = _plain(found["option"] if found else answer)
    return next(
        (letter for letter, option in zip(LETTERS, options, strict=False) if _plain(option) == said), None
    )


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".")
