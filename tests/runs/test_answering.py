"""A person answers on the local page: what is shown, what is kept, who is refused, and the log."""

import contextlib
import http.client
import json
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from urllib.parse import urlencode

import pytest
from markupsafe import escape

from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness.respondents import REPLIES
from tempbench_lmms.harness.tasks import kwargs_of
from tempbench_lmms.media.images import is_picture
from tempbench_lmms.runs import logs
from tempbench_lmms.runs.answering import Questions, Server, task_of
from tempbench_lmms.runs.run_card import run_card
from tests.chromium import Chromium
from tests.command import complains, started, tempbench
from tests.disk import room_for

TASK = "timepercept_pov_mini"
VIDEO, FRAMES = "rextime_mini", "rextime_frames_mini"


def questions_of(folder, *tasks, name="anna", limit=None):
    return Questions([task_of(task, folder / name, limit) for task in tasks], name, limit)


class Client:
    """Somebody who speaks HTTP with a page."""

    def __init__(self, server):
        self.server = server

    def ask(self, path, reply=None, token=None, **headers):
        body = None if reply is None else urlencode({"reply": reply})
        headers = {k.replace("_", "-"): v for k, v in headers.items()}
        line = http.client.HTTPConnection("127.0.0.1", self.server.server_port, timeout=20)
        try:
            method = "GET" if body is None else "POST"
            line.request(method, f"/{token or self.server.token}/{path}", body, headers)
            response = line.getresponse()
            return response.status, response.read(), response.headers
        finally:
            line.close()


@contextlib.contextmanager
def page(questions):
    with Server(questions) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield Client(server)
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with page(questions_of(tmp_path_factory.mktemp("answers"), TASK, VIDEO, FRAMES, limit=3)) as one:
        yield one


def test_only_who_knows_the_address_may_ask(client):
    assert client.ask("")[0] == 303
    assert client.ask("", token="x" * 22)[0] == 403
    assert client.ask("0", "Yes", token="wrong")[0] == 403
    assert client.server.questions.n_answered == 0
    assert client.server.server_address[0] == "127.0.0.1"


def test_pages_and_what_is_none(client):
    for path in ("0", "answering.js", "answering.css", "media/0/0"):
        headers = client.ask(path)[2]
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert headers["Cache-Control"] == "no-store"
    for path in ("answering.html", "../kept.py", "9", "-1", "media/0/999"):
        assert client.ask(path)[0] == 404


def test_bad_answers_are_refused(client):
    for reply in (" ", "", "x" * 100_001):
        assert client.ask("0", reply)[0] == 400
    assert client.ask("99", "Yes")[0] == 404
    assert client.ask("finish", "")[0] == 409
    assert client.server.questions.n_answered == 0


def test_a_question_is_what_a_model_is_shown_and_nothing_else(client):
    questions = client.server.questions
    for number, (task, doc) in enumerate(questions._order):
        page = client.ask(str(number))[1].decode()
        row = task.docs[doc]
        shown = [
            part
            for message in task.config["doc_to_messages"](row, kwargs_of(task.config))
            for part in message["content"]
        ]
        texts = [part["text"] for part in shown if part["type"] == "text"]
        assert re.findall('<div class="text">(.*?)</div>', page, re.S) == [str(escape(one)) for one in texts]
        assert page.count("<img") == sum(part["type"] == "image" for part in shown)
        assert page.count("<video") == sum(part["type"] == "video" for part in shown)
        assert str(row["question_id"]) not in page


def test_media(client):
    questions = client.server.questions
    seen = set()
    for number in range(len(questions)):
        for place, part in enumerate(questions.shown(number)):
            path = f"media/{number}/{place}"
            if isinstance(part, str):
                assert client.ask(path)[0] == 404
            elif is_picture(part) and "picture" not in seen:
                status, data, headers = client.ask(path)
                assert (status, data[:8]) == (200, b"\x89PNG\r\n\x1a\n")
                assert headers["Content-Type"] == "image/png"
                seen.add("picture")
            elif not is_picture(part) and "video" not in seen:
                ranges(client, path, part.read_bytes())
                seen.add("video")
    assert seen == {"picture", "video"}


def ranges(client, path, whole):
    status, data, headers = client.ask(path)
    assert (status, data, headers["Accept-Ranges"]) == (200, whole, "bytes")
    assert headers["Content-Type"] == "video/mp4"
    size = len(whole)
    for wanted, start, end in (
        ("bytes=0-", 0, size),
        ("bytes=10-19", 10, 20),
        (f"bytes=9-{size + 9}", 9, size),
    ):
        status, data, headers = client.ask(path, Range=wanted)
        assert (status, data) == (206, whole[start:end])
        assert headers["Content-Range"] == f"bytes {start}-{end - 1}/{size}"
    for odd in ("bytes=0-1,4-5", "lines=1-2", "bytes=-", "bytes=9-2x", f"bytes={size}-"):
        assert client.ask(path, Range=odd)[:2] == (200, whole)


def oracle(questions, number):
    task, doc = questions._order[number]
    return REPLIES["oracle"](task.docs[doc], task.name, 0)


def test_answers_are_kept_and_continued(tmp_path):
    questions = questions_of(tmp_path, TASK)
    with page(questions) as client:
        status, _, headers = client.ask("1", oracle(questions, 1))
        assert (status, headers["Location"]) == (303, f"/{client.server.token}/2")
        assert client.ask("0", "hm")[2]["Location"].endswith("/0?unread")
        assert b"no answer could be read" in client.ask("0?unread")[1]
        client.ask("0", "the last one counts \u2028 <b>")
        assert "the last one counts \u2028 &lt;b&gt;" in client.ask("0")[1].decode()
    file = tmp_path / "anna" / f"{TASK}.jsonl"
    assert len(file.read_bytes().splitlines()) == 3
    with file.open("ab") as stream:
        stream.write(b'{"question_id": "torn')  # as a killed process leaves it
    again = questions_of(tmp_path, TASK)
    assert again._order[:5] == [
        (again.tasks[0], number) for _, number in questions._order[:5]
    ]  # the same order at each start
    assert again.n_answered == 2
    assert again.reply(0) == "the last one counts \u2028 <b>"
    assert again.next_open() == 2
    assert again.next_open(len(again) - 1) == 2


def test_orders_differ_between_people_and_not_what_is_asked(tmp_path):
    found = [
        [number for _, number in questions_of(tmp_path, TASK, name=name)._order] for name in ("anna", "ben")
    ]
    assert found[0] != found[1]
    assert sorted(found[0]) == sorted(found[1])


def test_answers_to_other_questions_are_refused(tmp_path):
    questions = questions_of(tmp_path, TASK)
    questions.answer(0, "yes")
    [task] = questions.tasks
    assert list(task_of(TASK, task.file.parent).replies.values()) == ["yes"]
    line = json.loads(task.file.read_text())
    for wrong in ({"asked": "other data"}, {"question_id": "b"}):
        task.file.write_text(json.dumps(line | wrong) + "\n")
        with pytest.raises(TempbenchError, match="data or prompt has changed"):
            task_of(TASK, task.file.parent)
    task.file.write_text('{"question_id": "a"}\n')
    with pytest.raises(TempbenchError, match="line 1 is not an answer"):
        task_of(TASK, task.file.parent)


def test_an_answer_that_the_disk_does_not_take_is_said(tmp_path):
    questions = questions_of(tmp_path, TASK)
    questions.answer(0, "yes")
    file = questions.tasks[0].file
    before = file.read_bytes()
    with room_for(len(before) + 5), pytest.raises(OSError, match="too large"):
        questions.answer(0, "no")
    assert file.read_bytes() == before
    assert questions.reply(0) == "yes"


def answer_all(questions, respondent="oracle"):
    for number, (task, doc) in enumerate(questions._order):
        assert questions.answer(number, REPLIES[respondent](task.docs[doc], task.name, 0))


def test_the_log_says_whose_answers_it_holds(tmp_path):
    questions = questions_of(tmp_path / "people", TASK)
    answer_all(questions)
    questions.write_logs()
    [log] = logs.read_runs([tmp_path / "people"])
    card = run_card(log)
    assert card["respondent"] == {"kind": "human", "name": "anna"}
    assert (card["model"], card["complete"], card["check"]) == (
        "anna (human)",
        True,
        {"state": "not a model"},
    )
    assert card["prompts_sha256"]
    assert "imported" not in card
    assert log.values["accuracy"] == 1.0
    done = tempbench("report", tmp_path / "people", "-o", tmp_path / "page.html", "--pictures", "0")
    assert done.returncode == 0, done.stderr
    assert "anna (human)" in (tmp_path / "page.html").read_text()


@pytest.mark.harness
def test_the_command_is_ended_and_continued(tmp_path):
    words = ["answer", TASK, "--name", "anna", "--limit", "2", "--output", tmp_path]
    own = tmp_path.with_name(f"{tmp_path.name}.process")
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    questions = questions_of(tmp_path, TASK, limit=2)
    for number, how in ((0, signal.SIGINT), (1, None)):
        process, send = started(sys.executable, own, *words, **pipes)
        with process:
            address = process.stdout.readline().removeprefix("open ").strip()
            port, token = address.removeprefix("http://127.0.0.1:").rstrip("/").split("/")
            client = Client(type("Address", (), {"server_port": int(port), "token": token}))
            assert client.ask("")[2]["Location"].endswith(f"/{number}")
            assert client.ask(str(number), oracle(questions, number))[0] == 303
            busy = tempbench(*words)
            complains(busy, "is already answering in")
            if how:
                send(how)
            else:
                assert client.ask("finish", "")[0] == 200
            out, err = process.communicate(timeout=60)
        if how:
            assert "tempbench: 1 of 2 answers are stored; give the same command again to continue\n" in err
            assert process.returncode == 128 + how
            assert len(logs.read_runs([tmp_path])[0].samples) == 1
    assert process.returncode == 0, err
    assert "the log of anna; see `tempbench report" in out
    [log] = logs.read_runs([tmp_path])
    assert log.values["accuracy"] == 1.0


def test_wrong_calls(tmp_path):
    complains(tempbench("answer", TASK, "--name", "../x", "-o", tmp_path), "--name", "letters")
    complains(tempbench("answer", "timepercept_pow_mini", "--name", "a", "-o", tmp_path), "no task named")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        complains(tempbench("answer", TASK, "--name", "a", "--port", port, "-o", tmp_path / "new"), str(port))
    (tmp_path / "file").write_text("")
    complains(tempbench("answer", TASK, "--name", "a", "-o", tmp_path / "file"), "below the file")


@pytest.mark.slow
def test_in_a_browser(tmp_path):
    """With keys alone, on a phone's width, under the page's policy."""
    questions = questions_of(tmp_path, VIDEO, limit=2)

    def until(expression):
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            with contextlib.suppress(RuntimeError):  # between two pages
                if browser.value(expression):
                    return
            time.sleep(0.05)
        raise AssertionError(expression, browser.value("document.body.innerText"))

    with page(questions) as client, Chromium() as browser:
        browser.open(client.server.address, width=400)
        until("document.querySelector('video')?.readyState > 0")
        assert browser.value("document.documentElement.scrollWidth") <= 400
        assert browser.violations() == []
        for number in range(2):
            until(
                f"document.querySelector('h2')?.textContent === 'Question {number + 1} of 2' "
                "&& document.activeElement.id === 'reply'"
            )
            for character in json.dumps(json.loads(oracle(questions, number))):
                browser.press(character)
            browser.value("document.querySelector('form button').click()")
        until("document.querySelector('#finish') !== null")
        browser.value("document.querySelector('#finish').click()")
        until("document.querySelector('#problem') !== null")
        assert browser.complaints == []
        assert all(url.startswith((client.server.address, "data:")) for url in browser.requests)
    [log] = logs.read_runs(questions.write_logs())
    assert [record["correct"] for record in log.records] == [1, 1]


@pytest.mark.slow
@pytest.mark.parametrize("task", ["timepercept_tal_mini", "timepercept_isr_mini"])
def test_pictures_are_clicked_where_their_numbers_are_asked_for(tmp_path, task):
    questions = questions_of(tmp_path, task, limit=1)
    wanted = re.findall(r"[0-9]+", oracle(questions, 0))
    with page(questions) as client, Chromium() as browser:
        browser.open(client.server.address, width=400)
        assert browser.violations() == []
        for number in ("1", "1", *wanted):  # a second click takes the first one back
            browser.value(f"document.querySelector('.pick[value=\"{number}\"]').click()")
        assert browser.value("document.getElementById('reply').value") == ", ".join(wanted)
        assert browser.complaints == []
    assert questions.answer(0, ", ".join(wanted))


def test_other_questions_have_no_pictures_to_click(client):
    assert not any(client.server.questions.picked(number) for number in range(len(client.server.questions)))
