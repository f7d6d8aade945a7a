"""What the benchmarks share: repeated measurements with their spread, and the table they are printed in."""

import argparse
import gc
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

# For what the tests say of each benchmark: `tests/NAME/contract.py`.
sys.path.insert(0, str(Path(__file__).parents[1]))


@dataclass(frozen=True)
class Row:
    """One measured quantity: a value per repetition, and what their median should reach or not exceed."""

    what: str
    values: Sequence[float]
    unit: str
    at_least: float | None = None
    at_most: float | None = None

    @property
    def target(self) -> str:
        """The target in words, and whether the median meets it."""
        value = median(self.values)
        if self.at_least is not None:
            return f"at least {self.at_least:g}: {'met' if value >= self.at_least else 'missed'}"
        if self.at_most is not None:
            return f"at most {self.at_most:g}: {'met' if value <= self.at_most else 'missed'}"
        return ""


def shown(value: float) -> str:
    """Returns a number with three digits, with commas between thousands."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}" if value < 10 else f"{value:.1f}"


def table(rows: Iterable[Row]) -> Iterator[str]:
    """Yields the lines of a Markdown table, each as soon as its row is measured."""
    yield "| what | median | lowest to highest | target |"
    yield "|---|---:|---:|---|"
    for row in rows:
        spread = f"{shown(min(row.values))} to {shown(max(row.values))}" if len(row.values) > 1 else "once"
        yield f"| {row.what} | {shown(median(row.values))} {row.unit} | {spread} | {row.target} |"


def seconds(function: Callable[[], Any], clock: Callable[[], float] = time.process_time) -> float:
    """Returns how long one call takes, by the processor's time, which other processes disturb least."""
    gc.collect()
    start = clock()
    function()
    return clock() - start


def side_by_side(functions: Mapping[str, Callable[[], Any]], repeats: int) -> dict[str, list[float]]:
    """Returns seconds by name, one per repetition; the functions take turns, so that ratios are fair."""
    times: dict[str, list[float]] = {name: [] for name in functions}
    for _ in range(repeats):
        for name, function in functions.items():
            times[name].append(seconds(function))
    return times


def over(numerators: Sequence[float], denominators: Sequence[float]) -> list[float]:
    """Returns the ratio of each repetition."""
    return [one / other for one, other in zip(numerators, denominators, strict=True)]


def main(description: str | None, rows: Callable[[bool], Iterable[Row]]) -> None:
    """Prints the table of one benchmark; `rows` takes whether to be quick."""
    options = argparse.ArgumentParser(description=description)
    options.add_argument("--quick", action="store_true", help="smaller sizes, fewer repetitions")
    for line in table(rows(options.parse_args().quick)):
        print(line, flush=True)
