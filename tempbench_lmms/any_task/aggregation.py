"""A task's own aggregations, called in a process apart (`child`) and never for longer than they may take."""

import atexit
import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from tempbench_lmms.data.terminal import one_line, tell

SECONDS = 120.0
"""What the code of a task may take in all."""
_AT_ONCE = 50
"""Choices of items in one request."""
_LEFT_OUT = re.compile("KEY|TOKEN|SECRET|PASSWORD|RANK$|WORLD_SIZE$|^MASTER_|^TORCHELASTIC", re.IGNORECASE)
"""Variables with secrets, and those by which torch would wait for the other processes of a run."""


class CannotAggregateError(ValueError):
    """An aggregation gives no number: it failed, or is not here."""


class TooSlowError(CannotAggregateError):
    """An aggregation takes too long."""


class Child:
    """The process that a task's code runs in; it is started when it is needed, and serves task after task.

    Args:
        folder: Where it works; an empty one where omitted.
        seconds: What the code of a task may take in all.
    """

    def __init__(self, folder: Path | None = None, seconds: float = SECONDS) -> None:
        self._place, self._seconds = folder, seconds
        self._process: subprocess.Popen[str] | None = None
        self._folder = tempfile.TemporaryDirectory(prefix="tempbench-")
        self._open: Path | None = None
        self._known: Sequence[Any] | None = None
        self._left: dict[Path, float] = {}
        atexit.register(self.close)

    def close(self) -> None:
        """Ends the process, and removes what its code has written."""
        self._stop()
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
        self._opened(file)
        if self._known is not items:
            self._ask({"items": items}, self._seconds)
            self._known = items
        found: list[float | None] = []
        size = 1
        while len(found) < len(picks):
            part = picks[len(found) : len(found) + size]
            request = {"metric": metric[0], "part": metric[1], "picks": part}
            answer, took = self._ask(request, self._left[file])
            self._left[file] -= took
            found, size = [*found, *answer], _AT_ONCE
            # The first choice tells how long all of them will take.
            if took / len(part) * (len(picks) - len(found)) > 2 * self._left[file]:
                raise TooSlowError(f"a call of the task's aggregation takes {took / len(part):.2g} s")
        return found

    def answer(self, file: Path, **request: Any) -> Any:
        """Returns the answer to one request about a task (`child`).

        Raises:
            CannotAggregateError: The task's code fails, or takes too long.
        """
        self._opened(file)
        return self._ask(request, self._seconds)[0]

    def _opened(self, file: Path) -> None:
        if self._process is None:
            self._start()
        if self._open != file:
            self._left.setdefault(file, self._seconds)
            if self._process and sys.stderr.isatty():
                tell(f"loading the code of {file.stem}")
            self._ask({"open": str(file)}, self._seconds)
            self._open = file

    def _start(self) -> None:
        environment = {name: value for name, value in os.environ.items() if not _LEFT_OUT.search(name)}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tempbench_lmms.any_task.child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
            cwd=self._place or self._folder.name,
            start_new_session=True,  # so that what the code starts ends with it
            env={**environment, "HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "PYTHONSAFEPATH": "1"},
        )

    def _ask(self, request: dict[str, Any], seconds: float) -> tuple[Any, float]:
        """Returns the answer to a request and the seconds that it took; no answer if the process ends."""
        process = self._process
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
        began = time.monotonic()
        timer = threading.Timer(max(seconds, 0.0), _kill, [process])
        timer.start()
        line = ""
        with contextlib.suppress(OSError):  # the process has ended
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        timer.cancel()
        took = time.monotonic() - began
        if not line:
            file = self._open
            self._stop()
            if took >= seconds:
                self._left |= {file: 0.0} if file else {}
                raise TooSlowError(f"the task's aggregations take more than {self._seconds:g} s")
            raise CannotAggregateError("the task's aggregation ended its process")
        answer = json.loads(line)
        if "problem" in answer:
            raise CannotAggregateError(f"the task's aggregation failed ({one_line(answer['problem'])})")
        return answer["found"], took

    def _stop(self) -> None:
        process, self._process, self._open, self._known = self._process, None, None, None
        if process is not None:
            _kill(process)
            process.communicate()


def _kill(process: "subprocess.Popen[str]") -> None:
    """Ends a process and all that it has started."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()


@cache
def child() -> Child:
    """Returns the process for aggregations, which works in an empty folder."""
    return Child()


@cache
def here() -> Child:
    """Returns the process for documents and pictures; their data may be in the current folder."""
    return Child(Path.cwd())
