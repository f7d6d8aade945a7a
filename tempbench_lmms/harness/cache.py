"""The harness's response cache, made to survive interruptions, with a key of the full question.

In lmms-eval 0.7.3 the cache stores nothing before every request of a run is answered, so a crash after ten
hours loses ten hours. The next run does not read what an interrupted run stored. An empty reply is never
stored, so every later run asks again, but the notice of a failed request is stored like an answer. One
subclass corrects this: answers are stored slice by slice, and the model is loaded only once. A picture or
video that becomes unreadable during a run would end it, and so would any question at which a runner fails.
Here these count as failed requests, and the run continues (`harness.retries`).
"""

import contextlib
import itertools
import os
import shutil
import sqlite3
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lmms_eval import __main__ as command_line
from lmms_eval.api.instance import GenerationResult
from lmms_eval.caching.response_cache import ResponseCache, extract_gen_kwargs
from lmms_eval.models.model_utils.usage_metrics import is_budget_exceeded

from tempbench_lmms.data.checksums import digest, signature, urls_of
from tempbench_lmms.data.manifests import Media
from tempbench_lmms.data.terminal import one_line
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness import identity, patches, stopping
from tempbench_lmms.harness.adapter import request_failed
from tempbench_lmms.harness.progress import Progress
from tempbench_lmms.harness.retries import Asking, Watch, is_one_of_several, is_sampled
from tempbench_lmms.harness.tasks import load_task, media_of, task_files

# The parts of a task's configuration that can change a question without changing its text.
_SETTINGS = ("lmms_eval_specific_kwargs", "metadata")
OnSlice = Callable[[Progress], None]


@dataclass
class SafeRun:
    """What a run gives to its store of answers (see `patches.PatchedRun`).

    Attributes:
        slice_size: Answers that are stored together.
        on_slice: Called after each slice.
        fingerprint: A hash of the model and its settings; stored answers are found only under the same one.
        ids: The questions of each of our tasks in their order; gets the numbers of other tasks' documents.
        watch: What is known about single questions, the limits, and when a task may stop.
        arguments: The harness's command line, once it is read.
    """

    slice_size: int = 200
    on_slice: OnSlice = lambda progress: None
    fingerprint: str = ""
    ids: dict[str, list[str]] = field(default_factory=dict)
    watch: Watch = field(default_factory=Watch)
    arguments: Any = None

    def open_cache(self, cache_root: str, **kwargs: Any) -> "SafeCache":
        """Opens the store at `cache_root`, including answers left by interrupted runs."""
        return SafeCache.opened(self, cache_root, **kwargs)

    def note(self, results: Any) -> Any:
        """Returns the harness's results with the decision, if the run may stop early."""
        return self.watch.stop.note(results) if self.watch.stop else results


class SafeCache(ResponseCache):  # type: ignore[misc]
    """A response cache that is filled slice by slice and continues where an interrupted run ended.

    Its keys cover a question's text, media and settings, and the model. The harness's own key covers only the
    question's number, its text and some generation settings, so old answers would survive a replaced picture
    or another changed setting.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.run = SafeRun()
        self.tasks: Mapping[str, Any] = {}
        self._keys: dict[int, tuple[Any, str]] = {}
        self._media: dict[str, Media] = {}
        self._rows: dict[str, Any] = {}

    @classmethod
    def opened(cls, run: SafeRun, cache_root: str, **kwargs: Any) -> "SafeCache":
        """Opens a run's cache; see `SafeRun.open_cache`."""
        import torch.distributed as dist

        if kwargs.get("global_rank", 0) == 0:
            collect(Path(cache_root))
        if dist.is_available() and dist.is_initialized():
            dist.barrier()
        kwargs["model_args"] = f"identity={run.fingerprint}"
        cache: SafeCache = cls.create(cache_root, **kwargs)
        cache.run = run
        cache.tasks = tasks_in(kwargs.get("task_dict") or {})
        for name in run.ids.keys() & cache.tasks.keys():
            # The harness keeps a copy of each table, by its path and time.
            if [str(one) for one in cache.tasks[name].eval_docs["question_id"]] != run.ids[name]:
                raise TempbenchError(
                    f"{name}: the harness loaded outdated questions from its copy of an earlier table; set "
                    "HF_DATASETS_CACHE to an empty folder, or remove `datasets` in HF_HOME"
                )
        for name in cache.tasks.keys() - run.ids.keys():
            run.ids[name] = [str(number) for number in range(len(cache.tasks[name].eval_docs))]
        return cache

    def execute(self, lm: Any, reqtype: str, requests: Sequence[Any]) -> list[Any]:
        """Answers the requests, first from the store, then slice by slice, storing each one.

        Processes that share one model wait for each other at every question, so the last request is repeated
        up to the number of the process that asks most.
        """
        run, watch = self.run, self.run.watch
        patches.mend_client(lm, str(getattr(run.arguments, "model_args", "") or ""))
        replies = {
            i: "" if stopping.is_padding(request) else self.stored(lm, reqtype, request)
            for i, request in enumerate(requests)
        }
        left = [i for i, reply in replies.items() if reply is None]
        progress = Progress(len(requests), len(requests) - len(left))
        asking = Asking(watch, len(requests))
        run.on_slice(progress)

        def ask(places: Sequence[int]) -> None:
            most = max(gathered(len(places), self._world_size))
            repeated = [places[-1] if places else len(requests) - 1] * (most - len(places))
            before, began = self._misses + self._skipped, time.monotonic()
            answers = self._answers(asking, lm, reqtype, [requests[i] for i in (*places, *repeated)])
            replies.update(zip(places, answers, strict=False))
            self._checkpoint_to_run_dir()  # has an effect only if the cache is on a network drive
            progress.done += most
            progress.total = max(progress.total, progress.done)
            if now := self._misses + self._skipped - before:
                progress.asked += now
                progress.seconds += time.monotonic() - began
            progress.unkept = self._skipped
            run.on_slice(progress)

        if watch.stop is not None:
            self._until_decided(watch.stop, ask, requests, replies)
        else:
            for start in range(0, max(gathered(len(left), self._world_size)), run.slice_size):
                ask(left[start : start + run.slice_size])
        return [replies[i] for i in range(len(requests))]

    def _until_decided(
        self,
        stop: stopping.Stopping,
        ask: Callable[[Sequence[int]], None],
        requests: Sequence[Any],
        replies: dict[int, Any],
    ) -> None:
        """Answers each task's requests group by group until it is decided; the others get no reply.

        The first of several processes decides for all. The decision depends on the order of the groups, not
        on the number of processes or the slice size.
        """
        tags = getattr(self.run.arguments, "reasoning_tags", None)
        # Only the first process has read the earlier run.
        stop.groups = gathered(stop.groups, self._world_size)[0]
        if unknown := sorted({one.task_name for one in requests} - stop.groups.keys()):
            raise TempbenchError(f"--until-decided found no groups of {unknown[0]}; run it separately")
        for task, groups in stop.groups.items():
            places = stopping.by_number(task, requests)
            n_counted = None
            for portion in stopping.portions(groups, self.run.slice_size * self._world_size):
                own = [number for number in portion if number in places]
                ask([places[number] for number in own if replies[places[number]] is None])
                texts = {n: stopping.text_of(replies[places[n]], tags) for n in own}
                if (n_counted := self._decided(stop, task, texts)) is not None:
                    break
            stop.answered[task] = set(itertools.chain.from_iterable(groups[:n_counted]))
        replies |= {i: "" for i, reply in replies.items() if reply is None}
        for name, numbers in stop.answered.items():
            own = self.tasks[name]
            own.instances[:] = [one for one in own.instances if one.doc_id in numbers]

    def _decided(self, stop: stopping.Stopping, task: str, texts: Mapping[int, str]) -> int | None:
        """Returns after how many groups a task is decided, or None; every process gets the same value."""
        all_texts = {n: text for own in gathered(texts, self._world_size) for n, text in own.items()}
        own_view = stop.decide(task, all_texts) if self._global_rank == 0 else None
        return gathered(own_view, self._world_size)[0]  # type: ignore[no-any-return]

    def _answers(self, asking: Asking, lm: Any, reqtype: str, requests: Sequence[Any]) -> list[Any]:
        """Answers one slice; a question that ended a process is asked and stored separately."""
        replies: dict[int, Any] = {}
        for numbers in asking.portions(requests):
            portion = [requests[i] for i in numbers]
            # A runner may change a request's settings, so these come first.
            known = [(self.key(lm, reqtype, one), is_sampled(reqtype, one)) for one in portion]
            answers = asking.replies(lm, reqtype, portion)
            for (key, is_drawn), request, answer in zip(known, portion, answers, strict=True):
                self._misses += bool(key)
                self._skipped += not key
                about = (reqtype, request.task_name, request.doc_id, request.idx, extract_gen_kwargs(request))
                text = self._extract_cacheable(answer)
                self._log_to_audit(*about, text, cache_key=key, deterministic=not is_drawn)
                if key and self._is_valid_response(answer, reqtype):
                    self._store(key, *about, text)
            replies |= zip(numbers, answers, strict=True)
        return [replies[i] for i in range(len(requests))]

    def key(self, lm: Any, reqtype: str, request: Any) -> str:
        """Returns the key of a request's answer; "" for several sampled answers, which are not stored."""
        if id(request) not in self._keys:
            asked = [
                reqtype,
                request.task_name,
                request.idx,
                [one for one in request.args if isinstance(one, str)],
                extract_gen_kwargs(request),
                self._task_fingerprints.get(request.task_name, ""),
                self._model_fingerprint_hash,
                self._eval_version,
            ]
            several = is_one_of_several(reqtype, request)  # one stored answer would be used for all
            key = "" if several else digest([*asked, self._shown(lm, request)])
            self._keys[id(request)] = request, key
        return self._keys[id(request)][1]

    def _shown(self, lm: Any, request: Any) -> list[Any]:
        task = request.task_name
        rows = lm.task_dict[task][request.metadata["split"]]
        if task not in task_files():
            return self._shown_of_others(task, rows, request.doc_id)
        config, doc = load_task(task), rows[request.doc_id]
        if task not in self._media:
            self._media[task] = media_of(config)
        sums = [self._media[task].sha256(url) for url in urls_of(doc)]
        return [doc["question_id"], sums, [config.get(name) for name in _SETTINGS], identity.code_of(task)]

    def _shown_of_others(self, task: str, rows: Any, number: int) -> list[Any]:
        if task not in self._rows:  # as Arrow a picture is its bytes
            self._rows[task] = rows.with_format("arrow") if hasattr(rows, "with_format") else rows
        row = self._rows[task][number]
        try:
            shown = self.tasks[task].doc_to_visual(self.tasks[task].eval_docs_no_media[number])
        except (Exception, SystemExit):  # it wants the row's pictures, or a file is missing
            shown = ()
        paths = (one for one in shown or () if isinstance(one, str) and os.path.isfile(one))
        files = [[path, signature(Path(path))] for path in paths]
        return [number, digest(row.to_pylist() if hasattr(row, "to_pylist") else row), files]

    def stored(self, lm: Any, reqtype: str, request: Any) -> Any:
        """Returns the stored answer to a request, or None."""
        return self._lookup(self.key(lm, reqtype, request))

    def _replay_audit_log(self) -> None:
        """Does nothing: the log of all replies also holds the notices of failed requests."""

    @staticmethod
    def _is_valid_response(response: Any, request_type: str) -> bool:
        text = response.text if isinstance(response, GenerationResult) else response
        if request_failed(text) or not isinstance(text, str):
            return not request_failed(text) and bool(ResponseCache._is_valid_response(response, request_type))
        # An empty reply is an answer, unless the harness inserted it to save its budget.
        return bool(text.strip()) or not is_budget_exceeded()


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


def collect(cache_root: Path) -> None:
    """Moves answers that earlier runs stored in their own folders into the common cache.

    Raises:
        TempbenchError: A file is damaged; only the user can decide to lose its answers.
    """
    if (cache_root / "cache.db").is_file():
        _has_answers(cache_root / "cache.db")
    for folder in filter(Path.is_dir, sorted((cache_root / "runs").glob("*"))):
        if shards := [str(path) for path in sorted(folder.glob("rank_*.db")) if _has_answers(path)]:
            ResponseCache.merge_shards(shards, str(cache_root / "cache.db"))
        shutil.rmtree(folder)


def _has_answers(file: Path) -> bool:
    """Checks a file; returns False if its process ended before it had created the tables."""
    try:
        with contextlib.closing(sqlite3.connect(file)) as database:
            names = {name for (name,) in database.execute("SELECT name FROM sqlite_master")}
            [(problem,), *_] = database.execute("PRAGMA quick_check(1)")
            if problem != "ok":
                raise sqlite3.DatabaseError(one_line(problem))
    except sqlite3.OperationalError:
        raise  # the disk or a lock, not the file
    except sqlite3.DatabaseError as error:
        raise TempbenchError(
            f"{file} is damaged ({error}); remove it to continue without its answers"
        ) from None
    return {"responses", "meta"} <= names


def evaluate(run: SafeRun) -> Exception | None:
    """Runs the harness's command line, from `sys.argv`, in this process, with the safe cache.

    Returns the error that ended it early, else None. The traceback is printed unless one line explains the
    error, such as a full disk.
    """
    try:
        with patches.during(run):
            command_line.cli_evaluate()
    except patches.HarnessError as ended:
        (error,) = ended.args
        if not isinstance(error, (OSError, sqlite3.OperationalError, TempbenchError)):
            traceback.print_exception(error)
        return error  # type: ignore[no-any-return]
    return None
