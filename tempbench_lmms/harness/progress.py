"""How far a run is, and how fast: a line per slice, or one bar instead of the bars of a runner's slices."""

import contextlib
import functools
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from unittest import mock

from tempbench_lmms.data import terminal

RUNNER = "Model Responding"  # what all runners of lmms-eval call their bar


@dataclass
class Progress:
    """How far one process of a run is."""

    total: int  # requests of this process
    done: int = 0  # requests answered, now or in an earlier run
    asked: int = 0  # requests that the model was asked in this start
    unkept: int = 0  # requests whose answers cannot be stored, because a question has several sampled ones
    seconds: float = 0.0  # time spent on asking


class Pace:
    """Prints how far the first process of a run is, and at the end how fast the run was."""

    def __init__(self, processes: int = 1) -> None:
        self._calls: list[Progress] = []  # the harness asks each kind of request in a call of its own
        self._processes = processes
        self._make_bar: Any = None
        self._bar: Any = None

    def __call__(self, progress: Progress) -> None:
        """Moves the bar, or prints one line per slice."""
        self._calls += [progress] if progress not in self._calls[-1:] else []
        unkept = f"{progress.unkept:,} are sampled, several to a question, and cannot be stored"
        if self._make_bar:
            if self._bar is None:
                self._bar = self._make_bar(total=progress.total, initial=progress.done)
            self._bar.total, self._bar.n = progress.total, progress.done
            self._bar.set_postfix_str(unkept if progress.unkept else "", refresh=True)
            return
        line = f"{progress.done:,} of {progress.total:,} answered"
        if progress.asked and progress.seconds:
            rate = progress.asked / progress.seconds
            left = (progress.total - progress.done) / rate
            line += f", {rate:.1f} per second, {left // 3600:.0f} h {left % 3600 / 60:.0f} min left"
        terminal.tell(f"{line}; {unkept}" if progress.unkept else line)

    def tell(self) -> None:
        """Prints the speed that `tempbench plan --speed` takes."""
        asked = sum(one.asked for one in self._calls)
        if asked and (seconds := sum(one.seconds for one in self._calls)):
            seconds /= asked * self._processes
            by = f" by the first of {self._processes} processes" if self._processes > 1 else ""
            terminal.tell(f"{seconds:.3g} seconds per question ({asked:,} asked now{by})")

    @contextlib.contextmanager
    def bar(self) -> Iterator[None]:
        """Shows a bar, which the runners' own bars move, inside the block; on a terminal only."""
        if not sys.stderr.isatty():
            yield
            return
        from tqdm import std

        init, update = std.tqdm.__init__, std.tqdm.update
        runners = set()

        @functools.wraps(init)
        def hidden(own: Any, *args: Any, **kwargs: Any) -> None:
            if kwargs.get("desc") == RUNNER:
                runners.add(id(own))
                kwargs["disable"] = True
            init(own, *args, **kwargs)

        @functools.wraps(update)
        def counted(own: Any, n: float = 1) -> Any:
            if id(own) in runners and self._bar is not None:  # a question that is asked again counts once
                update(self._bar, min(n, self._bar.total - self._bar.n))
            return update(own, n)

        self._make_bar = functools.partial(std.tqdm, desc="tempbench", unit="question")
        with mock.patch.multiple(std.tqdm, __init__=hidden, update=counted):
            try:
                yield
            finally:
                if self._bar is not None:
                    self._bar.close()
