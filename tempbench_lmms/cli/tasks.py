"""The commands that look at tasks and questions: `tasks`, `show`, `read` and `path`."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from tempbench_lmms import benchmarks
from tempbench_lmms.cli.command import Force
from tempbench_lmms.data import outputs, tables, terminal
from tempbench_lmms.errors import TempbenchError


def tasks(
    benchmark: Annotated[str | None, typer.Argument(help="Only this benchmark's tasks.")] = None,
    all_: Annotated[bool, typer.Option("--all", help="Also list variants and the _mini tasks.")] = False,
) -> None:
    """List the tasks: what each asks, how many questions it has, and what a question shows."""
    if benchmark is not None:
        benchmarks.card(benchmark)
    from tempbench_lmms.cli import questions

    names = questions.names(benchmark, all_)
    width = max(map(len, names))
    print(f"{'task':{width}}  {'questions':12}  {'shows':15}  asks")
    for name in names:  # one by one, because listing all takes seconds
        number, shows, asks = questions.listed(name)
        print(f"{name:{width}}  {number:12}  {shows:15}  {asks}", flush=True)
    if not all_:
        print("\nA question is one call of the model. --all adds variants, and NAME_mini on the sample.")


def show(
    task: Annotated[str, typer.Argument(help="A task, e.g. tempvs_mt1_two_mini.")],
    doc: Annotated[int, typer.Option(help="Number of the question, starting at 0.")] = 0,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Also write a page with pictures (.html) or the text (.txt)."),
    ] = None,
    count: Annotated[int, typer.Option(min=1, max=100, help="Questions on the page, starting at --doc.")] = 5,
    frames: Annotated[int, typer.Option(min=1, max=64, help="Frames of a video to show on the page.")] = 8,
    force: Force = False,
) -> None:
    """Show one question as a model sees it: pictures, prompt, and the right answer."""
    from tempbench_lmms.cli import questions

    kind = output.suffix.lower() if output else ""
    if output:
        outputs.check_file(output, force)
        if kind not in (".html", ".htm", ".txt"):
            raise TempbenchError(f"unknown format {output}; end the name in .html or .txt")
    text = terminal.shown(questions.as_text(questions.seen(task, doc)))
    print(text)
    if output:
        page = f"{text}\n" if kind == ".txt" else questions.as_html(task, doc, count, frames)
        tables.write_text(page, output)
        print(f"\nwritten to {output}", file=sys.stderr)


def read(
    reply: Annotated[str, typer.Argument(help='The reply; "-" reads it from standard input.')],
    task: Annotated[str, typer.Option(help="A task, e.g. tempvs_mt1_two_mini.")],
    doc: Annotated[
        int | None,
        typer.Option(
            help="Number of the answered question, starting at 0; also shows whether the answer is right."
        ),
    ] = None,
) -> None:
    """Show how a reply is read, and why."""
    from tempbench_lmms.cli import questions

    print(questions.read_reply(task, sys.stdin.read() if reply == "-" else reply, doc))


def path() -> None:
    """Print the folder with the tasks, for the harness's --include_path."""
    from tempbench_lmms.harness.variants import task_dir

    print(task_dir())
