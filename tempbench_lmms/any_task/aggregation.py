"""A task's own aggregations, called in a process apart (`child`) and never for longer than they may take."""

import atexit
import os
import re
import sys
import tempfile
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from tempbench_lmms.data.child import Child
from tempbench_lmms.data.terminal import one_line, tell

SECONDS = 120.0  # what the code of a task may take in all
_AT_ONCE = 50  # choices of items in one request
# Variables with secrets, and those by which torch would wait for the other processes of a run.
_LEFT_OUT = re.compile("KEY|TOKEN|SECRET|PASSWORD|RANK$|WORLD_SIZE$|^MASTER_|^TORCHELASTIC", re.IGNORECASE)


class CannotAggregateError(ValueError):
    """An aggregation gives no number: it failed, or is not here."""


class TooSlowError(CannotAggregateError):
    """An aggregation takes too long."""


class TaskProcess:
    """The process that a task's code runs in; it is started when it is needed, and serves task after task.

    Args:
        folder: Where it works; an empty one where omitted.
        seconds: What the code of a task may take in all.
    """

    def __init__(self, folder: Path | None = None, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._folder = tempfile.TemporaryDirectory(prefix="tempbench-")
        environment = {
            **{name: value for name, value in os.environ.items() if not _LEFT_OUT.search(name)},
            "HF_HUB_OFFLINE": "1",
            "HF_DATASETS_OFFLINE": "1",
            "PYTHONSAFEPATH": "1",
        }
        self._child = Child(
            [sys.executable, "-m", "tempbench_lmms.any_task.child"],
            environment,
            str(folder or self._folder.name),
        )
        self._open: Path | None = None
        self._held: Sequence[Any] | None = None
        self._left: dict[Path, float] = {}
        atexit.register(self.close)

    def close(self) -> None:
        """Ends the process, and removes what its code has written."""
        self._child.close()
        self._folder.cleanup()

    def values(
        self, file: Path, metric: tuple[str, Any], items: Sequence[Any], picks: Sequence[Sequence[int]]
    ) -> list[float | None]:
        """Returns a metric of several choices of items.

        Args:
            file: The task's YAML.
            metric: The metric's name, and which part of its value is meant; None for the whole.
            items: What `process_results` gave it, question by question.
            picks: The places of each choice; a place may occur several times.

        Returns:
            A number a choice; None where the metric is undefined, or no number.

        Raises:
            CannotAggregateError: The aggregation fails, or takes too long.
        """
        if self._open != file or self._held is not items:
            self.answer(file, "hold", items)
            self._held = items
        found: list[float | None] = []
        size = 1
        while len(found) < len(picks):
            part = picks[len(found) : len(found) + size]
            began = time.monotonic()
            found += self._ask(self._left[file], call="values", given=[*metric, part])
            took = time.monotonic() - began
            self._left[file] -= took
            size = _AT_ONCE
            # The first choice tells how long all of them will take.
            if took / len(part) * (len(picks) - len(found)) > 2 * self._left[file]:
                raise TooSlowError(f"a call of the task's aggregation takes {took / len(part):.2g} s")
        return found

    def answer(self, file: Path, call: str, *given: Any) -> Any:
        """Returns what a method of `child.Task` returns for the task of a file.

        Raises:
            CannotAggregateError: The task's code fails, or takes too long.
        """
        if self._open != file:
            self._left.setdefault(file, self._seconds)
            if self._child.process and sys.stderr.isatty():
                tell(f"loading the code of {file.stem}")
            self._ask(self._seconds, open=str(file))
            self._open, self._held = file, None
        return self._ask(self._seconds, call=call, given=given)

    def _ask(self, seconds: float, **request: Any) -> Any:
        try:
            answer = self._child.ask(request, max(seconds, 0.0))
        except (TimeoutError, EOFError) as error:
            file, self._open = self._open, None
            if isinstance(error, EOFError):
                raise CannotAggregateError("the task's aggregation ended its process") from None
            self._left |= {file: 0.0} if file else {}
            raise TooSlowError(f"the task's aggregations take more than {self._seconds:g} s") from None
        if "problem" in answer:
            raise CannotAggregateError(f"the task's aggregation failed ({one_line(answer['problem'])})")
        return answer["found"]


@cache
def child() -> TaskProcess:
    """Returns the process for aggregations, which works in an empty folder."""
    return TaskProcess()


@cache
def here() -> TaskProcess:
    """Returns the process for documents and pictures; their data may be in the current folder."""
    return TaskProcess(Path.cwd())
