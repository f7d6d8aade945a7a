"""`tempbench push`: publishes prepared data as a data set on the Hub."""

import shutil
from collections.abc import Callable
from pathlib import Path

from tempbench_lmms import benchmarks
from tempbench_lmms.data import locks, roots
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.report.hub import check_repository

from . import card, contents, upload
from .facts import facts_of
from .terms import Terms, terms_of

_NAMED = 5


def push(
    benchmark: str,
    repo: str,
    private: bool = False,
    own_licence: str | None = None,
    dry_run: bool = False,
    agreed: Callable[[], bool] = lambda: False,
) -> None:
    """Publishes a benchmark's prepared data, after printing what it will do."""
    check_repository(repo, "data set")
    roots.data_home(benchmark)  # raises an error if the data came from the Hub
    root = roots.prepared_root(benchmark)
    locks.keep_reading(root)
    found = contents.contents_of(benchmark, root)
    facts, terms = facts_of(benchmark), terms_of(benchmark, found.manifest, own_licence)
    terms.check(private)
    _verify(benchmark, root)
    found.texts |= {
        "README.md": card.readme(found, facts, terms, repo),
        "eval.yaml": card.eval_yaml(found, facts),
    }
    # One folder per repository: older clients store their progress in it.
    folder = root.with_name(f".{benchmark}.push-{upload.fingerprint(repo)}")
    with locks.locked(folder.with_suffix(".lock"), f"another command is pushing {benchmark} to {repo}"):
        _stage(found, folder)
        change = _compared(repo, folder, dry_run)
        _preview(found, terms, repo, private, change, folder)
        if found.part:
            print(f"  not the whole benchmark{found.part}")
        if change.exists and private and not change.private:
            raise TempbenchError(f"{repo} is public; give another repository with --private")
        print(_uploaded(repo, folder, private, change, agreed, dry_run))
        shutil.rmtree(folder)


def _compared(repo: str, folder: Path, dry_run: bool) -> upload.Change:
    try:
        return upload.change_of(repo, folder)
    except TempbenchError as error:
        if not dry_run:
            raise
        print(f"not compared with the existing content: {error}")
        return upload.Change(compared=False)


def _uploaded(
    repo: str, folder: Path, private: bool, change: upload.Change, agreed: Callable[[], bool], dry_run: bool
) -> str:
    """Uploads after the user's consent, and returns the message about it."""
    if dry_run:
        return "nothing was uploaded (--dry-run)"
    if change.exists and not change.new and not change.replaced:
        return "nothing to do: the repository is up to date"
    if not agreed():
        raise TempbenchError("nothing was uploaded; answer yes, or add --yes in scripts")
    commit = upload.upload(repo, folder, private)
    return (
        f"https://huggingface.co/datasets/{repo}/tree/{commit}\n"
        f"run from it with `hf download {repo} --repo-type dataset --revision {commit} --local-dir "
        "D/BENCHMARK` and TEMPBENCH_DATA=D"
    )


def _verify(benchmark: str, root: Path) -> None:
    problems = [str(line) for line in benchmarks.rows(benchmark).problems(root)]
    if problems:
        raise TempbenchError(
            f"{problems[0]} ({len(problems)} problems; see `tempbench verify {benchmark}`): data with "
            "problems is not published"
        )


def _stage(found: contents.Contents, folder: Path) -> None:
    """Writes everything again, except the client's record of an interrupted upload."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.iterdir():
        if path.name == ".cache":
            continue
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
    contents.stage(found, folder)


def _preview(
    found: contents.Contents, terms: Terms, repo: str, private: bool, change: upload.Change, folder: Path
) -> None:
    n, size, crowded = contents.sizes(folder)
    state = "which already exists" if change.exists else "a new repository"
    state = state if change.compared else "not compared"
    print(f"{repo}: {'private' if private or change.private else 'PUBLIC'}, {state}")
    print(f"  licence: {'; '.join(f'{one.name}: {one.licence}' for one in terms.sources)}")
    for name, splits in found.configs.items():
        print(f"  {name}: {', '.join(f'{split.name} {split.rows:,}' for split in splits)}")
    print(f"  {n:,} files, {size / 1e6:,.1f} MB, {len(found.media):,} of them pictures or videos")
    for words, places in (
        ("new", change.new),
        ("REPLACED", change.replaced),
        ("not changed", change.kept),
    ):
        if places and change.exists:
            more = f" and {len(places) - _NAMED} more" if len(places) > _NAMED else ""
            print(f"  {words}: {', '.join(places[:_NAMED])}{more}")
    if change.same:
        print(f"  already there: {change.same:,} files")
    for name in crowded:
        print(f"  {name} holds more than 10,000 files, which the Hub may refuse")
