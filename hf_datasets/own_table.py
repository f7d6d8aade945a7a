"""Prepares a benchmark from a user's table of questions, with media beside it."""

import dataclasses
import os
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tempbench_lmms import benchmarks
from tempbench_lmms.data import checks, checksums, locks, manifests, roots, tables, terminal, user_files
from tempbench_lmms.errors import MediaError, TempbenchError

from .parts import other_source

_TABLE = Path("questions") / "test.parquet"
_ASKED = ("question", "options", "images", "video")
_COLUMNS = ("answer", "options", "media", "group", "id")
_SHOWN = 20


@dataclasses.dataclass(frozen=True)
class Kind:
    """The kind of questions of a benchmark."""

    benchmark: str  # its name
    schema: Any  # the `pyarrow.Schema` of its table
    # makes a row from a question; raises `TempbenchError` if the answer cannot be read
    row: Callable[[tables.Row], tables.Row]
    media: str  # `pictures`, `video` or `none`
    groups: bool  # whether questions count as groups


def prepare_table(kind: Kind, source: Path, force: bool) -> None:
    """Writes media, table and then the manifest of a benchmark; existing data is kept."""
    root = roots.home_to_write(kind.benchmark)
    old = manifests.of_earlier(root, force, "rows")
    rows, files = _asked(kind, source)
    entry = {"table": str(source.resolve()), "sha256": tables.sha256_of([source, *files.values()])}
    if old and not force:
        if (old.get("source") or {}).get("sha256") != entry["sha256"]:
            raise other_source(root)
        manifests.is_sound(root, old)
        print(f"{root} is already prepared; add --force to replace it")
        return
    _refuse(source, [why for path in files.values() if (why := _wrong_medium(kind.media, path))])
    locks.before_change(root)
    _write(kind, root, rows, files, {"source": entry})
    if kind.groups:
        _say_of_groups(source, rows)
    print(f"{root}: {len(rows)} questions, {len(files)} media files")


def write_sample(kind: Kind, source: Path, root: Path, least: int = 4) -> None:
    """Writes the first questions of a table as a sample; an existing sample is replaced.

    Args:
        kind: What the benchmark asks.
        source: The table.
        root: The sample's folder, which `data.roots.mini_root` returns.
        least: The number of questions, or more to complete the last group.
    """
    rows, files = _asked(kind, source, f"{roots.MINI}/")
    groups = {row["group"] for row in rows[:least]}
    rows = [row for row in rows if row["group"] in groups]
    shown = {url for row in rows for url in row.get("images") or [row.get("video")]}
    shutil.rmtree(root, ignore_errors=True)
    for url, path in files.items():
        if url in shown:
            tables.copy_file(path, root / "media" / url.partition("/media/")[2])
    tables.write_rows(rows, root / _TABLE, kind.schema)
    written = sorted(path for path in root.rglob("*") if path.is_file())
    about = {"benchmark": kind.benchmark, "edition": "the first questions", "rows": {"questions": len(rows)}}
    manifests.write({**about, "sha256": tables.sha256_of(written)}, root)


def _write(
    kind: Kind, root: Path, rows: list[tables.Row], files: Mapping[str, Path], about: Mapping[str, Any]
) -> None:
    """Writes media, table and then the manifest."""
    (root / roots.MANIFEST).unlink(missing_ok=True)  # from here on the old data is incomplete
    shutil.rmtree(root / "media", ignore_errors=True)
    for url, path in files.items():
        tables.copy_file(path, root / "media" / url.partition("/media/")[2])
    tables.write_rows(rows, root / _TABLE, kind.schema)
    sums = manifests.sums(root, [root / _TABLE])
    known: dict[str, Any] = {"sha256": tables.sha256_of([root / _TABLE]), manifests.TABLES: sums}
    if files:
        known[checksums.KEY] = checksums.write_folder(root)
    manifests.write({"benchmark": kind.benchmark, **about, "rows": {"questions": len(rows)}, **known}, root)


def _asked(kind: Kind, source: Path, folder: str = "") -> tuple[list[tables.Row], dict[str, Path]]:
    """Returns the rows of a table that pass `tempbench verify`, and the media by URL."""
    rows: list[tables.Row] = []
    files: dict[str, Path] = {}
    places: dict[Any, str] = {}
    wrong: list[str] = []
    for where, cells in _cells(source):
        try:
            row, media = _read(kind, source, where, cells, folder)
        except TempbenchError as error:
            wrong.append(f"{where}: {error}")
            continue
        asked = (row["group"] if kind.groups else "", *(str(row.get(name)) for name in _ASKED))
        if (other := places.setdefault(row["question_id"], where)) != where:
            wrong.append(f"{where}: id: {row['question_id']!r} is already used by {other}; choose another")
        if (other := places.setdefault(asked, where)) != where:
            wrong.append(f"{where}: asks the same as {other}; leave one of the two out")
        rows.append(row)
        files |= media
    _refuse(source, wrong)
    if not rows:
        raise TempbenchError(f"{source} has no questions; write one line for each")
    with tempfile.TemporaryDirectory() as scratch:
        tables.write_rows(rows, Path(scratch) / _TABLE, kind.schema)
        for table in benchmarks.rows(kind.benchmark).tables_of(Path(scratch)):
            _refuse(source, list(checks.table_problems(dataclasses.replace(table, media=()), {})))
    return rows, files


def _refuse(source: Path, wrong: Sequence[str]) -> None:
    """Raises an error for problems; prints the first ones, one line each."""
    if len(wrong) > 1:
        for line in wrong[:_SHOWN]:
            print(terminal.one_line(f"{source}: {line}"), file=sys.stderr)
        more = "see above" if len(wrong) <= _SHOWN else f"the first {_SHOWN} are above"
        raise TempbenchError(
            f"{source}: {len(wrong)} faults, {more}; correct them and give the command again"
        )
    if wrong:
        raise TempbenchError(f"{source}: {wrong[0]}")


def _say_of_groups(source: Path, rows: list[tables.Row]) -> None:
    sizes = Counter(row["group"] for row in rows)
    if alone := [group for group, n in sizes.items() if n == 1]:
        n_alone = f"{len(alone)} of {len(sizes)} groups have one question"
        print(f"{source}: {n_alone} ({alone[0]!r} is the first); it is right where that is", file=sys.stderr)


def _wrong_medium(media: str, path: Path) -> str | None:
    from tempbench_lmms.media import sandbox

    try:
        if media == "video":
            sandbox.check_video(path)
        else:
            sandbox.check_picture(path, str(path))
    except MediaError as error:
        return str(error)
    return None


def _cells(source: Path) -> Iterator[tuple[str, tables.Row]]:
    if source.suffix.lower() == ".parquet":
        for number, row in enumerate(tables.read_rows(source)):
            yield f"row {number}", row
        return
    yield from user_files.read_table(source, "question", _COLUMNS)


def _read(
    kind: Kind, source: Path, where: str, cells: tables.Row, folder: str
) -> tuple[tables.Row, dict[str, Path]]:
    """Returns a row of the data set, and its media by URL."""
    number = where.rpartition(" ")[2]
    id_ = _text(cells, "id") or f"q{number}"
    asked: tables.Row = {"question_id": id_, "question": _text(cells, "question"), "group": id_}
    if kind.groups:
        asked["group"] = _text(cells, "group")
    asked["answer"] = _text(cells, "answer")
    media = _media(kind, source.parent, _list(cells, "media"), folder) if kind.media != "none" else []
    if kind.media == "pictures":
        asked["images"] = [url for url, _ in media]
    elif kind.media == "video":
        asked["video"] = media[0][0]
    if "options" in kind.schema.names:
        asked["options"] = _list(cells, "options")
    for name in ("question", "answer", "group"):
        if not asked[name]:
            raise TempbenchError(f"{name}: empty")
    return kind.row(asked), dict(media)


def _text(cells: tables.Row, name: str) -> str:
    value = cells.get(name)
    return "" if value is None else str(value).strip()


def _list(cells: tables.Row, name: str) -> list[str]:
    value = cells.get(name)
    parts = value if isinstance(value, list) else str(value or "").split("|")
    return [str(part).strip() for part in parts if str(part).strip()]


def _media(kind: Kind, beside: Path, names: list[str], folder: str) -> list[tuple[str, Path]]:
    """Returns the URL and path of each media file; a file may be shown twice."""
    if not names or (kind.media == "video" and len(names) > 1):
        raise TempbenchError(f"media: {len(names)} files; write the paths of {kind.media}, separated by |")
    found = []
    for name in names:
        path = beside / name
        if not path.resolve().is_relative_to(beside.resolve()):
            raise TempbenchError(
                f"media: {name!r} is outside the table's folder; put the file beside the table"
            )
        if not path.is_file():
            raise TempbenchError(f"media: {name!r} does not exist; correct the path")
        inside = Path(os.path.relpath(path, beside)).as_posix()
        found.append((f"{roots.SCHEME}{kind.benchmark}/{folder}media/{inside}", path))
    return found
