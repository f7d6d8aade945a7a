"""The `tempbench` command. Its exit status is 0 only where the thing was done."""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from tempbench_lmms import __version__, benchmarks
from tempbench_lmms.cli import runs
from tempbench_lmms.cli.read import read
from tempbench_lmms.cli.report import report, submit_hub
from tempbench_lmms.cli.reread import reread
from tempbench_lmms.errors import TempbenchError

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Temporal-reasoning benchmarks for vision-language models, in the lmms-eval harness.",
)
VERBS = {
    "prepare": "Bring a benchmark's data onto this machine.",
    "score": "Score answers that were obtained elsewhere.",
    "submit": "Write the files that a leaderboard or the Hub takes.",
    "stats": "Measure a data set.",
    "build": "Make a data set from its raw sources.",
    "export-train": "Write training data for fine-tuning.",
}


def _print_version(wanted: bool) -> None:
    if wanted:
        print(__version__)
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[bool, typer.Option("--version", callback=_print_version, is_eager=True)] = False,
) -> None:
    pass


@app.command()
def path() -> None:
    """Print the folder with our tasks, for the harness's --include_path."""
    from tempbench_lmms.harness.variants import task_dir

    print(task_dir())


@app.command()
def tasks(
    benchmark: Annotated[str | None, typer.Argument(help="Only this benchmark's tasks.")] = None,
) -> None:
    """List our tasks."""
    from rich.console import Console
    from rich.table import Table

    from tempbench_lmms.harness.tasks import load_task, task_files

    if benchmark:
        benchmarks.card(benchmark)
    table = Table("task", "benchmark", "what", box=None)
    for name, file in task_files().items():
        if benchmark in (None, file.parent.name):
            config = load_task(name)
            table.add_row(name, file.parent.name, "group" if "group" in config else _described(config))
    Console().print(table)


def _described(config: dict[str, Any]) -> str:
    settings = (config.get("lmms_eval_specific_kwargs") or {}).get("default", {})
    return ", ".join(f"{key} {value}" for key, value in settings.items())


@app.command()
def show(
    task: Annotated[str, typer.Argument(help="A task, e.g. tempvs_mt1_two_mini.")],
    doc: Annotated[int, typer.Option(help="Number of the document, from 0.")] = 0,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Also write an HTML page with the pictures.")
    ] = None,
    force: Annotated[bool, typer.Option(help="Overwrite the page.")] = False,
) -> None:
    """Show what a model sees of one document: pictures, prompt, and the right answer."""
    from tempbench_lmms.cli.show import as_html, as_text, seen

    if output and output.exists() and not force:
        raise TempbenchError(f"{output} exists; choose another name or add --force")
    view = seen(task, doc)
    print(as_text(view))
    if output:
        output.write_text(as_html(view), encoding="utf-8")
        print(f"\nwritten to {output}", file=sys.stderr)


@app.command()
def verify(
    benchmark: Annotated[str | None, typer.Argument(help="Check this benchmark's prepared data.")] = None,
    mini: Annotated[bool, typer.Option(help="Check the bundled sample instead.")] = False,
    names: Annotated[bool, typer.Option(help="Compare our task names with the harness's.")] = True,
) -> None:
    """Check the installation, and a benchmark's data, before a model is loaded."""
    from tempbench_lmms.harness import plugin

    print(f"lmms-eval {plugin.harness_version()}: ok", flush=True)
    problems = 0
    if benchmark:
        from tempbench_lmms.data.roots import mini_root, prepared_root

        benchmarks.card(benchmark)
        root = mini_root(benchmark) if mini else prepared_root(benchmark)
        print(f"checking every row and every file of {benchmark} in {root}", file=sys.stderr, flush=True)
        for problem in benchmarks.commands(benchmark)["verify"](root):
            problems += 1
            print(problem)
        if problems:
            raise TempbenchError(f"{benchmark}: {problems} problems in {root}; see above")
        print(f"{benchmark} in {root}: ok")
    elif names:
        from tempbench_lmms.harness.tasks import task_files

        if shadowed := plugin.shadowed_names():
            raise TempbenchError(
                f"the harness has its own tasks named {', '.join(shadowed)} and would run those; "
                "update tempbench-lmms"
            )
        print(f"{len(task_files())} task names, none of them the harness's: ok")


@app.command()
def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the logs.")] = Path(
        "tempbench_demo"
    ),
) -> None:
    """Run the bundled sample through the real harness: a tiny model, chance, and an oracle."""
    print("tempbench: building a tiny Qwen2.5-VL with random weights", file=sys.stderr, flush=True)
    from rich.console import Console

    from tempbench_lmms.cli.demo import run

    run(output, Console())


app.command()(read)
app.command()(runs.run)
app.command()(runs.compare)
app.command()(runs.rescore)
app.command()(reread)
app.command()(report)


def commands_of(benchmark: str) -> Mapping[str, Callable[..., Any]]:
    """Returns a benchmark's commands: its own, and those that make its data."""
    from tempbench_lmms.cli import datasets

    return {**datasets.commands(benchmark), **benchmarks.commands(benchmark)}


def _add_verbs(wanted: str | None) -> None:
    """Adds the verbs, and the benchmarks below the one that is wanted.

    The benchmarks' commands import what makes data, which `tempbench path` and `--help` need not wait for.
    """
    app.registered_groups.clear()  # of an earlier command in this process
    for verb, help_text in VERBS.items():
        group = typer.Typer(no_args_is_help=True, help=help_text)
        if verb == wanted:
            if verb == "submit":
                group.command("hub")(submit_hub)
            for name in benchmarks.names():
                if function := commands_of(name).get(verb):
                    group.command(name)(function)
        app.add_typer(group, name=verb)


def main() -> None:
    """Entry point: errors a user can put right are one line on stderr and status 1."""
    _add_verbs(next((word for word in sys.argv[1:] if not word.startswith("-")), None))
    try:
        app(standalone_mode=True)
    except TempbenchError as error:
        print(f"tempbench: {error}", file=sys.stderr)
        raise SystemExit(1) from None
