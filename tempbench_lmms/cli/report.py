"""The commands `report`, `submit hub` and `table`."""

import itertools
import re
import shlex
import shutil
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tempbench_lmms import benchmarks
from tempbench_lmms.card import BenchmarkCard, PrintedTable
from tempbench_lmms.cli.command import Force, GroupBy, IncludePath, Intervals, Partial
from tempbench_lmms.data import outputs, terminal
from tempbench_lmms.data.tables import write_text
from tempbench_lmms.errors import TempbenchError

if TYPE_CHECKING:
    from tempbench_lmms.report.numbers import TaskNumbers

_FORMATS = {".md": "md", ".csv": "csv", ".tex": "tex", ".txt": "text"}
ENDINGS = (".html", ".md", ".csv", ".tex")


def report(
    logs: Annotated[
        list[str],
        typer.Argument(help="Output folders of runs, or results files; NAME=FOLDER gives a run a name."),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The file; its ending chooses the format.")
    ] = Path("report.html"),
    title: Annotated[str, typer.Option(help="Title of the page.")] = "tempbench report",
    questions: Annotated[int, typer.Option(min=0, help="Maximum number of questions with texts.")] = 5000,
    pictures: Annotated[int, typer.Option(min=0, help="Maximum number of questions with pictures.")] = 500,
    size_budget: Annotated[
        float,
        typer.Option(min=0, max=1000, help="Maximum megabytes of texts, and as much again of pictures."),
    ] = 30,
    intervals: Intervals = True,
    everything: Annotated[
        bool, typer.Option("--all", help="In Markdown, CSV and LaTeX: all tables.")
    ] = False,
    price: Annotated[
        list[str] | None,
        typer.Option(help="RUN=IN,OUT: what a million tokens of prompts and of replies cost."),
    ] = None,
    force: Force = False,
    group_by: GroupBy = "",
    include_path: IncludePath = None,
) -> None:
    """Write the results of runs as one HTML page, or as tables in Markdown, CSV or LaTeX.

    Unfinished and damaged runs are included; their names say so in every table.
    """
    from tempbench_lmms.record_quality import of_records
    from tempbench_lmms.report import numbers, page, text
    from tempbench_lmms.runs.logs import checked, read_named
    from tempbench_lmms.runs.task_log import edited

    outputs.check_file(output, force)
    kind = output.suffix.lower()
    if kind not in ENDINGS:
        raise TempbenchError(f"unknown format {output}; end the name in .html, .md, .csv or .tex")
    if price and kind not in (".html", ".md"):
        raise TempbenchError(f"{output} has no costs; leave out --price, or end the name in .html or .md")
    with edited(" ".join(logs)):
        tasks = list(numbers.of_logs(checked(read_named(logs, group_by), True), intervals))
        prices = _prices(price or [], {task.run for task in tasks})
        if kind == ".html":
            content = page.page(tasks, title, questions, pictures, size_budget, prices)
        elif kind == ".csv":
            content = text.as_csv(page.sections_of(tasks), everything)
        elif kind == ".md":
            content = text.as_markdown(page.sections_of(tasks), title, everything, prices)
        else:
            content = text.as_latex(page.sections_of(tasks), title, everything)
    write_text(content, output)
    print(f"{output}: {_written(tasks, output.stat().st_size)}")
    for task in tasks:
        lines = [f"{task.log.task}: {line}" for line in of_records(task.log.limited)]
        for line in (*task.log.problems, *lines):
            print(f"{task.run}: {line}", file=sys.stderr)


def _written(tasks: Sequence["TaskNumbers"], size: int) -> str:
    written = f"{size / 1e6:.1f} MB" if size > 1e5 else f"{size / 1e3:.1f} kB"
    n_tasks = terminal.counted(len({task.log.task for task in tasks}), "task")
    n_runs = terminal.counted(len({task.run for task in tasks}), "run")
    return f"{n_tasks} of {n_runs}, {written}"


def _prices(given: Sequence[str], runs: set[str]) -> dict[str, tuple[float, float]]:
    found = {}
    for words in given:
        run, _, prices = words.rpartition("=")
        try:
            of_prompts, of_replies = map(float, prices.split(","))
        except ValueError:
            raise TempbenchError(f"--price {words}: write RUN=IN,OUT, e.g. gpt=2.5,10") from None
        if run not in runs:
            raise TempbenchError(f"--price {words}: no run {run!r}; the runs are {', '.join(sorted(runs))}")
        found[run] = of_prompts, of_replies
    return found


def write_report(page: Path, *results: Path) -> None:
    """Writes a report of results; prints why if it cannot, because the run itself is complete."""
    try:
        report([*map(str, results)], page, force=True)
    except Exception as error:  # any error: the results are already written
        terminal.tell(f"no report ({error}); see `tempbench report {' '.join(map(str, results))}`")


def submit_hub(
    logs: Annotated[list[Path], typer.Argument(help="Output folders of one model's runs, or results files.")],
    model: Annotated[str, typer.Option(help="The model's repository on the Hub, ORG/NAME.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the files.")] = Path(
        "hub_results"
    ),
    dataset: Annotated[
        list[str] | None,
        typer.Option(help="BENCHMARK=ORG/NAME@COMMIT: the data set on the Hub, if not the known one."),
    ] = None,
    source_url: Annotated[str | None, typer.Option(help="Web address of the logs.")] = None,
    partial: Partial = False,
    force: Force = False,
) -> None:
    """Write `.eval_results` entries for a model's page on the Hub; nothing is uploaded."""
    from tempbench_lmms.report import hub, numbers, page
    from tempbench_lmms.runs.logs import checked, read_runs
    from tempbench_lmms.runs.task_log import edited

    hub.check_repository(model, "model")
    outputs.check_folder(output)
    if source_url and not source_url.startswith(("https://", "http://")):
        raise TempbenchError(f"--source-url: {source_url!r} is not a web address; begin it with https://")
    chosen = _data_sets(dataset or [])
    with edited(" ".join(map(str, logs))):
        sections = page.sections_of(list(numbers.of_logs(checked(read_runs(logs, partial), partial))))
    entries = {}
    for section in sections:
        name = section.card.name
        data_set, revision = chosen.pop(name, (hub.data_set_of(section.card), ""))
        if data_set is None:
            raise TempbenchError(f"no data set on the Hub is known for {name}; add --dataset {name}=ORG/NAME")
        entries[name] = hub.entries_of(section, data_set, revision, source_url, partial)
    if chosen:
        raise TempbenchError(f"--dataset {next(iter(chosen))}=...: the logs have no task of this benchmark")
    hub.write(output, entries, force)
    for name, own in entries.items():
        print(f"{output / '.eval_results' / name}.yaml: {len(own)} entries")
    where = shlex.quote(str(output / ".eval_results"))
    print(f"to upload the entries: hf upload {model} {where} .eval_results --create-pr")


def _data_sets(options: list[str]) -> dict[str, tuple[str | None, str]]:
    from tempbench_lmms.report.hub import check_repository

    out: dict[str, tuple[str | None, str]] = {}
    for option in options:
        name, _, rest = option.partition("=")
        data_set, _, revision = rest.partition("@")
        check_repository(data_set, "data set", "--dataset BENCHMARK=ORG/NAME")
        if not re.fullmatch(r"([0-9a-f]{7,40})?", revision):
            raise TempbenchError(f"{revision!r} is not a commit id; use --dataset BENCHMARK=ORG/NAME@COMMIT")
        out[name] = (data_set, revision)
    return out


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
        _list_tables(card, columns)
        return
    chosen = _chosen(card, name)
    kind = format_ or (_FORMATS.get(output.suffix.lower(), "") if output else "text")
    if kind not in _FORMATS.values():
        raise TempbenchError(
            f"unknown format {format_ or output}; end the name in .txt, .md, .csv or .tex, or add "
            "--format text, md, csv or tex"
        )
    if output:
        outputs.check_file(output, force)
    from tempbench_lmms.report import tables, text

    tasks = _tasks(card, runs or [], intervals, partial)
    (grid,) = tables.papers(card, [one for own in tasks.values() for one in own], [chosen])
    heads = [f"{head.parts[0]}, " for head in (*grid.rows, *grid.columns) if head.kind == "run"]
    for path, own in tasks.items():
        if not any(head.startswith(f"{one.run}, ") for one in own for head in heads):
            terminal.tell(f"{path} has no number for {chosen.name} of {card.name}")
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


def _list_tables(card: BenchmarkCard, columns: int) -> None:
    width = max(len(one.name) for one in card.tables)
    for one in card.tables:
        caption = textwrap.shorten(one.caption, max(20, columns - width - 2), placeholder="...")
        print(f"{one.name.ljust(width)}  {caption}")


def _tasks(
    card: BenchmarkCard, runs: list[Path], intervals: bool, partial: bool
) -> dict[Path, list["TaskNumbers"]]:
    from tempbench_lmms.report import numbers
    from tempbench_lmms.runs.logs import checked, read_runs
    from tempbench_lmms.runs.task_log import edited

    read = {path: read_runs([path], partial) for path in dict.fromkeys(runs)}
    own = {path: [log for log in logs if log.benchmark == card.name] for path, logs in read.items()}
    if runs and not any(own.values()):
        raise TempbenchError(f"none of the runs has a task of {card.name}; see `tempbench tasks {card.name}`")
    with edited(" ".join(map(str, runs))):
        read_ones = checked([log for logs in own.values() for log in logs], partial)
        found = numbers.of_logs(read_ones, intervals)
    return {path: list(itertools.islice(found, len(logs))) for path, logs in own.items()}


def _chosen(card: BenchmarkCard, name: str) -> PrintedTable:
    """Returns the table with a name such as "3", "table 3", "Section 6", "tomato 7" or "videomind"."""
    words = {one.name: re.findall(r"[a-z]+|\d+", one.name.lower()) for one in card.tables}
    wanted = re.findall(r"[a-z]+|\d+", re.sub(r"^\s*(?=\d)", "table ", name.lower()))
    found = [one for one in card.tables if words[one.name] == wanted]
    found = found or [one for one in card.tables if wanted and {*wanted} <= {*words[one.name]}]
    if len(found) == 1:
        return found[0]
    raise TempbenchError(f"{card.name} has no table {name!r}; choose one of: {', '.join(words)}")
