"""Brings ReXTime onto this machine: the official annotations, and where the videos are."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tempbench_lmms.data import (
    archives,
    checksums,
    choices,
    hub,
    locks,
    manifests,
    prepared,
    releases,
    roots,
    tables,
)
from tempbench_lmms.errors import MediaError, TempbenchError
from tempbench_lmms.media import records
from tempbench_lmms.media.gathering import search, videos_below
from tempbench_lmms.media.integrity import Facts
from tempbench_lmms.media.sandbox import check_videos
from tempbench_lmms.rextime import rows, videos
from tempbench_lmms.rextime.card import COUNTS, EVALUATED, SOURCES
from tempbench_lmms.rextime.features import BENCHMARK, SCHEMA

from ..parts import other_source
from .sound import LeftOut, sound

REPO = "ReXTime/ReXTime"
FILES = {
    "validation": ("rextime_val.json", "rextime_val.jsonl"),
    "test": ("rextime_test_release.json",),
    "train": ("rextime_train.json",),
}
"""The annotation files of each split; the first one found is taken."""

ADVICE = (
    "get ActivityNet's videos by the form at http://activity-net.org/download.html (for seven days), and "
    "QVHighlights' clips from https://github.com/jayleicn/moment_detr or with `tempbench cut rextime`; name "
    "their folders with --anet-dir and --qvh-dir"
)

TABLES_OF_MANIFEST = ("rows", "expected_rows", "completeness", "videos")

_KEEP_EVERY = 20


@dataclass
class Report:
    """What `prepare` did."""

    manifest: dict[str, Any]
    problems: dict[str, str] = field(default_factory=dict)
    fresh: bool = True


def annotation_files(source: Path | None, revision: str) -> tuple[dict[str, Path], dict[str, str]]:
    """Returns the annotation file of each split that there is, and where they are from."""
    if source is not None:
        found = releases.find(source, _annotations_in, "ReXTime's annotations") or {}
        origin = {"folder": str(source.resolve())}
    else:
        found, origin = _from_hub(revision)
    if not found:
        names = ", ".join(name for names in FILES.values() for name in names)
        raise TempbenchError(f"none of {names} is in {source or REPO}; name the folder that holds them")
    return found, origin


def _annotations_in(folder: Path) -> dict[str, Path]:
    return {split: path for split, names in FILES.items() if (path := releases.file(folder, *names))}


def _from_hub(revision: str) -> tuple[dict[str, Path], dict[str, str]]:
    from huggingface_hub import hf_hub_download

    with hub.downloading(REPO):
        info = hub.dataset_info(REPO, revision)
        there = {sibling.rfilename for sibling in info.siblings or []}
        found = {}
        for split, names in FILES.items():
            if name := next((name for name in names if name in there), None):
                found[split] = Path(hf_hub_download(REPO, name, repo_type="dataset", revision=info.sha))
    return found, {"repository": REPO, "revision": str(info.sha)}


def find_videos(folder: Path) -> tuple[dict[str, str], dict[str, str]]:
    """Finds every video in a folder, by the name without suffix.

    Returns:
        The path below `folder` by name; and for each file that is left out, because another one has its name,
        the path of that one.
    """
    if not folder.is_dir() and not archives.archives_in(folder):
        raise TempbenchError(f"{folder} is not a folder; {ADVICE}")
    return videos_below(folder)


def prepare(
    source: Path | None = None,
    folders: Mapping[str, Path | None] | None = None,
    revision: str = "main",
    force: bool = False,
    thorough: bool = True,
    progress: Callable[[int, int], None] = lambda done, total: None,
    splits: Collection[str] = tuple(FILES),
) -> Report:
    """Writes the data set to the folder of all prepared data; with the same arguments again, nothing.

    An interrupted run goes on where it stopped.
    """
    root = roots.home_to_write(BENCHMARK)
    given = {name: str(path.resolve()) for name, path in (folders or {}).items() if path is not None}
    found = {name: find_videos(Path(path)) for name, path in given.items()}
    there, origin = annotation_files(source, revision)
    files = chosen_files(there, splits)
    sums = {split: tables.sha256_of([file]) for split, file in files.items()}
    identity = {"source": origin, "annotations": sums, "video_folders": given, "version": 1}
    old = manifests.of_earlier(root, force, *TABLES_OF_MANIFEST)
    same = old is not None and all(old.get(key) == value for key, value in identity.items())
    if not same:
        _begin_anew(root, old is None or force)
    listings = _listings(given, found, files.values() if not same or force else (), root)
    tables_of, contradicted = _rows_of(files, listings)
    urls = list(dict.fromkeys(row["video"] for split in tables_of.values() for row in split))
    paths = {url: _path(url, root, given) for url in urls}
    problems, looked = _look_at(paths, root, thorough, progress, _annotated(tables_of))
    if old is not None and same and not looked and prepared.is_sound(root, old, media=(), force=force):
        return Report(old, problems, fresh=False)
    locks.before_change(root)
    # While the manifest is away nobody takes the folder for finished.
    (root / roots.MANIFEST).unlink(missing_ok=True)
    tables_of, wrong = _of_their_videos(tables_of, videos.read_verdicts(root))
    manifest = {"benchmark": BENCHMARK, **identity, **_write(root, tables_of, urls, problems)}
    manifest |= _left_out(given, found, contradicted + wrong) | {checksums.KEY: _checksums(paths, root)}
    return Report(manifests.write(manifest, root), problems)


def _listings(
    given: Mapping[str, str], found: Mapping[str, tuple[Any, Any]], files: Iterable[Path], root: Path
) -> dict[str, dict[str, str]]:
    """Returns where the videos of each source are, by name: in the user's folder, or in the data's own."""
    listings = {}
    for name in SOURCES:
        there: dict[str, str] = found[name][0] if name in found else {}
        if name in given:
            _unpack(name, Path(given[name]), files, there, root)
        listings[name] = videos_below(root / "media" / name)[0] | there
    return listings


def _unpack(name: str, folder: Path, files: Iterable[Path], there: Mapping[str, str], root: Path) -> None:
    """Puts those videos of a source into the data's own folder that its archives alone have."""
    of_source = [
        str(one.get("vid"))
        for file in files
        for one in rows.load_records(file)
        if "vid" in one and rows.source_of(one) == name
    ]
    lacking = {one for one in of_source if not {one, one.removeprefix("v_")} & there.keys()}
    # They are hundreds of gigabytes: opened one by one, and not where a folder of the name lies unpacked.
    for archive in archives.archives_in(folder):
        if not lacking or (archive != folder and (archive.parent / archives.stem(archive)).is_dir()):
            continue
        with archives.unpacked(archive, root) as unpacked:
            found = search([unpacked], lacking | {one.removeprefix("v_") for one in lacking}, is_own=True)
            for medium in found.values():
                tables.link_file(medium.path, root / "media" / name / medium.path.name)
        lacking -= {one for one in lacking if {one, one.removeprefix("v_")} & found.keys()}


def chosen_files(files: Mapping[str, Path], splits: Collection[str]) -> dict[str, Path]:
    """Returns the files of the splits that are wanted; without a wish, that of training may be missing."""
    wanted = choices.chosen(splits, FILES, "split")
    missing = [split for split in wanted if split not in files]
    if len(wanted) == len(FILES):
        missing = [split for split in missing if split in EVALUATED]
    if missing:
        raise TempbenchError(
            f"there is no annotation file of {missing[0]}; there is {', '.join(files)}: get it, or say with "
            "--splits what you want"
        )
    return {split: file for split, file in files.items() if split in wanted}


def _checksums(paths: Mapping[str, Path | None], root: Path) -> dict[str, Any]:
    """Writes the checksums of the videos that can be used, which were made when they were looked at."""
    verdicts = videos.read_verdicts(root)
    known = {url: one["sha256"] for url, one in verdicts.items() if "sha256" in one}
    prefix = f"{roots.SCHEME}{BENCHMARK}/"
    return checksums.write(
        root,
        {url.removeprefix(prefix): path for url, path in paths.items() if path and url in known},
        {url.removeprefix(prefix): sha256 for url, sha256 in known.items()},
    )


def _begin_anew(root: Path, allowed: bool) -> None:
    """Makes sure that other data may be written to `root`, and keeps the runs from it."""
    if not allowed:
        raise other_source(root)
    locks.before_change(root)


def _left_out(
    given: Mapping[str, str], found: Mapping[str, tuple[Any, Mapping[str, str]]], rows_left_out: list[LeftOut]
) -> dict[str, Any]:
    """Returns what the manifest says of questions, and of files that another one's name hides."""
    files = [
        {"file": f"{given[name]}/{place}", "why": f"{taken} has the same name", "reason": "same name"}
        for name, (_, places) in found.items()
        for place, taken in places.items()
    ]
    return {
        "files_left_out": files,
        "files_left_out_by_reason": {"same name": len(files)} if files else {},
        videos.ROWS_LEFT_OUT: rows_left_out,
    }


def _rows_of(
    files: Mapping[str, Path], listings: Mapping[str, Mapping[str, str]]
) -> tuple[dict[str, list[tables.Row]], list[LeftOut]]:
    """Returns the rows of each split, and the questions whose records contradict themselves."""
    kept: dict[str, list[tables.Row]] = {}
    left_out: list[LeftOut] = []
    for split, file in files.items():
        of_file = rows.load_records(file)
        found = [rows.row(one, _video_url(one, listings), answers=split != "test") for one in of_file]
        kept[split], wrong = sound(of_file, found, split)
        left_out += wrong
        if not kept[split]:
            why = f" that can be asked; the first is {wrong[0]['id']}: {wrong[0]['why']}" if wrong else ""
            raise TempbenchError(f"{file} holds no question{why}; get the file again")
    return kept, left_out


def _annotated(tables_of: Mapping[str, list[tables.Row]]) -> dict[str, list[float]]:
    """Returns every length in seconds that the rows give a video, by its URL."""
    found: dict[str, set[float]] = {}
    for table in tables_of.values():
        for row in table:
            found.setdefault(row["video"], set()).add(row["duration"])
    return {url: sorted(lengths) for url, lengths in found.items()}


def _of_their_videos(
    tables_of: Mapping[str, list[tables.Row]], verdicts: Mapping[str, Any]
) -> tuple[dict[str, list[tables.Row]], list[LeftOut]]:
    """Returns the rows without those that give a video, which other rows give its length, another one."""
    kept: dict[str, list[tables.Row]] = {}
    left_out = []
    for split, table in tables_of.items():
        kept[split] = []
        for row in table:
            known = verdicts.get(row["video"]) or {"problem": "missing"}
            problem = None
            if not known["problem"]:
                name = row["video"].rpartition("/")[2]
                problem = records.length_problem(name, known["duration"], row["duration"])
            if problem:
                why = f"{problem.partition(';')[0]}; other questions say {known['annotated']:.1f}"
                left_out.append({"id": row["question_id"], "split": split, "why": why})
            else:
                kept[split].append(row)
    return kept, left_out


def _write(
    root: Path, tables_of: Mapping[str, list[tables.Row]], urls: list[str], problems: Mapping[str, str]
) -> dict[str, Any]:
    """Writes the tables; returns what the manifest says of them and of the videos that they need."""
    for split, table in tables_of.items():
        tables.write_rows(table, root / split / f"{split}.parquet", SCHEMA)
    files = [root / split / f"{split}.parquet" for split in sorted(tables_of)]
    return {
        "licence": "CC-BY-NC-SA-4.0",
        "rows": {split: len(table) for split, table in tables_of.items()},
        "expected_rows": {split: COUNTS[split] for split in tables_of},
        "videos": {"needed": len(urls), "usable": len(urls) - len(problems)},
        "completeness": {
            split: sum(row["video"] not in problems for row in table) / len(table) if table else 0.0
            for split, table in tables_of.items()
        },
        "skipped": [{"video": url, "why": why} for url, why in problems.items()],
        "skipped_by_reason": _by_reason(problems, videos.read_verdicts(root)),
        "without_options": {
            split: n for split, table in tables_of.items() if (n := sum(not row["options"] for row in table))
        },
        "sha256": tables.sha256_of(files),
        prepared.KEY: prepared.sums(root, files),
    }


def _by_reason(problems: Mapping[str, str], verdicts: Mapping[str, Any]) -> dict[str, int]:
    return dict(Counter(verdicts.get(url, {}).get("reason") or "missing" for url in sorted(problems)))


def _video_url(record: Mapping[str, Any], listings: Mapping[str, Mapping[str, str]]) -> str:
    name = str(record.get("vid"))
    source = rows.source_of(record) if "vid" in record else ""
    there = listings.get(source, {})
    # Some copies of ActivityNet leave the "v_" of its ids out.
    file = there.get(name) or there.get(name.removeprefix("v_")) or f"{name}.mp4"
    return f"{roots.SCHEME}{BENCHMARK}/media/{source}/{file}"


def _path(url: str, root: Path, given: Mapping[str, str]) -> Path | None:
    """Returns where a video should be; None where its name leads out of the folder, or no folder is known."""
    source, _, file = url.removeprefix(f"{roots.SCHEME}{BENCHMARK}/media/").partition("/")
    base = root / "media" / source
    if source in given and not (base / file).is_file():  # the order in which a run looks
        base = Path(given[source])
    path = base / file
    return path if path.resolve().is_relative_to(base.resolve()) else None


def _look_at(
    paths: Mapping[str, Path | None],
    root: Path,
    thorough: bool,
    progress: Callable[[int, int], None],
    annotated: Mapping[str, list[float]],
) -> tuple[dict[str, str], bool]:
    """Looks at every video that has changed since the last time.

    Returns:
        What is wrong, by URL, and whether anything had to be looked at.
    """
    root.mkdir(parents=True, exist_ok=True)
    known = videos.read_verdicts(root)
    verdicts: dict[str, Any] = {}
    problems: dict[str, str] = {}
    new: dict[str, tuple[Path, tuple[int, int]]] = {}
    for url, path in paths.items():
        found = checksums.signature(path) if path else None
        old = known.get(url)
        if path is None:
            problems[url] = f"{url.rpartition('/')[2]}: the file lies outside its folder"
        elif found is None:
            problems[url] = f"{path.name}: the video is missing from {path.parent}"
        elif _still_holds(old, found, annotated[url], thorough):
            verdicts[url] = old
        else:
            new[url] = path, found
    progress(len(paths) - len(new), len(paths))
    facts = check_videos([path for path, _ in new.values()], thorough)
    for number, (url, (path, found)) in enumerate(new.items(), start=1):
        verdict = _verdict(path, next(facts), annotated[url], thorough)
        verdicts[url] = checksums.sealed({"size": found[0], "changed": found[1], **verdict})
        progress(len(paths) - len(new) + number, len(paths))
        if number % _KEEP_EVERY == 0:
            tables.write_json(known | verdicts, root / videos.VERDICTS)
    looked = bool(new) or verdicts.keys() != known.keys()
    if looked:
        tables.write_json({url: verdicts[url] for url in paths if url in verdicts}, root / videos.VERDICTS)
    problems |= {url: verdict["problem"] for url, verdict in verdicts.items() if verdict["problem"]}
    return {url: problems[url] for url in paths if url in problems}, looked


def _still_holds(old: Any, found: tuple[int, int], annotated: list[float], thorough: bool) -> bool:
    """Returns whether a verdict is of this file and these annotations, and as thorough as it is to be."""
    return (
        checksums.is_whole(old)
        and (old.get("size"), old.get("changed")) == found
        and old.get("annotations", [old.get("annotated")]) == annotated
        and bool(old.get("thorough") or not thorough)
    )


def _verdict(path: Path, facts: Facts | MediaError, annotated: list[float], thorough: bool) -> dict[str, Any]:
    """Returns what to keep of a video, and what is wrong with it: `problem`.

    `annotated` is the length that it must have: of several the one that it has, if any.
    """
    several = {"annotations": annotated} if len(annotated) > 1 else {}
    if isinstance(facts, MediaError):
        wrong = {"problem": str(facts), "reason": facts.reason, "thorough": thorough}
        return {"annotated": annotated[0], **several, **wrong}
    problems = {one: records.length_problem(path.name, facts.duration, one) for one in annotated}
    right = next((one for one, problem in problems.items() if problem is None), annotated[0])
    return {
        "annotated": right,
        **several,
        **records.record(path, facts),
        "problem": problems[right],
        "reason": "another length" if problems[right] else None,
    }
