"""The local page on which a person answers: a small HTTP server for one person on this machine.

It listens on 127.0.0.1 alone. Every address begins with a secret token, so no other user of the machine and
no other page finds anything; a request that names another host (a name that was pointed at this machine) or
comes from another page is refused as well. What it sends of a question is what a model is shown: no id, no
file name, and nothing of the row but that.
"""

import json
import re
import secrets
import threading
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tempbench_lmms.data.terminal import one_line
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.media.pictures import png
from tempbench_lmms.runs.answering.questions import Questions

_HERE = Path(__file__).parent
_PAGE = {
    "": ("page.html", "text/html; charset=utf-8"),
    "page.js": ("page.js", "text/javascript; charset=utf-8"),
    "page.css": ("page.css", "text/css; charset=utf-8"),
}
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
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
_CHUNK = 1 << 18


class _Refused(Exception):
    """A request that is not answered."""

    def __init__(self, status: HTTPStatus, reason: str, **headers: str) -> None:
        super().__init__(reason)
        self.status, self.headers = status, headers


@dataclass(frozen=True)
class _Sent:
    """A response: its type, its bytes or the stretch of a file, and what else its head says."""

    kind: str
    body: bytes | tuple[Path, int, int]
    status: HTTPStatus = HTTPStatus.OK
    headers: tuple[tuple[str, str], ...] = ()


class Server(ThreadingHTTPServer):
    """The server of one person's page.

    Attributes:
        questions: What is asked.
        address: The page's, with the token.
        is_finished: Whether the person said so.
    """

    daemon_threads = True
    request_queue_size = 128  # several tabs, each with several pictures at once

    def __init__(self, questions: Questions, port: int = 0) -> None:
        """Takes a port.

        Args:
            questions: What is asked.
            port: 0 for any that is free.

        Raises:
            TempbenchError: The port is taken.
        """
        try:
            super().__init__(("127.0.0.1", port), _Handler)
        except OSError as error:
            raise TempbenchError(f"port {port}: {error.strerror}; choose another --port") from None
        self.questions = questions
        self.is_finished = False
        self.token = secrets.token_urlsafe(16)
        self.hosts = {f"{name}:{self.server_port}" for name in ("127.0.0.1", "localhost")}
        self.address = f"http://127.0.0.1:{self.server_port}/{self.token}/"

    def finish(self) -> None:
        """Ends `serve_forever`; called from a request's thread."""
        self.is_finished = True
        threading.Thread(target=self.shutdown, daemon=True).start()

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

    def _answer(self, make: Any) -> None:
        try:
            sent = make(self._allowed())
        except _Refused as refused:
            self.close_connection = True  # a body may not have been read
            sent = _json({"problem": str(refused)}, refused.status, **refused.headers)
        except TempbenchError as error:
            sent = _json({"problem": one_line(str(error))}, HTTPStatus.INTERNAL_SERVER_ERROR)
        except OSError as error:
            what = "the answer was not kept" if self.command == "POST" else "this cannot be read"
            reason = one_line(f"{what}: {error.strerror or error}")
            sent = _json({"problem": reason}, HTTPStatus.INSUFFICIENT_STORAGE)
        self._send(sent)

    def _allowed(self) -> list[str]:
        """Returns the parts of the address behind the token.

        Raises:
            _Refused: Host, origin or token are not this page's.
        """
        if self.headers.get("Host") not in self.server.hosts:
            raise _Refused(HTTPStatus.FORBIDDEN, "another host")
        origin = self.headers.get("Origin")
        if origin is not None and origin not in {f"http://{host}" for host in self.server.hosts}:
            raise _Refused(HTTPStatus.FORBIDDEN, "another origin")
        token, *rest = urlsplit(self.path).path.removeprefix("/").split("/")
        if not secrets.compare_digest(token.encode(), self.server.token.encode()):
            raise _Refused(HTTPStatus.FORBIDDEN, "another token; open the address that the command printed")
        return rest

    def _got(self, parts: list[str]) -> _Sent:
        if len(parts) == 1 and parts[0] in _PAGE:
            name, kind = _PAGE[parts[0]]
            return _Sent(kind, (_HERE / name).read_bytes())
        if parts == ["state"]:
            return _json(self._state())
        if len(parts) == 2 and parts[0] == "questions":
            return _json(self._question(self._number(parts[1])))
        if len(parts) == 3 and parts[0] == "media":
            return self._medium(self._number(parts[1]), parts[2])
        raise _Refused(HTTPStatus.NOT_FOUND, "nothing is here")

    def _posted(self, parts: list[str]) -> _Sent:
        questions = self.server.questions
        body = self._body()
        if parts == ["finish"]:
            if questions.next_open() is not None:
                raise _Refused(HTTPStatus.CONFLICT, "there are questions without an answer")
            self.server.finish()
            return _json(self._state())
        if len(parts) != 2 or parts[0] != "answers":
            raise _Refused(HTTPStatus.NOT_FOUND, "nothing is here")
        number, reply = self._number(parts[1]), body.get("reply")
        if not isinstance(reply, str) or not reply.strip() or len(reply) > _LONGEST_REPLY:
            raise _Refused(HTTPStatus.BAD_REQUEST, f"give an answer of 1 to {_LONGEST_REPLY:,} characters")
        is_read = questions.answer(number, reply)
        return _json({"kept": True, "read": is_read} | self._state(number))

    def _body(self) -> dict[str, Any]:
        if self.headers.get_content_type() != "application/json":
            raise _Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "send JSON")
        length = self.headers.get("Content-Length", "")
        # Read before it is refused: whoever is cut off while it sends sees no reason.
        body = self.rfile.read(int(length)) if re.fullmatch("[0-9]{1,7}", length) else None
        if body is None or len(body) > 6 * _LONGEST_REPLY + 100:
            raise _Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "the answer is too long")
        try:
            found = json.loads(body)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise _Refused(HTTPStatus.BAD_REQUEST, "send a JSON object")
        return found

    def _number(self, text: str) -> int:
        if re.fullmatch("[0-9]{1,9}", text) and int(text) < len(self.server.questions):
            return int(text)
        raise _Refused(HTTPStatus.NOT_FOUND, "there is no such question")

    def _state(self, after: int = -1) -> dict[str, Any]:
        questions = self.server.questions
        return {
            "tasks": [task.name for task in questions.tasks],
            "name": questions.name,
            "of": len(questions),
            "answered": questions.n_answered,
            "next": questions.next_open(after),
        }

    def _question(self, number: int) -> dict[str, Any]:
        questions = self.server.questions
        parts = [
            {"kind": "text", "text": part} if isinstance(part, str) else {"kind": _kind(part)}
            for part in questions.shown(number)
        ]
        return {"parts": parts, "reply": questions.reply(number)} | self._state(number)

    def _medium(self, number: int, place: str) -> _Sent:
        shown = self.server.questions.shown(number)
        if not re.fullmatch("[0-9]{1,6}", place) or int(place) >= len(shown):
            raise _Refused(HTTPStatus.NOT_FOUND, "there is no such medium")
        part = shown[int(place)]
        if isinstance(part, str):
            raise _Refused(HTTPStatus.NOT_FOUND, "this part is a text")
        if not isinstance(part, Path):
            return _Sent("image/png", png(part))
        kind = _VIDEO_TYPES.get(part.suffix.lower(), "application/octet-stream")
        return _stretch(part, kind, self.headers.get("Range", ""))

    def _send(self, sent: _Sent) -> None:
        is_file = not isinstance(sent.body, bytes)
        self.send_response(sent.status)
        for name, value in (*_HEADERS.items(), *sent.headers):
            self.send_header(name, value)
        self.send_header("Content-Type", sent.kind)
        length = sent.body[2] if is_file else len(sent.body)
        self.send_header("Content-Length", str(length))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if isinstance(sent.body, bytes):
            self.wfile.write(sent.body)
            return
        path, start, left = sent.body
        with path.open("rb") as stream:
            stream.seek(start)
            while left and (chunk := stream.read(min(_CHUNK, left))):
                self.wfile.write(chunk)
                left -= len(chunk)
        self.close_connection = self.close_connection or bool(left)  # the file was cut meanwhile


def _json(value: Any, status: HTTPStatus = HTTPStatus.OK, **headers: str) -> _Sent:
    # Half a surrogate, as a reply may hold one, is written as its number.
    body = json.dumps(value).encode()
    return _Sent("application/json", body, status, tuple(headers.items()))


def _kind(part: Any) -> str:
    if not isinstance(part, Path):
        return "picture"
    return "animation" if part.suffix.lower() == ".gif" else "video"


def _stretch(path: Path, kind: str, wanted: str) -> _Sent:
    """Returns a file, or the one stretch of it that a `Range` header asks for; browsers seek by these.

    Raises:
        _Refused: The file has no such stretch.
    """
    size = path.stat().st_size
    whole = _Sent(kind, (path, 0, size), headers=(("Accept-Ranges", "bytes"),))
    found = re.fullmatch(r"bytes=(\d{0,18})-(\d{0,18})", wanted.strip())
    if not found or not any(found.groups()):
        return whole  # as a server may that understands no other unit and no list of stretches
    first, last = found.groups()
    start = int(first) if first else max(size - int(last), 0)
    end = min(int(last), size - 1) if first and last else size - 1
    if start > end:
        raise _Refused(
            HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE,
            "the file ends before",
            **{"Content-Range": f"bytes */{size}"},
        )
    head = (("Accept-Ranges", "bytes"), ("Content-Range", f"bytes {start}-{end}/{size}"))
    return _Sent(kind, (path, start, end - start + 1), HTTPStatus.PARTIAL_CONTENT, head)
