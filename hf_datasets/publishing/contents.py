"""The contents of a published data set.

It is the prepared folder itself, so that a run can read it from the Hub: unchanged manifest, checksums and
tables, and each picture and video as one file. Each table has a second version with file names in the form
that `datasets` turns into pictures and videos (`*_file_name`, `*_file_names`), so that `load_dataset` and the
Hub's viewer show every question with its pictures. docs/decisions/publishing.md has the reasons.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tempbench_lmms import __version__, benchmarks
from tempbench_lmms.data import checksums, manifests, roots, tables
from tempbench_lmms.data.checks import Table
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.media import verifying

_FOLDERS = re.compile(r"(?<![\w./:~-])(?:[A-Za-z]:)?[/\\~](?:[^/\\\n:'\"]+[/\\])*(?=[^/\\\s])")


@dataclass(frozen=True)
class Split:
    """A split of a configuration."""

    name: str
    table: str
    shown: str
    rows: int
    schema: Any


@dataclass
class Contents:
    """A data set to publish."""

    benchmark: str  # the benchmark's name
    root: Path  # the prepared folder
    manifest: dict[str, Any]  # the manifest as published
    configs: dict[str, list[Split]] = field(default_factory=dict)  # the splits by configuration
    # the local path of each picture and video, by its place in the data set
    media: dict[str, Path] = field(default_factory=dict)
    patterns: dict[str, list[str]] = field(default_factory=dict)  # by configuration, the globs of its media
    tables: dict[str, Any] = field(default_factory=dict)  # arrow tables with file names, by place
    texts: dict[str, str] = field(default_factory=dict)  # other files, by place
    part: str = ""  # its part of the benchmark, from `data.manifests.part_named`

    @property
    def as_they_are(self) -> dict[str, Path]:
        """Files that are published unchanged, by place."""
        places = [split.table for splits in self.configs.values() for split in splits]
        places += [name for name in (checksums.FILE, verifying.RECORDS) if (self.root / name).is_file()]
        return {place: self.root / place for place in places} | self.media


def contents_of(benchmark: str, root: Path) -> Contents:
    """Returns the contents to publish from prepared data."""
    manifest = manifests.read(root)
    if manifest is None or (checksums.KEY in manifest and not (root / checksums.FILE).is_file()):
        raise TempbenchError(f"{root} has no checksums of its media; prepare the data again with --force")
    found = Contents(benchmark, root, {}, part=manifests.part_named(root, benchmarks.sizes(benchmark)))
    known = checksums.read(root)
    for table in benchmarks.rows(benchmark).tables_of(root):
        _add(found, table, known)
    if not found.configs:
        raise TempbenchError(f"{root}: no table found; prepare the data again")
    found.manifest = _published(manifest, found)
    found.texts[roots.MANIFEST] = _as_text(found.manifest)
    return found


def _add(found: Contents, table: Table, known: Mapping[str, Any]) -> None:
    """Adds a table, its version with file names, and the files."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    place = table.path.relative_to(found.root).as_posix()
    config, split = table.path.parent.name, table.path.stem
    read = pq.read_table(table.path)
    columns, used = {}, set()
    for name in table.schema.names:
        values = read[name].to_pylist()
        if name not in table.media:
            columns[name] = read[name]
            continue
        many = pa.types.is_list(table.schema.field(name).type)
        places = [[_place(url, found, table, known) for url in (one if many else [one])] for one in values]
        used |= {one for several in places for one in several}
        kind = pa.list_(pa.string()) if many else pa.string()
        columns[f"{name}_file_name{'s' if many else ''}"] = pa.array(
            places if many else [one for (one,) in places], type=kind
        )
    shown = f"{config}-{split}.parquet"
    found.tables[shown] = pa.table(columns).replace_schema_metadata(None)
    found.configs.setdefault(config, []).append(
        Split(split, place, shown, read.num_rows, found.tables[shown].schema)
    )
    found.patterns[config] = _patterns(used | _covered(found, config))


def _covered(found: Contents, config: str) -> set[str]:
    """Returns the media of a configuration's earlier splits, according to its globs."""
    folders = {pattern.removesuffix("/**") for pattern in found.patterns.get(config, ())}
    return {place for place in found.media if any(place.startswith(f"{one}/") for one in folders)}


def _place(url: str, found: Contents, table: Table, known: Mapping[str, Any]) -> str:
    place = url.removeprefix(f"{roots.SCHEME}{found.benchmark}/")
    if place not in found.media:
        path = roots.resolve(url)
        if not path.is_file() or "sha256" not in known.get(place, {}):
            raise TempbenchError(
                f"{url} is missing, or its checksum is; run `tempbench verify {found.benchmark}`"
            )
        found.media[place] = path
    return place


def _patterns(places: set[str]) -> list[str]:
    """Returns globs for the files' folders; one glob for all if a name could be a glob itself.

    >>> _patterns({"media/a/1.png", "media/b/c/2.png"}), _patterns({"media/1.png", "media/a/2.png"})
    (['media/a/**', 'media/b/**'], ['media/**'])
    """
    folders = {"/".join(place.split("/")[:2]) for place in places if place.count("/") > 1}
    simple = all(re.fullmatch(r"media/[A-Za-z0-9_-]+", folder) for folder in folders)
    if not simple or any(place.count("/") < 2 for place in places):
        return ["media/**"]
    return [f"{folder}/**" for folder in sorted(folders)]


def _published(manifest: Mapping[str, Any], found: Contents) -> dict[str, Any]:
    """Returns the manifest without this machine's folders, and with the checksums of all tables."""
    files = [found.root / split.table for splits in found.configs.values() for split in splits]
    files += [path for path in (found.root / verifying.RECORDS,) if path.is_file()]
    clean = {key: without_folders(value) for key, value in manifest.items() if key != "video_folders"}
    clean |= {
        manifests.TABLES: manifests.sums(found.root, files),
        "published_by": f"tempbench-lmms {__version__}",
    }
    return checksums.sealed(clean)


def without_folders(value: Any) -> Any:
    """Returns a JSON value with only the last name of local file paths in its texts.

    >>> without_folders({"folder": "/home/me/data", "why": ["/home/me/a.mp4: damaged"]})
    {'folder': 'data', 'why': ['a.mp4: damaged']}
    >>> without_folders("https://example.org/a/b tempbench://rextime/media/a.mp4 caption/test.parquet")
    'https://example.org/a/b tempbench://rextime/media/a.mp4 caption/test.parquet'
    """
    if isinstance(value, dict):
        return {without_folders(key): without_folders(one) for key, one in value.items()}
    if isinstance(value, list):
        return [without_folders(one) for one in value]
    return _FOLDERS.sub("", value) if isinstance(value, str) else value


def _as_text(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def columns_of(benchmark: str) -> dict[str, str]:
    """Returns the meaning of each column, from the comments in the benchmark's `rows.py`."""
    import importlib
    import inspect

    source = inspect.getsource(importlib.import_module(f"tempbench_lmms.{benchmark}.rows"))
    lines = re.findall(r'\("(\w+)",.*?\),?\s+# (.+)$', source, re.MULTILINE)
    return {
        name: text.replace("tempbench:// URLs", "files").replace("tempbench:// URL", "file")
        for name, text in lines
    }


def stage(found: Contents, folder: Path) -> None:
    """Writes a data set into an empty folder, with links to unchanged files."""
    for place, path in found.as_they_are.items():
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).symlink_to(path.resolve())
    import pyarrow.parquet as pq

    for place, table in found.tables.items():
        pq.write_table(table, folder / place, compression="zstd")
    for place, text in found.texts.items():
        tables.write_text(text, folder / place)


def sizes(folder: Path) -> tuple[int, int, Sequence[str]]:
    """Returns a staged data set's number of files, their bytes, and folders too large for the Hub."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    crowded: dict[str, int] = {}
    for path in files:
        name = path.parent.relative_to(folder).as_posix()
        crowded[name] = crowded.get(name, 0) + 1
    return (
        len(files),
        sum(path.stat().st_size for path in files),
        [k for k, n in crowded.items() if n > 10_000],
    )
