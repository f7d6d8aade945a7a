"""The command `tempbench answer`."""

import re
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tempbench_lmms.data import outputs, run_files
from tempbench_lmms.errors import TempbenchError

if TYPE_CHECKING:
    from tempbench_lmms.runs.answering.questions import Questions

_NAME = re.compile(r"[^\W_][\w.-]{0,63}")


def answer(
    task: Annotated[str, typer.Argument(help="A task or group, e.g. tempvs_mt1_two_mini.")],
    name: Annotated[str, typer.Option(help="Name of the person; the log and its folder have it.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder for all answers; each person gets one in it.")
    ] = Path("answers"),
    limit: Annotated[
        int | None, typer.Option(min=1, help="Ask only the first questions, like --limit of a run.")
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port of the page; 0 takes any free one.")] = 0,
) -> None:
    """Answer a task yourself on a local page; the log is scored, compared and reported like a model's.

    Answers are kept as they come: give the same command again to go on.
    """
    if not _NAME.fullmatch(name):
        raise TempbenchError(f"--name {name[:80]!r}: give a name of letters, digits, '.', '_' and '-'")
    folder = output / name
    outputs.check_folder(folder, "choose another --output")
    print(f"tempbench: reading the questions of {task}", file=sys.stderr, flush=True)
    from tempbench_lmms.data import locks
    from tempbench_lmms.harness.tasks import load_task
    from tempbench_lmms.runs.answering.questions import Questions, task_of
    from tempbench_lmms.runs.starting import leaves

    load_task(task)
    folder.mkdir(parents=True, exist_ok=True)
    busy = f"{name} is answering in {folder} already; use that page, or end it"
    with locks.locked(folder / run_files.LOCK, busy):
        questions = Questions([task_of(one, folder, limit) for one in leaves([task])], name, limit)
        try:
            if questions.next_open() is not None:
                _ask(questions, port)
        finally:  # also of the answers so far
            for file in questions.write_logs():
                print(f"{file}: the log of {name}; see `tempbench report {file}`")


def _ask(questions: "Questions", port: int) -> None:
    """Shows the page until everything is answered and the person says so.

    Raises:
        SystemExit: Ctrl-C or SIGTERM came before; with how many answers are kept, and how to go on.
    """
    from tempbench_lmms.runs.answering.server import Server

    def end(number: int, frame: Any) -> None:
        raise SystemExit(128 + number)

    with Server(questions, port) as server:
        print(f"open {server.address}", flush=True)
        print("Ctrl-C ends; answers are kept as they come", file=sys.stderr, flush=True)
        before = {number: signal.signal(number, end) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            server.serve_forever()
        except SystemExit:
            kept = f"{questions.n_answered:,} of {len(questions):,} answers are kept"
            print(f"tempbench: {kept}; give the same command again to go on", file=sys.stderr)
            raise
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
