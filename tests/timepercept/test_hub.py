"""TemporalVQA from a Hub on this machine that speaks the protocol."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tempbench_lmms.data.tables import read_rows
from tests.command import tempbench

from .releases import temporalvqa

COMMIT = "0123456789abcdef0123456789abcdef01234567"
REPOSITORY = "fazliimam/temporal-vqa"


@pytest.fixture
def hub(tmp_path):
    folder = tmp_path / "repository"
    temporalvqa(folder)
    (folder / "script.py").write_text("raise SystemExit('never run')")
    files = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *args):
            pass

        def do_HEAD(self):
            self.do_GET()

        def do_GET(self):
            asked.append(self.path)
            path = self.path.split("?")[0]
            prefix = f"/datasets/{REPOSITORY}/resolve/{COMMIT}/"
            if path.startswith(f"/api/datasets/{REPOSITORY}/tree/"):
                listing = [
                    {"type": "file", "path": name, "size": len(content), "oid": "0" * 40}
                    for name, content in files.items()
                ]
                self.answer(json.dumps(listing).encode(), "application/json")
            elif path.startswith(f"/api/datasets/{REPOSITORY}"):
                siblings = [{"rfilename": name} for name in files]
                info = {"id": REPOSITORY, "sha": COMMIT, "siblings": siblings, "private": False, "tags": []}
                self.answer(json.dumps(info).encode(), "application/json")
            elif path.startswith(prefix) and path.removeprefix(prefix) in files:
                self.answer(files[path.removeprefix(prefix)], "application/octet-stream")
            else:
                self.send_error(404)

        def answer(self, content, kind):
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            self.send_header("ETag", f'"{hash(content) & 0xFFFFFFFF:08x}"')
            self.send_header("X-Repo-Commit", COMMIT)
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(content)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", asked
    server.shutdown()


def prepare(endpoint, tmp_path):
    environment = {
        "HF_ENDPOINT": endpoint,
        "HF_HUB_OFFLINE": "0",
        "HF_HUB_DISABLE_XET": "1",
        "HF_HOME": str(tmp_path / "hf"),
        "TEMPBENCH_DATA": str(tmp_path / "data"),
        "NO_PROXY": "127.0.0.1",
    }
    return tempbench("prepare", "timepercept", "--temporalvqa", "hub", **environment)


def test_temporalvqa_from_the_hub(hub, tmp_path):
    endpoint, asked = hub
    done = prepare(endpoint, tmp_path)
    assert done.returncode == 0, done.stderr
    manifest = json.loads((tmp_path / "data/timepercept/manifest.json").read_text())
    assert manifest["parts"]["temporalvqa"]["revision"] == COMMIT
    assert len(read_rows(tmp_path / "data/timepercept/transfer_order/test.parquet")) == 6
    # Nothing but Parquet is downloaded.
    assert not any("script.py" in path for path in asked)
    # A second run asks nobody.
    del asked[:]
    assert "nothing to do" in prepare(endpoint, tmp_path).stdout
    assert asked == []
