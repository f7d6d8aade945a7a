"""Runs a task's own code in a separate process, without network, in an empty folder (`data.child`).

A request is `{"open": FILE}` (the task's YAML) or `{"call": NAME, "given": [...]}`: a method of `Task` and
its arguments. The answer is `{"found": ...}` or `{"problem": WORDS}`.
"""

import argparse
import base64
import ctypes
import inspect
import io
import json
import math
import os
import socket
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

from tempbench_lmms.data import child

_NEW_USER, _NEW_NETWORK = 0x10000000, 0x40000000
_OWN = os.getpid()
_LONGEST = 2000  # characters of a document's text
_MOST = 12  # entries of a document's list or table, and pictures
_SIDE = 1200  # pixels
_VIDEOS = (".mp4", ".mkv", ".webm", ".avi", ".mov")


def _cut_off() -> None:
    """Takes the network from this process: by the system if it permits that, from Python in any case."""
    if sys.platform == "linux":
        ctypes.CDLL(None).unshare(_NEW_USER | _NEW_NETWORK)

    def refused(*args: Any, **kwargs: Any) -> Any:
        raise OSError("it uses the network")

    for name in ("connect", "connect_ex", "sendto", "bind"):
        setattr(socket.socket, name, refused)
    socket.getaddrinfo = socket.create_connection = refused


class _Given(argparse.Namespace):
    """The harness's command line as an aggregation gets it; what it writes goes to the empty folder."""

    output_path = "."

    def __getattr__(self, name: str) -> None:
        return None


class Task:
    """The aggregations, the documents and the pictures of one task."""

    def __init__(self, file: str) -> None:
        from lmms_eval import utils
        from lmms_eval.api import metrics, registry  # noqa: F401 (the first one fills the second)

        self._config = config = utils.load_yaml_config(file, mode="full")
        self._metrics: dict[str, Callable[..., Any]] = {}
        for entry in config.get("metric_list") or ():
            name, own = entry["metric"], entry.get("aggregation")
            if not callable(own):
                own = registry.get_aggregation(own) if own else registry.get_metric_aggregation(name)
            self._metrics[name if isinstance(name, str) else name.__name__] = own

    def hold(self, items: Sequence[Any]) -> None:
        """Keeps what `process_results` gave to a metric, question by question, for `values`."""
        self._items = items

    def values(self, metric: str, part: Any, picks: Sequence[Sequence[int]]) -> list[float | None]:
        """Returns a metric, or a part of its value, of the held items at some places; None for no number."""
        function = self._metrics[metric]
        more = {"args": _Given()} if "args" in inspect.signature(function).parameters else {}
        found: list[float | None] = []
        problems = []
        for places in picks:
            try:
                value = function([self._items[place] for place in places], **more)
                found.append(_number(value if part is None else value[part]))
            except Exception as error:  # undefined for these items, as a mean of none is
                found.append(None)
                problems.append(error)
            finally:
                if os.getpid() != _OWN:  # the task's code has made a copy of this process
                    os._exit(0)
        if picks and len(problems) == len(picks):
            raise problems[0]
        return found

    @cached_property
    def _task(self) -> Any:
        from lmms_eval.api.task import ConfigurableTask

        return ConfigurableTask(config=dict(self._config))

    def documents(self) -> list[dict[str, Any]]:
        """Returns the plain fields of the documents, without pictures."""
        return [
            {name: value for name, value in doc.items() if _is_plain(value)}
            for doc in self._task.eval_docs_no_media
        ]

    def visuals(self, number: int) -> list[dict[str, str]]:
        """Returns what a document shows: a `jpeg` in base 64, or the `path` of a file."""
        shown = self._task.doc_to_visual(self._task.eval_docs[number]) or []
        return [_shown(one) for one in shown[:_MOST] if hasattr(one, "convert") or isinstance(one, str)]

    def scored(self, replies: Sequence[tuple[int, str]]) -> Any:
        """Returns what `process_results` gives to each metric for replies to documents, as a log has it."""
        from lmms_eval import utils

        docs = self._task.eval_docs_no_media
        found = [self._task.process_results(docs[number], [reply]) for number, reply in replies]
        return json.loads(json.dumps(found, default=utils.handle_non_serializable))

    def contents(self, n: int) -> list[list[dict[str, Any]]]:
        """Returns what the first documents consist of: a conversation each, pictures left out."""
        conversations = []
        for number in range(min(n, len(self._task.eval_docs))):
            doc = self._task.eval_docs[number]
            shown = [_kind(one) for one in self._task.doc_to_visual(doc) or []]
            text = {"type": "text", "text": str(self._task.doc_to_text(doc))}
            conversations.append([{"role": "user", "content": [*shown, text]}])
        return conversations


def _is_plain(value: Any) -> bool:
    if isinstance(value, str):
        return len(value) <= _LONGEST
    if isinstance(value, (Mapping, list)):
        own = value.values() if isinstance(value, Mapping) else value
        return len(value) <= _MOST and all(map(_is_plain, own))
    return value is None or isinstance(value, (bool, int, float))


def _shown(visual: Any) -> dict[str, str]:
    if isinstance(visual, str):
        return {"path": os.path.abspath(visual)}
    picture = visual.convert("RGB")
    picture.thumbnail((_SIDE, _SIDE))
    buffer = io.BytesIO()
    picture.save(buffer, "JPEG", quality=85)
    return {"jpeg": base64.b64encode(buffer.getvalue()).decode()}


def _kind(visual: Any) -> dict[str, str]:
    if isinstance(visual, str) and visual.lower().endswith(_VIDEOS):
        return {"type": "video", "url": visual}
    return {"type": "image"}


def _number(value: Any) -> float | None:
    try:
        found = float(value)
    except (TypeError, ValueError):
        return None
    return found if math.isfinite(found) else None


def main() -> None:
    """Answers requests until there are no more."""
    _cut_off()
    task: Task | None = None

    def answer(request: dict[str, Any], beat: child.Beat) -> dict[str, Any]:
        nonlocal task
        try:
            if "open" not in request:
                return {"found": getattr(task, request["call"])(*request["given"])}
            task = Task(request["open"])
        except BaseException as error:  # of any kind: it is code of others
            return {"problem": f"{type(error).__name__}: {error}"[:300]}
        return {"found": None}

    child.serve(answer)


if __name__ == "__main__":
    main()
