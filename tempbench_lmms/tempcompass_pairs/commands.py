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


_WHAT = (
    """in percent, but for numbers of groups and replies
groups: contrast groups; how many are right as a whole, officially and ours
""",
    """by text: groups by the question's text alone; how many are right as a whole, officially
rules: replies that the official rules decide; of these, how many we rate alike
judge: replies that they leave to the judge and that we read; of these, how many we rate as it does""",
)


def _print(found: list[dict[str, Any]]) -> None:
    from rich.table import Column, Table

    one = ("model", "kind", "official", "ours", "read", "groups", "official", "ours")
    other = ("model", "kind", "by text", "official", "rules", "alike", "judge", "alike")
    for names, cells, what in zip((one, other), (_scores, _by_whom), _WHAT, strict=True):
        table = Table(*(Column(name, no_wrap=True) for name in names), box=None, padding=(0, 1, 0, 0))
        for scores in found:
            table.add_row(scores["model"], scores["kind"], *cells(scores))
        terminal.console().print(table)
        print(what)


def _scores(one: dict[str, Any]) -> list[str]:
    groups = one["groups"]
    shares = [_percent(one[name]) for name in ("official", "ours", "read")]
    return [*shares, str(groups["n"]), *(_percent(groups[name]) for name in ("official", "ours"))]


def _by_whom(one: dict[str, Any]) -> list[str]:
    groups, judge = one["groups_by_text_alone"], one.get("judge") or {}
    decided = [one["match_rate_official"], judge.get("agreement_with_rules")]
    asked = [str(judge.get("n_read", "-")), _percent(judge.get("agreement"))]
    return [str(groups["n"]), _percent(groups["official"]), *map(_percent, decided), *asked]


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f}"


def stats(
    mini: Annotated[bool, typer.Option("--mini", help="Of the bundled sample.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Count questions, contrast groups and clips, by kind and aspect."""
    import json
    from collections import Counter

    from tempbench_lmms.data.roots import mini_root, prepared_root
    from tempbench_lmms.data.tables import read_rows

    root = mini_root("tempcompass_pairs") if mini else prepared_root("tempcompass_pairs")
    rows = read_rows(root / "questions")
    first = [row for row in rows if row["group"] == row["question_id"]]
    measured = {"clips": len({row["video_id"] for row in rows})}
    for name, counted in (("questions", rows), ("contrast groups", first)):
        measured[name] = len(counted)
        for column in ("kind", "aspect"):
            found = Counter(row[column] for row in counted)
            measured |= {f"{name}, {one}": n for one, n in sorted(found.items())}
    if as_json:
        print(json.dumps(measured, indent=2))
        return
    terminal.print_tables({"": [("what", "number"), *((name, str(n)) for name, n in measured.items())]})


COMMANDS: dict[str, Callable[..., Any]] = {"verify": verify, "score": score, "stats": stats}
