"""The OpenAI-compatible runner against a server on this machine: what it sends, and what comes of it."""

import base64
import io
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from PIL import Image

from tempbench_lmms import evaluation
from tempbench_lmms.tasks import docs_of, load_task

pytestmark = pytest.mark.harness

SEPARATE = "tempvs_mt3_event_separate_mini"
STRIP = "tempvs_mt1_two_mini"
KEY = "sk-of-nobody"


class Server:
    """Answers every request with "Option A" and keeps what it was asked."""

    def __init__(self):
        bodies = self.bodies = []
        keys = self.keys = []

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *args):
                pass

            def do_POST(self):
                bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                keys.append(self.headers.get("Authorization"))
                choice = {
                    "index": 0,
                    "finish_reason": "stop",
                    "message": {"role": "assistant", "content": "Option A"},
                }
                usage = {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}
                reply = {"id": "1", "object": "chat.completion", "created": 1, "model": "tiny"}
                data = json.dumps(reply | {"choices": [choice], "usage": usage}).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *args):
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    folder = tmp_path_factory.mktemp("openai")
    with Server() as server:
        run = evaluation.run(
            "openai",
            [SEPARATE, STRIP],
            folder,
            ["--limit", "4"],
            model_args=f"model=tiny,base_url={server.url},api_key={KEY}",
            environment={"no_proxy": "127.0.0.1", "NO_PROXY": "127.0.0.1"},
        )
    return run, server


def parts_of(body):
    (message,) = body["messages"]
    assert message["role"] == "user"
    return message["content"]


def pictures_of(parts):
    pictures = []
    for part in parts:
        if part["type"] == "image_url":
            head, data = part["image_url"]["url"].split(",", 1)
            assert head == "data:image/png;base64"
            pictures.append(Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB"))
    return pictures


@pytest.mark.parametrize("task", [SEPARATE, STRIP])
def test_what_is_sent(asked, task):
    """The parts of `doc_to_messages`, in their order, the pictures as they are."""
    config = load_task(task)
    kwargs = config["lmms_eval_specific_kwargs"]["default"]
    bodies = {json.dumps([part.get("text") for part in parts_of(body)]): body for body in asked[1].bodies}
    for doc in docs_of(config)[:4]:
        wanted = config["doc_to_messages"](doc, kwargs)[0]["content"]
        texts = [part.get("text") for part in wanted]
        body = bodies[json.dumps(texts)]
        assert body["model"] == "tiny"
        assert body["temperature"] == 0
        assert body["max_tokens"] == config["generation_kwargs"]["max_new_tokens"]
        assert "stop" not in body
        kinds = ["image" if part["type"] == "image_url" else "text" for part in parts_of(body)]
        assert kinds == [part["type"] for part in wanted]
        sent = pictures_of(parts_of(body))
        shown = [part["url"] for part in wanted if part["type"] == "image"]
        assert [picture.tobytes() for picture in sent] == [picture.tobytes() for picture in shown]
    assert len(docs_of(config)[0]["images"]) > 1


def test_what_comes_of_it(asked):
    run, server = asked
    assert len(server.bodies) == 8
    assert set(server.keys) == {f"Bearer {KEY}"}
    assert all(row["filtered_resps"] == "Option A" for row in run.logged(STRIP))
    assert run.value(STRIP, "n_failed") == 0


def test_the_key_is_in_no_file(asked):
    run, _ = asked
    for file in run.results_file.parent.rglob("*.json*"):
        assert KEY not in file.read_text(encoding="utf-8")
