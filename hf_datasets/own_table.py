"""Prepares a benchmark from a table of somebody's own questions, with media beside it."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tempbench_lmms.data import checksums, locks, manifests, prepared, roots, tables, user_tables
from tempbench_lmms.errors import TempbenchError

_COLUMNS = ("answer", "options", "media", "group", "id")


@dataclass(frozen=True)
class Kind:
    """What a benchmark asks.

    Attributes:
        benchmark: Its name.
        schema: The `pyarrow.Schema` of its table.
        row: Makes a row from what is asked; raises `TempbenchError` where the answer cannot be read.
        media: `pictures`, `video` or `none`.
        groups: Whether questions count together.
    """

    benchmark: str
    schema: Any
    row: Callable[[tables.Row], tables.Row]
    media: str
    groups: bool


def prepare_table(kind: Kind, source: Path, force: bool) -> None:
    """Writes media, table and, last, the manifest of a benchmark; what is there already is left alone.

    Args:
        kind: What the benchmark asks.
        source: The table. Paths of media are taken from its folder, which none of them may leave.
        force: Replace data that is already prepared.

    Raises:
        TempbenchError: The table, one of its rows or a medium is wrong, or other data is there.
    """
    root = roots.home_to_write(kind.benchmark)
    old = manifests.of_earlier(root, force, "rows")
    found = [_read(kind, source, where, cells) for where, cells in _cells(source)]
    if not found:
        raise TempbenchError(f"{source} has no questions; write a line for each")
    files = {url: path for _, media in found for url, path in media.items()}
    entry = {"table": str(source.resolve()), "sha256": tables.sha256_of([source, *files.values()])}
    if old and not force:
        if (old.get("source") or {}).get("sha256") != entry["sha256"]:
            raise TempbenchError(
                f"{root} holds data from another source; add --force to replace it, or set "
                "TEMPBENCH_DATA to another folder"
            )
        prepared.is_sound(root, old)
        print(f"{root} is already prepared; add --force to replace it")
        return
    for path in files.values():
        _look(kind.media, path)
    locks.before_change(root)
    (root / roots.MANIFEST).unlink(missing_ok=True)  # from here on the old data is no longer whole
    shutil.rmtree(root / "media", ignore_errors=True)
    for url, path in files.items():
        tables.copy_file(path, root / url.removeprefix(f"{roots.SCHEME}{kind.benchmark}/"))
    table = root / "questions" / "test.parquet"
    rows = [row for row, _ in found]
    tables.write_rows(rows, table, kind.schema)
    known: dict[str, Any] = {"sha256": tables.sha256_of([table]), prepared.KEY: prepared.sums(root, [table])}
    if files:
        known[checksums.KEY] = checksums.write_folder(root)
    counts = {"questions": len(rows)}
    manifests.write({"benchmark": kind.benchmark, "source": entry, "rows": counts, **known}, root)
    print(f"{root}: {len(rows)} questions, {len(files)} media files")


def _look(media: str, path: Path) -> None:
    from tempbench_lmms.media import apart

    if media == "video":
        apart.check_video(path)
    else:
        apart.check_picture(path, str(path))


def _cells(source: Path) -> Iterator[tuple[str, tables.Row]]:
    if source.suffix.lower() == ".parquet":
        for number, row in enumerate(tables.read_rows(source)):
            yield f"row {number}", row
        return
    yield from user_tables.read_table(source, "question", _COLUMNS)


def _read(kind: Kind, source: Path, where: str, cells: tables.Row) -> tuple[tables.Row, dict[str, Path]]:
    """Returns a row of the data set, and its media by URL."""
    try:
        number = where.rpartition(" ")[2]
        id_ = _text(cells, "id") or f"q{number}"
        asked: tables.Row = {"question_id": id_, "question": _text(cells, "question"), "unit": id_}
        if kind.groups:
            asked["unit"] = _text(cells, "group")
        asked["answer"] = _text(cells, "answer")
        media = _media(kind, source.parent, _list(cells, "media")) if kind.media != "none" else {}
        if kind.media == "pictures":
            asked["images"] = list(media)
        elif kind.media == "video":
            asked["video"] = next(iter(media))
        if "options" in kind.schema.names:
            asked["options"] = _list(cells, "options")
        if "duration" in kind.schema.names:
            from tempbench_lmms.media.video import probe

            asked["duration"] = probe(next(iter(media.values()))).duration
        for name in ("question", "answer", "unit"):
            if not asked[name]:
                raise TempbenchError(f"{'group' if name == 'unit' else name}: empty")
        return kind.row(asked), media
    except TempbenchError as error:
        raise TempbenchError(f"{source}: {where}: {error}") from None


def _text(cells: tables.Row, name: str) -> str:
    value = cells.get(name)
    return "" if value is None else str(value).strip()


def _list(cells: tables.Row, name: str) -> list[str]:
    value = cells.get(name)
    parts = value if isinstance(value, list) else str(value or "").split("|")
    return [str(part).strip() for part in parts if str(part).strip()]


def _media(kind: Kind, folder: Path, names: list[str]) -> dict[str, Path]:
    if not names or (kind.media == "video" and len(names) > 1):
        raise TempbenchError(f"media: {len(names)} files; write the paths of {kind.media}, separated by |")
    found = {}
    for name in names:
        path = folder / name
        if not path.resolve().is_relative_to(folder.resolve()):
            raise TempbenchError(f"media: {name!r} leads out of the table's folder; put the file beside it")
        if not path.is_file():
            raise TempbenchError(f"media: {name!r} is not there; correct the path")
        found[f"{roots.SCHEME}{kind.benchmark}/media/{Path(name).as_posix()}"] = path
    return found
