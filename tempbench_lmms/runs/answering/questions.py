"""Questions for a person, in an order drawn for that person, and the answers, each stored at once.

Each line of an answer file has `question_id` and `reply`, the format that `tempbench import replies` reads.
Answering a question again adds a line; the last line counts.
"""

import functools
import hashlib
import json
import random
import threading
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from tempbench_lmms.data import tables
from tempbench_lmms.data.replies import json_values, storable
from tempbench_lmms.data.tables import Row
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness import identity
from tempbench_lmms.harness.tasks import content, docs_of, load_task
from tempbench_lmms.media.images import is_picture
from tempbench_lmms.parsing.expected import Item, Order, Reread
from tempbench_lmms.runs.importing import Source, write_log
from tempbench_lmms.runs.run_card import RESPONDENT
from tempbench_lmms.runs.task_log import scored

_LAST_SHOWN = 8


@dataclass(frozen=True)
class Task:
    """The first `n_asked` questions of a task, and a person's answers to them."""

    name: str
    config: dict[str, Any]
    docs: Sequence[Row]
    n_asked: int
    file: Path  # of answers; the first answer creates it
    stamp: str  # a checksum of data and prompts
    replies: dict[str, str]  # the last one to each question

    def keep(self, id_: str, reply: str) -> None:
        """Stores an answer; it is on the disk when this returns.

        Raises:
            OSError: It could not be stored; the file is unchanged.
        """
        reply, at = storable(reply), f"{datetime.now(timezone.utc):%Y-%m-%dT%H:%M:%SZ}"
        line = {"question_id": id_, "reply": reply, "at": at, "asked": self.stamp}
        tables.append(self.file, json.dumps(line, ensure_ascii=False) + "\n")
        self.replies[id_] = reply


def task_of(name: str, folder: Path, limit: int | None = None) -> Task:
    """Returns a task and a person's answers to it.

    Raises:
        TempbenchError: The task is unknown, its data is missing or damaged, or the answers belong to other
            data.
    """
    config = load_task(name)
    docs = docs_of(config)
    if not docs:
        raise TempbenchError(f"{name}: no documents; prepare the data again")
    values = [identity.of_data(name, config, docs), config.get("metadata")]
    stamp = hashlib.sha256(json.dumps(values, sort_keys=True, default=str).encode()).hexdigest()[:16]
    file = folder / f"{name}.jsonl"
    replies = kept(file, {str(doc["question_id"]) for doc in docs}, stamp)
    return Task(name, config, docs, min(limit or len(docs), len(docs)), file, stamp, replies)


def kept(file: Path, asked: Collection[str], stamp: str) -> dict[str, str]:
    """Returns the last answer to each question in an answer file.

    Raises:
        TempbenchError: The file is damaged, or its answers belong to other questions.
    """
    found = {}
    for where, line in json_values(file) if tables.drop_torn_line(file) else ():
        try:
            id_, reply, of = str(line["question_id"]), str(line["reply"]), line["asked"]
        except (KeyError, TypeError):
            raise TempbenchError(f"{file}: {where} is not an answer; remove it to continue") from None
        if of != stamp or id_ not in asked:
            raise TempbenchError(
                f"{file}: {where} answers a question whose data or prompt has changed since; restore those, "
                "or start again with another --output"
            )
        found[id_] = reply
    return found


class Questions:
    """The questions for one person, under numbers that reveal nothing about them."""

    def __init__(self, tasks: Sequence[Task], name: str, limit: int | None) -> None:
        """Shuffles the questions by the person's name, in the same way at every start.

        Neighbours in a task's own order are often variants of one question, and a person, unlike a model,
        remembers the previous variant.
        """
        self.tasks, self.name = tuple(tasks), name
        self._limit = limit
        self._order = [(task, number) for task in tasks for number in range(task.n_asked)]
        random.Random(f"{name}/{' '.join(task.name for task in tasks)}").shuffle(self._order)
        self._lock = threading.Lock()  # hooks, decoders and files are used by one thread at a time
        self._recent = functools.lru_cache(maxsize=_LAST_SHOWN)(self._content)

    def __len__(self) -> int:
        return len(self._order)

    @property
    def n_answered(self) -> int:
        """The number of questions that have an answer."""
        return sum(self.reply(number) is not None for number in range(len(self)))

    def next_open(self, after: int = -1) -> int | None:
        """Returns the next question without an answer, wrapping around; None if all are answered."""
        n = len(self)
        around = ((after + 1 + step) % n for step in range(n))
        return next((number for number in around if self.reply(number) is None), None)

    def reply(self, number: int) -> str | None:
        """Returns the answer to a question, if there is one."""
        task, doc = self._order[number]
        return task.replies.get(str(task.docs[doc]["question_id"]))

    def shown(self, number: int) -> tuple[Any, ...]:
        """Returns a question's texts and media, in the order in which a model gets them.

        Raises:
            TempbenchError: A media file is damaged or missing.
        """
        with self._lock:
            return self._recent(number)

    def _content(self, number: int) -> tuple[Any, ...]:
        task, doc = self._order[number]
        return content(task.config, task.docs[doc], doc)

    def picked(self, number: int) -> str:
        """Returns `one` if the number of a picture is asked for, `order` if an order of all is, else "".

        The pictures must be apart, as many as there are numbers.
        """
        task, doc = self._order[number]
        seen: dict[Any, Any] = {}
        with self._lock:
            scored(task.config, task.docs[doc], Reread("-", seen.setdefault))
            n = sum(is_picture(part) for part in self._recent(number))
        expected = next(iter(seen), None) if len(seen) == 1 else None
        if isinstance(expected, Item) and expected.upper == n:
            return "one"
        numbers = tuple(str(i + 1) for i in range(n))
        return "order" if isinstance(expected, Order) and expected.labels == numbers else ""

    def answer(self, number: int, reply: str) -> bool:
        """Stores an answer; returns whether the task's parser can read it, right or wrong.

        Raises:
            OSError: It could not be stored.
        """
        task, doc = self._order[number]
        row = task.docs[doc]
        with self._lock:
            task.keep(str(row["question_id"]), reply)
            return bool(scored(task.config, row, storable(reply)).record["parsed"])

    def write_logs(self) -> list[Path]:
        """Writes a log for each task that has an answer; returns the results files."""
        return [self._write_log(task) for task in self.tasks if task.replies]

    def _write_log(self, task: Task) -> Path:
        asked = {str(doc["question_id"]) for doc in task.docs[: task.n_asked]}
        replies = {id_: reply for id_, reply in task.replies.items() if id_ in asked}
        model = f"{self.name} (human)"
        options = {"log_samples": True, "timezone": "UTC"}
        header = {
            RESPONDENT: {"kind": "human", "name": self.name},
            "date": f"{datetime.now(timezone.utc):%Y%m%d_%H%M%S}",
            "config": {
                "model": model,
                "model_args": "",
                "limit": self._limit,
                "resolved_cli_args": options,
            },
        }
        source = Source(task.file, task.name, task.docs, task.config, model)
        return write_log(source, replies, task.file.with_suffix(""), header).file
