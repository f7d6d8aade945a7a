"""The command `tempbench rescore`."""

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tempbench_lmms.cli.command import AsJson, Force, Logs, Partial
from tempbench_lmms.data import outputs
from tempbench_lmms.errors import TempbenchError

if TYPE_CHECKING:
    from tempbench_lmms.runs.rescoring import Rescored


def rescore(
    logs: Logs,
    reparse: Annotated[
        bool, typer.Option("--reparse", help="Read the logged replies again, with the local data.")
    ] = False,
    anyway: Annotated[
        bool,
        typer.Option("--anyway", help="With --reparse: read replies even if the local data differs."),
    ] = False,
    partial: Partial = False,
    as_json: AsJson = False,
    items: Annotated[
        Path | None, typer.Option(help="Also write each question's record and scores as CSV.")
    ] = None,
    force: Force = False,
) -> None:
    """Compute a run's scores again from its logs, without a model."""
    from tempbench_lmms.runs import repeats, rescoring
    from tempbench_lmms.runs.logs import read_runs
    from tempbench_lmms.runs.task_log import edited

    if items:
        if items.suffix.lower() != ".csv":
            raise TempbenchError(f"--items {items}: only CSV is possible; end the name in .csv")
        outputs.check_file(items, force)
    read = read_runs(logs, partial)
    with edited(" ".join(map(str, logs))):
        if reparse:  # without this, a log of another run shows in its scores
            read = [rescoring.of_one_run(log, partial) for log in read]
        found = [rescoring.rescore(log, reparse, anyway=anyway) for log in read]
    if items:
        _write_items(found, items)
    spreads = repeats.of(replace(one.log, samples=one.samples) for one in found)  # as they are read now
    if as_json:
        firsts = {(one.logs[0].file, one.logs[0].task): repeats.as_json(one) for one in spreads}
        entries = [_as_json(one, firsts.get((one.log.file, one.log.task))) for one in found]
        print(json.dumps(entries, indent=2))
    else:
        for one in found:
            _print(one)
        for spread in spreads:
            print(repeats.as_text(spread))
    if not reparse:
        _ask_for_equality(found)


def _write_items(found: "list[Rescored]", file: Path) -> None:
    from tempbench_lmms.data.tables import write_text
    from tempbench_lmms.report.text import items_as_csv

    write_text(items_as_csv([(one.log, one.samples or one.log.samples) for one in found]), file)
    print(f"{file}: the questions one by one", file=sys.stderr)


def _as_json(found: "Rescored", spread: Any) -> dict[str, Any]:
    from tempbench_lmms.runs import rescoring, second_scores

    out = rescoring.as_json(found)
    if spread is not None:
        out["over_repeats"] = spread
    second, problem = second_scores.shown(found.log, found.samples)
    if second:
        out["second_readers"] = [second_scores.as_json(one) for one in second]
    return out | ({"problems": [*out["problems"], problem]} if problem else {})


def _print(found: "Rescored") -> None:
    from tempbench_lmms.runs import quality, rescoring, second_scores, signature

    print(rescoring.as_text(found, "run", "now"))
    print(f"  {next(signature.lines([signature.parts_of(found.log)]))}")
    for line in (*found.log.problems, *quality.warnings(found.log)):
        print(f"  warning: {line}")
    second, problem = second_scores.shown(found.log, found.samples)
    for one in second:
        print(second_scores.as_text(one))
    if problem:
        print(f"  warning: {problem}")


def _ask_for_equality(found: "list[Rescored]") -> None:
    differing = [f"{one.log.task} {name}" for one in found for name in one.differing]
    if differing:
        more = f" and {len(differing) - 5} more" if len(differing) > 5 else ""
        raise TempbenchError(
            f"the scores differ from those of the run: {', '.join(differing[:5])}{more}; the log belongs to "
            "another run, or another version of this package wrote it: try --reparse"
        )
