"""`tempbench stats BENCHMARK`: counts what a data set holds."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tempbench_lmms import benchmarks
from tempbench_lmms.cli.command import AsJson, Mini
from tempbench_lmms.data import terminal
from tempbench_lmms.data.checksums import urls_of
from tempbench_lmms.data.tables import read_rows
from tempbench_lmms.metrics.sampling import joined

_MOST = 30
"""The values of a column with more distinct values than this are not counted."""


def command(benchmark: str) -> Callable[..., None]:
    """Returns the command of a benchmark."""

    def stats(
        mini: Mini = False,
        as_json: AsJson = False,
    ) -> None:
        """Count the questions of the prepared data, their groups, media and values."""
        from tempbench_lmms.data.roots import mini_root, prepared_root

        root = mini_root(benchmark) if mini else prepared_root(benchmark)
        measured = measure(benchmark, root)
        if as_json:
            print(json.dumps(measured, indent=2))
        else:
            terminal.print_nested(measured)

    return stats


def measure(benchmark: str, root: Path) -> dict[str, Any]:
    """Returns the counts of each table: questions, groups, media, values of columns."""
    groups = benchmarks.groups(benchmark)
    out = {}
    for table in benchmarks.rows(benchmark).tables_of(root):
        rows = read_rows(table.path)
        columns = {name: [row[name] for row in rows] for name in groups.columns}
        found: dict[str, Any] = {
            "questions": len(rows),
            "groups": len(set(groups.of(columns))),
            "media": len({url for row in rows for url in urls_of(row)}),
        }
        for name in (*groups.strata, "answer"):
            counts = Counter(joined([row[name]]) for row in rows if row.get(name) is not None)
            if 0 < len(counts) <= _MOST:
                found[name] = dict(sorted(counts.items()))
        out[table.path.parent.relative_to(root).as_posix()] = found
    return out
