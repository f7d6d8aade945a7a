"""The local page on which a person answers: an HTTP server for one person on this machine.

It listens on 127.0.0.1 only. Every address begins with a
secret token, so no other user of the machine and no other page can read anything. It sends only what a model
is shown: no id, no file name, no other column of the row.
"""

import functools
import mimetypes
import re
import secrets
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tempbench_lmms.data.terminal import one_line
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.media.images import png
from tempbench_lmms.runs.answering.questions import Questions

_HERE = Path(__file__).parent
_FILES = ("page.js", "page.css")
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data:; media-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
_LONGEST_REPLY = 100_000


class _RefusedError(Exception):
    """A request that the server refuses."""

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
            problem = one_line(f"{what}: {error.strerror or error}")
            self._send_page(HTTPStatus.INSUFFICIENT_STORAGE, problem=problem)

    def _get(self, parts: list[str]) -> None:
        questions = self.server.questions
        if parts == [""]:
            self._go_to(questions.next_open() or 0)
        elif len(parts) == 1 and parts[0] in _FILES:
            self._send(HTTPStatus.OK, mimetypes.guess_type(parts[0])[0], (_HERE / parts[0]).read_bytes())
        elif len(parts) == 1:
            number = self._number(parts[0], len(questions))
            kinds = [(_kind(part), part) for part in questions.shown(number)]
            is_unread = urlsplit(self.path).query == "unread"
            about = {"questions": questions, "number": number, "picked": questions.picked(number)}
            self._send_page(HTTPStatus.OK, parts=kinds, is_unread=is_unread, **about)
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
            wanted = f"an answer has 1 to {_LONGEST_REPLY:,} characters; go back and shorten or complete it"
            raise _RefusedError(HTTPStatus.BAD_REQUEST, wanted)
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
        place = f"/{self.server.token}/{number}{query}"
        self._send(HTTPStatus.SEE_OTHER, "text/plain", b"", {"Location": place})

    def _send_page(self, status: HTTPStatus, **values: Any) -> None:
        page = _template().render(**values).encode("utf-8", "replace")
        self._send(status, "text/html; charset=utf-8", page)

    def _send(
        self, status: HTTPStatus, kind: str | None, body: bytes, more: dict[str, str] | None = None
    ) -> None:
        self.send_response(status)
        about = {"Content-Type": kind or "application/octet-stream", "Content-Length": str(len(body))}
        for name, value in {**_HEADERS, **about, **(more or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


def _kind(part: Any) -> str:
    if isinstance(part, str):
        return "text"
    return "video" if isinstance(part, Path) and part.suffix.lower() != ".gif" else "picture"


@functools.cache
def _template() -> Any:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(loader=FileSystemLoader(_HERE), autoescape=True, undefined=StrictUndefined)
    return environment.get_template("page.html")
