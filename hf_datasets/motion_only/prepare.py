"""Renders motion-only videos into the folder of all prepared data.

An interrupted run continues; a second run with the same settings does nothing.
"""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from tempbench_lmms.data import checksums, locks, manifests, roots, tables
from tempbench_lmms.motion_only.rows import BENCHMARK, SCHEMA

from ..parts import other_source
from .render import questions, render

Track = Callable[[list[Any]], Iterable[Any]]

RENDERER = 1
"""The version of the videos for a seed."""


def prepare(
    n_pairs: int, seed: int, force: bool = False, track: Track = lambda things: things
) -> tuple[Path, bool]:
    """Writes the data set.

    Returns:
        The data's folder, and whether anything was done.
    """
    root = roots.home_to_write(BENCHMARK)
    identity = {"pairs": n_pairs, "seed": seed, "renderer": RENDERER}
    old = manifests.of_earlier(root, force, "settings", "rows")
    same = old is not None and old["settings"] == identity
    if old is not None and same and manifests.is_sound(root, old, force=force):
        return root, False
    if old is not None and not same and not force:
        raise other_source(root, ", with other settings")
    locks.before_change(root)
    # Without a manifest, the folder does not count as finished.
    (root / roots.MANIFEST).unlink(missing_ok=True)
    _make(root, identity, force, track)
    return root, True


def _make(root: Path, identity: dict[str, int], force: bool, track: Track) -> None:
    prefix = f"{roots.SCHEME}{BENCHMARK}/"
    asked = questions(identity["pairs"], identity["seed"], f"{prefix}media/")
    files = {root / row["video"].removeprefix(prefix): (figure, noise) for row, figure, noise in asked}
    for path, (figure, noise) in track(list(files.items())):
        if force or not path.is_file():
            render(figure, noise, path)
    tables.keep_only(files, root / "media")
    media_sums = checksums.write_folder(root)
    table = root / "test" / "test.parquet"
    tables.write_rows([row for row, _, _ in asked], table, SCHEMA)
    manifests.write(
        {
            "benchmark": BENCHMARK,
            "edition": "rendered by `tempbench prepare motion_only`",
            "licence": "MIT",
            "settings": identity,
            "rows": {"test": len(asked)},
            "sha256": tables.sha256_of([table]),
            manifests.TABLES: manifests.sums(root, [table]),
            checksums.KEY: media_sums,
        },
        root,
    )
