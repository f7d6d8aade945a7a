"""What this benchmark adds to the `tempbench` command."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from tempbench_lmms.data import outputs, terminal
from tempbench_lmms.data.replies import Partial


def verify(root: Path) -> Iterator[str]:
    """Yields one line a problem in the data under `root`."""
    from tempbench_lmms.coherence.checks import problems

    yield from problems(root)


def score(
    predictions: Annotated[list[Path], typer.Option(help="JSON Lines; may be given several times.")],
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write the scores as JSON.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw the curves over the frames as SVG.")] = None,
    mini: Annotated[bool, typer.Option(help="The predictions are for the bundled sample.")] = False,
    force: Annotated[bool, typer.Option(help="Overwrite the files.")] = False,
    partial: Partial = False,
) -> None:
    """Score sample logs of the harness, TOMATO's result files, or predictions by question id."""
    from rich.table import Table

    from tempbench_lmms.coherence import report
    from tempbench_lmms.data import tables
    from tempbench_lmms.data.roots import mini_root, prepared_root
    from tempbench_lmms.errors import DataNotPreparedError
    from tempbench_lmms.record import shown

    for path in (output, plot):
        if path is not None:
            outputs.check_file(path, force)
    try:
        root = mini_root("coherence") if mini else prepared_root("coherence")
    except DataNotPreparedError:
        root = None
    scores = report.scores_of(predictions, root, partial)
    for line in scores.remarks:
        print(line, file=sys.stderr)
    table = Table("metric", "value", "standard error", box=None)
    for name, (value, error) in scores.values.items():
        table.add_row(name, shown(value), shown(error))
    terminal.console().print(table)
    print(f"BERTScore: {scores.bertscore_hash}")
    if output is not None:
        tables.write_json(scores.as_json(), output)
    if plot is not None:
        tables.write_text(scores.plot(), plot)


def stats(
    mini: Annotated[bool, typer.Option(help="Of the bundled sample.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Count questions by type and scene, and show what guessing gets."""
    import json

    from tempbench_lmms.coherence import statistics
    from tempbench_lmms.data.roots import mini_root, prepared_root

    root = mini_root("coherence") if mini else prepared_root("coherence")
    measured = statistics.measure_root(root)
    if as_json:
        print(json.dumps(measured, indent=2))
        return
    terminal.print_tables(statistics.as_tables(measured))


COMMANDS: dict[str, Callable[..., Any]] = {
    "verify": verify,
    "score": score,
    "stats": stats,
}
