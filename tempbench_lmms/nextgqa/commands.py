"""What NExT-GQA adds to the `tempbench` command."""

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from tempbench_lmms.data import terminal

_ANNOTATIONS = "A clone of the release, or its folder datasets/nextgqa, in place of the prepared data."


def verify(root: Path) -> Iterator[str]:
    """Yields one line a problem in the data under `root`."""
    from tempbench_lmms.nextgqa.checks import problems

    yield from problems(root)


def score(
    predictions: Annotated[Path, typer.Option(help='Spans: {"VIDEO_QID": [start, end]}, in seconds.')],
    answers: Annotated[
        Path | None, typer.Option(help='Answers: {"VIDEO_QID": {"answer": ..., "prediction": ...}}.')
    ] = None,
    annotations: Annotated[Path | None, typer.Option(help=_ANNOTATIONS)] = None,
    split: Annotated[str, typer.Option(help="test or validation; else found by the questions' ids.")] = "",
    shares: Annotated[
        bool, typer.Option("--shares", help="Spans are shares of the video, as in *_gs.json.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Score NExT-GQA's result files as the official scorers do, and with our metrics beside it."""
    from tempbench_lmms.nextgqa import official
    from tempbench_lmms.nextgqa.offline import score_files

    found = score_files(predictions, answers, annotations, split, shares)
    for note in found.notes:
        print(note, file=sys.stderr)
    if as_json:
        result = {
            "split": found.split,
            "official": found.official,
            "printed": official.printed(found.official),
            "accuracies_official": found.accuracies,
            "metrics": found.metrics,
        }
        print(json.dumps(result, indent=2))
        return
    from rich.table import Table

    theirs = Table("official, percent", "value", box=None)
    for name, number in found.official.items():
        theirs.add_row(name, f"{number:.1f}")
    for name, number in found.accuracies.items():
        theirs.add_row(name, f"{number:.2f}")
    ours = Table("metric", "value", "std. error", box=None)
    for name, (value, error) in found.rows.items():
        ours.add_row(name, value, error)
    terminal.console().print(f"split: {found.split}")
    terminal.console().print(theirs, ours)


def stats(
    mini: Annotated[bool, typer.Option(help="Of the bundled sample.")] = False,
    annotations: Annotated[Path | None, typer.Option(help=_ANNOTATIONS)] = None,
    split: Annotated[str, typer.Option(help="test or validation.")] = "test",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Measure NExT-GQA: questions, segments, and what one gets who sees nothing."""
    from tempbench_lmms.data import choices
    from tempbench_lmms.data.roots import mini_root
    from tempbench_lmms.data.tables import read_rows
    from tempbench_lmms.nextgqa.card import SPLITS
    from tempbench_lmms.nextgqa.offline import docs_of
    from tempbench_lmms.nextgqa.statistics import measure

    (name,) = choices.chosen([split], SPLITS, "split")
    bundled = mini and annotations is None
    measured = measure(read_rows(mini_root("nextgqa") / name) if bundled else docs_of(annotations, name))
    if as_json:
        print(json.dumps(measured, indent=2))
        return
    for what, value in measured.items():
        inner = ", ".join(f"{k} {v}" for k, v in value.items()) if isinstance(value, dict) else value
        print(f"{what.replace('_', ' ')}: {inner}")


COMMANDS: dict[str, Callable[..., Any]] = {"verify": verify, "score": score, "stats": stats}
