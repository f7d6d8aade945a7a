"""The numbers in `reference/` are those that the papers print; where the texts of the papers are at hand."""

import math
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from tempbench_lmms import benchmarks

PAPERS = {
    "tempvs": "000_1f4afa32a1a354c5.txt",
    "timepercept": "001_7b7fc114b3c22071.txt",
    "mateo": "002_45dafcf6299d8f45.txt",
    "coherence": "003_eb9f2d4a83f08e1e.txt",
    "rextime": "004_20641ae9565f5b7e.txt",
}
TABLES = [
    (name, table)
    for name in benchmarks.names()
    for table in dict.fromkeys(one.table for one in benchmarks.card(name).reference)
    if table.startswith("Table")
]


def rows_of(text: str) -> list[list[float]]:
    """Returns the numbers of each line, NaN for a dash."""
    lines = re.sub(r"\\ul|[*%,]", "", text).replace("–", "-").splitlines()
    out = []
    for line in lines:
        words = [word for word in line.split() if re.fullmatch(r"-?\d*\.?\d+|-", word)]
        out.append([math.nan if word == "-" else float(word) for word in words])
    return out


def same(value: float, printed: float) -> bool:
    """Whether a number is printed so, as a share or in percent."""
    if math.isnan(value) or math.isnan(printed):
        return math.isnan(value) and math.isnan(printed)
    return any(math.isclose(value * scale, printed, abs_tol=1e-9) for scale in (1, 100))


def holds(line: Sequence[float], row: Sequence[float]) -> bool:
    return any(all(map(same, row, line[start:])) for start in range(len(line) - len(row) + 1))


@pytest.mark.parametrize(("benchmark", "table"), TABLES)
def test_every_row_is_printed(benchmark: str, table: str, shared: Path) -> None:
    lines = rows_of((shared / "papers" / PAPERS[benchmark]).read_text(encoding="utf-8"))
    rows: dict[str, list[float]] = {}
    for one in benchmarks.card(benchmark).reference:
        if one.table == table:
            rows.setdefault(one.model.partition(", ")[0], []).append(one.value)
    rows.pop("InternVL3.5-8B fine-tuned", None)  # its three numbers stand between those of other models
    assert [model for model, row in rows.items() if not any(holds(line, row) for line in lines)] == []
