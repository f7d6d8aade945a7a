"""A small local server that speaks as much of the Hub's protocol as data sets take, down and up."""

import base64
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

_LARGE = (".png", ".jpg", ".mp4", ".parquet")


def variables(hub: "Hub", home: Path) -> dict[str, str]:
    """Returns the environment in which the Hub's client speaks to a server on this machine alone."""
    return {
        "HF_ENDPOINT": hub.url,
        "HF_HUB_OFFLINE": "0",
        "HF_HUB_DISABLE_XET": "1",
        "HF_HOME": str(home),
        "HF_TOKEN": "hf_of_the_tests",
        "NO_PROXY": "127.0.0.1",
    }


def nowhere(home: Path) -> dict[str, str]:
    """Returns the environment in which the Hub's client reaches no server, whatever network there is.

    `HF_HUB_OFFLINE` alone does not do: the client has read it when it was imported.
    """
    return {
        "HF_ENDPOINT": "http://127.0.0.1:9",
        "HF_HUB_OFFLINE": "0",
        "HF_HOME": str(home),
        "NO_PROXY": "127.0.0.1",
    }


class Hub:
    """Serves folders as data sets of the Hub: `Hub({"org/name": folder})`, to be used as a context.

    What is created and uploaded becomes a folder below `new`, if one is given, and one commit an upload.

    Attributes:
        repositories: The folder of each data set.
        private: The data sets that were made private.
        requests: How often each method and path was asked for.
    """

    def __init__(self, repositories: dict[str, Path], new: Path | None = None) -> None:
        self.repositories = dict(repositories)
        self.private: set[str] = set()
        self.requests: Counter[str] = Counter()
        self._new = new
        self._commits: Counter[str] = Counter()
        self._large: dict[str, bytes] = {}
        hub = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *args):
                pass

            def do_HEAD(self):
                self._answer(body=False)

            def do_GET(self):
                self._answer(body=True)

            def do_POST(self):
                length = int(self.headers.get("Content-Length", 0))
                path = unquote(urlsplit(self.path).path)
                hub.requests[f"POST {path}"] += 1
                answer = hub._posted(path, self.rfile.read(length))
                return self._missing() if answer is None else self._json(answer, True)

            def do_PUT(self):
                content = self._body()
                hub._large[self.path.rpartition("/")[2]] = content
                self._json({}, True)

            def _body(self):
                if self.headers.get("Transfer-Encoding") != "chunked":
                    return self.rfile.read(int(self.headers.get("Content-Length", 0)))
                content = b""
                while size := int(self.rfile.readline(), 16):
                    content += self.rfile.read(size)
                    self.rfile.readline()
                self.rfile.readline()
                return content

            def _answer(self, body):
                path = unquote(urlsplit(self.path).path)
                recursive = "recursive=true" in urlsplit(self.path).query.lower()
                hub.requests[f"{self.command} {path}"] += 1
                if path == "/api/datasets":
                    return self._json([{"id": name} for name in ()], body)
                for name, folder in hub.repositories.items():
                    if f"{path}/".startswith(f"/api/datasets/{name}/"):
                        return self._json(hub._listing(name, folder, path, recursive), body)
                    prefix = f"/datasets/{name}/resolve/"
                    if path.startswith(prefix):
                        file = folder / path.removeprefix(prefix).partition("/")[2]
                        if file.is_file():
                            return self._file(file, body, hub.commit(name))
                        return self._missing("EntryNotFound")
                return self._missing()

            def _missing(self, code="RepoNotFound"):
                self.send_response(404)
                self.send_header("X-Error-Code", code)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def _json(self, value, body):
                self._send(json.dumps(value).encode(), "application/json", {}, body)

            def _file(self, file, body, commit):
                data = file.read_bytes()
                etag = hashlib.sha1(data).hexdigest()
                headers = {"ETag": f'"{etag}"', "X-Repo-Commit": commit} | HEADERS
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

    def commit(self, name: str) -> str:
        """Returns the data set's newest commit."""
        number = self._commits[name]
        return f"{int(COMMIT, 16) + number:040x}"

    def __enter__(self) -> "Hub":
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *args: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _posted(self, path: str, content: bytes) -> object:
        if path == "/api/validate-yaml":
            return {"errors": [], "warnings": []}
        if path == "/api/repos/create":
            return self._created(json.loads(content))
        if path.endswith(".git/info/lfs/objects/batch"):
            objects = json.loads(content)["objects"]
            put = {one["oid"]: {"upload": {"href": f"{self.url}/large/{one['oid']}"}} for one in objects}
            return {"transfer": "basic", "objects": [one | {"actions": put[one["oid"]]} for one in objects]}
        for name, folder in self.repositories.items():
            rest = path.removeprefix(f"/api/datasets/{name}/")
            if rest.startswith("preupload/"):
                return {"files": [_how(file["path"], folder) for file in json.loads(content)["files"]]}
            if rest.startswith("commit/"):
                return self._committed(name, folder, content)
            if rest.startswith("paths-info/"):
                from urllib.parse import parse_qs

                wanted = set(
                    parse_qs(content.decode())["paths"]
                    if content[:1] != b"{"
                    else json.loads(content)["paths"]
                )
                return [one for one in _tree(folder) if one["path"] in wanted]
        return None

    def _created(self, wanted: dict[str, object]) -> object:
        name = f"{wanted.get('organization') or 'someone'}/{wanted['name']}"
        if self._new is None:
            return None
        if name not in self.repositories:
            self.repositories[name] = self._new / name
            self.repositories[name].mkdir(parents=True)
            if wanted.get("private") or wanted.get("visibility") == "private":
                self.private.add(name)
        return {"url": f"{self.url}/datasets/{name}", "id": name, "name": name}

    def _committed(self, name: str, folder: Path, content: bytes) -> object:
        for line in content.splitlines():
            entry = json.loads(line)
            if entry["key"] not in ("file", "lfsFile"):
                continue
            value = entry["value"]
            large = entry["key"] == "lfsFile"
            data = self._large[value["oid"]] if large else base64.b64decode(value["content"])
            if large:
                assert hashlib.sha256(data).hexdigest() == value["oid"]
            target = folder / value["path"]
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        self._commits[name] += 1
        return {"commitUrl": f"{self.url}/datasets/{name}/commit/x", "commitOid": self.commit(name)}

    def _listing(self, name: str, folder: Path, path: str, recursive: bool) -> object:
        if "/tree/" in path:
            return _tree(folder, path.partition("/tree/")[2].partition("/")[2], recursive)
        return {
            "id": name,
            "sha": self.commit(name),
            "private": name in self.private,
            "gated": False,
            "disabled": False,
            "downloads": 0,
            "likes": 0,
            "tags": [],
            "siblings": [{"rfilename": one["path"]} for one in _tree(folder) if one["type"] == "file"],
        }


def _how(path: str, folder: Path) -> dict[str, object]:
    mode = "lfs" if path.endswith(_LARGE) else "regular"
    there = folder / path
    oid = {"oid": _blob(there)} if there.is_file() else {}
    return {"path": path, "uploadMode": mode, "shouldIgnore": False, **oid}


def _blob(file: Path) -> str:
    content = file.read_bytes()
    if file.name.endswith(_LARGE):
        return hashlib.sha256(content).hexdigest()
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def _tree(folder: Path, inside: str = "", recursive: bool = True) -> list[dict[str, object]]:
    entries: dict[str, dict[str, object]] = {}
    for file in sorted(file for file in (folder / inside).rglob("*") if file.is_file()):
        path, size = file.relative_to(folder).as_posix(), file.stat().st_size
        for parent in [one.as_posix() for one in Path(path).parents][-2::-1]:
            if parent.startswith(f"{inside}/" if inside else ""):
                oid = hashlib.sha1(parent.encode()).hexdigest()
                entries[parent] = {"type": "directory", "path": parent, "oid": oid, "size": 0}
        lfs = {"lfs": {"oid": _blob(file), "size": size, "pointerSize": 130}} if path.endswith(_LARGE) else {}
        entries[path] = {"type": "file", "path": path, "size": size, "oid": _blob(file)[:40], **lfs}
    depth = len(Path(inside).parts) + 1
    return [one for path, one in entries.items() if recursive or len(Path(path).parts) == depth]
