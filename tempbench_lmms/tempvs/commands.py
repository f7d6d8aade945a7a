"""What TempVS adds to the `tempbench` command."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from tempbench_lmms.data import terminal


def verify(root: Path) -> Iterator[str]:
    """Yields one line a problem in the data under `root`."""
    from tempbench_lmms.tempvs.checks import problems

    yield from problems(root)


def score(
    predictions: Annotated[Path, typer.Option(help="Folder in the official layout: combined/, blind/ ...")],
    model: Annotated[str, typer.Option(help="The model's folder; its name chooses the official parser.")],
    setting: Annotated[str, typer.Option(help="combined, separate or blind.")] = "combined",
    blind_filter: Annotated[
        bool, typer.Option(help="Leave out of the strict numbers too what text-only models solve.")
    ] = False,
    allow_pickle: Annotated[
        bool, typer.Option("--allow-pickle", help="Read predictions that are pickles: runs the code in them.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Score prediction files in the official layout: official and strict numbers side by side."""
    from rich.table import Table

    from tempbench_lmms.record import UNDEFINED
    from tempbench_lmms.tempvs.predictions import score_folder

    scores = score_folder(predictions, model, setting, blind_filter, allow_pickle)
    if as_json:
        print(json.dumps(scores, indent=2))
        return
    table = Table("test", "number", "official", "strict", box=None)
    for task, columns in scores["tasks"].items():
        for name in {**columns["official"], **columns["strict"]}:
            values = (columns[kind].get(name) for kind in ("official", "strict"))
            table.add_row(task, name, *(UNDEFINED if value is None else f"{value:g}" for value in values))
    terminal.console().print(table)
    for note in scores["notes"]:
        print(note)


def stats(
    mini: Annotated[bool, typer.Option(help="Of the bundled sample.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Count questions by source, beside Table 2, and show how statements, images and answers are spread."""
    from tempbench_lmms.data.roots import mini_root, prepared_root
    from tempbench_lmms.data.tables import read_rows
    from tempbench_lmms.tempvs import statistics

    root = mini_root("tempvs") if mini else prepared_root("tempvs")
    measured = statistics.measure(read_rows(root / "all"))
    if as_json:
        print(json.dumps(measured, indent=2))
        return
    terminal.print_tables(statistics.as_tables(measured, beside_paper=not mini))


COMMANDS: dict[str, Callable[..., Any]] = {
    "verify": verify,
    "score": score,
    "stats": stats,
}
