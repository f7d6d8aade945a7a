"""A small local server that speaks as much of the Hub's protocol as downloading a data set takes."""

import hashlib
import json
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

COMMIT = "0123456789abcdef0123456789abcdef01234567"

HEADERS: dict[str, str] = {}
"""What a hostile server sends with a file instead of the truth."""


class Hub:
    """Serves folders as data sets of the Hub: `Hub({"org/name": folder})`, to be used as a context."""

    def __init__(self, repositories: dict[str, Path]) -> None:
        self.requests: Counter[str] = Counter()
        hub = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *args):
                pass

            def do_HEAD(self):
                self._answer(body=False)

            def do_GET(self):
                self._answer(body=True)

            def _answer(self, body):
                path = unquote(urlsplit(self.path).path)
                hub.requests[f"{self.command} {path}"] += 1
                for name, folder in repositories.items():
                    if path.startswith(f"/api/datasets/{name}"):
                        return self._json(_listing(name, folder, path), body)
                    prefix = f"/datasets/{name}/resolve/"
                    if path.startswith(prefix):
                        file = folder / path.removeprefix(prefix).partition("/")[2]
                        if file.is_file():
                            return self._file(file, body)
                self.send_response(404)
                self.send_header("X-Error-Code", "RepoNotFound")
                self.send_header("Content-Length", "0")
                self.end_headers()
                return None

            def _json(self, value, body):
                self._send(json.dumps(value).encode(), "application/json", {}, body)

            def _file(self, file, body):
                data = file.read_bytes()
                etag = hashlib.sha1(data).hexdigest()
                headers = {"ETag": f'"{etag}"', "X-Repo-Commit": COMMIT} | HEADERS
                self._send(data, "application/octet-stream", headers, body)

            def _send(self, data, kind, headers, body):
                status, start = 200, 0
                if wanted := self.headers.get("Range"):
                    start = int(wanted.removeprefix("bytes=").split("-")[0])
                    status = 206
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(data) - start))
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                if body:
                    self.wfile.write(data[start:])

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> "Hub":
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *args: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def _listing(name: str, folder: Path, path: str) -> object:
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    if "/tree/" in path:
        return [
            {
                "type": "file",
                "path": str(file.relative_to(folder)),
                "size": file.stat().st_size,
                "oid": hashlib.sha1(file.read_bytes()).hexdigest(),
            }
            for file in files
        ]
    return {
        "id": name,
        "sha": COMMIT,
        "private": False,
        "gated": False,
        "disabled": False,
        "downloads": 0,
        "likes": 0,
        "tags": [],
        "siblings": [{"rfilename": str(file.relative_to(folder))} for file in files],
    }
