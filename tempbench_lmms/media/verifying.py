"""The common part of `tempbench verify`: the problems of a benchmark's data."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from tempbench_lmms.data import checks, extent
from tempbench_lmms.data.manifests import Manifest
from tempbench_lmms.media import records, sandbox

TablesOf = Callable[[Path], list[checks.Table]]
Problems = Callable[[Path], Iterator[str]]
"""Yields one line per problem in the data set in a folder."""


def of(
    *tables: checks.Table,
    sizes: extent.Sizes = lambda manifest: (),
    left_out: Callable[[Manifest], Iterable[str]] = lambda manifest: (),
) -> tuple[TablesOf, Problems]:
    """Returns a benchmark's `rows.tables_of` and `rows.problems`: tables, rows, media, and missing parts.

    The second one decodes every picture, and every video that has changed since it was prepared.

    Args:
        tables: The tables, with patterns for paths.
        sizes: Tells from the manifest how much there is and should be.
        left_out: Yields a line for what the manifest says was left out of the data.
    """
    tables_of = checks.below(*tables)

    def problems(root: Path) -> Iterator[str]:
        """Yields one line per problem, with table, row and field; then every unusable media file."""
        found = tables_of(root)
        has_videos = any("video" in table.media for table in found)
        look = records.checker(root, sandbox.check_video) if has_videos else sandbox.check_picture
        yield from checks.problems(root, found, look, sizes, left_out)

    return tables_of, problems
