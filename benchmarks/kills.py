"""`tempbench run` and every `tempbench prepare`, killed at changes of files and started again.

A start is killed with SIGKILL at a change of a file, the file that is being written cut in half; the same
command must then come to the same replies, numbers and files as one that nobody killed. `run` may ask no more
questions again than a slice has. A folder that says that it is prepared must pass `tempbench verify`, also
where `--force` replaced older data. Every new file must get its name when it is whole, which no kill between
two changes would show.
"""

import argparse
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from faults.starts import Start, import_all, wait, watch_changes
from faults.world import numbers_of, tree

TASK, SLICE = "timepercept_pov_mini", 8


def _arm(home: Path, kill_at: int) -> Callable[[], list[str]]:
    """Kills this start at a change; at its end notes the number of changes, and files written in place."""
    before, named = {*tree(home, "")}, set()

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "os.rename":
            named.add(Path(os.fsdecode(arguments[1])))

    sys.addaudithook(watch)
    n_changes = watch_changes(home, kill_at)

    def lines() -> list[str]:
        new = [name for name in tree(home, "") if name not in before and not name.endswith(".lock")]
        return [
            str(n_changes()),
            *(name for name in new if not {home / name, *(home / name).parents} & named),
        ]

    return lines


def started(home: Path, words: list[str], kill_at: int | None = None) -> Start:
    """Returns a start that has ended; raises where it failed and was not killed."""
    arm = partial(_arm, home, kill_at) if kill_at is not None else lambda: None
    start = Start(words, arm, {"TEMPBENCH_DATA": str(home)})
    wait([start])
    if start.late or (start.status or 0) > 0:
        raise SystemExit(f"{' '.join(words)}: {start.printed[-1000:]}{start.errors[-2000:]}")
    return start


def _moments(n_changes: int, every: int) -> list[int]:
    """Returns the changes to kill at: every Nth, and the last but one, at which the last file has no name."""
    return sorted({*range(every, n_changes + 1, every), max(1, n_changes - 1)})


def kills_of_run(folder: Path, every: int) -> Iterator[tuple[int, list[str]]]:
    """Yields for each kill its moment and what was wrong then."""
    words = ["run", "--model", "tempbench_chance", "--tasks", TASK, "--slice", str(SLICE), "--output"]
    whole = started(folder / "whole", [*words, str(folder / "whole/run")], 0)
    expected = numbers_of(folder / "whole/run")
    for change in _moments(int(whole.at_end[0]), every):
        home = folder / f"home{change}"
        own = [*words, str(home / "run")]
        first = started(home, own, change)
        again = started(home, own)
        wrong = [] if numbers_of(home / "run") == expected else ["other numbers or replies"]
        if len({*first.asked} & {*again.asked}) > SLICE:
            wrong.append("more questions than a slice were asked again")
        shutil.rmtree(home)
        yield change, wrong


def kills_of_prepare(
    benchmark: str, replace: bool, folder: Path, every: int
) -> Iterator[tuple[int, list[str]]]:
    """Yields for each kill its moment and what was wrong then."""
    from tests import contract

    write = contract.get(benchmark, "SOURCE")
    words, old = ["prepare", benchmark, *write(folder / "source", 1)], folder / "old"
    old.mkdir()
    if replace:
        started(old, ["prepare", benchmark, *write(folder / "other", 0)])
        words.append("--force")

    def fresh(name: str) -> Path:
        return Path(shutil.copytree(old, folder / name))

    whole = fresh("whole")
    n_changes, *in_place = started(whole, words, 0).at_end
    expected = tree(whole, "")
    yield 0, [f"{name} is not written in one step" for name in in_place]
    for change in _moments(int(n_changes), every):
        home = fresh(f"home{change}")
        wrong: list[str] = []
        if started(home, words, change).status:
            if (home / benchmark / "manifest.json").is_file():
                wrong += _unsound(benchmark, home, [expected, tree(old, "")])
            started(home, words)
        found = tree(home, "")
        names = sorted(name for name in {*expected, *found} if expected.get(name) != found.get(name))
        yield change, [*wrong, *(f"{name} differs" for name in names)]
        shutil.rmtree(home)


def _unsound(benchmark: str, home: Path, versions: list[dict[str, str]]) -> Iterator[str]:
    """Yields what `tempbench verify` says of the data, and tables that show pictures of another version."""
    from tempbench_lmms.data import tables

    verified = Start(["verify", benchmark], lambda: None, {"TEMPBENCH_DATA": str(home)})
    wait([verified])
    found = tree(home, "")
    for line in verified.printed.splitlines() if verified.status else ():
        name = line.partition(":")[0]
        # To say that a part is not finished, or that a small release lacks questions, is right.
        unfinished = line.startswith("lmms-eval") or (
            name.endswith(".parquet") and not (home / benchmark / name).exists()
        )
        if not unfinished and not line.startswith("incomplete: ") and "complete the release" not in line:
            yield line
    for name in [name for name in found if name.endswith(".parquet")]:
        urls = set(re.findall(r"tempbench://([^'\"]+)", str(tables.read_rows(home / name))))
        shown = [name, *(url for url in urls if any(url in version for version in versions))]
        if not any(all(found.get(one) == version.get(one) for one in shown) for version in versions):
            yield f"{name} and its pictures are not of one version"


def main() -> None:
    """Prints how many kills there were, and what went wrong, a line per command."""
    import_all()
    from tempbench_lmms import benchmarks

    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument(
        "--every", type=int, default=1, metavar="N", help="kill at every Nth change of a file"
    )
    options.add_argument("--only", choices=("run", *benchmarks.names()), nargs="+", metavar="NAME")
    given = options.parse_args()
    ways = {"run": [kills_of_run]} | {
        name: [partial(kills_of_prepare, name, replace) for replace in (False, True)]
        for name in benchmarks.names()
    }
    failed = False
    for name in given.only or ways:
        for number, way in enumerate(ways[name]):
            with tempfile.TemporaryDirectory() as folder:
                found = dict(way(Path(folder), given.every))
            wrong = [
                f"    at change {change}: {line}" for change, lines in found.items() for line in lines[:5]
            ]
            print(
                f"{name}{' --force' * number}: {len(found.keys() - {0})} kills, {len(wrong)} wrong",
                *wrong,
                sep="\n",
                flush=True,
            )
            failed = failed or bool(wrong)
    sys.exit(failed)


if __name__ == "__main__":
    main()
