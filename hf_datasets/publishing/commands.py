"""`tempbench push`: prepared data as a data set of the Hub."""

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
    """Publishes a benchmark's prepared data; prints what would be done before anything is."""
    check_repository(repo, "data set")
    roots.data_home(benchmark)  # raises where the data was fetched from elsewhere
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
    # One folder a repository: older clients keep in it how far they came.
    folder = root.with_name(f".{benchmark}.push-{upload.fingerprint(repo)}")
    with locks.locked(folder.with_suffix(".lock"), f"another command pushes {benchmark} to {repo}"):
        _stage(found, folder)
        change = _compared(repo, folder, dry_run)
        _preview(found, terms, repo, private, change, folder)
        if found.part:
            print(f"  not the whole benchmark{found.part}")
        if change.exists and private and not change.private:
            raise TempbenchError(f"{repo} is public; name another repository, which --private makes private")
        print(_uploaded(repo, folder, private, change, agreed, dry_run))
        shutil.rmtree(folder)


def _compared(repo: str, folder: Path, dry_run: bool) -> upload.Change:
    try:
        return upload.change_of(repo, folder)
    except TempbenchError as error:
        if not dry_run:
            raise
        print(f"not compared with what may be there: {error}")
        return upload.Change(compared=False)


def _uploaded(
    repo: str, folder: Path, private: bool, change: upload.Change, agreed: Callable[[], bool], dry_run: bool
) -> str:
    """Uploads what the user agrees to, and returns what to say of it."""
    if dry_run:
        return "nothing was uploaded (--dry-run)"
    if change.exists and not change.new and not change.replaced:
        return "nothing to do: all of it is there"
    if not agreed():
        raise TempbenchError("nothing was uploaded; say yes, or add --yes where nobody can be asked")
    commit = upload.upload(repo, folder, private)
    return (
        f"https://huggingface.co/datasets/{repo}/tree/{commit}\n"
        f"run from it with TEMPBENCH_DATA=hf://{repo}@{commit}"
    )


def _verify(benchmark: str, root: Path) -> None:
    problems = [str(line) for line in benchmarks.commands(benchmark)["verify"](root)]
    if problems:
        raise TempbenchError(
            f"{problems[0]} ({len(problems)} problems; see `tempbench verify {benchmark}`): nothing is "
            "published that is not sound"
        )


def _stage(found: contents.Contents, folder: Path) -> None:
    """Writes everything anew, but for what a client keeps of an upload that was broken off."""
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
    state = "which is there already" if change.exists else "a new repository"
    state = state if change.compared else "not compared"
    print(f"{repo}: {'private' if private or change.private else 'PUBLIC'}, {state}")
    print(f"  licence: {'; '.join(f'{one.name}: {one.licence}' for one in terms.sources)}")
    for name, splits in found.configs.items():
        print(f"  {name}: {', '.join(f'{split.name} {split.rows:,}' for split in splits)}")
    print(f"  {n:,} files, {size / 1e6:,.1f} MB, {len(found.media):,} of them pictures or videos")
    for words, places in (
        ("new", change.new),
        ("REPLACED", change.replaced),
        ("kept as they are", change.kept),
    ):
        if places and change.exists:
            more = f" and {len(places) - _NAMED} more" if len(places) > _NAMED else ""
            print(f"  {words}: {', '.join(places[:_NAMED])}{more}")
    if change.same:
        print(f"  there already: {change.same:,} files")
    for name in crowded:
        print(f"  {name} holds more than 10,000 files, which the Hub may refuse")
