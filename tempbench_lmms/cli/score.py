"""`tempbench score BENCHMARK`: scores replies from elsewhere by our metrics and the official rules."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from tempbench_lmms.cli.command import AsJson, Mini
from tempbench_lmms.data import terminal
from tempbench_lmms.data.replies import Partial
from tempbench_lmms.record import shown


def command(benchmark: str) -> Callable[..., None]:
    """Returns the command of a benchmark."""

    def score(
        predictions: Annotated[
            Path,
            typer.Option(help="JSON Lines with question_id and reply, a sample log, or the official files."),
        ],
        task: Annotated[
            str, typer.Option(help="The task that was asked; default: the benchmark's own.")
        ] = "",
        data: Annotated[
            Path | None, typer.Option(help="The official question files, instead of the prepared data.")
        ] = None,
        format_: Annotated[
            str,
            typer.Option(
                "--format", help="The format, as for `tempbench import`; default: derived from the file."
            ),
        ] = "",
        model: Annotated[str, typer.Option(help="The model's name, which some official rules need.")] = "",
        mini: Mini = False,
        as_json: AsJson = False,
        partial: Partial = False,
    ) -> None:
        """Score replies from elsewhere: our metrics, and what the official scorer prints."""
        from tempbench_lmms.runs import offline

        found = offline.score(benchmark, predictions, task, data, format_, model, mini, partial)
        for note in found.notes:
            print(note, file=sys.stderr)
        if as_json:
            print(json.dumps(found.as_json(), indent=2))
            return
        terminal.print_nested(found.official, "official")
        if found.metrics:
            rows = (
                (name, shown(one), shown(error, blank="")) for name, (one, error) in found.metrics.items()
            )
            terminal.print_tables({"": [("metric", "value", "std. error"), *rows]})

    return score
