"""Work done before its turn: threads decode what the next questions show while a model answers.

Whoever knows the questions to come opens `working`; `video.sample_frames` asks here first, and decodes itself
what nobody has begun. What goes wrong in a thread is dropped: the question decodes its video again, and says
what is wrong as if there were no threads.
"""

import atexit
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from itertools import islice
from typing import Any

from tempbench_lmms.errors import TempbenchError

MEGABYTES_VARIABLE = "TEMPBENCH_FRAMES_AHEAD_MB"
_MEGABYTES = 1_000.0
NUMBER = 64
"""How many videos are ahead at most; a runner asks for a batch before it answers any of it."""

_MAX_WORKERS = 4
_PATIENCE = 5.0
_NEAR = 32

Job = Hashable


def megabytes() -> float:
    """Returns how much may be decoded ahead: `$TEMPBENCH_FRAMES_AHEAD_MB`, 1,000 by default, 0 for none.

    Raises:
        TempbenchError: The environment variable is no number of at least 0.
    """
    value = os.environ.get(MEGABYTES_VARIABLE, "")
    try:
        number = float(value or _MEGABYTES)
    except ValueError:
        number = -1.0
    if not 0 <= number < float("inf"):
        raise TempbenchError(
            f"{MEGABYTES_VARIABLE} is {value!r}; give a number of megabytes, 0 to decode nothing ahead"
        )
    return number


class Order:
    """One order in which jobs may be asked for.

    Attributes:
        score: How well it has told what was asked for, lately.
    """

    def __init__(self, jobs: Sequence[Job], score: float = 0.0) -> None:
        self.score = score
        self._jobs = list(jobs)
        self._places: dict[Job, deque[int]] = {}
        for place, job in enumerate(self._jobs):
            self._places.setdefault(job, deque()).append(place)
        self._asked = bytearray(len(self._jobs))
        self._first = 0

    def asked(self, job: Job) -> None:
        """Notes that a job was asked for."""
        places = self._places.get(job)
        if not places:
            return
        place = places.popleft()
        near = place - self._first
        self.score = 0.8 * self.score + (1.0 if near == 0 else 0.5 if near < _NEAR else 0.0)
        self._asked[place] = 1
        while self._first < len(self._jobs) and self._asked[self._first]:
            self._first += 1

    def coming(self) -> Iterator[Job]:
        """Yields each job that has not been asked for, in this order."""
        left = (self._jobs[i] for i in range(self._first, len(self._jobs)) if not self._asked[i])
        yield from dict.fromkeys(islice(left, 4 * NUMBER))


@dataclass
class _Slot:
    """A job that a thread has taken on.

    Attributes:
        n_bytes: What it takes, or will take.
        state: `waiting` for room, `running`, or `done`.
        result: What came of it; None where it failed.
    """

    n_bytes: int = 0
    state: str = "waiting"
    result: Any = None


class Ahead:
    """Does jobs before they are asked for, within a number of bytes.

    Args:
        orders: Orders in which they may be asked for; the first counts where no other one fits better.
        size: Returns how many bytes a job's result will take.
        work: Does a job; returns its result and how many bytes it takes.
        limit: Bytes that results take together, those that are being made among them.
        workers: Threads.
    """

    def __init__(
        self,
        orders: Sequence[Sequence[Job]],
        size: Callable[[Any], int],
        work: Callable[[Any], tuple[Any, int]],
        limit: float,
        workers: int,
    ) -> None:
        self._orders = [Order(jobs) for jobs in orders]
        self._size, self._work, self._limit, self._workers = size, work, limit, workers
        self._slots: dict[Job, _Slot] = {}
        self._left_alone: set[Job] = set()
        self._in_hand: set[Job] = set()
        self._changed = threading.Condition()
        self._stopped = False
        self.threads: list[threading.Thread] = []
        self.n_bytes = 0
        self.most_bytes = 0

    def expect(self, jobs: Sequence[Job]) -> None:
        """Takes note of an order that somebody has announced."""
        with self._changed:
            self._orders.insert(0, Order(jobs, score=3.0))

    @contextmanager
    def asked(self, job: Job, needed: bool) -> Iterator[Any]:
        """Yields a job's result, or None where whoever asks has to do it; no thread begins it meanwhile.

        Args:
            job: What is asked for.
            needed: Whether to wait for a thread that is at it; else its result is dropped.
        """
        with self._changed:
            for order in self._orders:
                order.asked(job)
            slot = self._slots.pop(job, None)
            self._left_alone.discard(job)
            self._in_hand.add(job)
            if slot is not None and slot.state == "done":
                self._free(slot)
            if not self.threads and not self._stopped:
                self._start()
            self._changed.notify_all()
            while slot is not None and needed and slot.state == "running" and not self._stopped:
                self._changed.wait()
        try:
            yield slot.result if slot is not None else None
        finally:
            with self._changed:
                self._in_hand.discard(job)
                self._changed.notify_all()

    def stop(self) -> None:
        """Has the threads end as soon as they are done with what they are at; drops all results."""
        with self._changed:
            self._stopped = True
            self._slots.clear()
            self._changed.notify_all()

    def _start(self) -> None:
        # Not before the first question: which one it is tells the order.
        self.threads = [
            threading.Thread(target=self._go_on, name=f"tempbench frames {i}", daemon=True)
            for i in range(self._workers)
        ]
        for thread in self.threads:
            thread.start()

    def _free(self, slot: _Slot) -> None:
        self.n_bytes -= slot.n_bytes
        self._changed.notify_all()

    def _next(self) -> Job | None:
        """Returns the next job that nobody is at; None where there is none, or too many are."""
        best = max(self._orders, key=lambda order: order.score)
        taken = self._slots.keys() | self._left_alone | self._in_hand
        wanted = (job for job in islice(best.coming(), NUMBER) if job not in taken)
        return next(wanted, None) if len(self._slots) < NUMBER else None

    def _go_on(self) -> None:
        while True:
            with self._changed:
                while not self._stopped and (job := self._next()) is None:
                    self._changed.wait()
                if self._stopped:
                    return
                slot = self._slots[job] = _Slot()
            try:
                self._do(job, slot)
            except Exception:  # see above: the question itself says what is wrong
                with self._changed:
                    if self._slots.get(job) is slot:
                        del self._slots[job]
                        self._left_alone.add(job)

    def _do(self, job: Job, slot: _Slot) -> None:
        n_bytes = self._size(job)
        with self._changed:
            while self._slots.get(job) is slot and 0 < n_bytes <= self._limit < self.n_bytes + n_bytes:
                self._changed.wait()
            if self._slots.get(job) is not slot:  # asked for in the meantime
                return
            if not 0 < n_bytes <= self._limit:
                del self._slots[job]
                self._left_alone.add(job)
                return
            slot.state = "running"
            self._take(slot, n_bytes)
        result, n_bytes = None, 0
        try:
            result, n_bytes = self._work(job)
        finally:
            with self._changed:
                self._finish(job, slot, result, n_bytes)

    def _finish(self, job: Job, slot: _Slot, result: Any, n_bytes: int) -> None:
        slot.state, slot.result = "done", result
        self._take(slot, n_bytes)
        waited_for = self._slots.get(job) is not slot
        if waited_for or self.n_bytes > self._limit or result is None:
            # Somebody has it now; or it turned out larger than its header said; or there is none.
            self._free(slot)
            if not waited_for:
                del self._slots[job]
                self._left_alone.add(job)
        self._changed.notify_all()

    def _take(self, slot: _Slot, n_bytes: int) -> None:
        self.n_bytes += n_bytes - slot.n_bytes
        slot.n_bytes = n_bytes
        self.most_bytes = max(self.most_bytes, self.n_bytes)


_current: Ahead | None = None
_threads: list[threading.Thread] = []


def asked(job: Job, needed: bool) -> AbstractContextManager[Any]:
    """Yields what a thread has made of a job, or None; see `Ahead.asked`."""
    current = _current
    return current.asked(job, needed) if current is not None else nullcontext()


def current() -> Ahead | None:
    """Returns what works ahead now, if anything does."""
    return _current


@contextmanager
def working(
    orders: Sequence[Sequence[Job]], size: Callable[[Any], int], work: Callable[[Any], tuple[Any, int]]
) -> Iterator[Ahead | None]:
    """Has jobs done ahead within the block; nothing where that is off, or is on already.

    Args:
        orders: As for `Ahead`.
        size: As for `Ahead`.
        work: As for `Ahead`.

    Raises:
        TempbenchError: `$TEMPBENCH_FRAMES_AHEAD_MB` is no number.
    """
    global _current
    limit = megabytes() * 1_000_000
    if not limit or _current is not None or not any(orders):
        yield None
        return
    mine = _current = Ahead(orders, size, work, limit, max(1, min(_MAX_WORKERS, _cores())))
    try:
        yield mine
    finally:
        mine.stop()
        if _current is mine:  # a process that was forked within the block has none
            _current = None
        _threads[:] = [thread for thread in (*_threads, *mine.threads) if thread.is_alive()]


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _end() -> None:
    """Waits a little for threads that are within a decoder, where the interpreter must not end."""
    end = time.monotonic() + _PATIENCE
    if _current is not None:
        _current.stop()
        _threads.extend(_current.threads)
    for thread in _threads:
        thread.join(max(0.0, end - time.monotonic()))


def _forget() -> None:
    """A forked process has none of the threads, and locks that nobody opens."""
    global _current
    _current = None
    _threads.clear()


atexit.register(_end)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
