"""The command `tempbench import`."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from tempbench_lmms.data.replies import Partial
from tempbench_lmms.data.terminal import counted, tell
from tempbench_lmms.errors import TempbenchError


def import_(
    format_: Annotated[
        str,
        typer.Argument(metavar="FORMAT", help="replies, vlmevalkit, or a benchmark's own, such as tempvs."),
    ],
    path: Annotated[Path, typer.Argument(help="File or folder of replies.")],
    task: Annotated[str, typer.Option(help="The task that was asked, e.g. tempvs_mt1_two.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the logs.")],
    model: Annotated[str, typer.Option(help="The model's name; by default from the file.")] = "",
    partial: Partial = False,
) -> None:
    """Import replies from elsewhere as a log for report, compare, rescore and reread."""
    tell("reading the replies")
    from tempbench_lmms import benchmarks
    from tempbench_lmms.harness.tasks import task_files
    from tempbench_lmms.runs import importing
    from tempbench_lmms.runs.formats import READERS

    source = importing.source_of(path, task, model.strip())
    readers = {**READERS, **benchmarks.readers(task_files()[task].parent.name)}
    if format_ not in readers:
        raise TempbenchError(f"no format {format_!r} for {task}; choose one of {', '.join(readers)}")
    log = importing.run(readers[format_], format_, source, output, partial)
    for line in source.remarks:
        print(line, file=sys.stderr)
    n = counted(len(log.samples), "reply", "replies")
    print(f"{log.file}: {n} of {log.model}; {importing.NOTE}")
