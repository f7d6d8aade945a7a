"""One progress bar over all questions of a run, in place of the runner's bar for each slice."""

import contextlib
import functools
import sys
from collections.abc import Iterator
from typing import Any

RUNNER = "Model Responding"
"""What all runners of lmms-eval call their bar."""


class Bar:
    """The bar of a run; it appears when the number of questions is known."""

    def __init__(self) -> None:
        self._bar: Any = None

    def at(self, done: int, total: int, note: str = "") -> None:
        """Shows that so many of all questions are answered."""
        from tqdm import std

        if self._bar is None:
            self._bar = std.tqdm(total=total, initial=done, desc="tempbench", unit="question")
        self._bar.total = total
        self._bar.n = done
        self._bar.set_postfix_str(note, refresh=True)

    def move(self, n: float) -> None:
        """Counts answers of the runner, which the next `at` corrects if it was asked again."""
        if self._bar is not None:
            self._bar.update(min(n, self._bar.total - self._bar.n))

    def close(self) -> None:
        """Leaves the bar as it is, and ends its line."""
        if self._bar is not None:
            self._bar.close()


@contextlib.contextmanager
def one_bar() -> Iterator[Bar | None]:
    """Yields the bar, and lets the runners' own bars move it; None if the output is not a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from tqdm import std

    bar, init, update = Bar(), std.tqdm.__init__, std.tqdm.update
    runners = set()

    @functools.wraps(init)
    def hidden(self: Any, *args: Any, **kwargs: Any) -> None:
        if kwargs.get("desc") == RUNNER:
            runners.add(id(self))
            kwargs["disable"] = True
        init(self, *args, **kwargs)

    @functools.wraps(update)
    def counted(self: Any, n: float = 1) -> Any:
        if id(self) in runners:
            bar.move(n)
        return update(self, n)

    std.tqdm.__init__, std.tqdm.update = hidden, counted
    try:
        yield bar
    finally:
        std.tqdm.__init__, std.tqdm.update = init, update
        bar.close()
