"""`tempbench stats tempvs`: what a data set holds, beside Table 2."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tempbench_lmms.data.tables import read_rows
from tempbench_lmms.tempvs.card import TABLE_2


def measure(root: Path) -> dict[str, Any]:
    """Returns the counts of a data set as JSON values.

    Returns:
        `table_2`: the paper's counts, without non-events; `questions` by test or grounding set and source;
        `non_events` (those among them that name a non-event), by test; `statements`: true and false ones by
        type; `answers`: right ones by test; `images`: sequences by number of images; `sequences`: by source.
    """
    rows = read_rows(root / "all")
    mains = [row for row in rows if row["role"] == "main"]
    statements = [row for row in mains if row["statement_type"]]
    sequences = {(row["source"], row["sequence_id"]): len(row["images"]) for row in rows}
    return {
        "table_2": TABLE_2,
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
