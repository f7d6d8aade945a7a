"""Lets a person answer a model's questions on a local page; the answers become a log like a run's.

The questions come in an order drawn for that person. Each answer is stored at once: a line of an answer file
has `question_id` and `reply`, the format that `tempbench import replies` reads. Answering a question again
adds a line; the last line counts.

The server listens on 127.0.0.1 only. Every address begins with a secret token, so no other user of the
machine and no other page can read anything. It sends only what a model is shown: no id, no file name, no
other column of the row.
"""

import functools
import hashlib
import json
import mimetypes
import random
import re
import secrets
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from tempbench_lmms.data import tables
from tempbench_lmms.data.tables import Row
from tempbench_lmms.data.terminal import one_line
from tempbench_lmms.data.user_files import json_values, storable
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness import identity
from tempbench_lmms.harness.tasks import content, docs_of, load_task
from tempbench_lmms.media.images import is_picture, png
from tempbench_lmms.parsing.expected import Item, Order, Reread
from tempbench_lmms.runs.importing import Source, write_log
from tempbench_lmms.runs.run_card import RESPONDENT
from tempbench_lmms.runs.task_log import scored

_HERE = Path(__file__).parent
_TEMPLATES = Environment(loader=FileSystemLoader(_HERE), autoescape=True, undefined=StrictUndefined)
_FILES = ("answering.js", "answering.css")
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data:; media-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
_LONGEST_REPLY = 100_000


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


def task_of(name: str, folder: Path, limit: int | None = None) -> Task:
    """Returns a task and a person's answers to it.

    Raises:
        TempbenchError: The task is unknown, its data is missing or damaged, or the answer file is damaged or
            belongs to other data.
    """
    config = load_task(name)
    docs = docs_of(config)
    if not docs:
        raise TempbenchError(f"{name}: no documents; prepare the data again")
    values = [identity.of_data(name, config, docs), config.get("metadata")]
    stamp = hashlib.sha256(json.dumps(values, sort_keys=True, default=str).encode()).hexdigest()[:16]
    file, asked = folder / f"{name}.jsonl", {str(doc["question_id"]) for doc in docs}
    replies = {}
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
        replies[id_] = reply
    return Task(name, config, docs, min(limit or len(docs), len(docs)), file, stamp, replies)


class Questions:
    """The questions for one person, under numbers that reveal nothing about them."""

    def __init__(self, tasks: Sequence[Task], name: str, limit: int | None) -> None:
        """Shuffles the questions by the person's name, in the same way at every start.

        Neighbours in a task's own order are often variants of one question, and a person, unlike a model,
        remembers the previous variant.
        """
        self.tasks, self.name, self._limit = tuple(tasks), name, limit
        self._order = [(task, number) for task in tasks for number in range(task.n_asked)]
        random.Random(f"{name}/{' '.join(task.name for task in tasks)}").shuffle(self._order)
        self._lock = threading.Lock()  # hooks, decoders and files are used by one thread at a time
        self._recent = functools.lru_cache(maxsize=8)(self._content)  # a page asks for its media next

    def __len__(self) -> int:
        return len(self._order)

    @property
    def n_answered(self) -> int:
        """The number of questions that have an answer."""
        return sum(self.reply(number) is not None for number in range(len(self)))

    def next_open(self, after: int = -1) -> int | None:
        """Returns the next question without an answer, wrapping around; None if all are answered."""
        around = (*range(after + 1, len(self)), *range(after + 1))
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
            n = sum(map(is_picture, self._recent(number)))
        expected = next(iter(seen)) if len(seen) == 1 else None
        if isinstance(expected, Item) and expected.upper == n:
            return "one"
        is_order = isinstance(expected, Order) and expected.labels == tuple(map(str, range(1, n + 1)))
        return "order" if is_order else ""

    def answer(self, number: int, reply: str) -> bool:
        """Stores an answer on the disk; returns whether the task's parser can read it, right or wrong.

        Raises:
            OSError: It could not be stored; the file is unchanged.
        """
        task, doc = self._order[number]
        id_, reply = str(task.docs[doc]["question_id"]), storable(reply)
        now = f"{datetime.now(timezone.utc):%Y-%m-%dT%H:%M:%SZ}"
        line = {"question_id": id_, "reply": reply, "at": now, "asked": task.stamp}
        with self._lock:
            tables.append(task.file, json.dumps(line, ensure_ascii=False) + "\n")
            task.replies[id_] = reply
            return bool(scored(task.config, task.docs[doc], reply).record["parsed"])

    def write_logs(self) -> list[Path]:
        """Writes a log for each task that has an answer; returns the results files."""
        model = f"{self.name} (human)"
        header = {
            RESPONDENT: {"kind": "human", "name": self.name},
            "date": f"{datetime.now(timezone.utc):%Y%m%d_%H%M%S}",
            "config": {
                "model": model,
                "model_args": "",
                "limit": self._limit,
                "resolved_cli_args": {"log_samples": True, "timezone": "UTC"},
            },
        }
        out = []
        for task in (task for task in self.tasks if task.replies):
            asked = {str(doc["question_id"]) for doc in task.docs[: task.n_asked]}
            replies = {id_: reply for id_, reply in task.replies.items() if id_ in asked}
            source = Source(task.file, task.name, task.docs, task.config, model)
            out.append(write_log(source, replies, task.file.with_suffix(""), header).file)
        return out


class _RefusedError(Exception):
    def __init__(self, status: HTTPStatus, reason: str) -> None:
        super().__init__(reason)
        self.status = status


class Server(ThreadingHTTPServer):
    """Serves one person's page.

    Raises:
        TempbenchError: The port is in use.
    """

    daemon_threads = True
    request_queue_size = 128  # several tabs, each with several pictures at once

    def __init__(self, questions: Questions, port: int = 0) -> None:
        try:
            super().__init__(("127.0.0.1", port), _Handler)
        except OSError as error:
            raise TempbenchError(f"port {port}: {error.strerror}; choose another --port") from None
        self.questions = questions
        self.token = secrets.token_urlsafe(16)
        self.address = f"http://127.0.0.1:{self.server_port}/{self.token}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignores a browser that closed the connection."""


class _Handler(BaseHTTPRequestHandler):
    server: Server
    server_version, sys_version = "tempbench", ""
    timeout = 60

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        self._answer(self.rfile.read(int(length)) if re.fullmatch("[0-9]{1,7}", length) else b"")

    def log_message(self, format: str, *arguments: Any) -> None:
        """Logs nothing: every address holds the token."""

    def _answer(self, body: bytes | None = None) -> None:
        """Answers a request; a request that stores an answer has a body."""
        try:
            token, *parts = urlsplit(self.path).path.removeprefix("/").split("/")
            if not secrets.compare_digest(token.encode(), self.server.token.encode()):
                raise _RefusedError(HTTPStatus.FORBIDDEN, "open the address that the command printed")
            if body is None:
                self._get(parts)
            else:
                self._keep(parts, body)
        except _RefusedError as refused:
            self._send_page(refused.status, problem=str(refused))
        except TempbenchError as error:
            self._send_page(HTTPStatus.INTERNAL_SERVER_ERROR, problem=one_line(str(error)))
        except OSError as error:
            what = "the request cannot be read" if body is None else "the answer was not stored"
            problem = f"{what}: {error.strerror or error}"
            self._send_page(HTTPStatus.INSUFFICIENT_STORAGE, problem=one_line(problem))

    def _get(self, parts: list[str]) -> None:
        questions = self.server.questions
        if parts == [""]:
            self._go_to(questions.next_open() or 0)
        elif len(parts) == 1 and parts[0] in _FILES:
            self._send(HTTPStatus.OK, mimetypes.guess_type(parts[0])[0], (_HERE / parts[0]).read_bytes())
        elif len(parts) == 1:
            number = self._number(parts[0], len(questions))
            self._send_page(
                HTTPStatus.OK,
                questions=questions,
                number=number,
                parts=questions.shown(number),
                picked=questions.picked(number),
                is_unread=urlsplit(self.path).query == "unread",
            )
        elif len(parts) == 3 and parts[0] == "media":
            shown = questions.shown(self._number(parts[1], len(questions)))
            self._send_medium(shown[self._number(parts[2], len(shown))])
        else:
            raise _RefusedError(HTTPStatus.NOT_FOUND, "nothing is here")

    def _keep(self, parts: list[str], body: bytes) -> None:
        questions = self.server.questions
        if parts == ["finish"]:
            if questions.next_open() is not None:
                raise _RefusedError(HTTPStatus.CONFLICT, "some questions have no answer yet")
            self._send_page(HTTPStatus.OK, problem="Finished: see the terminal. This page can be closed.")
            threading.Thread(target=self.server.shutdown, daemon=True).start()
            return
        number = self._number("/".join(parts), len(questions))
        reply = parse_qs(body.decode(errors="replace")).get("reply", [""])[0]
        if not reply.strip() or len(reply) > _LONGEST_REPLY:
            raise _RefusedError(
                HTTPStatus.BAD_REQUEST,
                f"an answer has 1 to {_LONGEST_REPLY:,} characters; go back and shorten or complete it",
            )
        if questions.answer(number, reply):
            self._go_to(number if (after := questions.next_open(number)) is None else after)
        else:
            self._go_to(number, "?unread")

    def _number(self, text: str, below: int) -> int:
        if re.fullmatch("[0-9]{1,9}", text) and int(text) < below:
            return int(text)
        raise _RefusedError(HTTPStatus.NOT_FOUND, "there is no such question or medium")

    def _send_medium(self, part: Any) -> None:
        if isinstance(part, str):
            raise _RefusedError(HTTPStatus.NOT_FOUND, "this part is text, not a media file")
        if not isinstance(part, Path):
            self._send(HTTPStatus.OK, "image/png", png(part))
            return
        kind, body = mimetypes.guess_type(part.name)[0], part.read_bytes()
        # Browsers seek by byte range. A request for several ranges or another unit gets the whole file.
        found = re.fullmatch(r"bytes=(\d{1,18})-(\d{0,18})", self.headers.get("Range", "").strip())
        if not found or int(found[1]) >= len(body):
            self._send(HTTPStatus.OK, kind, body, {"Accept-Ranges": "bytes"})
            return
        start, end = int(found[1]), min(int(found[2] or len(body)), len(body) - 1)
        where = {"Accept-Ranges": "bytes", "Content-Range": f"bytes {start}-{end}/{len(body)}"}
        self._send(HTTPStatus.PARTIAL_CONTENT, kind, body[start : end + 1], where)

    def _go_to(self, number: int, query: str = "") -> None:
        where = {"Location": f"/{self.server.token}/{number}{query}"}
        self._send(HTTPStatus.SEE_OTHER, "text/plain", b"", where)

    def _send_page(self, status: HTTPStatus, **values: Any) -> None:
        page = _TEMPLATES.get_template("answering.html").render(**values)
        self._send(status, "text/html; charset=utf-8", page.encode("utf-8", "replace"))

    def _send(
        self, status: HTTPStatus, kind: str | None, body: bytes, more: dict[str, str] | None = None
    ) -> None:
        self.send_response(status)
        about = {"Content-Type": kind or "application/octet-stream", "Content-Length": str(len(body))}
        for name, value in {**_HEADERS, **about, **(more or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
