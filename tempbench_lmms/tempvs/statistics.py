"""`tempbench stats tempvs`: what a data set holds, beside Table 2."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tempbench_lmms.data.tables import Row
from tempbench_lmms.tempvs.card import MAIN_TESTS, SOURCES, TABLE_2

Cells = list[tuple[str, ...]]


def measure(rows: Sequence[Row]) -> dict[str, Any]:
    """Returns the counts of a data set as JSON values.

    Args:
        rows: The table `all`.

    Returns:
        `questions` by test or grounding set and source; `non_events` (those among them that name a non-event,
        which Table 2 leaves out), by test; `statements`: true and false ones by type; `answers`: right
        answers by test; `images`: sequences by number of images; `sequences` by source.
    """
    mains = [row for row in rows if row["role"] == "main"]
    statements = [row for row in mains if row["statement_type"]]
    sequences = {(row["source"], row["sequence_id"]): len(row["images"]) for row in rows}
    return {
        "questions": _crossed((test, row["source"]) for row in rows for test in row["tests"]),
        "non_events": dict(Counter(test for row in rows if row["invalid"] for test in row["tests"])),
        "statements": _crossed(
            (row["statement_type"], "true" if row["polarity"] == "gt" else "false") for row in statements
        ),
        "answers": _crossed((row["tests"][0], row["answer"]) for row in mains),
        "images": {str(n): count for n, count in sorted(Counter(sequences.values()).items())},
        "sequences": dict(sorted(Counter(source for source, _ in sequences).items())),
    }


def _crossed(pairs: Iterable[tuple[str, str]]) -> dict[str, dict[str, int]]:
    table: dict[str, dict[str, int]] = {}
    for (one, other), count in sorted(Counter(pairs).items()):
        table.setdefault(one, {})[other] = count
    return table


def as_tables(measured: Mapping[str, Any], beside_paper: bool) -> dict[str, Cells]:
    """Returns the counts as tables, by title; the first row of each is its head.

    Args:
        measured: What `measure` returned.
        beside_paper: Whether to set Table 2's count behind ours, in brackets.
    """
    questions = measured["questions"]
    names = [*(test for test in MAIN_TESTS if test in questions), *sorted(set(questions) - {*MAIN_TESTS})]

    def cell(test: str, source: str) -> str:
        printed = TABLE_2.get(test, {}).get(source) if beside_paper else None
        ours = str(questions[test].get(source, 0))
        return ours if printed is None else f"{ours} ({printed})"

    by_source: Cells = [("test", *SOURCES, "total", "of non-events")]
    for test in names:
        non_events = str(measured["non_events"].get(test, 0))
        total = str(sum(questions[test].values()))
        by_source.append((test, *(cell(test, source) for source in SOURCES), total, non_events))
    title = "questions by source" + (" (Table 2, without non-events)" if beside_paper else "")
    return {
        title: by_source,
        "statements": _as_cells("type", measured["statements"]),
        "right answers": _as_cells("test", measured["answers"]),
        "image sequences by number of images": [
            tuple(measured["images"]),
            tuple(str(count) for count in measured["images"].values()),
        ],
    }


def _as_cells(name: str, table: Mapping[str, Mapping[str, int]]) -> Cells:
    columns = sorted({column for counts in table.values() for column in counts})
    rows = [(row, *(str(counts.get(column, 0)) for column in columns)) for row, counts in table.items()]
    return [(name, *columns), *rows]
