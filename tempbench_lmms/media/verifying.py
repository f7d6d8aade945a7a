"""The common part of `tempbench verify`: the problems of a benchmark's data."""

from collections.abc import Callable, Iterator
from pathlib import Path

from tempbench_lmms.data import checks, extent
from tempbench_lmms.data.checks import Table
from tempbench_lmms.media import records, sandbox

Problems = Callable[[Path], Iterator[str]]
"""Yields one line per problem in the data set in a folder."""


def problems(
    tables_of: Callable[[Path], list[Table]],
    sizes: extent.Sizes = lambda manifest: (),
    more: Problems | None = None,
) -> Problems:
    """Returns the function for a benchmark's `checks.problems`: tables, rows, media, and missing parts.

    It decodes every picture, and every video that has changed since it was prepared.
    """

    def found(root: Path) -> Iterator[str]:
        """Yields one line per problem, with table, row and field; then every unusable media file."""
        tables = tables_of(root)
        has_videos = any("video" in table.media for table in tables)
        look = records.checker(root, sandbox.check_video) if has_videos else sandbox.check_picture
        yield from checks.problems(root, tables, look, sizes)
        yield from more(root) if more else ()

    return found
