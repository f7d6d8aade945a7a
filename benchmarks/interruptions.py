"""`tempbench run`, killed at random moments and started again.

Kills come at random moments, or with `--every 1` at each change of a file one after the other (cache,
results, logs, report), the file that is being written cut in half. The harness is imported once and every
start is a fork of that process, so that 20 starts take minutes and the moments fall into the run and not
into Python's imports. Each start is killed with SIGKILL, which leaves a process no chance to tidy up. A
respondent that notes every question it is asked stands in for the model.
"""

import argparse
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import timing

TASKS = "tempvs_mt1_two_mini"
_SECONDS_A_QUESTION = 0.01
ASKED, DONE = "tempbench.asked", "tempbench.done"
_CHANGES = {"os.rename", "os.remove", "os.rmdir", "os.mkdir", "sqlite3.connect", ASKED, DONE}
_WRITING = os.O_WRONLY | os.O_RDWR


@dataclass
class Outcome:
    """What a series of kills did.

    Attributes:
        kills: How many starts were killed.
        chains: How many runs were brought to their end.
        asked_twice: For each start, how many questions it asked that an earlier start of its run had asked.
        differing: Runs whose numbers or replies differ from the uninterrupted run's.
        phases: For each kill, the share of questions that had been answered.
    """

    kills: int = 0
    chains: int = 0
    asked_twice: list[int] = field(default_factory=list)
    differing: int = 0
    phases: list[float] = field(default_factory=list)


def cut_and_kill(written: str) -> None:
    """Cuts the file that is being written in half and kills this process."""
    path = Path(written)
    written_in_steps = path.suffix in (".partial", ".json", ".jsonl", ".html") and path.is_file()
    if written_in_steps and path.stat().st_nlink == 1:  # a second name of a file is made whole
        os.truncate(path, path.stat().st_size // 2)
    os.kill(os.getpid(), signal.SIGKILL)


def watch_changes(folder: Path, at: int, act: Callable[[str], None] = cut_and_kill) -> Callable[[], int]:
    """Makes this process kill itself before the change of a file below `folder` with that number, from 1.

    Args:
        folder: The folder.
        at: The number; with 0 nothing is done. A question that is asked, `sys.audit(ASKED)`, counts too.
        act: What is done then instead; it gets the file that is being written.

    Returns:
        A function that tells how many changes there were.
    """
    count, written = 0, ""

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal count, written
        path = arguments[0] if arguments else None
        if event == "open":
            if not (
                isinstance(path, str) and path.startswith(f"{folder}{os.sep}") and arguments[2] & _WRITING
            ):
                return
        elif event not in _CHANGES:
            return
        count += 1
        if count == at:
            act(str(path) if event == "os.rename" else written)
        if event == "open":
            written = path

    sys.addaudithook(watch)
    return lambda: count


def _start(folder: Path, slice_size: int, tasks: str, kill_at: int = 0) -> int:
    """Starts a run in a fork and returns its process id."""
    child = os.fork()
    if child:
        return child
    log = os.open(folder.with_suffix(".log"), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(log, 1)
    os.dup2(log, 2)
    from tempbench_lmms.cli import main
    from tempbench_lmms.harness.respondents import simple

    notes = os.open(folder.with_suffix(".asked"), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    reply = simple.REPLIES["chance"]

    def noted(doc: Any, task: str, seed: int) -> str:
        time.sleep(_SECONDS_A_QUESTION)
        os.write(notes, f"{os.getpid()} {task} {doc['question_id']}\n".encode())
        # An empty reply is an answer like any other: it is not asked for again.
        return "" if doc["question_id"].endswith("7") else reply(doc, task, seed)

    simple.REPLIES["chance"] = noted
    arguments = ["run", "--model", "tempbench_chance", "--tasks", tasks, "--output", str(folder)]
    sys.argv = ["tempbench", *arguments, "--slice", str(slice_size)]
    n_changes, status = watch_changes(folder, kill_at), 0
    try:
        main.main()
    except SystemExit as end:
        status = int(end.code or 0)
    folder.with_suffix(".changes").write_text(str(n_changes()))
    os._exit(status)


def _asked(folder: Path) -> list[tuple[str, str]]:
    """Returns (process, question) in the order of asking."""
    file = folder.with_suffix(".asked")
    if not file.is_file():
        return []
    return [tuple(line.split(" ", 1)) for line in file.read_text().splitlines()]  # type: ignore[misc]


def outcome_of(folder: Path) -> tuple[Any, dict[str, Any]]:
    """Returns the numbers of a finished run, and the replies by question."""
    state = json.loads((folder / "tempbench_run.json").read_text())
    file = Path(state["finished"])
    stamp = file.name.removesuffix("_results.json")
    replies = {}
    for log in file.parent.glob(f"{stamp}_samples_*.jsonl"):
        rows = map(json.loads, log.read_text().splitlines())
        replies |= {
            (log.name.removeprefix(stamp), row["record"]["id"]): row["filtered_resps"] for row in rows
        }
    return json.loads(file.read_text())["results"], replies


def interrupt(
    folder: Path, kills: int, slice_size: int = 20, seed: int = 0, every: int = 0, tasks: str = TASKS
) -> Outcome:
    """Kills runs below `folder` and returns what came of it.

    Args:
        folder: An empty folder.
        kills: How many, at random moments, where `every` is 0.
        slice_size: As for `tempbench run --slice`.
        seed: Of the moments.
        every: Kill at the first change of a file, at each that comes so many later, and at the last eight,
            which write results, logs and report.
        tasks: What is asked, separated by commas.
    """
    import lmms_eval.__main__
    import lmms_eval.evaluator  # noqa: F401 (imported once, for all forks)

    from tempbench_lmms.harness import plugin

    plugin.shadowed_names()  # remembered
    generator = random.Random(seed)
    began = time.monotonic()
    child = _start(folder / "uninterrupted", slice_size, tasks)
    if os.waitpid(child, 0)[1]:
        raise SystemExit((folder / "uninterrupted.log").read_text()[-2000:])
    duration = time.monotonic() - began
    expected = outcome_of(folder / "uninterrupted")
    n_questions = len(expected[1])
    result = Outcome()
    if every:
        n_changes = int((folder / "uninterrupted.changes").read_text())
        for change in sorted({*range(1, n_changes + 1, every), *range(max(1, n_changes - 7), n_changes + 1)}):
            result.chains += 1
            run = folder / f"run{result.chains}"
            if os.waitstatus_to_exitcode(os.waitpid(_start(run, slice_size, tasks, change), 0)[1]) < 0:
                result.kills += 1
                result.phases.append(len(_asked(run)) / n_questions)
                os.waitpid(_start(run, slice_size, tasks), 0)
            _account(run, expected, result)
        return result
    while result.kills < kills:
        result.chains += 1
        run = folder / f"run{result.chains}"
        finished = False
        while not finished:
            child = _start(run, slice_size, tasks)
            if result.kills < kills:
                n_asks, n_done = len(_asked(run)), len({question for _, question in _asked(run)})
                if generator.random() < 0.2:
                    deadline = time.monotonic() + generator.uniform(0, duration)
                else:  # most of a real run is answering, so most of the moments are
                    while not finished and len(_asked(run)) == n_asks:
                        finished = os.waitpid(child, os.WNOHANG)[0] != 0
                        time.sleep(0.002)
                    left = max(n_questions - n_done, slice_size) * _SECONDS_A_QUESTION * 2
                    deadline = time.monotonic() + generator.uniform(0, left)
                while time.monotonic() < deadline and not finished:
                    finished = os.waitpid(child, os.WNOHANG)[0] != 0
                    time.sleep(0.002)
                if not finished:
                    os.kill(child, signal.SIGKILL)
                    os.waitpid(child, 0)
                    result.kills += 1
                    asked = {question for _, question in _asked(run)}
                    result.phases.append(len(asked) / n_questions)
            else:
                os.waitpid(child, 0)
                finished = True
        _account(run, expected, result)
    return result


def _account(run: Path, expected: Any, result: Outcome) -> None:
    result.differing += outcome_of(run) != expected
    seen: dict[str, set[str]] = {}
    for process, question in _asked(run):
        earlier = set().union(*(asked for other, asked in seen.items() if other != process))
        seen.setdefault(process, set())
        result.asked_twice += [0] if not seen[process] else []
        result.asked_twice[-1] += question in earlier
        seen[process].add(question)


def rows(quick: bool) -> Iterator[timing.Row]:
    slice_size = 20
    with tempfile.TemporaryDirectory() as folder:
        result = interrupt(Path(folder), 1 if quick else 3, slice_size)
    what = f"{result.kills} kills in {result.chains} runs"
    yield timing.Row(
        f"{what}: runs that differ from the uninterrupted one", [result.differing], "", at_most=0
    )
    yield timing.Row(
        f"{what}: questions asked twice by one start, slices of {slice_size}",
        [max(result.asked_twice, default=0)],
        "",
        at_most=slice_size,
    )


def main() -> None:
    """Prints what the kills did."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--kills", type=int, default=20)
    options.add_argument("--slice", type=int, default=20)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument(
        "--every", type=int, default=0, metavar="N", help="at every Nth change of a file instead; 1: at each"
    )
    options.add_argument("--tasks", default=TASKS, help="separated by commas")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        result = interrupt(Path(folder), given.kills, given.slice, given.seed, given.every, given.tasks)
    print(f"killed                                       {result.kills:6}")
    print(f"runs brought to their end                    {result.chains:6}")
    print(f"runs that differ from the uninterrupted one  {result.differing:6}")
    print(f"slice                                        {given.slice:6}")
    print(f"questions asked twice, at most, by one start {max(result.asked_twice, default=0):6}")
    print("answered when killed: " + " ".join(f"{share:.0%}" for share in result.phases))
    if result.differing or max(result.asked_twice, default=0) > given.slice:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
