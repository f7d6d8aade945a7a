"""Prepares the two controls: UC Merced for recognition, TemporalVQA for transfer."""

import hashlib
import random
import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tempbench_lmms.data import bounds, checksums, hub, outputs, releases, tables
from tempbench_lmms.data.tables import Row
from tempbench_lmms.errors import MediaError, TempbenchError
from tempbench_lmms.timepercept.card import CONTROL_SIZES, LAPSES
from tempbench_lmms.timepercept.rows import SCHEMA

from . import pictures, questions
from .series import Series, Shot, Skipped, is_picture, nothing_skipped, slug

HUB = "hub"
UCM_REPOSITORY = "blanchon/UC_Merced"
TEMPORALVQA_REPOSITORY = "fazliimam/temporal-vqa"
BY_HAND = {
    UCM_REPOSITORY: "get UCMerced_LandUse.zip from http://weegee.vision.ucmerced.edu/datasets/landuse.html "
    "and give it with --ucm (public domain)",
    TEMPORALVQA_REPOSITORY: "download its Parquet files from "
    f"https://huggingface.co/datasets/{TEMPORALVQA_REPOSITORY} and give their folder with --temporalvqa "
    "(Apache-2.0)",
}
"""Where a control comes from, for who has no way to the Hub."""

_CLASSES = """agricultural airplane baseball_diamond beach buildings chaparral dense_residential forest
    freeway golf_course harbor intersection medium_residential mobile_home_park overpass parking_lot river
    runway sparse_residential storage_tanks tennis_court"""
UCM_CLASSES = {name.replace("_", ""): name.replace("_", " ") for name in _CLASSES.split()}
"""The 21 classes as the data set spells them, in its order, and as they are asked about."""

_AS_GIVEN = "ucm/as_given"


@dataclass(frozen=True)
class Origin:
    """Where a control was read from."""

    folder: Path
    name: str
    revision: str


def origin(source: str, repository: str) -> Origin:
    """Returns a local folder, or the Hub's data set downloaded (only its Parquet files).

    Args:
        source: A folder, or "hub".
        repository: The data set's id on the Hub. HF_ENDPOINT, HF_TOKEN and HF_HUB_OFFLINE are honoured.
    """
    if source != HUB:
        if not Path(source).is_dir():
            raise TempbenchError(
                f"{source} is not a folder; give one, or `{HUB}` to download {repository}, or "
                f"{BY_HAND.get(repository, 'download it elsewhere')}"
            )
        return Origin(Path(source), str(Path(source).resolve()), "")
    from huggingface_hub import snapshot_download

    with hub.downloading(repository, BY_HAND.get(repository, "")):
        sha = hub.dataset_info(repository).sha
        folder = Path(
            snapshot_download(repository, repo_type="dataset", revision=sha, allow_patterns=["*.parquet"])
        )
    # A snapshot's folder bears the name of its commit.
    return Origin(folder, repository, folder.name)


def _parquet_rows(files: Sequence[Path]) -> Iterator[tuple[Row, dict[str, list[str]]]]:
    """Yields the rows of Parquet files with the names of their class labels."""
    import pyarrow as pa

    for file in files:
        try:
            parquet = bounds.open_parquet(file)
            names = _label_names((parquet.schema_arrow.metadata or {}).get(b"huggingface", b"{}"))
            for batch in bounds.batches(file, parquet, rows=64):
                for row in batch.to_pylist():
                    yield row, names
        except (pa.ArrowException, OSError, ValueError) as error:
            raise TempbenchError(
                f"{file} cannot be read ({tables.first_line(error)}); download it again"
            ) from None


def _label_names(described: bytes) -> dict[str, list[str]]:
    """Returns the names of class labels from what `datasets` writes into a file; of odd ones nothing."""
    found = tables.parse_json(described.decode("utf-8"))
    for key in ("info", "features"):
        found = found.get(key) if isinstance(found, dict) else None
    return {
        key: value["names"]
        for key, value in (found.items() if isinstance(found, dict) else ())
        if isinstance(value, dict) and isinstance(value.get("names"), list)
    }


def _named(value: Any, names: Sequence[str] | None) -> str:
    """Returns a label's text; a class label is stored as its number."""
    if isinstance(value, int) and names and 0 <= value < len(names):
        return str(names[value])
    return str(value)


def _bytes(cell: Any) -> bytes:
    content = cell.get("bytes") if isinstance(cell, dict) else cell
    if not isinstance(content, bytes):
        raise MediaError("the image column holds no image bytes")
    return content


def _keep(content: bytes, root: Path, folder: str) -> str:
    """Stores a picture as it is under a name made from its content; returns its path below the media."""
    from tempbench_lmms.media.images import FORMATS, format_of
    from tempbench_lmms.media.sandbox import check_picture

    suffix = FORMATS.get(format_of(content[:32]), "")
    media = f"{folder}/{hashlib.sha256(content).hexdigest()[:20]}{suffix}"
    target = root / "media" / media
    if not target.is_file() or target.read_bytes() != content:  # a damaged one has the name too
        with outputs.replacing(target) as partial:
            partial.write_bytes(content)
            check_picture(partial, media)
    return media


def build_ucm(root: Path, source: Origin, seed: int, size: int) -> dict[str, Any]:
    """Builds the recognition check: 200 pictures, the classes equally often, five options each."""
    table = root / "ucm" / "test.parquet"
    table.unlink(missing_ok=True)  # it says that its pictures are there; a replaced one has its old name
    shutil.rmtree(root / "media" / "ucm", ignore_errors=True)
    generator = random.Random(f"{seed}/ucm")
    skipped = nothing_skipped()
    by_class: dict[str, list[str]] = {}
    for name, media in _ucm_pictures(root, source, size, skipped):
        by_class.setdefault(name, []).append(media)
    classes = sorted(by_class)
    if len(classes) < 5:
        raise TempbenchError(
            f"{source.name}: pictures of {len(classes)} classes of UC Merced, five are needed; give the "
            "folder that holds a folder a class, or the data set's Parquet files"
        )
    queues = {name: generator.sample(media, len(media)) for name, media in by_class.items()}
    rows: list[Row] = []
    while len(rows) < CONTROL_SIZES["ucm"] and any(queues.values()):
        for name in generator.sample(classes, len(classes)):
            if queues[name] and len(rows) < CONTROL_SIZES["ucm"]:
                shot = Shot(queues[name].pop(), 0, "", None)
                asked = [UCM_CLASSES[other] for other in classes]
                rows.append(questions.choice_row(len(rows), shot, UCM_CLASSES[name], asked, generator, "ucm"))
    tables.keep_only((root / "media" / row["places"][0] for row in rows), root / "media" / "ucm")
    checksums.write_folder(root)  # before the table
    tables.write_rows(rows, table, SCHEMA)
    return _part({"ucm": rows}, [table], source, skipped)


def _ucm_pictures(root: Path, source: Origin, size: int, skipped: Skipped) -> Iterator[tuple[str, str]]:
    """Yields class and stored picture, from class folders or from Parquet."""
    parquet = releases.of_suffix(source.folder.rglob("*"), ".parquet")
    if parquet:
        for row, names in _parquet_rows(parquet):
            name = _named(row.get("label"), names.get("label") or list(UCM_CLASSES)).replace(" ", "").lower()
            if name not in UCM_CLASSES:
                skipped.add("unknown class", name)
                continue
            try:
                given = _keep(_bytes(row.get("image")), root, _AS_GIVEN)
                media = f"ucm/{Path(given).stem}.png"
                pictures.store(root / "media" / given, root / "media" / media, size)
            except MediaError as error:
                skipped.add_unread(error, str(error))
            else:
                yield name, media
        shutil.rmtree(root / "media" / _AS_GIVEN, ignore_errors=True)
        return
    for file in sorted(source.folder.rglob("*")):
        if is_picture(file, skipped):
            name = file.parent.name.replace(" ", "").replace("_", "").lower()
            if name not in UCM_CLASSES:
                skipped.add("unknown class", name)
                continue
            media = f"ucm/{slug(file.stem)}.png"
            try:
                pictures.store(file, root / "media" / media, size)
            except MediaError as error:
                skipped.add_unread(error, str(error))
            else:
                yield name, media


def build_temporalvqa(root: Path, source: Origin) -> dict[str, Any]:
    """Builds the two transfer tests from TemporalVQA's Parquet files, pictures unchanged."""
    skipped = nothing_skipped()
    rows = {
        "transfer_order": _with_partners(_temporalvqa(root, source, "temporal_order", skipped)),
        "transfer_lapse": _temporalvqa(root, source, "timelapse_estimation", skipped),
    }
    if empty := [name for name, of_test in rows.items() if not of_test]:
        raise TempbenchError(
            f"{source.name}: nothing usable for {empty[0]} ({skipped.in_words()}); the folder must hold the "
            "configurations temporal_order and timelapse_estimation of TemporalVQA as Parquet"
        )
    shown = {url for of_test in rows.values() for row in of_test for url in row["images"]}
    tables.keep_only(
        (root / url.removeprefix(questions.BASE) for url in shown), root / "media" / "temporalvqa"
    )
    files = []
    for name, of_test in rows.items():
        files.append(root / name / "test.parquet")
        tables.write_rows(
            [row | {"question_id": f"{name}/test/{i:04d}"} for i, row in enumerate(of_test)],
            files[-1],
            SCHEMA,
        )
    return _part(rows, files, source, skipped)


def _temporalvqa(root: Path, source: Origin, configuration: str, skipped: Skipped) -> list[Row]:
    test = {"temporal_order": "transfer_order", "timelapse_estimation": "transfer_lapse"}[configuration]
    letters = "AB" if test == "transfer_order" else "ABCDEF"
    files = [
        file
        for file in releases.of_suffix(source.folder.rglob("*"), ".parquet")
        if configuration in str(file.relative_to(source.folder))
    ]
    rows = []
    for number, (row, names) in enumerate(_parquet_rows(files)):
        letter = _letter(_named(row.get("label"), names.get("label")), test)
        if letter is None:
            skipped.add("unknown label", f"{configuration} {number}: {str(row.get('label'))[:40]}")
            continue
        try:
            media = [_keep(_bytes(row.get(column)), root, "temporalvqa") for column in ("image_1", "image_2")]
        except MediaError as error:
            skipped.add_unread(error, f"{configuration} {number}: {error}")
            continue
        shots = [Shot(one, 0, "", None) for one in media]
        series = Series("+".join(sorted(media)), "temporalvqa", "", tuple(shots))
        kind = letter if test == "transfer_lapse" else ""
        values = {"answer": letter, "choices": list(letters), "kind": kind, "dates": []}
        rows.append(questions.make_row(test, number, "test", shots, [series], **values))
    return rows


def _letter(label: str, test: str) -> str | None:
    """Returns the option of a label: "First", "second image", "C", or the text of a duration."""
    text = " ".join(label.split()).lower()
    if test == "transfer_order":
        return "A" if text.startswith("first") else "B" if text.startswith("second") else None
    if match := re.fullmatch(r"\(?([a-f])\)?[.)]?(?:\s.*)?", text):
        return match.group(1).upper()
    durations = [duration.lower().replace(" and ", " to ") for duration in LAPSES]
    spelled = text.replace(" and ", " to ")
    return "ABCDEF"[durations.index(spelled)] if spelled in durations else None


def _with_partners(rows: Sequence[Row]) -> list[Row]:
    """Returns the rows with the two orders of a pair next to each other."""
    pairs: dict[str, list[Row]] = {}
    for row in rows:
        pairs.setdefault(row["places"][0], []).append(row)
    return [row for partners in pairs.values() for row in partners]


def _part(
    rows: dict[str, list[Row]], files: Sequence[Path], source: Origin, skipped: Skipped
) -> dict[str, Any]:
    return {
        "source": source.name,
        "revision": source.revision,
        "rows": {name: len(of_test) for name, of_test in rows.items()},
        "skipped": skipped.as_json(),
        "sha256": tables.sha256_of(files),
    }
