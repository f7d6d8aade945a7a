"""Stores answers under a key of the full question."""

from collections.abc import Mapping, Sequence
from typing import Any

from lmms_eval.caching.response_cache import ResponseCache, extract_gen_kwargs

from tempbench_lmms.data.checksums import digest, urls_of
from tempbench_lmms.data.prepared import Media
from tempbench_lmms.data.terminal import one_line
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness import identity
from tempbench_lmms.harness.documents import Documents
from tempbench_lmms.harness.seeds import is_one_of_several, is_sampled
from tempbench_lmms.harness.tasks import load_task, media_of, task_files

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
        """Returns what identifies a question, except its text: id, media, and the code that builds it."""
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
        """Answers the requests in order, by one call of the model, and stores the answers.

        Raises:
            ValueError: The model's number of answers differs from the number of requests.
        """
        keys = [self.key(lm, reqtype, request) for request in requests]
        sampled = [is_sampled(reqtype, request) for request in requests]
        answers = list(getattr(lm, reqtype)(requests))
        if len(answers) != len(requests):
            raise ValueError(f"the model gave {len(answers)} answers to {len(requests)} questions")
        for key, is_drawn, request, answer in zip(keys, sampled, requests, answers, strict=True):
            self._keep(reqtype, key, request, answer, is_drawn)
        return answers

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


def tasks_in(tasks: Mapping[Any, Any]) -> dict[str, Any]:
    """Returns the harness's tasks by name, out of its groups."""
    found: dict[str, Any] = {}
    for name, task in tasks.items():
        found |= tasks_in(task) if isinstance(task, dict) else {str(name): task}
    return found
