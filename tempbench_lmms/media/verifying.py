"""What `tempbench verify` says of a benchmark's data, in the way that all benchmarks share."""

from collections.abc import Callable, Iterator
from pathlib import Path

from tempbench_lmms.data import checks, extent
from tempbench_lmms.data.checks import Table
from tempbench_lmms.media import records, sandbox

Problems = Callable[[Path], Iterator[str]]
"""Yields one line a problem in the data set under a folder."""


def problems(
    tables_of: Callable[[Path], list[Table]],
    sizes: extent.Sizes = lambda manifest: (),
    more: Problems | None = None,
) -> Problems:
    """Returns what a benchmark's `checks.problems` is: of tables, rows and media, and of what is missing.

    Every picture is decoded, and every video that is not the one that was prepared.

    Args:
        tables_of: The benchmark's tables under a folder.
        sizes: Says of the manifest how much there is, and was to be.
        more: What the benchmark itself looks for.
    """

    def found(root: Path) -> Iterator[str]:
        """Yields one line a problem, with table, row and field; then every medium that cannot be used."""
        tables = tables_of(root)
        has_videos = any("video" in table.media for table in tables)
        look = records.checker(root, sandbox.check_video) if has_videos else sandbox.check_picture
        yield from checks.problems(root, tables, look, sizes)
        yield from more(root) if more else ()

    return found
