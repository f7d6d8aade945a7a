"""`tempbench prepare mateo`: makes the tasks' data from the release or from the user's own plans."""

import dataclasses
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from typer import Option

from tempbench_lmms import benchmarks
from tempbench_lmms.data import checksums, hub, locks, manifests, outputs, releases, roots, tables, terminal
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.mateo.card import CARD, REVISION, SPLITS
from tempbench_lmms.mateo.rows import OFFICIAL, table_name

from ..parts import other_source

REPO = "SISLab/MATEO"
GRAPHS = "graphs.json"
"""The plans of each split: number of steps, and the edges."""
_SHOWN = 10
_HINT = "; where plans have no pictures add --text-only"


@dataclass(frozen=True)
class _Origin:
    """The origin of the plans."""

    entry: dict[str, Any]
    files: dict[str, list[Path]]
    folder: Path | None
    own: bool
    trusted: tuple[Path, ...] = ()

    @property
    def text_only(self) -> bool:
        """Whether to ask about plans without pictures."""
        return bool(self.entry.get("text_only"))


def prepare(
    source: Annotated[
        Path | None, Option(help="Folder with the official release; without it, it is downloaded.")
    ] = None,
    from_folder: Annotated[
        Path | None, Option("--from", help="Folder with plans of your own, each with a plan.json.")
    ] = None,
    language: Annotated[str, Option(help="Language of the texts: en or it.")] = "en",
    splits: Annotated[str, Option(help="Splits of the release to prepare, separated by commas.")] = ",".join(
        SPLITS
    ),
    revision: Annotated[str, Option(help="Revision to download.")] = REVISION,
    text_only: Annotated[
        bool, Option("--text-only", help="Prepare plans without pictures; then only mateo_text_* can be run.")
    ] = False,
    accept_license: Annotated[
        bool, Option("--accept-license", help="Confirm that you have read and accept the licence.")
    ] = False,
    force: Annotated[bool, Option(help="Replace data that is already prepared.")] = False,
) -> None:
    """Make questions from the official MATEO release, or from plans of your own."""
    from .sources import LANGUAGES

    root = roots.home_to_write(CARD.name)
    if source and from_folder:
        raise TempbenchError("--source and --from cannot be combined; give one of them")
    if language not in LANGUAGES:
        raise TempbenchError(f"unknown --language {language!r}; choose one of {', '.join(LANGUAGES)}")
    old = manifests.of_earlier(root, force, "rows", "counts", "problems")
    if old and not force and not (source or from_folder):
        _say_so(root, old)
        return
    if from_folder is None and not accept_license:
        sources = "; ".join(f"{one.name}: {one.licence}" for one in benchmarks.card(CARD.name).sources)
        raise TempbenchError(f"read the licence first ({sources}), then add --accept-license")
    given = source or from_folder
    with releases.unpacked_if_any(given, root) as whole:
        if from_folder and whole:
            origin = _own(from_folder, whole, text_only)
        else:
            wanted = releases.chosen(splits.split(","), SPLITS, "split")
            origin = _release(source, whole, revision, language, wanted, text_only)
        if old and not force:
            if _fingerprint(old.get("source")) == _fingerprint(origin.entry):
                _say_so(root, old)
                return
            raise other_source(root)
        _make(origin, root)


def _make(origin: _Origin, root: Path) -> None:
    """Replaces the data in `root`."""
    locks.before_change(root)
    manifest_file = root / roots.MANIFEST
    if manifest_file.is_file():
        manifest_file.unlink()  # from here on the old data is incomplete
    try:
        _report(build(origin, root), root)
    except OSError as error:
        raise TempbenchError(
            f"{root} cannot be written ({error}); free space, or set TEMPBENCH_DATA to another folder"
        ) from None


def _say_so(root: Path, manifest: Mapping[str, Any]) -> None:
    """Prints that the data exists; raises an error if a file is damaged."""
    manifests.is_sound(root, manifest)
    print(f"{root} is already prepared; add --force to replace it")


def build(origin: _Origin, root: Path) -> dict[str, Any]:
    """Writes pictures, tables and, last, the manifest, and returns the manifest."""
    for old in ("media", "pairs", "pairs_validation", "pairs_train"):
        shutil.rmtree(root / old, ignore_errors=True)
    done = {split: _build_split(origin, split, files, root) for split, files in origin.files.items()}
    if not any(split["rows"] for split in done.values()):
        problems = [line for split in done.values() for line in split["problems"]]
        raise TempbenchError(
            f"no pair of steps can be asked about; {len(problems)} problems, first: "
            f"{problems[0] if problems else 'no plan'}{_HINT if origin.own and not origin.text_only else ''}"
        )
    return _finished(origin, done, root)


def _finished(origin: _Origin, done: Mapping[str, Any], root: Path) -> dict[str, Any]:
    """Writes the graphs and then the manifest of finished splits; returns the manifest."""
    tables.write_json({split: done[split]["graphs"] for split in done}, root / GRAPHS)
    files = sorted(
        path for path in root.rglob("*") if path.is_file() and path.suffix not in (".json", ".partial")
    )
    manifest = {
        "benchmark": CARD.name,
        "edition": "plans of one's own" if origin.own else OFFICIAL,
        "licence": "" if origin.own else benchmarks.card(CARD.name).sources[0].licence,
        "source": origin.entry,
        "rows": {table_name(split): done[split]["rows"] for split in done},
        "counts": {split: done[split]["counts"] for split in done},
        "problems": {split: done[split]["problems"] for split in done},
        "text_only": origin.text_only,
        "sha256": tables.sha256_of(files),
        manifests.TABLES: manifests.sums(
            root, (*(path for path in files if path.suffix == ".parquet"), root / GRAPHS)
        ),
        checksums.KEY: checksums.write_folder(root),
    }
    manifests.write(manifest, root)
    return manifest


def _build_split(origin: _Origin, split: str, files: Iterable[Path], root: Path) -> dict[str, Any]:
    from rich.progress import track

    from tempbench_lmms.mateo.rows import SCHEMA

    from . import graphs, rows, sources

    questions: list[tables.Row] = []
    problems: list[str] = []
    kept: list[rows.Plan] = []
    seen: set[str] = set()
    lost = 0

    def plans() -> Iterator[sources.RawPlan]:
        for file in files:
            if origin.own:
                yield from sources.read_folder(file, origin.trusted)
            else:
                language = str(origin.entry["language"])
                yield from sources.read_release(file, language, origin.folder, origin.trusted)

    def store(plan_id: str, position: int, content: bytes) -> str:
        # The number distinguishes plans with names that `_file_name` would make equal.
        return _store(root, f"{split}/{len(seen):04}_{_file_name(plan_id)}_{position:02}", content)

    console = terminal.console(stderr=True)
    for raw in track(plans(), f"{split}: plans", console=console, transient=True):
        if not origin.own and split != "test":  # the release numbers the plans of each split anew
            raw = dataclasses.replace(raw, plan_id=f"{split}-{raw.plan_id}")
        if raw.plan_id in seen:
            where = f", {raw.place}," if raw.place else ""
            problems.append(f"plan {raw.plan_id}: duplicate id; the second one{where} is left out")
            continue
        seen.add(raw.plan_id)
        plan, found = sources.checked(raw, store, origin.text_only)
        problems += found
        if plan:
            kept.append(plan)
            asked = rows.pairs_to_ask(plan)
            lost += len(graphs.pairs(len(plan.steps), plan.edges)) - len(asked)
            questions.extend(rows.questions(plan, asked))
    tables.write_rows(questions, root / table_name(split) / f"{split}.parquet", SCHEMA)
    counts = graphs.counts((len(plan.steps), plan.edges) for plan in kept)._asdict()
    counts |= {"left_out": lost, "branching": counts["branching"] if counts["edges"] else None}
    drawn = {plan.plan_id: [len(plan.steps), plan.edges] for plan in kept}
    return {"rows": len(questions), "counts": counts, "problems": problems, "graphs": drawn}


def _file_name(plan_id: str) -> str:
    return re.sub(r"[^\w-]", "_", plan_id, flags=re.ASCII)[:80] or "_"


def _store(root: Path, name: str, content: bytes) -> str:
    """Checks and writes a picture; returns its URL."""
    from tempbench_lmms.media.images import FORMATS, format_of
    from tempbench_lmms.media.sandbox import check_picture

    found = format_of(content[:32])
    if not found:
        raise TempbenchError("the picture's bytes are not a picture")
    suffix = FORMATS.get(found, "")
    path = root / "media" / f"{name}{suffix}"
    with outputs.replacing(path) as partial:
        partial.write_bytes(content)
        try:
            check_picture(partial, "the picture")
        except TempbenchError as error:
            raise TempbenchError(str(error).partition(";")[0]) from None
    return f"{roots.SCHEME}{CARD.name}/media/{name}{suffix}"


def _own(given: Path, folder: Path, text_only: bool) -> _Origin:
    """Returns the origin for the user's own plans; `folder` has the given files with archives unpacked."""
    from .sources import PLAN_FILE, plan_files

    if not folder.is_dir():
        raise TempbenchError(f"{given} is not a folder; give --from the folder with your plans")
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    if not plan_files(folder):
        raise TempbenchError(
            f"no {PLAN_FILE} in {given} or in its folders; write one as the README of "
            "tempbench_lmms/mateo shows"
        )
    entry: dict[str, Any] = {"folder": str(given.resolve()), "sha256": tables.sha256_of(files)}
    if text_only:
        entry["text_only"] = True
    return _Origin(entry, {"test": [folder]}, None, own=True, trusted=_trusted(given, folder))


def _trusted(given: Path, folder: Path) -> tuple[Path, ...]:
    # After unpacking, the folder links to the other files; without archives each plan has only its own
    # folder.
    return () if folder == given else (given, folder)


def _release(
    given: Path | None,
    folder: Path | None,
    revision: str,
    language: str,
    splits: Sequence[str],
    text_only: bool,
) -> _Origin:
    """Returns the origin for the release; `folder` has the given files with archives unpacked."""
    from .sources import release_files

    entry: dict[str, Any] = {"language": language}
    if given is None or folder is None:
        found, commit = download(revision, splits)
        entry |= {"repository": REPO, "revision": commit}
    else:
        if not folder.is_dir():
            raise TempbenchError(f"{given} is not a folder; give --source the folder with the release")
        names = [
            str(path.relative_to(folder).as_posix())
            for path in releases.of_suffix(folder.rglob("*"), ".parquet")
        ]
        found = {split: [folder / name for name in files] for split, files in release_files(names).items()}
        if not found:
            raise TempbenchError(
                f"no Parquet file of a split in {given}; a release has files like "
                "data/test-00000-of-00001.parquet"
            )
        everything = [path for split in sorted(found) for path in found[split]]
        entry |= {"folder": str(given.resolve()), "sha256": tables.sha256_of(everything)}
    if text_only:
        entry["text_only"] = True
    if len(splits) < len(SPLITS):
        entry["splits"] = list(splits)
        if missing := [split for split in splits if split not in found]:
            raise TempbenchError(f"the release has no split {missing[0]}; it has {', '.join(sorted(found))}")
    elif "test" not in found:
        raise TempbenchError(
            f"the release has no test split; it has {', '.join(sorted(found))}: get the rest of it, or "
            "choose splits with --splits"
        )
    trusted = _trusted(given, folder) if given and folder else ()
    files = {split: found[split] for split in splits if split in found}
    return _Origin(entry, files, folder, own=False, trusted=trusted)


def download(revision: str, splits: Sequence[str] = SPLITS) -> tuple[dict[str, list[Path]], str]:
    """Downloads the missing parts of the release from the Hub.

    Returns:
        Its files by split, in the Hub's cache, and the commit.
    """
    from huggingface_hub import hf_hub_download

    from .sources import release_files

    with hub.downloading(REPO):
        info = hub.dataset_info(REPO, revision)
        names = release_files([file.rfilename for file in info.siblings or []])
        found = {
            split: [
                Path(hf_hub_download(REPO, name, repo_type="dataset", revision=info.sha)) for name in files
            ]
            for split, files in names.items()
            if split in splits
        }
    if not found:
        raise TempbenchError(f"{REPO} at {info.sha} has no Parquet file of a split; try another --revision")
    return found, str(info.sha)


def _fingerprint(entry: Any) -> Any:
    """Returns what identifies an origin: everything except its folder."""
    return (
        {key: value for key, value in entry.items() if key != "folder"} if isinstance(entry, dict) else entry
    )


def _report(manifest: Mapping[str, Any], root: Path) -> None:
    print(f"{root}: {sum(manifest['rows'].values())} questions")
    terminal.print_nested(manifest["counts"])
    if manifest["text_only"]:
        print("  prepared without pictures: only the tasks mateo_text_* can be run")
    for split, lines in manifest["problems"].items():
        for line in lines[:_SHOWN]:
            print(f"  {split}: {line}")
        if len(lines) > _SHOWN:
            print(f"  {split}: {len(lines) - _SHOWN} more, all in {root / roots.MANIFEST}")
