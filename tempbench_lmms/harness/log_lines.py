"""Keeps the lines of sample logs short.

The harness writes the value of every metric of a question into its line. Ours are the record, under up to two
hundred names, so that a line was ten times as long as what is in it.
"""

import functools
from collections.abc import Mapping, Sequence
from typing import Any

from tempbench_lmms.harness.adapter import Item

LEFT_OUT, GIVEN = "not_given_to", "given_to"
"""In a line of a log: the metrics of the results file's `metric_list` that do not read its record, or those
that do, whichever are fewer. A metric's name stands for its error's, too."""
_ERROR = "_stderr"


def names_in(config: Mapping[str, Any]) -> tuple[str, ...]:
    """Returns the names in the `metric_list` of a task's configuration, or of one in a results file."""
    return tuple(str(entry["metric"]) for entry in config.get("metric_list") or ())


def _without_errors(metrics: Sequence[str]) -> list[str]:
    names = {*metrics}
    return [name for name in metrics if not (name.endswith(_ERROR) and name.removesuffix(_ERROR) in names)]


def shortened(metrics: Sequence[str], samples: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Returns the lines as they are to be written."""
    names = {*metrics}
    told = _without_errors(metrics)
    lines = []
    for sample in samples:
        items = {name for name, value in sample.items() if isinstance(value, Item)}
        # Hooks name an error beside each metric, which counts of things have not.
        if items and {name.removesuffix(_ERROR) for name in items} <= names:
            sample = {name: value for name, value in sample.items() if name not in items}
            given, left_out = ([name for name in told if (name in items) is there] for there in (True, False))
            sample |= {GIVEN: given} if len(given) < len(left_out) else {LEFT_OUT: left_out}
        lines.append(dict(sample))
    return lines


def given_to(row: Mapping[str, Any], metrics: tuple[str, ...]) -> frozenset[str]:
    """Returns the metrics that a line's record was given to.

    Args:
        row: The line; as the harness writes it, it has a word under each metric's name.
        metrics: The names in the run's `metric_list`.

    Returns:
        Their names; from a short line those of the list alone.

    Raises:
        KeyError: The line needs the list, and there is none.
        TypeError: The line was edited.
    """
    for key in (GIVEN, LEFT_OUT):
        if key in row:
            if not metrics:
                raise KeyError("metric_list")
            if not isinstance(row[key], list):
                raise TypeError(f"{key} is no list")
            return _of(metrics, tuple(map(str, row[key])), key == GIVEN)
    word = str(Item({}))
    return frozenset(name for name, value in row.items() if value == word)


@functools.lru_cache(maxsize=64)
def _of(metrics: tuple[str, ...], told: tuple[str, ...], are_given: bool) -> frozenset[str]:
    # Many lines of a log are alike here, so they share one set.
    named = {*told, *(f"{name}{_ERROR}" for name in told)}
    return frozenset(name for name in metrics if (name in named) is are_given)
