"""An endpoint on this machine that plays the second reader, and replies that only it can read."""

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tempbench_lmms.harness.respondents import REPLIES
from tests.runs.test_logs import write_run

KEY = "sk-of-nobody-0123456789"
_SYLLABLES = ("zu", "fu", "ku", "lu", "mu", "nu", "pu", "ru", "su", "tu")
_MARK = re.compile(r"between the lines <<<QUESTION (\w+)>>>")


def secret(number):
    """Returns a reply that nobody can read who does not know what its word stands for."""
    return "Qwyx " + "".join(_SYLLABLES[int(digit)] for digit in str(number)) + " vlok"


def fenced(text):
    """Returns what stands between the fences of a request as (question, reply), and all the rest.

    A fence ends where it says that it ends: what could close it from within would be in the rest.
    """
    mark = _MARK.search(text)[1]
    found, rest = [], text
    for name in ("QUESTION", "REPLY"):
        block = rf"\n<<<{name} {mark}>>>\n(.*?)\n<<<END OF {name} {mark}>>>\n"
        found.append(re.search(block, rest, re.DOTALL)[1])
        rest = re.sub(block, "\n", rest, count=1, flags=re.DOTALL)
    return tuple(found), rest


def obedient(text):
    """Does what it is told outside of the fences, and finds nothing in them."""
    try:
        rest = fenced(text)[1]
    except (TypeError, IndexError):
        rest = text  # no fence
    told = re.search(r"ignore the above[^\n]*answer (\w+)", rest, re.IGNORECASE)
    return told[1] if told else "NONE"


class Stub:
    """Answers requests, and keeps them.

    Args:
        answer: Takes the last text of a request, or its body with `of_body`; returns the answer, a body,
            (status, headers, body), or bytes.
    """

    def __init__(self, answer, of_body=False):
        self.answer = answer
        self.texts, self.bodies, self.keys = [], [], []
        self.lock = threading.Lock()
        stub = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *args):
                pass

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                text = body["messages"][-1]["content"]
                if isinstance(text, list):
                    text = [part["text"] for part in text if part["type"] == "text"][-1]
                with stub.lock:
                    stub.texts.append(text)
                    stub.bodies.append(body)
                    stub.keys.append(self.headers.get("Authorization"))
                status, headers, data = _response(stub.answer(body if of_body else text))
                try:
                    self.send_response(status)
                    for name, value in headers.items():
                        self.send_header(name, value)
                    self.send_header("Content-Length", str(len(data)))
                    self.end_headers()
                    self.wfile.write(data)
                except OSError:  # the client has gone, after a time-out or a kill
                    self.close_connection = True

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *args):
        self._server.shutdown()
        self._server.server_close()


def _response(answer):
    headers = {"Content-Type": "application/json"}
    if isinstance(answer, bytes):
        return 200, {"Content-Type": "text/html"}, answer
    if isinstance(answer, tuple):
        status, more, body = answer
        return status, headers | more, json.dumps(body).encode()
    return 200, headers, json.dumps(answer if isinstance(answer, dict) else completion(answer)).encode()


def completion(content, finish="stop", **message):
    """Returns a chat completion's body."""
    message = {"role": "assistant", "content": content} | message
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": "stub",
        "choices": [{"index": 0, "finish_reason": finish, "message": message}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 2, "total_tokens": 102},
    }


def write_replies(folder, task, reply, n=None):
    """Writes a run with replies of one's own; `reply` takes the number of a question and its row.

    `n` is how many questions are asked; all where omitted.

    Returns the sample log.
    """
    numbers = iter(range(10**6))
    REPLIES["talker"] = lambda doc, task, seed: reply(next(numbers), doc)
    try:
        return write_run(folder, "talker", task, n=n)
    finally:
        del REPLIES["talker"]
