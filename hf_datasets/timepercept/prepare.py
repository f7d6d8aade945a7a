"""Prepares TimePerceptBench from its raw sources: series of dated pictures, and the two controls."""

import contextlib
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from tempbench_lmms.data import checksums, locks, manifests, releases, roots, tables, terminal
from tempbench_lmms.data.tables import Row
from tempbench_lmms.errors import MediaError, TempbenchError
from tempbench_lmms.timepercept.card import LENGTH, PAIRS, RANKINGS, TESTS, TIU, TOU, TRANSFER
from tempbench_lmms.timepercept.rows import BENCHMARK, SCHEMA

from . import copies, pictures, questions, sites
from . import fmow as functional_map
from .folders import read_series
from .series import IN_FULL, NAMED, Series, Shot, Skipped, nothing_skipped

Note = Callable[[str], None]
Splits = dict[str, dict[str, list[Series]]]
"""Places by source and split."""

_OUTPUTS = {
    "series": ("train", "all", *TESTS, "media/series", "media/fmow"),
    "ucm": ("ucm", "media/ucm"),
    "temporalvqa": (*TRANSFER, "media/temporalvqa"),
}
"""The folders of each part. Tables come first: a table says that its pictures are there."""


@dataclass(frozen=True)
class Settings:
    """Everything that decides what is built; the options of `prepare` say what each is."""

    seed: int = 2025
    test: int = 200
    train: int = 800
    test_share: float = 0.2
    size: int = 256
    max_cloud: float = 10.0
    fmow_splits: tuple[str, ...] = functional_map.DEFAULT
    categories: tuple[str, ...] = ()
    min_distance: float = 5_000.0
    tests: tuple[str, ...] = TESTS
    date_format: str = ""
    bands: tuple[str, ...] = ()
    place_from: str = ""


def manifest_of(root: Path, force: bool = False) -> dict[str, Any]:
    """Returns the manifest under `root`; without a file, one without parts."""
    return manifests.of_earlier(root, force, "parts") or {"benchmark": BENCHMARK, "parts": {}}


def write_part(
    root: Path,
    name: str,
    request: dict[str, Any],
    plan: Callable[[contextlib.ExitStack], Callable[[], dict[str, Any]]],
    force: bool,
    note: Note,
) -> None:
    """Builds one part of the data set unless it is there, and enters it into the manifest at the end."""
    manifest = manifest_of(root, force)
    there = manifest["parts"].get(name)
    before = (there.get("request") if isinstance(there, dict) else None) or {}
    media = tuple(f"{folder}/" for folder in _OUTPUTS[name] if folder.startswith("media/"))
    if (
        before
        and all(before.get(key) == value for key, value in request.items())
        and manifests.is_sound(root, manifest, media, name, force)
    ):
        note(f"{name}: already prepared in {root}; nothing to do")
        return
    if there and not force:
        raise _prepared_otherwise(root, name, request, before)
    locks.before_change(root)
    with contextlib.ExitStack() as stack:
        _replace(root, name, request, plan(stack), manifest)
    note(f"{name}: {manifest['parts'][name]['rows']}")


def _replace(
    root: Path,
    name: str,
    request: dict[str, Any],
    build: Callable[[], dict[str, Any]],
    manifest: dict[str, Any],
) -> None:
    """Builds a part anew, and writes the manifest without it before and with it after."""
    there = manifest["parts"].get(name)
    shared = manifest.pop(checksums.KEY, None)  # by all parts, and it changes now
    if there:
        del manifest["parts"][name]
    if manifest["parts"] and (there or shared):
        manifests.write(manifest, root)
    elif there:
        (root / roots.MANIFEST).unlink()
    root.mkdir(parents=True, exist_ok=True)
    try:
        part = build()
    except TempbenchError:
        _discard(root, name, manifest)
        raise
    names = {test: "train.parquet" if test.startswith("train/") else "test.parquet" for test in part["rows"]}
    files = [root / test / name for test, name in names.items()]
    parts = manifest["parts"] | {
        name: {"request": request, **part, manifests.TABLES: manifests.sums(root, files)}
    }
    manifest["parts"] = dict(sorted(parts.items()))  # the same whichever is prepared last
    manifest[checksums.KEY] = checksums.write_folder(root)
    manifests.write(manifest, root)


def _plain(settings: dict[str, Any]) -> dict[str, Any]:
    """Returns settings as JSON gives them back."""
    return {key: list(value) if isinstance(value, tuple) else value for key, value in settings.items()}


def _discard(root: Path, name: str, manifest: dict[str, Any]) -> None:
    """Removes what was written of a part, so that nothing half-made is taken for data."""
    _clear(root, name)
    if manifest["parts"]:
        manifest[checksums.KEY] = checksums.write_folder(root)
        manifests.write(manifest, root)
        return
    if not (root / roots.MANIFEST).is_file():  # a damaged one, which nothing has replaced, stays
        (root / checksums.FILE).unlink(missing_ok=True)
    for folder in (root / "media", root):
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()


def _clear(root: Path, name: str) -> None:
    for folder in _OUTPUTS[name]:
        shutil.rmtree(root / folder, ignore_errors=True)
    (root / f"{name}.begun.json").unlink(missing_ok=True)


def _prepared_otherwise(
    root: Path, name: str, request: dict[str, Any], before: dict[str, Any]
) -> TempbenchError:
    other = sorted(key for key in request if request[key] != before.get(key))
    return TempbenchError(
        f"{name} in {root} was prepared with other settings (different: {', '.join(other)}); add --force "
        "to build it anew, or set TEMPBENCH_DATA to another folder"
    )


def prepare_series(
    root: Path, series: Path | None, fmow: Path | None, settings: Settings, force: bool, note: Note
) -> None:
    """Builds the nine tests from dated series, from fMoW, or from both.

    Order is asked about the places of the series and intervals about fMoW's, as in the paper; where only one
    of them is given, about its places alone.
    """
    is_file = series is not None and series.is_file()
    request: dict[str, Any] = {
        "series": str(series.resolve()) if series else None,
        "series_sha256": tables.sha256_of([series]) if series and is_file else None,
        "series_listing": tables.listing_of(series) if series and not is_file else None,
        "fmow": str(fmow.resolve()) if fmow else None,
        "fmow_listing": tables.listing_of(fmow) if fmow else None,
        **_plain(asdict(settings)),
    }

    def plan(stack: contextlib.ExitStack) -> Callable[[], dict[str, Any]]:
        if not settings.test and not settings.train:
            raise TempbenchError("--test 0 and --train 0 leave nothing to build; give one of them a number")
        given = series
        if series and is_file and releases.archives_in(series):
            (given,) = stack.enter_context(releases.unpacked(series, root)).iterdir()
        return partial(build, _planned(given, fmow, settings, note))

    def build(whole: "_Plan") -> dict[str, Any]:
        # What an interrupted run has left is taken over only where it was the same request.
        begun = root / "series.begun.json"
        if force or not begun.is_file() or _begun(begun) != request:
            _clear(root, "series")
        tables.write_json(request, begun)
        part = _build_series(root, whole, settings, note)
        begun.unlink()
        return part

    write_part(root, "series", request, plan, force, note)


def _begun(path: Path) -> Any:
    try:
        return tables.read_json(path)
    except (OSError, ValueError):
        return None  # cut short: what was begun is built anew


@dataclass(frozen=True)
class _Plan:
    """What is to be built, from what."""

    splits: Splits
    sites: sites.Sites
    tests: tuple[str, ...]
    skipped: Skipped

    @property
    def ordered(self) -> dict[str, list[Series]]:
        """The places for the tests of order, by split."""
        return self.splits["series" if "series" in self.splits else "fmow"]

    @property
    def dated(self) -> dict[str, list[Series]]:
        """The places for the tests of intervals, by split: those whose days are known."""
        found = self.splits["fmow" if "fmow" in self.splits else "series"]
        return {split: [one for one in few if is_dated(one)] for split, few in found.items()}


def is_dated(series: Series) -> bool:
    """Returns whether the days of a place's pictures are known, and not only months or ranks."""
    return all(shot.day is not None for shot in series.shots)


def _planned(series: Path | None, fmow: Path | None, settings: Settings, note: Note) -> _Plan:
    skipped = nothing_skipped()
    found: dict[str, list[Series]] = {}
    if series:
        reading = (settings.date_format, settings.bands, settings.place_from)
        found["series"] = read_series(series, settings.max_cloud, skipped, *reading)
    if fmow:
        found["fmow"] = functional_map.read_fmow(
            fmow, settings.max_cloud, skipped, settings.fmow_splits, settings.categories
        )
    contents = copies.contents_of(one for few in found.values() for one in few)
    for name, few in found.items():
        dated = copies.once_dated(few, contents, skipped)
        found[name] = copies.without_copies(dated, contents, skipped)
    every = [one for few in found.values() for one in few]
    for name, few in found.items():
        note(f"{name}: {len(few)} places, {sum(len(one.shots) for one in few)} pictures")
        if unknown := sum(one.position is None for one in few) if settings.min_distance else 0:
            note(f"{name}: {unknown} of {len(few)} places have no coordinates: their neighbours are unknown")
    together = sites.find(every, settings.min_distance, _of_one_picture(every, contents, note))
    splits = sites.split(found, together, settings.seed, settings.test_share)
    plan = _Plan(splits, together, settings.tests, skipped)
    undated = [one for one in found["fmow" if "fmow" in found else "series"] if not is_dated(one)]
    if undated and set(settings.tests) & set(TIU):
        note(f"{len(undated)} places have ranks or months and no days, and are not asked about intervals")
        if not any(plan.dated.values()):
            note("the pictures have no days: the tests of intervals are left out")
            plan = replace(plan, tests=tuple(test for test in settings.tests if test in TOU))
    _check_places(plan, settings)
    return plan


def _of_one_picture(every: Sequence[Series], contents: copies.Contents, note: Note) -> list[tuple[int, int]]:
    """Returns and prints which places share a picture."""
    pairs = list(copies.shared(every, contents))
    if places := sorted({f"{every[i].source}/{every[i].place}" for pair in pairs for i in pair}):
        more = f" and {len(places) - NAMED} more" if len(places) > NAMED else ""
        named = ", ".join(places[:NAMED])
        note(
            f"{len(places)} places share a picture with another and stay with it in one split: {named}{more}"
        )
    return pairs


def _check_places(plan: _Plan, settings: Settings) -> None:
    """Refuses what can yield no question for a test, before anything is written."""
    lacking = []
    for split, count in (("test", settings.test), ("train", settings.train)):
        for tests, places, least in ((TOU, plan.ordered, LENGTH), (TIU, plan.dated, 2)):
            there = sum(len(one.shots) >= least for one in places[split])
            needed = {
                test: 2 if test == "tal" else PAIRS.get(test, 1) for test in tests if test in plan.tests
            }
            if count and (few := [f"{test} {n}" for test, n in needed.items() if there < n]):
                lacking.append(
                    f"{there} with {least} pictures in the {split} split, of {', '.join(few)} needed"
                )
    if lacking or not plan.tests:
        n_sites = len(set(plan.sites.of.values()))
        raise TempbenchError(
            f"too few places ({'; '.join(lacking) or 'no test is left'}): there are "
            f"{splits_in_words(plan.splits)}, {n_sites} apart from each other by --min-distance "
            f"{settings.min_distance:g} m; give more places or dates, change --test-share or --min-distance, "
            f"build one split (--test 0 or --train 0) or less (--tests) ({plan.skipped.in_words()})"
        )


def _build_series(root: Path, plan: _Plan, settings: Settings, note: Note) -> dict[str, Any]:
    with _Stored(root, settings.size, plan.skipped) as stored:
        rows = {
            split: questions.build(
                plan.ordered[split],
                plan.dated[split],
                split,
                questions.Rules(count, settings.seed, stored),
                plan.tests,
            )
            for split, count in (("test", settings.test), ("train", settings.train))
            if count
        }
    wanted = {
        url.removeprefix(questions.BASE)
        for tests in rows.values()
        for few in tests.values()
        for row in few
        for url in row["images"]
    }
    for folder in ("media/series", "media/fmow"):
        tables.keep_only((root / place for place in wanted), root / folder)
    return _write(root, rows, settings, plan, note)


class _Stored:
    """Stores pictures as questions are drawn with them, and remembers those that cannot be read."""

    def __init__(self, root: Path, size: int, skipped: Skipped) -> None:
        self._root, self._size, self._skipped = root, size, skipped
        self._readable: dict[str, bool] = {}
        self._shown = terminal.console(stderr=True).status("drawing questions and resizing their pictures")

    def __enter__(self) -> "_Stored":
        if sys.stderr.isatty():
            self._shown.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._shown.stop()

    def __call__(self, shot: Shot) -> bool:
        """Returns whether a picture can be read; it is stored then."""
        if shot.media not in self._readable:
            self._readable[shot.media] = self._store(shot)
        return self._readable[shot.media]

    def _store(self, shot: Shot) -> bool:
        assert shot.file is not None
        try:
            pictures.store(shot.file, self._root / "media" / shot.media, self._size, shot.stretch)
        except MediaError as error:
            self._skipped.add_unread(error, str(shot.file))
            return False
        return True


def _write(
    root: Path, rows: dict[str, dict[str, list[Row]]], settings: Settings, plan: _Plan, note: Note
) -> dict[str, Any]:
    _check_rows(rows, plan)
    named = {f"train/{test}": of_test for test, of_test in rows.get("train", {}).items()}
    if tests := rows.get("test"):
        named |= tests | {"all": [row for of_test in tests.values() for row in of_test]}
    checksums.write_folder(root)  # before the tables, which say that their pictures are there
    files = []
    for name, of_test in named.items():
        split = "train" if name.startswith("train/") else "test"
        files.append(root / name / f"{split}.parquet")
        tables.write_rows(of_test, files[-1], SCHEMA)
    short = _fewer_than_asked(rows, settings)
    if short:
        note(f"fewer questions than asked for, as the places yield no more: {short}")
    for reason, count in sorted(plan.skipped.counts.items()):
        names = plan.skipped.examples[reason] if reason in IN_FULL else []
        more = f"; all are named in {roots.MANIFEST}" if len(names) > NAMED else ""
        note(f"skipped, {reason}: {count}" + (f" ({', '.join(names[:NAMED])}{more})" if names else ""))
    return {
        "rows": {name: len(of_test) for name, of_test in named.items()},
        "fewer_than_asked": short,
        "balance": {
            test: _balance(of_test)
            for test, of_test in (rows.get("test") or rows["train"]).items()
            if test not in RANKINGS
        },
        "sites": plan.sites.several(
            {(row["source"], place) for few in named.values() for row in few for place in row["places"]}
        ),
        **_account(plan, settings),
        "sha256": tables.sha256_of(files),
    }


def _check_rows(rows: dict[str, dict[str, list[Row]]], plan: _Plan) -> None:
    """Refuses a test without a question."""
    if empty := [
        f"{split}/{test}" for split, tests in rows.items() for test, few in tests.items() if not few
    ]:
        raise TempbenchError(
            f"no question could be built for {', '.join(empty)} from {splits_in_words(plan.splits)}; give "
            "more places or more dates a place, raise --max-cloud, or build less (--tests) "
            f"({plan.skipped.in_words()})"
        )


def _account(plan: _Plan, settings: Settings) -> dict[str, Any]:
    """Returns the manifest's part about the sources."""
    return {
        "places": {
            f"{name}/{split}": len(series)
            for name, found in plan.splits.items()
            for split, series in found.items()
        },
        "skipped": plan.skipped.as_json(),
        "decisions": _decisions(plan, settings),
        "stretch": {
            f"{name}/{series.place}": asdict(stretch)
            for name, found in plan.splits.items()
            for few in found.values()
            for series in few
            if (stretch := next((shot.stretch for shot in series.shots if shot.stretch), None))
        },
    }


def _fewer_than_asked(rows: dict[str, dict[str, list[Row]]], settings: Settings) -> dict[str, str]:
    wanted = {"test": settings.test, "train": settings.train}
    return {
        f"{split}/{test}": f"{len(of_test)} of {wanted[split]}"
        for split, tests in rows.items()
        for test, of_test in tests.items()
        if len(of_test) < wanted[split]
    }


def _decisions(plan: _Plan, settings: Settings) -> dict[str, str | int | None]:
    return {
        "order_from": "series" if "series" in plan.splits else "fmow",
        "intervals_from": ("fmow" if "fmow" in plan.splits else "series")
        if set(plan.tests) & set(TIU)
        else None,
        "split": f"by place, {settings.test_share:g} of the places to test, seed {settings.seed}",
        "one_site": f"places nearer than {settings.min_distance:g} m, of one named site or with a picture in "
        "common stay in one split",
        "sequence_length": LENGTH,
        "interval": "difference of UTC dates in whole days; less than a day is not asked about",
        "same_day": "of several pictures of a place on one day the first is kept",
    }


def splits_in_words(splits: Splits) -> str:
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
