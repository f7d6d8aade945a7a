"""The command `tempbench table`."""

import itertools
import re
import shutil
from pathlib import Path
from typing import Annotated, Any

import typer

from tempbench_lmms import benchmarks
from tempbench_lmms.card import BenchmarkCard, PrintedTable
from tempbench_lmms.cli.command import Force, Intervals, Partial
from tempbench_lmms.cli.report import numbers_of
from tempbench_lmms.data import outputs
from tempbench_lmms.data.tables import write_text
from tempbench_lmms.data.terminal import tell
from tempbench_lmms.errors import TempbenchError

ENDINGS = {".md": "md", ".csv": "csv", ".tex": "tex", ".txt": "text"}


def table(
    benchmark: Annotated[str, typer.Argument(help="A benchmark, e.g. tempvs.")],
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[N]", help='Its table: 3, "section 6", tomato_7. Leave it out to list all tables.'
        ),
    ] = None,
    runs: Annotated[
        list[Path] | None,
        typer.Argument(help="Output folders of runs, or results files, to add to the table."),
    ] = None,
    format_: Annotated[
        str | None, typer.Option("--format", help="text (the default), md, csv or tex.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="A file; its ending chooses the format.")
    ] = None,
    intervals: Intervals = True,
    partial: Partial = False,
    force: Force = False,
) -> None:
    """Print a table of a benchmark's paper with your runs in it."""
    card = benchmarks.card(benchmark)
    columns = shutil.get_terminal_size().columns
    if name is None:
        if output or format_:
            raise TempbenchError(f"name a table; `tempbench table {benchmark}` lists them")
        return _list(card, columns)
    chosen = _chosen(card, name)
    kind = format_ or (ENDINGS.get(output.suffix.lower(), "") if output else "text")
    if kind not in ENDINGS.values():
        raise TempbenchError(
            f"unknown format {format_ or output}; end the name in .txt, .md, .csv or .tex, or add "
            "--format text, md, csv or tex"
        )
    if output:
        outputs.check_file(output, force)
    from tempbench_lmms.report import tables, text

    tasks = _tasks(card, runs, intervals, partial)
    (grid,) = tables.grids_of(card, [one for _, own in tasks for one in own], [chosen])
    heads = [f"{head.parts[0]}, " for head in (*grid.rows, *grid.columns) if head.kind == "run"]
    for path, own in tasks:
        if own and not any(head.startswith(f"{one.run}, ") for one in own for head in heads):
            tell(f"{path} has no number for {chosen.name} of {card.name}")
    content = {
        "text": lambda: text.plain(grid, columns),
        "md": lambda: text.markdown(grid) + "\n",
        "csv": lambda: text.sheet(grid),
        "tex": lambda: f"{text.PREAMBLE}\n\n{text.latex(grid)}\n",
    }[kind]()
    if output:
        write_text(content, output)
        print(f"{output}: {chosen.name} of {card.name}")
    else:
        print(content.rstrip("\n"))


def _list(card: BenchmarkCard, columns: int) -> None:
    """Prints the names and captions of a paper's tables, one per line of the terminal."""
    width = max(len(one.name) for one in card.tables)
    room = max(20, columns - width - 2)
    for one in card.tables:
        words = one.caption if len(one.caption) <= room else f"{one.caption[: room - 3].rstrip()}..."
        print(f"{one.name.ljust(width)}  {words}")


def _tasks(
    card: BenchmarkCard, runs: list[Path] | None, intervals: bool, partial: bool
) -> list[tuple[Path, list[Any]]]:
    """Returns the benchmark's tasks in each run; prints which runs have none."""
    if not runs:
        return []
    from tempbench_lmms.runs.logs import read_runs
    from tempbench_lmms.runs.task_log import edited

    read = {path: read_runs([path], partial) for path in dict.fromkeys(runs)}
    own = {path: [log for log in logs if log.benchmark == card.name] for path, logs in read.items()}
    if not any(own.values()):
        raise TempbenchError(f"none of the runs has a task of {card.name}; see `tempbench tasks {card.name}`")
    for path in (path for path in own if not own[path]):
        others = ", ".join(sorted({log.benchmark for log in read[path]}))
        tell(f"{path} is left out: its tasks are of {others}, not {card.name}")
    with edited(" ".join(map(str, runs))):
        found = iter(numbers_of([log for logs in own.values() for log in logs], partial, intervals))
    return [(path, list(itertools.islice(found, len(logs)))) for path, logs in own.items()]


def _chosen(card: BenchmarkCard, name: str) -> PrintedTable:
    """Returns the table with a name such as "3", "table 3", "Section 6", "tomato 7" or "videomind"."""
    words = {one.name: re.findall(r"[a-z]+|\d+", one.name.lower()) for one in card.tables}
    wanted = re.findall(r"[a-z]+|\d+", re.sub(r"^\s*(?=\d)", "table ", name.lower()))
    found = [one for one in card.tables if words[one.name] == wanted]
    found = found or [one for one in card.tables if wanted and {*wanted} <= {*words[one.name]}]
    if len(found) == 1:
        return found[0]
    known = ", ".join(one.name for one in card.tables)
    raise TempbenchError(f"{card.name} has no table {name!r}; choose one of: {known}")
