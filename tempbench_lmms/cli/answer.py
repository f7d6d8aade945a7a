"""The command `tempbench answer`."""

import re
from pathlib import Path
from typing import Annotated

import typer

from tempbench_lmms.data import locks, outputs, terminal
from tempbench_lmms.errors import TempbenchError


def answer(
    task: Annotated[str, typer.Argument(help="A task or group, e.g. tempvs_mt1_two_mini.")],
    name: Annotated[str, typer.Option(help="Name of the person, for the log and its folder.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder for all answers; each person gets a subfolder.")
    ] = Path("answers"),
    limit: Annotated[
        int | None, typer.Option(min=1, help="Ask only the first questions, like a run's --limit.")
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port of the page; 0 picks a free one.")] = 0,
) -> None:
    """Answer a task yourself on a local page; the log is scored, compared and reported like a model's.

    Each answer is stored at once: give the same command again to continue.
    """
    if not re.fullmatch(r"[^\W_][\w.-]{0,63}", name):
        raise TempbenchError(f"--name {name[:80]!r}: a name consists of letters, digits, '.', '_' and '-'")
    folder = output / name
    outputs.check_folder(folder, "choose another --output")
    terminal.tell(f"reading the questions of {task}")
    from tempbench_lmms.harness.tasks import load_task
    from tempbench_lmms.runs.answering import Questions, Server, task_of
    from tempbench_lmms.runs.starting import leaves

    load_task(task)
    folder.mkdir(parents=True, exist_ok=True)
    busy = f"{name} is already answering in {folder}; use that page, or end it"
    with locks.locked(folder / outputs.LOCK, busy):
        questions = Questions([task_of(one, folder, limit) for one in leaves([task])], name, limit)
        try:
            if questions.next_open() is not None:
                with Server(questions, port) as server:
                    print(f"open {server.address}", flush=True)
                    terminal.tell("Ctrl-C ends; each answer is stored at once")
                    server.serve_forever()
        finally:  # also for the answers so far
            if questions.next_open() is not None:
                kept = f"{questions.n_answered:,} of {len(questions):,} answers are stored"
                terminal.tell(f"{kept}; give the same command again to continue")
            for file in questions.write_logs():
                print(f"{file}: the log of {name}; see `tempbench report {file}`")
