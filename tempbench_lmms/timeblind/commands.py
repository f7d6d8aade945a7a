"""What TimeBlind adds to the `tempbench` command."""

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from tempbench_lmms.data import terminal
from tempbench_lmms.data.replies import Partial

_Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
_Mini = Annotated[bool, typer.Option("--mini", help="Of the bundled sample.")]


def verify(root: Path) -> Iterator[str]:
    """Yields one line a problem in the data under `root`."""
    from tempbench_lmms.timeblind.checks import problems

    yield from problems(root)


def score(
    predictions: Annotated[
        Path, typer.Option(help="The official result file: a list with index and model_output.")
    ],
    data: Annotated[
        Path | None,
        typer.Option(help="The official data.jsonl, or a folder with it, instead of the prepared data."),
    ] = None,
    tags: Annotated[Path | None, typer.Option(help="The official tags.json, with --data.")] = None,
    mini: _Mini = False,
    as_json: _Json = False,
    partial: Partial = False,
) -> None:
    """Score TimeBlind predictions as the official scorer does, and with our metrics beside it."""
    from rich.table import Table

    from tempbench_lmms.timeblind.offline import score_file

    result = score_file(predictions, data, tags, mini, partial)
    for note in result.notes:
        print(note, file=sys.stderr)
    if as_json:
        print(json.dumps(result.as_json(), indent=2))
        return
    official = Table("official", *result.official, box=None)
    for name, values in result.official_shown().items():
        official.add_row(name, *values)
    ours = Table("metric", "value", "std. error", box=None)
    for name, (value, error) in result.shown().items():
        ours.add_row(name, value, error)
    terminal.console().print(official, ours)


def stats(mini: _Mini = False, as_json: _Json = False) -> None:
    """Count questions, instances and videos, by tag and form of the answer."""
    from collections import Counter

    from tempbench_lmms.data.roots import mini_root, prepared_root
    from tempbench_lmms.data.tables import read_rows

    rows = read_rows((mini_root("timeblind") if mini else prepared_root("timeblind")) / "test")
    instances = {row["pair_id"]: row for row in rows}
    forms = Counter("multiple choice" if row["options"] else "yes or no" for row in instances.values())
    measured = {
        "questions": len(rows),
        "instances": len(instances),
        "videos": len({row["video"] for row in rows}),
        "by form": dict(sorted(forms.items())),
        "by tag": dict(sorted(Counter(row["tag"] or "-" for row in instances.values()).items())),
    }
    if as_json:
        print(json.dumps(measured, indent=2))
        return
    flat = [(name, str(value)) for name, value in measured.items() if not isinstance(value, dict)]
    for name in ("by form", "by tag"):
        flat += [(f"instances, {group}", str(n)) for group, n in dict(measured[name]).items()]  # type: ignore[call-overload]
    terminal.print_tables({"": [("what", "number"), *flat]})


COMMANDS: dict[str, Callable[..., Any]] = {"verify": verify, "score": score, "stats": stats}
