"""An API that fails in every way, through `tempbench run`: what counts as failed, and whose reply is whose.

The stub answers with a token made of the text and the pixels that it was sent, so a reply that is logged
for another question shows.
"""

import base64
import contextlib
import hashlib
import io
import json
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from PIL import Image

from tempbench_lmms.harness.tasks import docs_of, kwargs_of, load_task
from tests.command import tempbench
from tests.second_reader import completion

pytestmark = pytest.mark.harness

TASK = "tempvs_mt1_two_mini"
SECONDS = 3  # what a request may take: long enough for a busy machine
ALWAYS = ("429", "500", "half a body", "half of its JSON", "no JSON", "no choices", "null", "late", "never")
ONCE = ("429", "500", "half a body", "late")
OUTCOMES = (
    *((fault, "always") for fault in ALWAYS),
    *((fault, "once") for fault in ONCE),
    ("none", "always"),
    ("another response behind it", "always"),
    ("none", "always"),
)
RUNNERS = {
    "openai": "max_retries=1,retry_backoff_s=0.01,num_concurrent=4",
    "async_openai": "max_retries=1,retry_backoff_s=0.01,num_cpus=4",
}


def token_of(text, pictures):
    digest = hashlib.sha256(text.encode())
    for picture in pictures:
        digest.update(picture.convert("RGB").tobytes())
    return digest.hexdigest()[:16]


def reply_with(token):
    return f"Option A\n\n(of {token})"


def parts_of(messages):
    return [part for message in messages for part in message["content"]]


def sent_token(body):
    parts = parts_of(body["messages"])
    urls = [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]
    pictures = [Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2]))) for url in urls]
    return token_of("\n".join(part["text"] for part in parts if part["type"] == "text"), pictures)


def asked_token(config, doc):
    """Returns the token of a question as its own hook builds it."""
    kwargs = kwargs_of(config)
    parts = parts_of(config["doc_to_messages"](doc, kwargs))
    text = "\n".join(part["text"] for part in parts if part["type"] == "text")
    return token_of(text, [part["url"] for part in parts if part["type"] == "image"])


class Api:
    """Answers each question as `outcomes` says by its token: (fault, "always" or "once").

    Attributes:
        counts: How often each token was asked.
        healed: No fault any more.
    """

    def __init__(self, outcomes):
        self.outcomes, self.counts, self.healed = outcomes, Counter(), False
        self.over = threading.Event()
        api, lock = self, threading.Lock()

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"  # connections are used again, as with real servers

            def log_message(self, *args):
                pass

            def do_POST(self):
                token = sent_token(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                with lock:
                    api.counts[token] += 1
                    first = api.counts[token] == 1
                fault, when = api.outcomes[token]
                if api.healed or (when == "once" and not first):
                    fault = "none"
                api.answer(self, token, fault)

            def handle(self):
                with contextlib.suppress(OSError):  # the client has gone
                    super().handle()

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.block_on_close = False
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def answer(self, handler, token, fault):
        body = json.dumps(completion(reply_with(token))).encode()
        if fault in ("late", "never"):
            self.over.wait(SECONDS + 1 if fault == "late" else None)
        if fault == "half a body":  # and the connection ends
            send(handler, 200, body, body[: len(body) // 2])
            handler.close_connection = True
        elif fault in ("429", "500"):
            send(handler, int(fault), json.dumps({"error": {"message": "Option A"}}).encode())
        elif fault == "half of its JSON":
            send(handler, 200, body[: len(body) // 2])
        elif fault == "no JSON":
            send(handler, 200, b"<html>Option A</html>", kind="text/html")
        elif fault == "no choices":
            send(handler, 200, json.dumps(completion("") | {"choices": []}).encode())
        elif fault == "null":
            send(handler, 200, json.dumps(completion(None)).encode())
        elif fault == "another response behind it":
            # On a connection that is used again before it comes, it would be taken for another question's.
            send(handler, 200, body, close=True)
            time.sleep(0.05)
            send(handler, 200, json.dumps(completion(reply_with("somebody else's"))).encode())
            handler.close_connection = True
        else:
            send(handler, 200, body)

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *args):
        self.over.set()
        self._server.shutdown()
        self._server.server_close()


def send(handler, status, promised, given=None, kind="application/json", close=False):
    handler.send_response(status)
    handler.send_header("Content-Type", kind)
    handler.send_header("Content-Length", str(len(promised)))
    handler.send_header("retry-after-ms", "1")
    if close:
        handler.send_header("Connection", "close")
    handler.end_headers()
    handler.wfile.write(promised if given is None else given)
    handler.wfile.flush()


@pytest.fixture(scope="module")
def questions():
    """The tokens of the first questions, by their ids, in order."""
    config = load_task(TASK)
    docs = list(docs_of(config))[: len(OUTCOMES)]
    tokens = {doc["question_id"]: asked_token(config, doc) for doc in docs}
    assert len(set(tokens.values())) == len(OUTCOMES)
    return tokens


class Ended:
    """One start of `tempbench run`: its status, its last line, its numbers and its replies by question."""

    def __init__(self, done, folder):
        self.status = done.returncode
        self.output = done.stderr
        (self.line,) = done.stderr.strip().splitlines()[-1:]
        results = max(folder.rglob("*_results.json"), key=lambda file: file.stat().st_mtime_ns)
        self.numbers = json.loads(results.read_text())["results"][TASK]
        log = results.with_name(results.name.replace("_results.json", f"_samples_{TASK}.jsonl"))
        self.rows = [json.loads(line) for line in log.open()]
        self.replies = {row["record"]["id"]: row["filtered_resps"] for row in self.rows}
        self.failed = {row["record"]["id"] for row in self.rows if row["record"]["failed"]}


@pytest.fixture(scope="module", params=RUNNERS)
def starts(request, harness, tmp_path_factory, questions):
    """Starts a run with an API that fails, and with the same one after it was mended; what was asked, too."""
    runner, folder = request.param, tmp_path_factory.mktemp("api") / "run"
    with Api(dict(zip(questions.values(), OUTCOMES, strict=True))) as api:
        arguments = f"model=stub,base_url={api.url},api_key=none,timeout={SECONDS},{RUNNERS[runner]}"
        words = ["run", "--model", runner, "--model-args", arguments, "--tasks", TASK]
        ended, asked = [], []
        for api.healed in (False, True):
            api.counts.clear()
            more = ("--output", folder, "--no-report", "--", "--limit", len(OUTCOMES))
            done = tempbench(*words, *more, NO_PROXY="127.0.0.1")
            ended.append(Ended(done, folder))
            asked.append(Counter(api.counts))
            time.sleep(1.1)  # results are named by the second
    return ended, asked


def with_outcome(questions, *wanted):
    return [id_ for id_, outcome in zip(questions, OUTCOMES, strict=True) if outcome in wanted]


def test_the_number_of_failed_requests_is_exact(starts, questions):
    (first, _), _ = starts
    failing = with_outcome(questions, *((fault, "always") for fault in ALWAYS))
    assert first.failed == set(failing)
    assert first.numbers["n_failed,none"] == len(ALWAYS)
    assert first.status == 1
    assert f"{len(ALWAYS)} of {len(OUTCOMES)} requests failed" in first.line


def test_every_reply_is_logged_for_its_own_question(starts, questions):
    (first, _), (asked, _) = starts
    answered = set(questions) - first.failed
    assert len(answered) == len(OUTCOMES) - len(ALWAYS)
    assert {id_: first.replies[id_] for id_ in answered} == {
        id_: reply_with(questions[id_]) for id_ in answered
    }
    # What failed once was asked again, so the answer is not the first response's.
    for id_ in with_outcome(questions, *((fault, "once") for fault in ONCE)):
        assert asked[questions[id_]] >= 2


def test_a_failed_request_is_no_answer_whatever_its_response_says(starts, questions):
    (first, _), _ = starts
    for row in first.rows:
        if row["record"]["id"] in first.failed:
            assert not row["record"]["parsed"]
            assert not row["record"]["correct"]


def test_the_next_start_asks_for_the_failed_ones_alone(starts, questions):
    (first, second), (_, asked) = starts
    assert second.status == 0, second.output[-2000:]
    assert asked == {questions[id_]: 1 for id_ in first.failed}
    assert second.numbers["n_failed,none"] == 0
    assert {id_: second.replies[id_] for id_ in first.failed} == {
        id_: reply_with(questions[id_]) for id_ in first.failed
    }
    assert {id_: second.replies[id_] for id_ in first.replies if id_ not in first.failed} == {
        id_: reply for id_, reply in first.replies.items() if id_ not in first.failed
    }
