"""`tempbench prepare tempvs`: from the official release to data that the tasks read."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tempbench_lmms import benchmarks
from tempbench_lmms.data import checksums, choices, hub, locks, manifests, prepared, roots, tables, terminal
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.tempvs.card import SOURCES
from tempbench_lmms.tempvs.features import BENCHMARK, SCHEMA

from .release import Images, Report, benchmark_folder, convert

if TYPE_CHECKING:
    from rich.console import Console

REPO = "yingjins/TempVS"
_SHOWN = 10


def prepare(
    source: Annotated[
        Path | None,
        typer.Option(help="Folder with the official release. Without it the release is downloaded."),
    ] = None,
    revision: Annotated[str, typer.Option(help="Revision to download.")] = "main",
    accept_license: Annotated[
        bool, typer.Option("--accept-license", help="You have read the licences of the release.")
    ] = False,
    allow_pickle: Annotated[
        bool,
        typer.Option("--allow-pickle", help="Read annotations that are pickles: runs the code in them."),
    ] = False,
    sources: Annotated[
        str, typer.Option(help="Sources to prepare, separated by commas; `verify` misses none of the others.")
    ] = ",".join(SOURCES),
    force: Annotated[bool, typer.Option(help="Replace data that is already prepared.")] = False,
) -> None:
    """Convert the official TempVS release; a second run does nothing."""
    wanted = choices.chosen(sources.split(","), SOURCES, "source")
    console = terminal.console(stderr=True)
    root = roots.home_to_write(BENCHMARK)
    old = manifests.of_earlier(root, force, "rows")
    if old and not force:
        _check_same(root, source)
        prepared.is_sound(root, old)
        print(f"{root} is already prepared; add --force to replace it")
        return
    _ask_for_consent(accept_license)
    locks.before_change(root)
    if source is None:
        source, resolved = download(revision)
        origin = {"repository": REPO, "revision": resolved}
        # A downloaded file is a link from snapshots/COMMIT into the repository's folder in the cache.
        trusted = source.parent.parent
    else:
        origin, trusted = {"folder": str(source)}, source
    with console.status("reading and checking the annotations"):
        listing = tables.listing_of(source) if "folder" in origin else None
        converted, images, report = convert(benchmark_folder(source), trusted, allow_pickle, wanted)
    if force and (root / roots.MANIFEST).is_file():
        (root / roots.MANIFEST).unlink()  # from here on the old data is no longer whole
    about = {"source": origin, "listing": listing, "sources": wanted}
    counts = _write(root, about, converted, images, report, console)
    _print_report(report, counts, len(images.found), len(images.missing), root)


def _check_same(root: Path, source: Path | None) -> None:
    """Raises where the data was prepared from another folder than the given one, or that has changed."""
    if source is None:
        return
    try:
        manifest = tables.parse_json((root / roots.MANIFEST).read_text(encoding="utf-8"))
        # A manifest of an earlier version of this package has no listing of its source.
        listing = manifest.get("listing", None if "folder" in manifest["source"] else "")
    except (ValueError, KeyError, TypeError, AttributeError):
        raise TempbenchError(f"{root / roots.MANIFEST} is damaged; add --force to prepare anew") from None
    if listing is not None and listing != tables.listing_of(source):
        raise TempbenchError(
            f"{root} holds data from another source, or from this one before it was changed; add --force to "
            "replace it, or set TEMPBENCH_DATA to another folder"
        )


def _write(
    root: Path,
    origin: dict[str, Any],
    converted: dict[str, list[tables.Row]],
    images: Images,
    report: Report,
    console: "Console",
) -> dict[str, int]:
    """Writes pictures, tables and at the end the manifest; returns the numbers of rows."""
    stored = _store_images(images.found, root, console)
    for name, rows in converted.items():
        if rows:
            tables.write_rows(rows, root / name / "test.parquet", SCHEMA)
            stored.append(root / name / "test.parquet")
    tables.keep_only(stored, root)
    counts = {name: len(rows) for name, rows in converted.items()}
    manifest = {
        "benchmark": BENCHMARK,
        **{key: value for key, value in origin.items() if value is not None},
        "rows": counts,
        "questions": report.counts,
        "images": len(images.found),
        "images_missing": sorted(images.missing),
        "skipped": report.skipped,
        "deviations": report.deviations,
        "sha256": tables.sha256_of(sorted(stored)),
        prepared.KEY: prepared.sums(root, (path for path in sorted(stored) if path.suffix == ".parquet")),
        checksums.KEY: checksums.write_folder(root),
    }
    # Last: what has no manifest is not prepared, so an interrupted run is simply run again.
    manifests.write(manifest, root)
    return counts


def _ask_for_consent(given: bool) -> None:
    if given:
        return
    sources = "; ".join(f"{one.name}: {one.licence}" for one in benchmarks.card(BENCHMARK).sources)
    raise TempbenchError(f"read the licences first ({sources}), then add --accept-license")


def download(revision: str) -> tuple[Path, str]:
    """Downloads the release from the Hub, or what of it is not here yet.

    Returns:
        Its folder in the Hub's cache, and the commit.

    Raises:
        TempbenchError: The Hub cannot be reached, or has no such release.
    """
    from huggingface_hub import snapshot_download

    with hub.downloading(REPO):
        info = hub.dataset_info(REPO, revision)
        # The stitched strips are made anew from the single images; predictions and pickles are not needed.
        ignored = ["*.pkl", "*/combined/*", "*/combined_shuffled/*", "*/predictions/*"]
        folder = snapshot_download(REPO, repo_type="dataset", revision=info.sha, ignore_patterns=ignored)
    return Path(folder), str(info.sha)


def _store_images(found: dict[str, Path], root: Path, console: "Console") -> list[Path]:
    from rich.progress import track

    stored = []
    for inside, path in track(sorted(found.items()), "storing images", console=console, transient=True):
        stored.append(root / "media" / inside)
        tables.copy_file(path, stored[-1])
    return stored


def _print_report(report: Report, counts: dict[str, int], images: int, missing: int, root: Path) -> None:
    print(f"{root}: {counts['all']} questions, {images} images")
    for title, lines in (("skipped", report.skipped), ("deviations from the paper", report.deviations)):
        for line in lines[:_SHOWN]:
            print(f"  {title}: {line}")
        if len(lines) > _SHOWN:
            print(f"  {title}: {len(lines) - _SHOWN} more, all in {root / roots.MANIFEST}")
    if missing:
        print(f"  {missing} images are missing; they are named in {root / roots.MANIFEST}")
