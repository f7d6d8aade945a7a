"""What the benchmarks share: repeated measurements with their spread, and the table they are printed in."""

import argparse
import gc
import json
import os
import subprocess
import sys
import tempfile
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
    """One measured quantity.

    Attributes:
        what: In words.
        values: One a repetition.
        unit: Of the values; `x` for a ratio of two measurements of one repetition.
        at_least: What the median should reach.
        at_most: What the median should not exceed.
    """

    what: str
    values: Sequence[float]
    unit: str
    at_least: float | None = None
    at_most: float | None = None

    @property
    def target(self) -> str:
        """What was aimed at, in words."""
        if self.at_least is not None:
            return f"at least {self.at_least:g} {self.unit}"
        return "" if self.at_most is None else f"at most {self.at_most:g} {self.unit}"

    @property
    def verdict(self) -> str:
        """Whether the median reaches the target; and whether single repetitions say otherwise."""
        if not self.target:
            return ""
        met = [self._meets(value) for value in self.values]
        said = "met" if self._meets(median(self.values)) else "missed"
        return said if len(set(met)) == 1 else f"{said}, within the noise"

    def _meets(self, value: float) -> bool:
        return value >= self.at_least if self.at_least is not None else value <= (self.at_most or 0)


def shown(value: float) -> str:
    """Returns a number with three digits, thousands apart."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}" if value < 10 else f"{value:.1f}"


def table(rows: Iterable[Row]) -> Iterator[str]:
    """Yields the lines of a Markdown table, each as soon as its row is measured."""
    yield "| what | median | lowest to highest | target | |"
    yield "|---|---:|---:|---|---|"
    for row in rows:
        spread = f"{shown(min(row.values))} to {shown(max(row.values))}" if len(row.values) > 1 else "once"
        found = f"{shown(median(row.values))} {row.unit}"
        yield f"| {row.what} | {found} | {spread} | {row.target} | {row.verdict} |"


def seconds(function: Callable[[], Any], clock: Callable[[], float] = time.process_time) -> float:
    """Returns how long one call takes.

    Args:
        function: What to call.
        clock: The processor's time by default, which other processes disturb least; `time.perf_counter` for
            what works in several threads or waits.
    """
    gc.collect()
    start = clock()
    function()
    return clock() - start


def side_by_side(
    functions: Mapping[str, Callable[[], Any]],
    repeats: int,
    clock: Callable[[], float] = time.process_time,
) -> dict[str, list[float]]:
    """Returns seconds by name, one a repetition.

    The functions take turns: whatever else the machine does then slows all of them, and a ratio within one
    repetition is worth more than one of two repetitions.
    """
    times: dict[str, list[float]] = {name: [] for name in functions}
    for _ in range(repeats):
        for name, function in functions.items():
            times[name].append(seconds(function, clock))
    return times


def apart(script: str, *arguments: str, **environment: str) -> Iterator[dict[str, Any]]:
    """Runs a benchmark's `--measure` in a process of its own.

    Args:
        script: The benchmark's file; called with `--measure` it prints a JSON object a line.
        arguments: What follows `--measure`.
        environment: Variables for this process.

    Yields:
        The objects, each as soon as it is printed.

    Raises:
        RuntimeError: With the end of its standard error, where the process fails.
    """
    with (
        tempfile.TemporaryFile("w+") as log,
        subprocess.Popen(
            [sys.executable, script, "--measure", *arguments],
            env=os.environ | environment,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        ) as child,
    ):
        assert child.stdout is not None
        for line in child.stdout:
            if line.startswith("{"):
                yield json.loads(line)
        if child.wait():
            log.seek(0)
            raise RuntimeError(log.read()[-2000:])


def over(numerators: Sequence[float], denominators: Sequence[float]) -> list[float]:
    """Returns the ratio of each repetition."""
    return [one / other for one, other in zip(numerators, denominators, strict=True)]


def rates(n: int, times: Sequence[float]) -> list[float]:
    """Returns how many of n a second were done in each repetition."""
    return [n / one for one in times]


def main(description: str | None, rows: Callable[[bool], Iterable[Row]]) -> None:
    """The command line of one benchmark: prints its table.

    Args:
        description: The module's docstring.
        rows: Takes whether to be quick (smaller sizes, fewer repetitions) and yields what was measured.
    """
    options = argparse.ArgumentParser(description=description)
    options.add_argument("--quick", action="store_true", help="smaller sizes, fewer repetitions")
    for line in table(rows(options.parse_args().quick)):
        print(line, flush=True)
