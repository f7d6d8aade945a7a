"""Decodes what the next questions show while a model answers.

Whoever knows the questions to come opens `working`; threads then put their frames into the cache of
`media.video`, where the questions look first. What goes wrong in a thread is dropped: the question decodes
its video again, and says what is wrong as if there were no threads.
"""

import contextlib
import os
import threading
from collections import deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from tempbench_lmms.errors import TempbenchError

MEGABYTES_VARIABLE = "TEMPBENCH_FRAMES_AHEAD_MB"
NUMBER = 64
"""How many videos are ahead at most; a runner asks for a batch before it answers any of it."""
_MAX_WORKERS = 4
_FAR = 32
"""Questions are asked by several threads at once: an order that is off by less may be the right one."""

Job = Hashable


def _megabytes() -> float:
    """Returns how much may be decoded ahead: `$TEMPBENCH_FRAMES_AHEAD_MB`, 1,000 by default, 0 for none."""
    value = os.environ.get(MEGABYTES_VARIABLE, "")
    try:
        number = float(value or 1_000)
    except ValueError:
        number = -1.0
    if not 0 <= number < float("inf"):
        raise TempbenchError(
            f"{MEGABYTES_VARIABLE} is {value!r}; give a number of megabytes, 0 to decode nothing ahead"
        )
    return number


class _Order:
    """One order in which jobs may be asked for.

    Attributes:
        error: How far it was off, lately.
    """

    def __init__(self, jobs: Sequence[Job]) -> None:
        self.error = 0.0
        self._jobs = list(jobs)
        self._next = 0
        self._places: dict[Job, deque[int]] = {}
        for place, job in enumerate(self._jobs):
            self._places.setdefault(job, deque()).append(place)

    def asked(self, job: Job) -> None:
        """Notes that a job was asked for."""
        off = _FAR
        if places := self._places.get(job):
            place = places.popleft()
            off = min(abs(place - self._next), _FAR)
            self._next = place + 1
        self.error = 0.8 * self.error + off

    def coming(self) -> Sequence[Job]:
        """Returns the next jobs."""
        return list(dict.fromkeys(self._jobs[self._next : self._next + 4 * NUMBER]))[:NUMBER]


class Prefetch:
    """Does jobs before they are asked for.

    Args:
        orders: Orders in which they may be asked for; the first counts where no other one fits better.
        work: Does a job; returns how many bytes its result takes.
        held: Returns how many bytes the results take that nobody has asked for.
        limit: How many these may be; one job a thread may go beyond.
        workers: Threads.
    """

    def __init__(
        self,
        orders: Sequence[Sequence[Job]],
        work: Callable[[Job], int],
        held: Callable[[], int],
        limit: float,
        workers: int,
    ) -> None:
        self._orders = [_Order(jobs) for jobs in orders]
        self._work, self._held, self._limit, self._workers = work, held, limit, workers
        self._begun: set[Job] = set()
        self._running = self._largest = 0
        self._stopped = False
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="tempbench frames")

    def asked(self, job: Job) -> None:
        """Notes that a job is asked for, and begins with what comes next."""
        with self._lock:
            for order in self._orders:
                order.asked(job)
            self._begun.discard(job)
            self._go_on()

    def stop(self) -> None:
        """Begins no further job."""
        with self._lock:
            self._stopped = True
        self._pool.shutdown(wait=False)

    def _go_on(self) -> None:
        while not self._stopped and self._running < self._workers and len(self._begun) < NUMBER:
            coming = min(self._orders, key=lambda order: order.error).coming()
            job = next((job for job in coming if job not in self._begun), None)
            if job is None or self._held() + (self._running + 1) * self._largest > self._limit:
                return
            self._begun.add(job)
            self._running += 1
            self._pool.submit(self._do, job)

    def _do(self, job: Job) -> None:
        n_bytes = 0
        with contextlib.suppress(Exception):  # see above: the question itself says what is wrong
            n_bytes = self._work(job)
        with self._lock:
            self._running -= 1
            self._largest = max(self._largest, n_bytes)
            self._go_on()


_current: Prefetch | None = None


def current() -> Prefetch | None:
    """Returns what works ahead now, if anything does."""
    return _current


@contextlib.contextmanager
def working(
    orders: Sequence[Sequence[Job]], work: Callable[[Job], int], held: Callable[[], int]
) -> Iterator[None]:
    """Has jobs done ahead within the block; nothing where that is off, or is on already.

    Arguments are those of `Prefetch`.
    """
    global _current
    limit = _megabytes() * 1_000_000
    if not limit or _current is not None or not any(orders):
        yield
        return
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    mine = _current = Prefetch(orders, work, held, limit, min(_MAX_WORKERS, cores))
    try:
        yield
    finally:
        mine.stop()
        if _current is mine:  # a process that was forked within the block has none
            _current = None


def _forget() -> None:
    """A forked process has none of the threads, and locks that nobody opens."""
    global _current
    _current = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
