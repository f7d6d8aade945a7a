"""A comparison of two runs for a terminal: first the verdicts, then the chosen metrics."""

import difflib
import math
from collections.abc import Collection, Sequence

from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.record import UNDEFINED
from tempbench_lmms.runs import signature
from tempbench_lmms.runs.comparison import Comparison
from tempbench_lmms.runs.task_log import TaskLog

_NAMED = 6
_VERDICTS = {"better": "A is better", "worse": "A is worse", "undecided": "undecided"}


def chosen(
    found: Sequence[Comparison], all_: bool, metrics: Collection[str], remarks: Sequence[str] = ()
) -> list[Comparison]:
    """Returns the metrics to show: the headline metrics, all, or the named ones.

    Raises:
        TempbenchError: A name is not a metric of these runs, or `remarks` say why it has no interval.
    """
    names = dict.fromkeys(one.metric for one in found)
    for name in metrics:
        if name not in names:
            if said := [line for line in remarks if f": {name}: A " in line]:
                raise TempbenchError("; ".join(said))
            near = difflib.get_close_matches(name, names, n=3)
            hint = f"did you mean {' or '.join(near)}?" if near else f"they have {', '.join(names)}"
            raise TempbenchError(f"these runs have no metric '{name}' in common; {hint}")
    if all_:
        return list(found)
    shown = [one for one in found if (one.metric in metrics if metrics else one.headline)]
    return shown or list(found)  # a task may have no headline metric that can be compared


def as_text(
    pairs: Sequence[tuple[TaskLog, TaskLog]],
    remarks: Sequence[str],
    found: Sequence[Comparison],
    shown: Sequence[Comparison] | None = None,
) -> str:
    """Returns a comparison for a terminal."""
    shown = found if shown is None else shown
    lines = [_summary(verdict, shown, len(pairs) > 1) for verdict in _VERDICTS]
    lines += [
        "",
        *(
            f"{side}: {logs[0].model}, {', '.join(dict.fromkeys(map(_place, logs)))}"
            for side, logs in zip("AB", zip(*pairs, strict=True), strict=True)
        ),
    ]
    for first, second in pairs:
        times = f", the means of {len(first.repeats)} repeats" if first.repeats else ""
        lines += ["", f"{first.task}, {len(first.samples):,} questions{times}"]
        lines += [f"  {one.sentence}" for one in shown if one.task == first.task]
        lines += [f"  {line}" for line in _signatures(first, second)]
    counts = {name: sum(one.verdict == name for one in found) for name in ("better", "worse")}
    hidden = len(found) - len(shown)
    lines += [
        "",
        f"All {len(found)} metrics: A is better in {counts['better']}, worse in {counts['worse']}; "
        f"{len(found) - sum(counts.values())} undecided."
        + (f" --all shows the other {hidden}." if hidden else ""),
    ]
    if remarks:
        lines += ["", "Keep in mind:", *(f"- {line}" for line in remarks)]
    return "\n".join(lines)


def _signatures(first: TaskLog, second: TaskLog) -> list[str]:
    """Returns the signature of both runs, or each one's and the parts in which they differ."""
    one, other = signature.parts_of(first), signature.parts_of(second)
    if not (names := signature.differing(one, other)):
        return [signature.text(one)]
    texts = (f"{side}: {signature.text(parts)}" for side, parts in (("A", one), ("B", other)))
    return [*texts, f"the signatures differ in {', '.join(names)}"]


def _place(log: TaskLog) -> str:
    if log.repeats and log.repeat:
        folder, _ = log.repeat
        return f"{len(log.repeats)} repeats in {folder}"
    return str(log.file)


def _summary(verdict: str, shown: Sequence[Comparison], name_tasks: bool) -> str:
    """Returns the line of one verdict, largest differences first."""
    own = [one for one in shown if one.verdict == verdict]
    own.sort(key=lambda one: -abs(_difference(one) or 0))
    differences = [_difference(one) for one in own[:_NAMED]]
    parts = [
        f"{f'{one.task} ' if name_tasks else ''}{one.metric}"
        + (f" {UNDEFINED}" if difference is None else f" {difference:+.3g}")
        for one, difference in zip(own, differences, strict=False)
    ]
    if len(own) > _NAMED:
        parts.append(f"and {len(own) - _NAMED} more")
    return f"{_VERDICTS[verdict]} in {len(own)} of {len(shown)}" + (f": {', '.join(parts)}" if own else "")


def _difference(one: Comparison) -> float | None:
    """Returns a difference; None if it is undefined in one of the runs."""
    value = one.difference.value if one.difference else math.nan
    return value if math.isfinite(value) else None
