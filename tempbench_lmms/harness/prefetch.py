"""Decodes the frames that a run asks for next, while the model answers (`tempbench run`)."""

import functools
import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness.tasks import kwargs_of, load_task, task_files
from tempbench_lmms.media.video import Wanted, decoding_ahead


@contextmanager
def frames_of(lm: Any, requests: Sequence[Any]) -> Iterator[None]:
    """Has the frames of questions decoded ahead while a model of the harness answers them in the block.

    The model asks for them as the questions are given, or in the order of a hash of their texts, as the
    runners of the OpenAI protocol do. A runner that sorts questions by length, and answers one at a time, is
    kept from it: no reply depends on the order.
    """
    wanted = {place: found for place, request in enumerate(requests) if (found := _wanted(lm, request))}
    if not wanted:
        yield
        return
    by_hash = sorted(wanted, key=lambda place: _hash(requests[place].args[0]))
    orders = ([*wanted.values()], [wanted[place] for place in by_hash])
    with decoding_ahead(*orders), _unsorted() if getattr(lm, "batch_size", None) == 1 else nullcontext():
        yield


def _wanted(lm: Any, request: Any) -> Wanted | None:
    """Returns which frames a question shows; None for one of others, and for one without frames."""
    number, task, split = request.args[-3:]
    config = load_task(task) if task in task_files() else {}
    frames = getattr(config.get("doc_to_visual"), "frames", None)
    try:
        found: Wanted | None = frames and frames(lm.task_dict[task][split][number], kwargs_of(config))
    except TempbenchError:  # the question says so when it is asked
        return None
    return found


def _hash(text: str) -> str:
    """Returns what the harness's `make_prefix_hash` does of a question with its default length."""
    return hashlib.sha1(text[:256].encode("utf-8", errors="ignore"), usedforsecurity=False).hexdigest()


@contextmanager
def _unsorted() -> Iterator[None]:
    from lmms_eval.utils import Collator

    original = Collator.__init__

    @functools.wraps(original)
    def as_given(self: Any, *args: Any, **kwargs: Any) -> None:
        original(self, *args, **kwargs)
        self.fn = lambda question: 0

    Collator.__init__ = as_given
    try:
        yield
    finally:
        Collator.__init__ = original
