"""The local page on which a person answers: a small HTTP server for one person on this machine.

It listens on 127.0.0.1 alone. Every address begins with a secret token, so no other user of the machine and
no other page finds anything; a request that names another host (a name that was pointed at this machine) or
comes from another page is refused as well. What it sends of a question is what a model is shown: no id, no
file name, and nothing of the row but that.
"""

import functools
import re
import secrets
import threading
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tempbench_lmms.data.terminal import one_line
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.media.pictures import png
from tempbench_lmms.runs.answering.questions import Questions

_HERE = Path(__file__).parent
_FILES = {"page.js": "text/javascript; charset=utf-8", "page.css": "text/css; charset=utf-8"}
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data:; media-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # a form that says nothing of its page has no origin
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_VIDEO_TYPES = {
    ".mp4": "video/mp4",
    ".m4v": "video/mp4",
    ".mov": "video/quicktime",
    ".webm": "video/webm",
    ".ogv": "video/ogg",
    ".mkv": "video/x-matroska",
    ".avi": "video/x-msvideo",
    ".gif": "image/gif",
}
_LONGEST_REPLY = 100_000
_UNREAD = "Kept, but no answer could be read in it. Give it in the form that is asked for, or turn the page."


class _Refused(Exception):
    """A request that is not answered."""

    def __init__(self, status: HTTPStatus, reason: str) -> None:
        super().__init__(reason)
        self.status = status


class Server(ThreadingHTTPServer):
    """The server of one person's page.

    Raises:
        TempbenchError: The port is taken.
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
        self.hosts = {f"{name}:{self.server_port}" for name in ("127.0.0.1", "localhost")}
        self.address = f"http://127.0.0.1:{self.server_port}/{self.token}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Says nothing of a browser that went away."""


class _Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "tempbench", ""
    timeout = 60

    def do_GET(self) -> None:
        self._answer(self._got)

    def do_POST(self) -> None:
        self._answer(self._posted)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Logs nothing: every address holds the token."""

    def _answer(self, make: Callable[[list[str]], None]) -> None:
        try:
            make(self._allowed())
        except _Refused as refused:
            self.close_connection = True  # a body may not have been read
            self._send_page(refused.status, problem=str(refused))
        except TempbenchError as error:
            self._send_page(HTTPStatus.INTERNAL_SERVER_ERROR, problem=one_line(str(error)))
        except OSError as error:
            what = "the answer was not kept" if self.command == "POST" else "this cannot be read"
            problem = one_line(f"{what}: {error.strerror or error}")
            self._send_page(HTTPStatus.INSUFFICIENT_STORAGE, problem=problem)

    def _allowed(self) -> list[str]:
        """Returns the parts of the address behind the token.

        Raises:
            _Refused: Host, origin or token are not this page's.
        """
        origin = self.headers.get("Origin")
        if self.headers.get("Host") not in self.server.hosts:
            raise _Refused(HTTPStatus.FORBIDDEN, "another host")
        if origin is not None and origin not in {f"http://{host}" for host in self.server.hosts}:
            raise _Refused(HTTPStatus.FORBIDDEN, "another origin")
        token, *rest = urlsplit(self.path).path.removeprefix("/").split("/")
        if not secrets.compare_digest(token.encode(), self.server.token.encode()):
            raise _Refused(HTTPStatus.FORBIDDEN, "another token; open the address that the command printed")
        return rest

    def _got(self, parts: list[str]) -> None:
        questions = self.server.questions
        if parts == [""]:
            self._go_to(questions.next_open() or 0)
        elif len(parts) == 1 and parts[0] in _FILES:
            self._send(HTTPStatus.OK, _FILES[parts[0]], (_HERE / parts[0]).read_bytes())
        elif len(parts) == 1:
            number = self._number(parts[0])
            self._show(number, _UNREAD if urlsplit(self.path).query == "unread" else "")
        elif len(parts) == 3 and parts[0] == "media":
            self._send_medium(self._number(parts[1]), parts[2])
        else:
            raise _Refused(HTTPStatus.NOT_FOUND, "nothing is here")

    def _posted(self, parts: list[str]) -> None:
        questions = self.server.questions
        length = self.headers.get("Content-Length", "")
        # Read before it is refused: whoever is cut off while it sends sees no reason.
        body = self.rfile.read(int(length)) if re.fullmatch("[0-9]{1,7}", length) else b""
        if parts == ["finish"]:
            if questions.next_open() is not None:
                raise _Refused(HTTPStatus.CONFLICT, "there are questions without an answer")
            self._send_page(HTTPStatus.OK, problem="Finished: see the terminal. This page can be closed.")
            threading.Thread(target=self.server.shutdown, daemon=True).start()
            return
        number = self._number(parts[0] if len(parts) == 1 else "")
        try:
            (reply,) = parse_qs(body.decode(), max_num_fields=1)["reply"]
        except (ValueError, KeyError):
            reply = ""
        if not reply.strip() or len(reply) > _LONGEST_REPLY:
            raise _Refused(
                HTTPStatus.BAD_REQUEST, f"give an answer of 1 to {_LONGEST_REPLY:,} characters; go back"
            )
        if questions.answer(number, reply):
            self._go_to(number if (after := questions.next_open(number)) is None else after)
        else:
            self._go_to(number, "?unread")

    def _number(self, text: str) -> int:
        if re.fullmatch("[0-9]{1,9}", text) and int(text) < len(self.server.questions):
            return int(text)
        raise _Refused(HTTPStatus.NOT_FOUND, "there is no such question")

    def _show(self, number: int, message: str) -> None:
        questions = self.server.questions
        parts = [(_kind(part), part) for part in questions.shown(number)]
        self._send_page(HTTPStatus.OK, questions=questions, number=number, parts=parts, message=message)

    def _send_medium(self, number: int, place: str) -> None:
        shown = self.server.questions.shown(number)
        if not re.fullmatch("[0-9]{1,6}", place) or int(place) >= len(shown):
            raise _Refused(HTTPStatus.NOT_FOUND, "there is no such medium")
        part = shown[int(place)]
        if isinstance(part, str):
            raise _Refused(HTTPStatus.NOT_FOUND, "this part is a text")
        if not isinstance(part, Path):
            self._send(HTTPStatus.OK, "image/png", png(part))
            return
        kind = _VIDEO_TYPES.get(part.suffix.lower(), "application/octet-stream")
        body = part.read_bytes()
        # Browsers seek by stretches. Who asks for several, or in another unit, gets the whole file.
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
        self._send(
            status, "text/html; charset=utf-8", _template().render(**values).encode("utf-8", "replace")
        )

    def _send(self, status: HTTPStatus, kind: str, body: bytes, more: dict[str, str] | None = None) -> None:
        self.send_response(status)
        about = {"Content-Type": kind, "Content-Length": str(len(body))}
        for name, value in {**_HEADERS, **about, **(more or {})}.items():
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
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
