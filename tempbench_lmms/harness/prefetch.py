"""Decodes the frames of the next questions while the model answers (`tempbench run`)."""

import functools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness.tasks import kwargs_of, load_task, task_files
from tempbench_lmms.media.video import Wanted, decoding_ahead


@contextmanager
def frames_of(lm: Any, requests: Sequence[Any]) -> Iterator[None]:
    """Decodes the frames of questions ahead while a model of the harness answers them inside the block.

    This is for runners that answer one question at a time. Their sorting by length is turned off, which
    changes no reply. Other runners decode the videos of a batch in parallel.
    """
    alone = getattr(lm, "batch_size", None) == 1
    wanted = [found for request in requests if (found := _wanted(lm, request))] if alone else []
    if not wanted:
        yield
        return
    with decoding_ahead(wanted), _unsorted():
        yield


def _wanted(lm: Any, request: Any) -> Wanted | None:
    """Returns the frames of a question; None for other packages' questions and those without frames."""
    number, task, split = request.args[-3:]
    config = load_task(task) if task in task_files() else {}
    frames = getattr(config.get("doc_to_visual"), "frames", None)
    try:
        found: Wanted | None = frames and frames(lm.task_dict[task][split][number], kwargs_of(config))
    except TempbenchError:  # the error appears when the question is asked
        return None
    return found


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
