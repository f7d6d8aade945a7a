"""The command `tempbench plan`: what difference a run can detect, and how long it takes."""

import json
import math
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tempbench_lmms.cli.command import AsJson, GroupBy, IncludePath
from tempbench_lmms.errors import TempbenchError

if TYPE_CHECKING:
    from tempbench_lmms.runs.planning import Plan


def plan(
    tasks: Annotated[str, typer.Option(help="Tasks or groups, separated by commas.")],
    against: Annotated[
        Path | None, typer.Option(help="An earlier run of these tasks, for the spread of their scores.")
    ] = None,
    difference: Annotated[
        float, typer.Option(min=0.0001, help="The difference between two runs to detect.")
    ] = 0.03,
    speed: Annotated[float | None, typer.Option(min=0, help="Seconds per question.")] = None,
    right: Annotated[
        float, typer.Option(min=0.01, max=0.99, help="Without --against: assumed share of right answers.")
    ] = 0.5,
    within: Annotated[
        float,
        typer.Option(min=0.001, max=0.99, help="Without --against: assumed correlation within a group."),
    ] = 0.2,
    correlation: Annotated[
        float, typer.Option(min=0, max=0.99, help="Assumed correlation of the two runs' results over groups.")
    ] = 0.4,
    questions: Annotated[
        int | None, typer.Option(min=1, help="How many questions there are, if the data is not here.")
    ] = None,
    groups: Annotated[
        int | None, typer.Option(min=1, help="With --questions: the number of their videos or other groups.")
    ] = None,
    group_by: GroupBy = "",
    include_path: IncludePath = None,
    as_json: AsJson = False,
) -> None:
    """Compute, before a run, the smallest difference it can detect, the questions it needs, and its time."""
    from tempbench_lmms.runs import planning, run_card
    from tempbench_lmms.runs.logs import read_runs
    from tempbench_lmms.runs.task_log import edited

    shares = {"right": right, "within": within, "correlation": correlation}
    _check_numbers({"difference": difference, "speed": speed or 0, **shares})
    if groups and groups > (questions or 0):
        raise TempbenchError(f"--groups {groups}: give --questions, and no more groups than questions")
    numbers = (questions, groups or questions) if questions else None
    logs = read_runs([against], group_by=group_by) if against else []
    leaves = _leaves(tasks.split(","), [log.task for log in logs if log.other], include_path)
    assumed = planning.Assumed(**shares)
    # Only a log can hold unexpected values, if it was edited.
    with edited(against) if against else nullcontext():
        plans = [planning.plan(name, logs, difference, speed, assumed, numbers, group_by) for name in leaves]
    if difference > 1 and all(metric.value <= 1 for one in plans for metric in one.metrics):
        raise TempbenchError(
            f"--difference {difference:g}: no metric of {tasks} exceeds 1; give a share such as 0.03"
        )
    if as_json:
        common = {"difference": difference, "assumed": asdict(assumed)}
        print(json.dumps({**common, "tasks": [run_card.finite(asdict(one)) for one in plans]}, indent=2))
        return
    simple = (
        f"{right:g} of the answers are right (correlation within a group {within:g}); add --against RUN to "
        "plan for gated metrics and pairs"
    )
    spread = f"the spread between groups as in {against}" if against else simple
    print(
        f"Assumed: {spread}; a correlation of {correlation:g} between the two runs' results over groups.\n"
        "Detected: in four of five comparisons, two-sided at 5 %, each metric by itself."
    )
    for one in plans:
        print(_as_text(one, difference))
    print("\nSeconds per question by model size: docs/performance.md; `tempbench run` prints it too.")


def _check_numbers(options: dict[str, float]) -> None:
    """Refuses numbers that are not finite, which the options' bounds let through, and absurd speeds."""
    for name, value in options.items():
        if not math.isfinite(value):
            raise TempbenchError(f"--{name} {value}: give a finite number")
    if options["speed"] > 86_400:
        raise TempbenchError(f"--speed {options['speed']:g}: no question takes more than a day; give seconds")


def _leaves(wanted: list[str], logged: list[str], include_path: Path | None) -> dict[str, None]:
    """Returns the tasks to plan for; other people's tasks may be known only from a log."""
    from tempbench_lmms.harness import task_names
    from tempbench_lmms.runs import starting

    further = ["--include_path", str(include_path)] if include_path else []
    if unlogged := [name for name in wanted if name not in logged]:
        task_names.check(unlogged, further)
    others = [*task_names.behind(wanted, further), *(name for name in logged if name in wanted)]
    return dict.fromkeys([*starting.leaves(wanted), *others])


def _as_text(one: "Plan", difference: float) -> str:
    lines = [
        f"\n{one.task}: {one.questions:,} questions in {one.groups:,} groups, up to {one.largest} in one"
        + (f"; {duration(one.seconds)}" if one.seconds is not None else "")
    ]
    width = max((len(metric.name) for metric in one.metrics), default=0)
    if one.metrics:
        lines.append(f"  {'metric':{width}}  value  error  tells      {difference:g} needs")
    for metric in one.metrics:
        needed = "?"
        if metric.questions_needed is not None and metric.groups_needed is not None:
            needed = f"{metric.questions_needed:,} questions, {metric.groups_needed:,} groups"
            if metric.groups_needed > one.groups:
                needed += " (more than there are)"
        told = "none " if metric.detectable is None else f"{metric.detectable:5.3f}"
        numbers = f"{metric.value:5.3f}  {metric.error:5.3f}  {told}"
        lines.append(f"  {metric.name:{width}}  {numbers}      {needed}")
    if one.left_out:
        lines.append(f"  without a spread to plan by: {', '.join(one.left_out)}")
    return "\n".join(lines)


def duration(seconds: float) -> str:
    """Returns a time in words.

    >>> duration(31), duration(600), duration(7_260), duration(172_800)
    ('31 s', '10 min', '2 h 1 min', '48 h 0 min')
    """
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
