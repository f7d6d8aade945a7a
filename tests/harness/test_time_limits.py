"""Clients of the OpenAI protocol, as the harness's runners use them."""

import asyncio
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import openai
import pytest

from tempbench_lmms.harness import time_limits


class KeepAlive(BaseHTTPRequestHandler):
    """Answers, and leaves the connection open."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        message = {"role": "assistant", "content": "A"}
        body = {"id": "1", "object": "chat.completion", "created": 1, "model": "m"}
        body["choices"] = [{"index": 0, "finish_reason": "stop", "message": message}]
        text = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *args):
        pass


@pytest.mark.slow
def test_each_call_may_have_an_event_loop_of_its_own():
    server = ThreadingHTTPServer(("127.0.0.1", 0), KeepAlive)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    client = openai.AsyncOpenAI(
        api_key="none", base_url=f"http://127.0.0.1:{server.server_port}/v1", max_retries=0
    )
    time_limits.bound(client, 20)

    async def ask():
        asked = [{"role": "user", "content": "?"}]
        found = await client.chat.completions.create(model="m", messages=asked)
        return found.choices[0].message.content

    assert [asyncio.run(ask()) for _ in range(3)] == ["A", "A", "A"]
    server.shutdown()
    server.server_close()
