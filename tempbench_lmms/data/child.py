"""A child process that answers requests, one line of JSON each; its end or silence harms nothing else."""

import contextlib
import json
import math
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

Beat = Callable[[int], None]
"""Reports that a request is in progress."""


class Child:
    """A process that is started by the first request, and again by the next one after it has ended.

    Args:
        command: The command to start; it calls `serve`.
        environment: Its environment variables.
        folder: Where it works; the current folder where omitted.
    """

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str], folder: str | None = None
    ) -> None:
        self._start = partial(
            subprocess.Popen,
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
            env=environment,
            cwd=folder,
            start_new_session=True,  # so that what it starts ends with it
        )
        self.process: subprocess.Popen[str] | None = None
        self._closed = False

    def close(self) -> None:
        """Ends the process; no thread can start another."""
        self._closed = True
        self.stop()

    def stop(self) -> None:
        """Ends the process and all that it has started."""
        process, self.process = self.process, None
        if process is not None:
            _kill(process)
            process.wait()

    def ask(
        self, request: Mapping[str, Any], seconds: float, longest: float = math.inf, first: float = 0.0
    ) -> dict[str, Any]:
        """Returns the answer to a request.

        Args:
            request: JSON values.
            seconds: How long to wait for a sign of life: a `Beat`, or the answer.
            longest: How long to wait in all.
            first: How much longer to wait for the first sign.

        Raises:
            TimeoutError: The process was silent for too long, and was ended.
            EOFError: It ended itself, with this status.
        """
        if self._closed:
            raise RuntimeError("this process is closed")
        self.process = process = self.process or self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        end = time.monotonic() + longest
        patience = seconds + first
        try:
            with contextlib.suppress(OSError):  # it has ended; its answer shows that
                process.stdin.write(json.dumps(request) + "\n")
                process.stdin.flush()
            while True:
                began = time.monotonic()
                wait = max(min(patience, end - began), 0.0)
                timer = threading.Timer(wait, _kill, [process])
                timer.start()
                line = process.stdout.readline()
                timer.cancel()
                if not line:
                    raise TimeoutError if time.monotonic() - began >= wait else EOFError(process.wait())
                answer: dict[str, Any] = json.loads(line)
                if "beat" not in answer:
                    return answer
                patience = seconds
        except BaseException:
            self.stop()  # an unread answer would be taken for the next request's
            raise


def _kill(process: "subprocess.Popen[str]") -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.kill()


def serve(answer: Callable[[dict[str, Any], Beat], Any], output: int = 2) -> None:
    """Answers the requests of a `Child` until there are no more.

    Args:
        answer: Returns the answer to a request.
        output: The file that gets what the code behind `answer` prints.
    """
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    os.dup2(output, 1)

    def beat(n: int) -> None:
        answers.write(json.dumps({"beat": n}) + "\n")

    for line in sys.stdin:
        answers.write(json.dumps(answer(json.loads(line), beat)) + "\n")
