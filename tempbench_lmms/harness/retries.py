"""Calls a runner so that one question cannot end a run, and accepts any kind of reply.

The harness passes all requests to its runner at once, and an exception of the runner loses them all. Here,
requests that failed together are asked again in halves, down to the single one that fails. It then counts as
a failed request with its reason, and the others continue. A question may also end the process, because it
hangs or takes too much memory. Only another process can see that (`runs.supervision`), so each call is
reported there with its time limit, and what that process learned about single questions comes back in a
`Watch`.
"""

import dataclasses
import gc
import math
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from lmms_eval.api.instance import GenerationResult
from lmms_eval.caching.response_cache import extract_gen_kwargs, is_deterministic

from tempbench_lmms.data.checksums import digest
from tempbench_lmms.data.redaction import scrubbed
from tempbench_lmms.data.terminal import one_line
from tempbench_lmms.data.user_files import storable
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness.adapter import failure, request_failed, without_keys
from tempbench_lmms.harness.stopping import Stopping

# Every run, however short, tolerates this many failed questions, to distinguish one bad question from a model
# that answers none.
ALWAYS_BORNE = 3
_FIRST_PORTION = 8
_SLOWER = 5
_DIGITS = 8  # hexadecimal digits of a seed: a size that every generator accepts


class TooManyFailedError(TempbenchError):
    """More questions failed than allowed."""


@dataclass
class Watch:
    """Questions that ended a process or failed, and the callbacks of each call."""

    apart: set[str] = field(default_factory=set)  # questions to ask one at a time
    # questions that count as failed without being asked, with the reason
    failed: dict[str, str] = field(default_factory=dict)
    timeout: float | None = None  # seconds that one question may take; None for no limit
    # returns how many of a number of questions may fail
    max_failures: Callable[[int], int] = lambda total: total
    # called before and after each call of the runner with the questions asked (none afterwards), the time
    # limit in seconds, and the number of failed questions allowed
    tell: Callable[[Sequence[str], float | None, int], None] = lambda names, seconds, borne: None
    # called when a call of the runner gave an answer, before its answers are stored
    answered: Callable[[], None] = lambda: None
    stop: Stopping | None = None  # when each task may stop; None if all questions are asked
    seed: str = ""  # the run's seed for sampling replies


class Asking:
    """A runner as the cache sees it: the same requests, and a reply for each."""

    def __init__(self, watch: Watch, total: int) -> None:
        self.watch = watch
        self.borne = max(watch.max_failures(total), ALWAYS_BORNE)
        self.counted: dict[str, str] = {}
        self._times: Counter[str] = Counter()
        self._pace = 0.0  # seconds per question in the slowest call so far

    def portions(self, requests: Sequence[Any]) -> Iterator[list[int]]:
        """Yields the numbers of requests to store together: harmless ones at once, the others one by one."""
        apart = self.watch.apart | self.watch.failed.keys()
        together = [i for i, request in enumerate(requests) if name_of(request) not in apart]
        first = _FIRST_PORTION if self.watch.timeout and not self._pace else len(together)
        # The time limit of a call depends on earlier calls, so the first one is short.
        yield from filter(None, (together[:first], together[first:]))
        yield from ([i] for i in sorted(set(range(len(requests))) - set(together)))

    def replies(self, lm: Any, kind: str, requests: Sequence[Any], before: int = 0) -> list[Any]:
        """Returns one reply per request, in order; for a failed request, a notice with the reason.

        Args:
            lm: The harness's model.
            kind: The method of the model.
            requests: What to ask.
            before: How often they have failed before.

        Raises:
            TooManyFailedError: More questions failed than allowed.
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
        """Asks failed requests again in halves; a single question gets one more try, then it has failed."""
        _free_memory()
        if len(requests) == 1 and before:
            return [self._count(lm, requests[0], reason)]
        middle = math.ceil(len(requests) / 2)
        return [
            reply
            for part in (requests[:middle], requests[middle:])
            for reply in self.replies(lm, kind, part, before + 1)
        ]

    def _called(self, lm: Any, kind: str, requests: Sequence[Any]) -> tuple[list[Any] | None, str]:
        """Returns the replies of one call; None and the reason if it failed."""
        self.watch.tell([name_of(request) for request in requests], self._limit(len(requests)), self.borne)
        began = time.monotonic()
        sow(lm, kind, requests, self.watch.seed, self._times)
        try:
            found = list(getattr(lm, kind)(requests))
        except (Exception, SystemExit) as error:  # hooks of some tasks exit where a video is missing
            return None, one_line(scrubbed(f"{type(error).__name__}: {error}"))[:300]
        finally:
            self.watch.tell([], None, self.borne)
        self._pace = max(self._pace, (time.monotonic() - began) / len(requests))
        if len(found) != len(requests):
            return None, f"the runner gave {len(found)} replies to {len(requests)} questions"
        # A task with several rounds per question may give one reply per round.
        replies = [
            [*map(taken, one)] if isinstance(one, list) and kind.endswith("round") else taken(one)
            for one in found
        ]
        if not all(request_failed(getattr(reply, "text", reply)) for reply in replies):
            self.watch.answered()
        return replies, ""

    def _limit(self, n: int) -> float | None:
        """Returns the seconds that a call may take.

        Within a call, single questions cannot be timed. One question per call may take the whole limit, the
        others several times the pace of earlier calls. A limit that is too low is safe: the questions of an
        ended call are asked again one at a time, each with the full limit.
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


def taken(reply: Any) -> Any:
    """Returns a reply in a form that can be stored, or the notice of a failed request if it is not text."""
    if isinstance(reply, GenerationResult):
        text = taken(reply.text)
        return reply if text == reply.text else dataclasses.replace(reply, text=text)
    if isinstance(reply, str):
        return storable(str(without_keys(reply)))
    if reply is None:
        return failure("the response has no content")
    return failure(f"the runner gave an object of type {type(reply).__name__} in place of text")


def name_of(request: Any) -> str:
    """Returns the name of a question, which is the same in every process of a run."""
    return f"{request.task_name}:{request.doc_id}"


def title_of(lm: Any, request: Any) -> str:
    """Returns a question's id (or number, for other packages' tasks) and its task, for a message."""
    try:
        number, task, split = request.args[-3:]
        return one_line(f"question {lm.task_dict[task][split][number]['question_id']} of {task}")[:200]
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        return f"question {request.doc_id} of {request.task_name}"


def _free_memory() -> None:
    """Frees what a failed call left on a GPU, so that a smaller call fits."""
    import torch

    gc.collect()
    if torch.cuda.is_available() and torch.cuda.is_initialized():
        torch.cuda.empty_cache()


# ---- seeds for sampled replies
#
# The harness seeds only once, at its start. A continued run would reuse the same random numbers for other
# questions, and vLLM's engine has its own seed, which its runner sets to 1 in every run.


def is_sampled(kind: str, request: Any) -> bool:
    """Returns whether a reply is sampled, so that another reply to the same question may differ."""
    return not is_deterministic(kind, extract_gen_kwargs(request))


def is_one_of_several(kind: str, request: Any) -> bool:
    """Returns whether the task samples several replies per question (`repeats` in its YAML)."""
    return is_sampled(kind, request) and (request.repeats or 1) > 1


def sow(lm: Any, kind: str, requests: Sequence[Any], seed: str, times: Counter[str]) -> None:
    """Seeds the sampling of one call; does nothing if no reply is sampled.

    The harness repeats a question with the same request, so a seed in it would apply to all its replies. Such
    a request gets no seed, and vLLM's engine draws the replies one after the other.

    Args:
        lm: The harness's model.
        kind: The method of the model.
        requests: The requests of this call.
        seed: The run's seed.
        times: Counts calls with the same questions, which get different seeds.
    """
    sampled = [request for request in requests if is_sampled(kind, request)]
    if not sampled:
        return
    if (torch := sys.modules.get("torch")) is not None:
        places = [_place(request) for request in requests]
        torch.manual_seed(_number(seed, places, times[call := digest(places)]))
        times[call] += 1
    if "vllm" in type(lm).__module__:
        for request in sampled:
            if is_one_of_several(kind, request):
                continue
            extract_gen_kwargs(request).setdefault("seed", _number(seed, _place(request)))


def _place(request: Any) -> list[Any]:
    return [request.task_name, request.doc_id, request.idx]


def _number(*of: Any) -> int:
    return int(digest([*of])[:_DIGITS], 16)
