"""What this benchmark adds to the `tempbench` command."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from tempbench_lmms.data import terminal
from tempbench_lmms.data.replies import Partial


def verify(root: Path) -> Iterator[str]:
    """Yields one line a problem in the data under `root`."""
    from tempbench_lmms.tempcompass_pairs.checks import problems

    yield from problems(root)


def score(
    predictions: Annotated[
        Path, typer.Option(help="An official prediction file, a model's folder, or the folder `predictions`.")
    ],
    judgements: Annotated[
        Path | None, typer.Option(help="The official judgements likewise: `auto_eval_results` or a part.")
    ] = None,
    questions: Annotated[
        Path | None, typer.Option(help="The official folder `questions`: checks that all are answered.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    partial: Partial = False,
) -> None:
    """Score official prediction files: the official accuracy, ours, and contrast groups by both."""
    import json
    import sys

    from tempbench_lmms.tempcompass_pairs import offline

    scored = list(offline.score_files(predictions, judgements, questions, partial))
    for one in scored:
        for note in one.notes:
            print(note, file=sys.stderr)
    found = [one.as_json() for one in scored]
    if as_json:
        print(json.dumps(found, indent=2))
    else:
        _print(found)


def _print(found: list[dict[str, Any]]) -> None:
    from rich.table import Column, Table

    names = ("model", "kind", "official", "ours", "read", "groups", "official", "ours")
    table = Table(*(Column(name, no_wrap=True) for name in names), box=None, padding=(0, 1, 0, 0))
    for one in found:
        groups = one["groups"]
        shares = [_percent(one[name]) for name in ("official", "ours", "read")]
        of_groups = [_percent(groups[name]) for name in ("official", "ours")]
        table.add_row(one["model"], one["kind"], *shares, str(groups["n"]), *of_groups)
    terminal.console().print(table)
    print("in percent; behind the number of contrast groups the share that is right as a whole")
    for one in found:
        judge = one.get("judge") or {}
        if judge.get("n_read"):
            print(
                f"{one['model']}, {one['kind']}: the rules leave {judge['n']} replies to the official judge; "
                f"we read {judge['n_read']}, and rate {_percent(judge['agreement'])} % of them as it does"
            )


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f}"


COMMANDS: dict[str, Callable[..., Any]] = {"verify": verify, "score": score}
