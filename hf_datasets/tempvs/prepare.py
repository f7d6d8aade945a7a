"""`tempbench prepare tempvs`: from the official release to data that the tasks read."""

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Option

from tempbench_lmms import benchmarks
from tempbench_lmms.data import checksums, hub, locks, manifests, outputs, releases, roots, tables, terminal
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.tempvs import official
from tempbench_lmms.tempvs.card import SOURCES
from tempbench_lmms.tempvs.rows import BENCHMARK, SCHEMA

from ..parts import other_source
from .pictures import STRIPS, Images
from .release import Report, benchmark_folder, convert

if TYPE_CHECKING:
    from rich.console import Console

REPO = "yingjins/TempVS"
_SHOWN = 10


def prepare(
    source: Annotated[
        Path | None, Option(help="Folder with the official release. Without it the release is downloaded.")
    ] = None,
    revision: Annotated[str, Option(help="Revision to download.")] = "main",
    accept_license: Annotated[
        bool, Option("--accept-license", help="Confirm that you have read and accept the licences.")
    ] = False,
    sources: Annotated[
        str, Option(help="Sources to prepare, separated by commas; `verify` misses none of the others.")
    ] = ",".join(SOURCES),
    force: Annotated[bool, Option(help="Replace data that is already prepared.")] = False,
) -> None:
    """Convert the official TempVS release; a second run does nothing."""
    wanted = releases.chosen(sources.split(","), SOURCES, "source")
    console = terminal.console(stderr=True)
    root = roots.home_to_write(BENCHMARK)
    old = manifests.of_earlier(root, force, "rows")
    if old and not force:
        _check_same(root, source)
        manifests.is_sound(root, old)
        print(f"{root} is already prepared; add --force to replace it")
        return
    _ask_for_consent(accept_license)
    locks.before_change(root)
    if source is None:
        folder, resolved = download(revision)
        # A downloaded file is a link from snapshots/COMMIT into the repository's folder in the cache.
        about: dict[str, Any] = {"source": {"repository": REPO, "revision": resolved}}
        trusted = folder.parent.parent
    else:
        about = {"source": {"folder": str(source)}, "listing": tables.listing_of(source)}
        folder = trusted = source
    about["sources"] = wanted
    with releases.unpacked(folder, root) as whole:
        ours = (trusted, whole)
        converted, images, report = _read(whole, ours, wanted, console)
        if source is None and images.missing:
            download(revision, strips=True)
            converted, images, report = _read(whole, ours, wanted, console)
        if force and (root / roots.MANIFEST).is_file():
            (root / roots.MANIFEST).unlink()  # from here on the old data is no longer whole
        counts = _write(root, about, converted, images, report, console)
    _print_report(report, counts, images, root)


def _read(
    whole: Path, trusted: Collection[Path], wanted: Collection[str], console: "Console"
) -> tuple[dict[str, list[tables.Row]], Images, Report]:
    with console.status("reading and checking the annotations"):
        return convert(benchmark_folder(whole), trusted, wanted)


def _check_same(root: Path, source: Path | None) -> None:
    """Raises where the data was prepared from another folder than the given one, or that has changed."""
    if source is None:
        return
    try:
        manifest = tables.parse_json((root / roots.MANIFEST).read_text(encoding="utf-8"))
        listing = manifest.get("listing", "")  # a download has none
    except (ValueError, KeyError, TypeError, AttributeError):
        raise TempbenchError(f"{root / roots.MANIFEST} is damaged; add --force to prepare it again") from None
    if listing != tables.listing_of(source):
        raise other_source(root, ", or from this one before it was changed")


def _write(
    root: Path,
    origin: dict[str, Any],
    converted: dict[str, list[tables.Row]],
    images: Images,
    report: Report,
    console: "Console",
) -> dict[str, int]:
    """Writes pictures, tables and at the end the manifest; returns the numbers of rows."""
    stored = _store_images(images, root, console)
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
        "images": len(images.found) + len(images.pieces),
        "images_missing": sorted(images.missing),
        "images_from_strips": sorted(images.pieces),
        "solved_blind": report.blind,
        "no_blind_answers": report.no_blind,
        "skipped": report.skipped,
        "deviations": report.deviations,
        "sha256": tables.sha256_of(sorted(stored)),
        manifests.TABLES: manifests.sums(
            root, (path for path in sorted(stored) if path.suffix == ".parquet")
        ),
        checksums.KEY: checksums.write_folder(root),
    }
    # Last, because only data with a manifest counts as prepared; after an interruption, run it again.
    manifests.write(manifest, root)
    return counts


def _ask_for_consent(given: bool) -> None:
    if given:
        return
    sources = "; ".join(f"{one.name}: {one.licence}" for one in benchmarks.card(BENCHMARK).sources)
    raise TempbenchError(f"read the licences first ({sources}), then add --accept-license")


def download(revision: str, strips: bool = False) -> tuple[Path, str]:
    """Downloads the missing files of the release from the Hub.

    Returns:
        Its folder in the Hub's cache, and the commit.
    """
    from huggingface_hub import snapshot_download

    # Only the text models' predictions are needed.
    ignored = ["*.pkl", *(f"*predictions/{setting}/*" for setting in ("combined", "separate"))]
    ignored += [] if strips else [f"*/{name}/*" for name in sorted(STRIPS)]
    with hub.downloading(REPO):
        info = hub.dataset_info(REPO, revision)
        names = [file.rfilename for file in info.siblings or []]
        ignored += [name for name in names if "predictions/blind/" in name and not _is_of_text_model(name)]
        folder = snapshot_download(REPO, repo_type="dataset", revision=info.sha, ignore_patterns=ignored)
    return Path(folder), str(info.sha)


def _is_of_text_model(name: str) -> bool:
    return bool({*official.TEXT_MODELS} & {*name.split("/")})


def _store_images(images: Images, root: Path, console: "Console") -> list[Path]:
    from rich.progress import track

    stored = []
    found = sorted(images.found.items())
    for inside, path in track(found, "storing images", console=console, transient=True):
        stored.append(root / "media" / inside)
        tables.copy_file(path, stored[-1])
    for inside, piece in images.pieces.items():  # those of a strip are neighbours
        path = root / "media" / inside
        with outputs.replacing(path) as partial:
            piece.image().save(partial, "PNG")
        stored.append(path)
    return stored


def _print_report(report: Report, counts: dict[str, int], images: Images, root: Path) -> None:
    where = root / roots.MANIFEST
    print(f"{root}: {counts['all']} questions, {len(images.found) + len(images.pieces)} images")
    for title, lines in (("skipped", report.skipped), ("deviations from the paper", report.deviations)):
        for line in lines[:_SHOWN]:
            print(f"  {title}: {line}")
        if len(lines) > _SHOWN:
            print(f"  {title}: {len(lines) - _SHOWN} more, all in {where}")
    if images.pieces:
        print(f"  {len(images.pieces)} missing images are cut out of the shipped strips; named in {where}")
    if images.missing:
        print(f"  {len(images.missing)} images are missing; they are named in {where}")
    for test, solved in report.blind.items():
        asked = sum(report.counts[test].get(source, 0) for source in solved)
        n = sum(solved.values())
        print(f"  {test}: {n} of {asked} questions are solved by text models and left out officially")
    for line in report.no_blind[:_SHOWN]:
        print(f"  the official numbers leave out nothing that text models solve: {line}")
