"""Which frames a run asks for next, so that they are decoded while the model answers (`media/prefetch.py`).

A model of the harness gets all its questions at once and asks for their media one after the other, in an
order of its own. Three are known: that of the questions, that of a hash of their texts (the runners that
speak the OpenAI protocol), and what the harness's `Collator` sorts them into, which says so when it does.
"""

import functools
import hashlib
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from types import ModuleType
from typing import TYPE_CHECKING, Any

from tempbench_lmms.errors import TempbenchError

if TYPE_CHECKING:
    from tempbench_lmms.media.video import Wanted

_expect: list[Callable[[Sequence[Any]], None]] = []


def announce_order(module: ModuleType) -> None:
    """Has the harness's `Collator`, of its `lmms_eval.utils`, say into which order it sorts questions."""
    collator = getattr(module, "Collator", None)
    original = getattr(collator, "_reorder", None)
    if collator is None or original is None or hasattr(original, "__wrapped__"):
        return  # a comfort: without it, frames of models that sort are decoded when they are asked for

    @functools.wraps(original)
    def reorder(self: Any, *args: Any, **kwargs: Any) -> Iterator[Any]:
        ordered = list(original(self, *args, **kwargs))
        for expect in _expect:
            expect(ordered)
        yield from ordered

    collator._reorder = reorder


def following(lm: Any, requests: Any) -> AbstractContextManager[Any]:
    """Returns the block in which a model's questions are to be answered."""
    try:
        wanted = _wanted_of(lm, requests)
    except Exception as error:  # another harness's questions look otherwise, and are answered all the same
        logging.getLogger(__name__).warning("no frames are decoded while the model answers: %r", error)
        wanted = {}
    return _decoding(requests, wanted) if wanted else nullcontext()


@contextmanager
def _decoding(requests: Sequence[Any], wanted: "dict[tuple[Any, ...], Wanted]") -> Iterator[None]:
    from tempbench_lmms.media.video import decoding_ahead

    def of(arguments: Sequence[Any]) -> "list[Wanted]":
        return [wanted[key] for one in arguments if (key := tuple(one[-3:])) in wanted]

    given = [request.args for request in requests]
    with decoding_ahead(of(given), of(sorted(given, key=_hash))) as expect:

        def sorted_into(arguments: Sequence[Any]) -> None:
            expect(of(arguments))

        _expect.append(sorted_into)
        try:
            yield
        finally:
            _expect.remove(sorted_into)


def _hash(arguments: Sequence[Any]) -> str:
    """Returns what the harness's `make_prefix_hash` does of a question with its default length."""
    text = str(arguments[0])[:256].encode("utf-8", errors="ignore")
    return hashlib.sha1(text, usedforsecurity=False).hexdigest()


def _wanted_of(lm: Any, requests: Sequence[Any]) -> "dict[tuple[Any, ...], Wanted]":
    """Returns what the questions show, by number, task and split, of those whose frames our hooks decode."""
    from tempbench_lmms.media.prefetch import current, megabytes

    if current() is not None or not megabytes():
        return {}
    hooks = {task: _frames_of(task) for task in {request.args[-2] for request in requests}}
    wanted: dict[tuple[Any, ...], Wanted] = {}
    for request in requests:
        number, task, split = request.args[-3:]
        if (frames := hooks[task]) is None or (number, task, split) in wanted:
            continue
        try:
            found = frames(lm.task_dict[task][split][number])
        except TempbenchError:
            continue  # the question says so
        if found:
            wanted[number, task, split] = found
    return wanted


def _frames_of(task: Any) -> "Callable[[Any], Wanted | None] | None":
    """Returns the function that tells which frames a question of a task shows; None where it shows none."""
    from tempbench_lmms.harness.tasks import kwargs_of, load_task, task_files

    if task not in task_files():
        return None
    config = load_task(task)
    frames = getattr(config.get("doc_to_visual"), "frames", None)
    kwargs = kwargs_of(config)
    return functools.partial(frames, lmms_eval_specific_kwargs=kwargs) if frames else None
