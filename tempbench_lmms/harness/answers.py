"""Stores answers under a key of the full question, and shares the remaining questions among processes."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lmms_eval.caching.response_cache import ResponseCache, extract_gen_kwargs

from tempbench_lmms.data.checksums import digest, urls_of
from tempbench_lmms.data.prepared import Media
from tempbench_lmms.data.terminal import one_line
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness import identity
from tempbench_lmms.harness.documents import Documents
from tempbench_lmms.harness.scheduling import shares
from tempbench_lmms.harness.seeds import is_one_of_several, is_sampled
from tempbench_lmms.harness.tasks import load_task, media_of, task_files

Answer = Callable[[Sequence[Any]], list[Any]]
# The parts of a task's configuration that can change a question without changing its text.
_SETTINGS = ("lmms_eval_specific_kwargs", "metadata")


class KeyedCache(ResponseCache):  # type: ignore[misc]
    """A response cache whose keys cover a question's text, media and settings, and the model.

    The harness's own key covers only the question's number, its text and some generation settings, so old
    answers would survive a replaced picture or another changed setting.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # A runner may change a request's settings while it answers, so the key is computed once, before that.
        self._keys: dict[int, tuple[Any, str]] = {}
        self._media: dict[str, Media] = {}
        self._documents = Documents({})

    def key(self, lm: Any, reqtype: str, request: Any) -> str:
        """Returns the key of a request's answer; "" for several sampled answers, which are not stored."""
        if id(request) not in self._keys:
            self._keys[id(request)] = request, self._key(lm, reqtype, request)
        return self._keys[id(request)][1]

    def _key(self, lm: Any, reqtype: str, request: Any) -> str:
        settings = extract_gen_kwargs(request)
        if is_one_of_several(reqtype, request):  # one stored answer would be used for all
            return ""
        texts = [one for one in request.args if isinstance(one, str)]
        asked = [reqtype, request.task_name, request.idx, texts, settings]
        asked += [self._task_fingerprints.get(request.task_name, ""), self._model_fingerprint_hash]
        return digest([*asked, self._eval_version, self._shown(lm, request)])

    def _shown(self, lm: Any, request: Any) -> Any:
        """Returns what identifies a question besides its text: id, media, and the code that builds it."""
        task = request.task_name
        if task not in task_files():
            return self._documents.shown(lm, request)
        config, doc = load_task(task), _doc(lm, request)
        if task not in self._media:
            self._media[task] = media_of(config)
        sums = [self._media[task].sha256(url) for url in urls_of(doc)]
        return [doc["question_id"], sums, [config.get(name) for name in _SETTINGS], identity.code_of(task)]

    def stored(self, lm: Any, reqtype: str, request: Any) -> Any:
        """Returns the stored answer to a request, or None."""
        key = self.key(lm, reqtype, request)
        return self._lookup(key) if key else None

    def execute(self, lm: Any, reqtype: str, requests: Sequence[Any]) -> list[Any]:
        """Answers the requests in order: stored ones from the store, the others by one call of the model.

        Raises:
            ValueError: The model gave another number of answers than it was asked for.
        """
        replies = [self.stored(lm, reqtype, request) for request in requests]
        missing = [i for i, reply in enumerate(replies) if reply is None]
        self._hits += len(requests) - len(missing)
        if not missing:
            return replies
        given = [requests[i] for i in missing]
        keys = [self.key(lm, reqtype, request) for request in given]
        sampled = [is_sampled(reqtype, request) for request in given]
        answers = list(getattr(lm, reqtype)(given))
        if len(answers) != len(given):
            raise ValueError(f"the model gave {len(answers)} answers to {len(given)} questions")
        replies_of = zip(missing, keys, sampled, given, answers, strict=True)
        for i, key, is_drawn, request, answer in replies_of:
            replies[i] = answer
            self._keep(reqtype, key, request, answer, is_drawn)
        return replies

    def _keep(self, reqtype: str, key: str, request: Any, answer: Any, is_drawn: bool) -> None:
        self._misses += bool(key)
        self._skipped += not key
        about = (reqtype, request.task_name, request.doc_id, request.idx, extract_gen_kwargs(request))
        text = self._extract_cacheable(answer)
        self._log_to_audit(*about, text, cache_key=key, deterministic=not is_drawn)
        if key and self._is_valid_response(answer, reqtype):
            self._store(key, *about, text)


def _doc(lm: Any, request: Any) -> Any:
    return lm.task_dict[request.task_name][request.metadata["split"]][request.doc_id]


def answered(
    tasks: Mapping[str, Any], rank: int, size: int, left: Sequence[Any], answer: Answer
) -> list[Any]:
    """Shares the unanswered requests of all processes among them; every process calls it.

    Args:
        tasks: The harness's tasks by name, to build the questions of other processes.
        rank: This process.
        size: The number of processes.
        left: This process's requests without an answer.
        answer: Answers requests, in order.

    Returns:
        The answers to `left`, in order.
    """
    every = gathered([_described(request) for request in left], size)
    share = shares([[(one["task"], one["number"]) for one in own] for own in every])[rank]
    own = [left[i] if owner == rank else _built(tasks, every[owner][i]) for owner, i in share]
    found = gathered(dict(zip(share, answer(own), strict=True)), size)
    answers = {place: reply for one in found for place, reply in one.items()}
    return [answers[rank, i] for i in range(len(left))]


def gathered(value: Any, size: int) -> list[Any]:
    """Returns the values of all processes of a run; every process calls it.

    Raises:
        TempbenchError: One has ended.
    """
    if size == 1:
        return [value]
    import torch.distributed as dist

    found: list[Any] = [None] * size
    try:
        dist.all_gather_object(found, value)
    except RuntimeError as error:  # of the connection, whichever library makes it
        raise TempbenchError(
            f"another process of this run has ended and printed the reason: {one_line(str(error))[:100]}"
        ) from None
    return found


def _described(request: Any) -> dict[str, Any]:
    """Returns a request without its functions, of which every process has its own."""
    return {
        "task": request.task_name,
        "number": request.doc_id,
        "text": request.args[0],
        "idx": request.idx,
        "type": request.request_type,
        # The settings of our tasks are plain values; other settings could not be sent.
        "metadata": json.loads(json.dumps(request.metadata, default=str)),
    }


def _built(tasks: Mapping[str, Any], told: Mapping[str, Any]) -> Any:
    """Returns the request that another process described."""
    metadata = dict(told["metadata"])
    task = tasks[metadata["task"]]
    built = task.construct_requests(doc_id=metadata["doc_id"], ctx=told["text"], metadata=metadata)
    for request in built if isinstance(built, list) else [built]:
        if (request.idx, request.request_type) == (told["idx"], told["type"]):
            return request
    raise ValueError(f"{metadata['task']}: question {metadata['doc_id']} cannot be asked by another process")


def tasks_in(tasks: Mapping[Any, Any]) -> dict[str, Any]:
    """Returns the harness's tasks by name, out of its groups."""
    found: dict[str, Any] = {}
    for name, task in tasks.items():
        found |= tasks_in(task) if isinstance(task, dict) else {str(name): task}
    return found
