"""Prepared data of every benchmark, made of the bundled samples and published on a Hub on this machine."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from tempbench_lmms import benchmarks
from tempbench_lmms.data import checksums, manifests, roots, tables
from tests import contract
from tests.command import tempbench
from tests.hub import Hub, variables

TABLES = {name: places for name in benchmarks.names() if (places := contract.get(name, "PUBLISHED"))}
"""What is taken of each sample."""

LIMIT = 8
"""How many rows at least each table has, which are the first of the sample's."""


def prepare(benchmark: str, home: Path) -> Path:
    """Writes a benchmark's sample as `prepare` would, and returns its folder."""
    sample, root = roots.mini_root(benchmark), home / benchmark
    schemas = {
        table.path.relative_to(sample).as_posix(): table
        for table in benchmarks.rows(benchmark).tables_of(sample)
    }
    records = {}
    for place in TABLES[benchmark]:
        rows = [_moved(row) for row in _first(tables.read_rows(sample / place))]
        tables.write_rows(rows, root / place, schemas[place].schema)
        for url in {url for row in rows for url in checksums.urls_of(row)}:
            name = url.removeprefix(f"{roots.SCHEME}{benchmark}/")
            tables.copy_file(sample / name, root / name)
            records[name.removeprefix("media/")] = {"sha256": tables.sha256_of([root / name])}
    files = [root / place for place in TABLES[benchmark]]
    if benchmark in ("coherence", "rextime"):
        tables.write_json(records, root / "videos.json")
        files.append(root / "videos.json")
    origin = contract.get(benchmark, "ORIGIN")
    manifest = {"benchmark": benchmark, **origin, manifests.TABLES: manifests.sums(root, files)}
    manifests.write(manifest | {checksums.KEY: checksums.write_folder(root)}, root)
    return root


def _first(rows: list[tables.Row]) -> list[tables.Row]:
    """Returns the rows of the first two stories or recipes, or some; in the sample they stand first, too."""
    column = next((name for name in ("sequence_id", "plan_id") if name in rows[0]), None)
    if column is None:
        return rows[:LIMIT]
    first = [*dict.fromkeys(row[column] for row in rows)][:2]
    return [row for row in rows if row[column] in first]


def _moved(row: tables.Row) -> tables.Row:
    def moved(value):
        return (
            [*map(moved, value)] if isinstance(value, list) else str(value).replace("/mini/media/", "/media/")
        )

    return {name: moved(value) if "tempbench://" in str(value) else value for name, value in row.items()}


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the prepared data of all benchmarks."""
    folder = tmp_path_factory.mktemp("prepared")
    for benchmark in TABLES:
        prepare(benchmark, folder)
    return folder


@pytest.fixture(scope="session")
def published(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SimpleNamespace]:
    """The Hub with all of it under org/BENCHMARK, what each push printed, and its variables."""
    folder = tmp_path_factory.mktemp("hub")
    with Hub({}, folder / "server") as hub:
        said = {}
        for benchmark in TABLES:
            private = [] if contract.get(benchmark, "PUBLIC") else ["--private"]
            words = ("push", benchmark, "--repo", f"org/{benchmark}", *private, "--yes")
            done = tempbench(*words, TEMPBENCH_DATA=str(home), **variables(hub, folder / "hf"))
            assert done.returncode == 0, done.stderr
            said[benchmark] = done.stdout
        yield SimpleNamespace(hub=hub, folder=folder / "server" / "org", said=said)
