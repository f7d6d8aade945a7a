"""The command `tempbench signature`."""

from pathlib import Path
from typing import Annotated

import typer


def signature(
    runs: Annotated[list[Path], typer.Argument(help="Output folders of runs, or results files.")],
    partial: Annotated[
        bool, typer.Option("--partial", help="Include the readable part of damaged logs.")
    ] = False,
) -> None:
    """Print one line per task that says how its scores were made, for a paper or a bug report."""
    from tempbench_lmms.runs.logs import read_runs, with_repeats_as_one
    from tempbench_lmms.runs.signature import lines
    from tempbench_lmms.runs.task_log import edited

    with edited(" ".join(map(str, runs))):
        for log in with_repeats_as_one(read_runs(runs, partial)):
            print(*lines([log]))
