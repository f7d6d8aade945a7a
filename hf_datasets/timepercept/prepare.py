"""Prepares TimePerceptBench from its raw sources: series of dated pictures, and the two controls."""

import random
import shutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from tempbench_lmms.data import checksums, locks, manifests, prepared, roots, tables
from tempbench_lmms.data.tables import Row
from tempbench_lmms.errors import MediaError, TempbenchError
from tempbench_lmms.timepercept.card import LENGTH, RANKINGS, TESTS, TOU
from tempbench_lmms.timepercept.features import BENCHMARK, SCHEMA

from . import pictures, questions
from .series import FMOW_SPLITS, Series, Shot, Skipped, nothing_skipped, read_fmow, read_manifest, watched

Note = Callable[[str], None]

_MEDIA = {"series": ("media/series/", "media/fmow/")}


@dataclass(frozen=True)
class Settings:
    """Everything that decides what is built.

    Attributes:
        seed: Of the split and of all draws.
        test: Questions a test in the test split.
        train: Questions a test in the training split.
        test_share: Share of the places that is kept for the test split, from 0 to 1.
        size: Pictures are brought to this many pixels square.
        max_cloud: Percent of cloud cover above which a picture is left out.
        min_ratio: How many times longer the next longer interval of PIC, IPR and EII is at least.
        min_change: With a value, pairs that differ less (`pictures.change`) are not asked about and ICE is
            balanced over degrees of change; None to leave change alone.
        fmow_splits: The parts of fMoW to read.
        categories: The scene categories of fMoW to read; all where empty.
    """

    seed: int = 2025
    test: int = 200
    train: int = 800
    test_share: float = 0.2
    size: int = 256
    max_cloud: float = 10.0
    min_ratio: float = 1.0
    min_change: float | None = None
    fmow_splits: tuple[str, ...] = FMOW_SPLITS
    categories: tuple[str, ...] = ()


def split_places(series: Sequence[Series], settings: Settings) -> dict[str, list[Series]]:
    """Returns the places of the `test` and of the `train` split; no place is in both."""
    ordered = sorted(series, key=lambda one: one.place)
    shuffled = random.Random(f"{settings.seed}/split").sample(ordered, len(ordered))
    n_test = round(settings.test_share * len(shuffled))
    return {"test": shuffled[:n_test], "train": shuffled[n_test:]}


def manifest_of(root: Path, force: bool = False) -> dict[str, Any]:
    """Returns the manifest under `root`; one without parts where there is none.

    Raises:
        TempbenchError: It is damaged and `force` is not given.
    """
    return manifests.of_earlier(root, force, "parts") or {"benchmark": BENCHMARK, "parts": {}}


def write_part(
    root: Path,
    name: str,
    request: dict[str, Any],
    build: Callable[[], dict[str, Any]],
    force: bool,
    note: Note,
) -> None:
    """Builds one part of the data set unless it is there, and enters it into the manifest at the end.

    Args:
        root: The data set's folder.
        name: `series`, `ucm` or `temporalvqa`.
        request: What was asked for; the same request a second time does nothing.
        build: Writes the part and returns what the manifest says of it.
        force: Build anew what was built from another request.
        note: Receives lines for the user.

    Raises:
        TempbenchError: The part was built from another request and `force` is not given.
    """
    manifest = manifest_of(root, force)
    there = manifest["parts"].get(name)
    before = there.get("request") if isinstance(there, dict) else None
    # An entry of an earlier version of this package has no listing of its source.
    same = before and before == {key: request.get(key) for key in before}
    if same and prepared.is_sound(root, manifest, _MEDIA.get(name, (f"media/{name}/",)), name, force):
        note(f"{name}: already prepared in {root}; nothing to do")
        return
    if there and not force:
        raise _prepared_otherwise(root, name, request, before)
    locks.before_change(root)
    shared = manifest.pop(checksums.KEY, None)  # by all parts, and it changes now
    if there:
        del manifest["parts"][name]
    if manifest["parts"] and (there or shared):
        manifests.write(manifest, root)
    elif there:
        (root / roots.MANIFEST).unlink()
    root.mkdir(parents=True, exist_ok=True)
    part = build()
    files = [prepared.table(root, test) for test in part["rows"]]
    parts = manifest["parts"] | {name: {"request": request, **part, prepared.KEY: prepared.sums(root, files)}}
    manifest["parts"] = dict(sorted(parts.items()))  # the same whichever is prepared last
    manifest[checksums.KEY] = checksums.write_folder(root)
    manifests.write(manifest, root)
    note(f"{name}: {part['rows']}")


def _prepared_otherwise(root: Path, name: str, request: dict[str, Any], before: Any) -> TempbenchError:
    known = before if isinstance(before, dict) else {}
    other = sorted(key for key in request if request[key] != known.get(key))
    return TempbenchError(
        f"{name} in {root} was prepared with other settings (different: {', '.join(other)}); add --force "
        "to build it anew, or set TEMPBENCH_DATA to another folder"
    )


def prepare_series(
    root: Path, sitscc: Path | None, fmow: Path | None, settings: Settings, force: bool, note: Note
) -> None:
    """Builds the nine tests from a manifest of series, from fMoW, or from both.

    Order is asked about the manifest's places and intervals about fMoW's, as in the paper; where only one
    of them is given, about its places alone.
    """
    request: dict[str, Any] = {
        "sitscc": str(sitscc.resolve()) if sitscc else None,
        "sitscc_sha256": tables.sha256_of([sitscc]) if sitscc and sitscc.is_file() else None,
        "fmow": str(fmow.resolve()) if fmow else None,
        "fmow_listing": tables.listing_of(fmow) if fmow else None,
        **{
            key: list(value) if isinstance(value, tuple) else value for key, value in asdict(settings).items()
        },
    }

    def build() -> dict[str, Any]:
        # What an interrupted run has left is taken over only where it was the same request.
        begun = root / "series.begun.json"
        if force or not begun.is_file() or _begun(begun) != request:
            # Tables first: where other parts keep the manifest, a table says that its pictures are there.
            for folder in ("train", "all", *TESTS, "media/series", "media/fmow"):
                shutil.rmtree(root / folder, ignore_errors=True)
        tables.write_json(request, begun)
        part = _build_series(root, sitscc, fmow, settings, note)
        begun.unlink()
        return part

    write_part(root, "series", request, build, force, note)


def _begun(path: Path) -> Any:
    try:
        return tables.read_json(path)
    except (OSError, ValueError):
        return None  # cut short: what was begun is built anew


def _build_series(
    root: Path, sitscc: Path | None, fmow: Path | None, settings: Settings, note: Note
) -> dict[str, Any]:
    skipped = nothing_skipped()
    found: dict[str, list[Series]] = {}
    if sitscc:
        found["sitscc"] = read_manifest(sitscc, settings.max_cloud, skipped)
    if fmow:
        found["fmow"] = read_fmow(
            fmow, settings.max_cloud, skipped, settings.fmow_splits, settings.categories
        )
    for name, series in found.items():
        note(f"{name}: {len(series)} places, {sum(len(one.shots) for one in series)} pictures")
    splits = {name: split_places(series, settings) for name, series in found.items()}
    ordered, dated = (splits[first if first in splits else other] for first, other in _ROADS)
    tests: tuple[str, ...] = TESTS
    if any(shot.day is None for one in dated["test"] + dated["train"] for shot in one.shots):
        note("the pictures have ranks and no dates: the tests of intervals are left out")
        tests = TOU
    damaged: set[str] = set()
    while True:
        rows = {
            split: questions.build(
                _without(ordered[split], damaged),
                _without(dated[split], damaged),
                split,
                _rules(settings, count),
                tests,
            )
            for split, count in (("test", settings.test), ("train", settings.train))
            if count
        }
        new = _store(root, [*ordered.values(), *dated.values()], rows, settings.size, skipped)
        if not new:
            break
        damaged |= new
    return _write(root, rows, settings, splits, skipped, note)


_ROADS = (("sitscc", "fmow"), ("fmow", "sitscc"))


def _rules(settings: Settings, count: int) -> questions.Rules:
    looking = settings.min_change is not None
    return questions.Rules(
        count=count,
        seed=settings.seed,
        min_ratio=settings.min_ratio,
        change=pictures.change if looking else None,
        min_change=settings.min_change or 0.0,
    )


def _without(series: Sequence[Series], damaged: set[str]) -> list[Series]:
    return [
        replace(one, shots=tuple(shot for shot in one.shots if shot.media not in damaged)) for one in series
    ]


def _store(
    root: Path,
    places: Iterable[Sequence[Series]],
    rows: dict[str, dict[str, list[Row]]],
    size: int,
    skipped: Skipped,
) -> set[str]:
    """Stores the pictures that questions show; returns those that cannot be read."""
    shots: dict[str, Shot] = {
        questions.url(shot): shot for few in places for one in few for shot in one.shots
    }
    wanted = dict.fromkeys(
        url
        for tests in rows.values()
        for of_test in tests.values()
        for row in of_test
        for url in row["images"]
    )
    damaged = set()
    for url in watched(list(wanted), "resizing pictures"):
        shot = shots[url]
        assert shot.file is not None
        try:
            pictures.store(shot.file, root / "media" / shot.media, size, shot.stretch)
        except MediaError as error:
            skipped.add("damaged picture" if error.reason == "damaged" else error.reason, str(shot.file))
            damaged.add(shot.media)
    return damaged


def _write(
    root: Path,
    rows: dict[str, dict[str, list[Row]]],
    settings: Settings,
    splits: dict[str, dict[str, list[Series]]],
    skipped: Skipped,
    note: Note,
) -> dict[str, Any]:
    named = {f"train/{test}": of_test for test, of_test in rows.get("train", {}).items()}
    if tests := rows.get("test"):
        named |= tests | {"all": [row for of_test in tests.values() for row in of_test]}
    if not any(named.values()):
        raise TempbenchError(
            f"no question could be built from {splits_in_words(splits)}; give more places or more dates a "
            f"place, or raise --max-cloud ({dict(skipped.counts)})"
        )
    checksums.write_folder(root)  # before the tables, which say that their pictures are there
    files = []
    for name, of_test in named.items():
        split = "train" if name.startswith("train/") else "test"
        files.append(root / name / f"{split}.parquet")
        tables.write_rows(of_test, files[-1], SCHEMA)
    short = _fewer_than_asked(rows, settings)
    if short:
        note(f"fewer questions than asked for, as the places yield no more: {short}")
    for reason, count in sorted(skipped.counts.items()):
        note(f"skipped, {reason}: {count}")
    return {
        "rows": {name: len(of_test) for name, of_test in named.items()},
        "places": {
            f"{name}/{split}": len(series)
            for name, found in splits.items()
            for split, series in found.items()
        },
        "fewer_than_asked": short,
        "skipped": skipped.as_json(),
        "balance": {
            test: _balance(of_test) for test, of_test in rows["test"].items() if test not in RANKINGS
        },
        "decisions": _decisions(splits, "ice" in named, settings),
        "stretch": {
            f"{name}/{series.place}": asdict(stretch)
            for name, found in splits.items()
            for few in found.values()
            for series in few
            if (stretch := next((shot.stretch for shot in series.shots if shot.stretch), None))
        },
        "sha256": tables.sha256_of(files),
    }


def _fewer_than_asked(rows: dict[str, dict[str, list[Row]]], settings: Settings) -> dict[str, str]:
    wanted = {"test": settings.test, "train": settings.train}
    return {
        f"{split}/{test}": f"{len(of_test)} of {wanted[split]}"
        for split, tests in rows.items()
        for test, of_test in tests.items()
        if len(of_test) < wanted[split]
    }


def _decisions(
    splits: dict[str, dict[str, list[Series]]], dated: bool, settings: Settings
) -> dict[str, str | int | None]:
    return {
        "order_from": "sitscc" if "sitscc" in splits else "fmow",
        "intervals_from": "fmow" if "fmow" in splits else "sitscc" if dated else None,
        "split": f"by place, {settings.test_share:g} of the places to test, seed {settings.seed}",
        "sequence_length": LENGTH,
        "interval": "difference of UTC dates in whole days; less than a day is not asked about",
        "same_day": "of several pictures of a place on one day the first is kept",
    }


def splits_in_words(splits: dict[str, dict[str, list[Series]]]) -> str:
    """Returns how many places each source has in each split."""
    return ", ".join(
        f"{len(series)} places of {name} for {split}"
        for name, found in splits.items()
        for split, series in found.items()
    )


def _balance(rows: Sequence[Row]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for row in rows:
        for key in {row["answer"], row["kind"]} - {""}:
            counts[key] = counts.get(key, 0) + 1
    return dict(sorted(counts.items()))
