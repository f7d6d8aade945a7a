"""`tempbench prepare`, killed at random moments and started again.

For each benchmark a tiny source is written, prepared without interruption, and prepared again with kills
(SIGKILL, which leaves a process no chance to tidy up) until it comes to its end; then every file of both is
compared by SHA-256. After each kill, what says that it is prepared must pass `tempbench verify`. The same is
done with `--force` over data from another source. Kills come at random moments, or with `--every 1` at each
change of a file one after the other, files that are being written cut in half. Of every new file it is also
asked whether it was given its name when it was whole, which no kill between two changes would show.
"""

import argparse
import atexit
import gc
import hashlib
import json
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import timing
from interruptions import DONE, watch_changes

FROM_END = (0, 1, 2)


@dataclass
class Outcome:
    """What a series of kills did.

    Attributes:
        kills: How many starts were killed.
        chains: How many times the data was brought to its end.
        prepared: After how many kills the data said that it is prepared.
        unsound: Of these, what `tempbench verify` found wrong; and files that were written under their own
            names.
        differing: Files that differ from an uninterrupted run's.
    """

    kills: int = 0
    chains: int = 0
    prepared: int = 0
    unsound: list[str] = field(default_factory=list)
    differing: list[str] = field(default_factory=list)


def _forked(act: Callable[[], None], home: Path) -> int:
    """Runs `act` in a fork with `home` as the folder of all data, and returns its process id."""
    child = os.fork()
    if child:
        return child
    log = os.open(home.with_suffix(".log"), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.environ["TEMPBENCH_DATA"] = str(home)
    status = 1
    try:
        act()
        status = 0
    except SystemExit as end:
        status = int(end.code or 0)
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _prepare(benchmark: str, options: list[str]) -> None:
    from tempbench_lmms.cli import main

    sys.argv = ["tempbench", "prepare", benchmark, *options]
    main.main()


def _prepare_watched(benchmark: str, options: list[str], home: Path, kill_at: int) -> None:
    """Prepares and kills itself before the change of a file below `home` with that number, counted from 1.

    The end counts as one, so that what is written last is cut too. With 0 nothing is killed. The number of
    changes is left beside `home`, and the new files that came there otherwise than by a change of name.
    """
    before, named = {*tree(home)}, _new_names()
    sys.dont_write_bytecode = True  # that one is renamed into place would count as a change
    n_changes = watch_changes(home, kill_at)
    try:
        _prepare(benchmark, options)
        sys.audit(DONE)
    finally:
        home.with_suffix(".changes").write_text(str(n_changes()))
        others = [name for name in tree(home) if not {home / name, *(home / name).parents} & named]
        new = [name for name in others if name not in before and not name.endswith(".lock")]
        home.with_suffix(".in_place").write_text("\n".join(new))


def _new_names() -> set[Path]:
    """Returns a set that takes in the new name of each file and folder that is renamed from now on."""
    named: set[Path] = set()

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "os.rename":
            named.add(Path(os.fsdecode(arguments[1])))

    sys.addaudithook(watch)
    return named


def _verify(benchmark: str, versions: list[dict[str, str]]) -> None:
    """Exits with status 1 where the data is not sound, or a table shows pictures of another version."""
    from tempbench_lmms import benchmarks
    from tempbench_lmms.data import tables
    from tempbench_lmms.data.roots import data_home, prepared_root

    root = prepared_root(benchmark)
    # To say that a part is not finished, or that a small release lacks questions, is right.
    problems = [
        line
        for line in benchmarks.commands(benchmark)["verify"](root)
        if not line.partition(":")[0].endswith(".parquet") or (root / line.partition(":")[0]).exists()
        if not line.startswith("incomplete: ") and "complete the release" not in line
    ]
    found = tree(data_home(benchmark))
    for name in [name for name in found if name.endswith(".parquet")]:
        urls = set(re.findall(r"tempbench://([^'\"]+)", str(tables.read_rows(data_home(benchmark) / name))))
        shown = [name, *(url for url in urls if any(url in version for version in versions))]
        if not any(all(found.get(one) == version.get(one) for one in shown) for version in versions):
            problems.append(f"{name} and its pictures are not of one version")
    print("\n".join(problems))
    sys.exit(len(problems) > 0)


def _run(act: Callable[[], None], home: Path) -> int:
    """Runs `act` in a fork to its end and returns its status, below 0 where it was killed."""
    return os.waitstatus_to_exitcode(os.waitpid(_forked(act, home), 0)[1])


def tree(root: Path) -> dict[str, str]:
    """Returns the SHA-256 of every file below `root` by its path in it; times do not count."""
    return {
        path.relative_to(root).as_posix(): hashlib.sha256(timeless(path)).hexdigest()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


def timeless(path: Path) -> bytes:
    """Returns the bytes of a file; of the checksums of media without their times."""
    from tempbench_lmms.data import checksums

    if path.name != checksums.FILE:
        return path.read_bytes()
    return json.dumps({place: one["sha256"] for place, one in json.loads(path.read_text()).items()}).encode()


def interrupt(
    benchmark: str,
    folder: Path,
    kills: int,
    every: int,
    replace: bool,
    generator: random.Random,
    from_end: Iterable[int] = FROM_END,
) -> Outcome:
    """Kills the preparation of one benchmark and returns what came of it.

    Args:
        benchmark: Its name.
        folder: An empty folder to work in.
        kills: How many, at random moments, where `every` is 0.
        every: Kill at every change of a file with a number that it divides, and near the end.
        replace: Prepare with `--force` over data from another source.
        generator: Draws the moments.
        from_end: With `every`, also kill so many changes before the end; at 1 the last file has no name yet.
    """
    from tests import contract

    write = contract.get(benchmark, "SOURCE")
    options = write(folder / "source", 1)
    old = folder / "old"
    if replace:
        other = write(folder / "other", 0)
        _must(_run(lambda: _prepare(benchmark, other), old), old)
        options.append("--force")

    def fresh(name: str) -> Path:
        home = folder / name
        if replace:
            shutil.copytree(old, home)
        return home

    def prepare() -> None:
        _prepare(benchmark, options)

    whole = fresh("whole")
    began = time.monotonic()
    _must(_run(lambda: _prepare_watched(benchmark, options, whole, 0), whole), whole)
    duration = time.monotonic() - began
    expected = tree(whole)
    versions = [expected, tree(old)]
    result = Outcome()
    in_place = whole.with_suffix(".in_place").read_text().splitlines()
    result.unsound += [f"{name} is not written in one step" for name in in_place]

    def look(home: Path) -> None:
        result.kills += 1
        if (home / benchmark / "manifest.json").is_file():
            result.prepared += 1
            log = home.with_suffix(".log")
            before = len(log.read_text())
            if _run(lambda: _verify(benchmark, versions), home):
                result.unsound.append(log.read_text()[before:].strip().splitlines()[0])

    def finish(home: Path, status: int, remark: str = "") -> None:
        _must(status, home)
        result.chains += 1
        found = tree(home)
        names = {name for name in expected.keys() | found.keys() if expected.get(name) != found.get(name)}
        result.differing += sorted(f"{name}{remark}" for name in names)
        shutil.rmtree(home)

    if every:
        n_changes = int(whole.with_suffix(".changes").read_text())
        near = {n_changes - before for before in from_end if before < n_changes}
        for change in sorted({*range(every, n_changes + 1, every), *near}):
            home = fresh(f"home{change}")
            status = _run(partial(_prepare_watched, benchmark, options, home, change), home)
            if status < 0:
                look(home)
                status = _run(prepare, home)
            finish(home, status, f" (killed at change {change})")
        return result
    while result.kills < kills:
        home, status = fresh(f"home{result.chains}"), -1
        while status < 0:
            child = _forked(prepare, home)
            if result.kills < kills:
                time.sleep(generator.uniform(0, duration))
                os.kill(child, signal.SIGKILL)
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            if status < 0:
                look(home)
        finish(home, status)
    return result


def _must(status: int, home: Path) -> None:
    if status:
        raise SystemExit(
            f"prepare ended with status {status}:\n{home.with_suffix('.log').read_text()[-3000:]}"
        )


def _look_here(known: Path, path: Path, **request: Any) -> dict[str, Any]:
    """Looks at a file in this process: one apart writes nothing, and its start takes most of the time.

    Of the same bytes every look finds the same: what one process found, in `known`, the next one takes.
    """
    from tempbench_lmms.media import worker

    asked = {"path": str(path), **request}
    if request["kind"] == "cut":  # it writes a file
        return worker.look(asked, lambda n: None)
    key = hashlib.sha256(path.read_bytes() + path.name.encode() + json.dumps(request).encode())
    kept = known / key.hexdigest()
    # Whole to the end of the line, and not renamed: a change of a name would count as one of the data's.
    if not (kept.exists() and kept.read_text().endswith("\n")):
        kept.write_text(json.dumps(worker.look(asked, lambda n: None)) + "\n")
    found: dict[str, Any] = json.loads(kept.read_text())
    return found


def _import_everything() -> None:
    """Imports once, for all forks, what each would; see `_look_here`."""
    import av  # noqa: F401
    import pandas  # noqa: F401 (pyarrow imports it where it reads a table)
    import PIL.JpegImagePlugin
    import PIL.PngImagePlugin  # noqa: F401
    import pyarrow.parquet  # noqa: F401
    import pydantic.fields
    import pydantic.type_adapter
    import pydantic.types  # noqa: F401 (typer imports them where it reads an option)
    import rich.progress  # noqa: F401
    import scipy.sparse.csgraph
    import scipy.spatial  # noqa: F401 (where a preparation finds neighbours)
    import typer.rich_utils  # noqa: F401

    from tempbench_lmms import benchmarks
    from tempbench_lmms.cli import datasets, main
    from tempbench_lmms.media import encoding, images, integrity, sandbox  # noqa: F401

    encoding.PRESET = "ultrafast"  # what is rendered is as good a file as any
    known = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, known)  # forks end without it

    def ask(self: sandbox.Inspector, path: Path, **request: Any) -> dict[str, Any]:
        return _look_here(known, path, **request)

    sandbox.Inspector.ask = ask  # type: ignore[method-assign]
    for benchmark in benchmarks.names():
        main.commands_of(benchmark)
        benchmarks.checks(benchmark)
        datasets.module(benchmark, "prepare")


def _lay_out() -> None:
    """Lays out `tempbench prepare` once, for forks that run no other command."""
    import typer.main

    from tempbench_lmms.cli import main

    main._add_verbs("prepare")
    command = typer.main.get_command(main.app)
    typer.main.get_command = lambda app: command
    gc.freeze()  # else each fork's first search for garbage copies all that is here


def rows(quick: bool) -> Iterator[timing.Row]:
    """Yields what a few kills of each benchmark's preparation did."""
    from tempbench_lmms import benchmarks

    _import_everything()
    _lay_out()
    for benchmark in benchmarks.names():
        results = []
        for replace in (False, True):
            with tempfile.TemporaryDirectory() as folder:
                kills = 1 if quick else 2
                results.append(interrupt(benchmark, Path(folder), kills, 0, replace, random.Random(0)))
        wrong = sum(len(result.differing) + len(result.unsound) for result in results)
        n_kills = sum(result.kills for result in results)
        what = f"{benchmark}, {n_kills} kills, new and over older data: files that differ, unsound data"
        yield timing.Row(what, [wrong], "", at_most=0)


def main() -> None:
    """Prints what the kills did, a line a benchmark."""
    from tempbench_lmms import benchmarks

    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--kills", type=int, default=20, help="of each benchmark, in each of the two ways")
    options.add_argument(
        "--every", type=int, default=0, metavar="N", help="at every Nth change of a file instead; 1: at each"
    )
    options.add_argument(
        "--from-end",
        type=int,
        nargs="+",
        default=FROM_END,
        metavar="N",
        help="with --every, also N from the end",
    )
    options.add_argument("--benchmark", choices=benchmarks.names(), action="append")
    options.add_argument("--seed", type=int, default=0)
    given = options.parse_args()
    _import_everything()
    _lay_out()
    wrong = False
    columns = ("killed", "ended", "prepared", "unsound", "differing")
    print(f"{'benchmark':12} {'way':8} " + " ".join(f"{column:>9}" for column in columns))
    for benchmark in given.benchmark or benchmarks.names():
        for replace in (False, True):
            with tempfile.TemporaryDirectory() as folder:
                result = interrupt(
                    benchmark,
                    Path(folder),
                    given.kills,
                    given.every,
                    replace,
                    random.Random(given.seed),
                    given.from_end,
                )
            counts = (
                result.kills,
                result.chains,
                result.prepared,
                len(result.unsound),
                len(result.differing),
            )
            row = " ".join(f"{count:9}" for count in counts)
            print(f"{benchmark:12} {'--force' if replace else 'new':8} {row}", flush=True)
            for line in [*result.unsound[:5], *result.differing[:5]]:
                print(f"    {line}")
            wrong = wrong or bool(result.unsound or result.differing)
    sys.exit(wrong)


if __name__ == "__main__":
    main()
