"""Asks a runner so that one question cannot end a run, and takes what it replies, whatever that is.

The harness hands all requests to its runner at once, and an exception of the runner loses them all. Here
the requests that failed together are asked again in halves, down to the one that fails alone. Then it counts
as a failed request with its reason, and the others go on.

A question may also end the process, by no answer or by too much memory. That is seen from outside
(`runs.supervision`), so each call is told to the process there, with the time that it may take, and what
that process found out about single questions comes back in a `Watch`.
"""

import dataclasses
import functools
import gc
import math
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from lmms_eval.api.instance import GenerationResult

from tempbench_lmms.data.redaction import scrubbed
from tempbench_lmms.data.terminal import one_line
from tempbench_lmms.data.texts import storable
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness.adapter import failure, request_failed, without_keys
from tempbench_lmms.harness.prefetch import frames_of
from tempbench_lmms.harness.seeds import sow
from tempbench_lmms.harness.stopping import Stopping

# A run goes on with so many failed questions, however short it is, so that it tells one bad question from a
# model that answers none.
ALWAYS_BORNE = 3
_FIRST_PORTION = 8
_SLOWER = 5


class TooManyFailedError(TempbenchError):
    """More questions failed than are borne."""


@dataclass
class Watch:
    """What is known of the questions that ended a process or failed, and who is told of each call.

    Attributes:
        apart: Questions that are asked alone.
        failed: Questions that count as failed without being asked, with the reason.
        timeout: Seconds that one question may take; None for no limit.
        max_failures: How many questions of so many may fail.
        tell: Called before and after each call of the runner with the questions asked (none afterwards), the
            seconds that it may take, and the number of failed questions that is borne.
        answered: Called where a call of the runner gave an answer, before any of its answers is stored.
        stop: When each task may stop; None where all questions are asked.
        seed: Of the run: what replies are sampled with.
    """

    apart: set[str] = field(default_factory=set)
    failed: dict[str, str] = field(default_factory=dict)
    timeout: float | None = None
    max_failures: Callable[[int], int] = lambda total: total
    tell: Callable[[Sequence[str], float | None, int], None] = lambda names, seconds, borne: None
    answered: Callable[[], None] = lambda: None
    stop: Stopping | None = None
    seed: str = ""


class Asking:
    """A runner as the cache sees it: the same requests, and a reply for each.

    Args:
        watch: What is known, and the limits.
        total: Number of requests of this process.
    """

    def __init__(self, watch: Watch, total: int) -> None:
        self.watch = watch
        self.borne = max(watch.max_failures(total), ALWAYS_BORNE)
        self.counted: dict[str, str] = {}
        self._times: Counter[str] = Counter()
        self._pace = 0.0  # seconds a question, the slowest call so far

    def portions(self, requests: Sequence[Any]) -> Iterator[list[int]]:
        """Yields the numbers of requests that are stored together: the harmless ones, each other alone."""
        apart = self.watch.apart | self.watch.failed.keys()
        together = [i for i, request in enumerate(requests) if name_of(request) not in apart]
        first = _FIRST_PORTION if self.watch.timeout and not self._pace else len(together)
        # How long a call may take is judged by the calls before it: the first one is short.
        yield from filter(None, (together[:first], together[first:]))
        left = set(range(len(requests))) - set(together)
        yield from ([i] for i in sorted(left))

    def of(self, lm: Any) -> "_Runner":
        """Returns the runner whose replies all come, and come in a form that can be stored."""
        return _Runner(self, lm)

    def replies(self, lm: Any, kind: str, requests: Sequence[Any], before: int = 0) -> list[Any]:
        """Returns one reply a request, in order; where there is none, a notice that says why.

        Args:
            lm: The harness's model.
            kind: The method of the model.
            requests: What to ask.
            before: How often they failed already.

        Raises:
            TooManyFailedError: More questions failed than are borne.
        """
        if not requests:
            return []
        known = {i: self.watch.failed.get(name_of(request), "") for i, request in enumerate(requests)}
        notices = {i: self._count(lm, requests[i], why) for i, why in known.items() if why}
        others = [request for i, request in enumerate(requests) if i not in notices]
        replies, reason = self._called(lm, kind, others) if others else ([], "")
        rest = iter(self._again(lm, kind, others, reason, before) if replies is None else replies)
        return [notices[i] if i in notices else next(rest) for i in range(len(requests))]

    def _again(self, lm: Any, kind: str, requests: Sequence[Any], reason: str, before: int) -> list[Any]:
        """Asks again, in halves, what failed together; a single question once more, then it has failed."""
        _free_memory()
        if len(requests) == 1 and before:
            return [self._count(lm, requests[0], reason)]
        middle = math.ceil(len(requests) / 2)
        parts = (requests[:middle], requests[middle:])
        return [reply for part in parts for reply in self.replies(lm, kind, part, before + 1)]

    def _called(self, lm: Any, kind: str, requests: Sequence[Any]) -> tuple[list[Any] | None, str]:
        """Returns the replies of one call; None and the reason where it failed."""
        self.watch.tell([name_of(request) for request in requests], self._limit(len(requests)), self.borne)
        began = time.monotonic()
        sow(lm, kind, requests, self.watch.seed, self._times)
        try:
            with frames_of(lm, requests):
                found = list(getattr(lm, kind)(requests))
        except (Exception, SystemExit) as error:  # hooks of some tasks exit where a video is missing
            return None, one_line(scrubbed(f"{type(error).__name__}: {error}"))[:300]
        finally:
            self.watch.tell([], None, self.borne)
        self._pace = max(self._pace, (time.monotonic() - began) / len(requests))
        if len(found) != len(requests):
            return None, f"the runner gave {len(found)} replies to {len(requests)} questions"
        # One whose questions have several rounds may give a reply to each.
        replies = [
            [*map(taken, one)] if isinstance(one, list) and kind.endswith("round") else taken(one)
            for one in found
        ]
        if not all(request_failed(getattr(reply, "text", reply)) for reply in replies):
            self.watch.answered()
        return replies, ""

    def _limit(self, n: int) -> float | None:
        """Returns the seconds that a call may take.

        Within a call nobody sees where a question ends. One that takes the whole limit is borne in each call,
        the others at several times the pace of earlier calls. It is safe to set this too low: what is
        ended is asked again, each question alone, with the limit for itself.
        """
        limit = self.watch.timeout
        if not limit:
            return None
        return limit + (n - 1) * min(limit, self._pace * _SLOWER or limit)

    def _count(self, lm: Any, request: Any, why: str) -> str:
        name = name_of(request)
        if name not in self.counted:
            self.counted[name] = why
            print(f"tempbench: {title_of(lm, request)} counts as failed: {why}", file=sys.stderr, flush=True)
        if len(self.counted) > self.borne:
            raise TooManyFailedError(
                f"{len(self.counted)} questions failed, more than --max-failures allows; the last, "
                f"({title_of(lm, request)}): {why}"
            )
        return failure(why)


class _Runner:
    """Has the methods of a model; those of generation, whose replies are text, go through `Asking`."""

    def __init__(self, asking: Asking, lm: Any) -> None:
        self._asking, self._lm = asking, lm

    def __getattr__(self, kind: str) -> Any:
        if kind.startswith("generate"):
            return functools.partial(self._asking.replies, self._lm, kind)
        return getattr(self._lm, kind)


def taken(reply: Any) -> Any:
    """Returns a reply as it can be stored and read; for what is no text, the notice of a failed request."""
    if isinstance(reply, GenerationResult):
        text = taken(reply.text)
        return reply if text == reply.text else dataclasses.replace(reply, text=text)
    if isinstance(reply, str):
        return storable(str(without_keys(reply)))
    if reply is None:
        return failure("the response has no content")
    return failure(f"the runner gave an object of type {type(reply).__name__} in place of text")


def name_of(request: Any) -> str:
    """Returns by what a question is known to every process of a run."""
    return f"{request.task_name}:{request.doc_id}"


def title_of(lm: Any, request: Any) -> str:
    """Returns the id of a question, where it is one of ours, and its task, for a message."""
    try:
        number, task, split = request.args[-3:]
        return one_line(f"question {lm.task_dict[task][split][number]['question_id']} of {task}")[:200]
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        return f"question {request.doc_id} of {request.task_name}"


def _free_memory() -> None:
    """Lets go of what a failed call left on a GPU, so that less at a time has room."""
    import torch

    gc.collect()
    if torch.cuda.is_available() and torch.cuda.is_initialized():
        torch.cuda.empty_cache()
