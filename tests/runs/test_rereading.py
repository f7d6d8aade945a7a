"""`tempbench reread`, against an endpoint on this machine that does what endpoints do."""

import json
import re
import shutil
from collections import Counter

import pytest

from tempbench_lmms import benchmarks
from tempbench_lmms.runs import logs, rereading, second
from tests import contract
from tests.command import complains, tempbench
from tests.runs.test_logs import TASK, write_run
from tests.second_reader import KEY, Stub, completion, fenced, secret, write_replies

NAME = "stub-1"
N = 40
"""How many questions of `TASK` a run asks here."""


def log_of(folder):
    (log,) = logs.read_runs([folder])
    return log


def reread(folder, stub, *arguments, **environment):
    return tempbench(
        "reread", folder, "--reader", NAME, "--base-url", stub.url, *arguments,
        **({"OPENAI_API_KEY": KEY} | environment),
    )  # fmt: skip


def lines_of(folder):
    (file,) = folder.glob("*_reread_*.jsonl")
    return [json.loads(line) for line in file.read_text().splitlines()]


def word_of(text):
    return fenced(text)[0][1]


def few(folder, n=6, reply=None, task=TASK, of=N):
    """Writes a run whose first n replies only the second reader can read; the others are right."""
    return write_replies(
        folder, task, reply or (lambda number, doc: secret(number) if number < n else doc["target"]), of
    )


def gold(doc):
    """Returns a question's right answer in the form that a second reader is asked for."""
    if "windows" in doc:
        return f"{doc['answer']}; {doc['windows'][0][0]} - {doc['windows'][0][1]}"
    found = doc["label"] if "label" in doc else doc["answer"]
    return {"yes": "true", "no": "false"}.get(str(found).lower(), found)


def knowing(answers):
    """Returns what knows the words of `secret`."""
    return lambda text: answers[word_of(text)]


def on_offer(text):
    """Returns an answer that is one, to either kind of question of `TASK`."""
    return "1" if "Write one number" in text else "A"


def right(task):
    return {secret(number): gold(doc) for number, doc in enumerate(docs(task))}


def docs(task):
    from tempbench_lmms.harness.tasks import docs_of, load_task

    return docs_of(load_task(task))


TASKS = [
    task
    for name in benchmarks.names()
    for task in contract.get(name, "REREAD") or [f"{benchmarks.card(name).full[0]}_mini"]
]


# Their first questions are of one kind: what is counted by kind, or by what came before, needs more of them.
KINDS_IN_TURN = ("coherence", "nextgqa", "tempcompass_pairs", "timeblind")


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS)
def test_a_reader_that_is_always_right_scores_as_an_oracle(task, tmp_path):
    """What fills unread replies goes through each benchmark's own scoring: its numbers are the oracle's."""
    n = 12 if task.startswith(KINDS_IN_TURN) else 6
    write_replies(tmp_path / "unread", task, lambda number, doc: secret(number), n)
    write_run(tmp_path / "oracle", "oracle", task, n=n)
    oracle = log_of(tmp_path / "oracle").values
    with Stub(knowing(right(task))) as stub:
        done = reread(tmp_path / "unread", stub)
    assert done.returncode == 0, done.stderr
    log = log_of(tmp_path / "unread")
    assert {line["status"] for line in lines_of(tmp_path / "unread")} == {"read"}
    (one,) = rereading.compared(log)
    assert one.filled.then["parse_rate"] == 0
    assert one.filled.now["parse_rate"] == 1
    assert one.alone is None
    names = [name for name in one.filled.now if name != "details" and not name.endswith("_stderr")]
    of_the_text = [name for name in names if re.fullmatch(contract.get(log.benchmark, "OF_THE_TEXT"), name)]
    assert len(names) > len(of_the_text) + 3
    for name in names:
        assert one.filled.now[name] == (one.filled.then if name in of_the_text else oracle)[name], name


@pytest.mark.slow
def test_the_log_is_never_touched_and_the_key_is_in_no_file(tmp_path):
    few(tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with Stub(on_offer) as stub:
        done = reread(tmp_path, stub)
    assert done.returncode == 0, done.stderr
    after = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    (new,) = set(after) - set(before)
    assert new == f"20260101_000000_reread_{TASK}.{NAME}.jsonl"
    assert {name: after[name] for name in before} == before
    assert all(KEY.encode() not in data for data in after.values())
    assert KEY not in done.stdout + done.stderr
    assert stub.keys == [f"Bearer {KEY}"] * 6
    assert {body["temperature"] for body in stub.bodies} == {0}
    assert {body["model"] for body in stub.bodies} == {NAME}


def test_dry_run_shows_the_cost_and_asks_nothing(tmp_path):
    few(tmp_path)
    with Stub(on_offer) as stub:
        done = reread(tmp_path, stub, "--dry-run")
        whole = reread(tmp_path, stub, "--dry-run", "--all")
    assert done.returncode == whole.returncode == 0
    assert stub.texts == []
    assert f"6 of {N} replies to ask about (6 unread by our reader, 0 already read by it)" in done.stdout
    assert f"6 requests to {NAME}: about" in done.stdout
    assert "and about 60 tokens of answers" in done.stdout
    questions = rereading.questions_of(log_of(tmp_path))[:6]
    tokens = sum(len(question.request()) for question in questions) // 4
    assert f"about {tokens:,} tokens" in done.stdout
    assert f"{N} of {N} replies to ask about" in whole.stdout
    assert not list(tmp_path.glob("*_reread_*"))


@pytest.mark.slow
def test_empty_and_failed_replies_are_not_asked_about(tmp_path):
    replies = ["", "  \n", "[LMMS_EVAL_REQUEST_FAILED: no]", secret(3)]
    few(tmp_path, reply=lambda number, doc: replies[number] if number < 4 else doc["target"], of=12)
    with Stub(lambda text: "NONE") as stub:
        reread(tmp_path, stub, "--all", "--concurrency", "4")
    assert len(stub.texts) == 12 - 3
    assert {word_of(text) for text in stub.texts} & {"", secret(3)} == {secret(3)}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "status"),
    [
        (completion(None, refusal="I cannot help with that."), "refused"),
        (completion(None), "refused"),
        ((400, {}, {"error": {"message": "filtered", "code": "content_filter"}}), "refused"),
        ("I'm sorry, but I can't help with that.", "wrong form"),
        ("NONE", "none"),
    ],
)
def test_refusals_are_no_answers(body, status, tmp_path):
    few(tmp_path, 2)
    with Stub(lambda text: body) as stub:
        done = reread(tmp_path, stub)
    assert done.returncode == 0, done.stderr
    assert f"2 {status}" in done.stdout
    assert [line["status"] for line in lines_of(tmp_path)] == [status] * 2
    assert len(stub.texts) == (4 if status == "wrong form" else 2)
    (one,) = rereading.compared(log_of(tmp_path))
    assert one.filled.now == one.filled.then
    assert one.filled.changes == ()


def test_another_form_is_asked_for_once_more(tmp_path):
    few(tmp_path, 3)
    first, second_, third = map(secret, range(3))
    tries = Counter()

    def answer(text):
        tries[word_of(text)] += 1
        again = "another form" in text
        assert again == (tries[word_of(text)] > 1)
        return {first: "2" if again else "The answer is 2, I think.", second_: "6", third: "1"}[word_of(text)]

    with Stub(answer) as stub:
        done = reread(tmp_path, stub)
    assert "1 wrong form" in done.stdout
    assert tries == {first: 2, second_: 2, third: 1}
    assert stub.bodies[0]["messages"][0]["role"] == "user"
    found = {line["answer"]: line for line in lines_of(tmp_path)}
    assert found["2"]["status"] == "read"
    assert found["6"]["status"] == "wrong form"
    # What is not on offer is never taken, whatever the file says.
    (file,) = tmp_path.glob("*_reread_*")
    file.write_text(file.read_text().replace('"wrong form"', '"read"'))
    (one,) = rereading.compared(log_of(tmp_path))
    assert one.filled.now["parse_rate"] == (N - 1) / N


@pytest.mark.slow
@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ((500, {}, {"error": {"message": "broken"}}), "broken"),
        (b"<html>Welcome</html>", "not a chat completion"),
        (completion("A") | {"choices": []}, "not a chat completion"),
    ],
)
def test_an_endpoint_that_gives_nothing_is_left_alone(answer, words, tmp_path):
    few(tmp_path, 20, of=20)
    with Stub(lambda text: answer) as stub:
        done = reread(tmp_path, stub, "--retries", "0", "--concurrency", "2")
    complains(done, "no reading of 20 replies", words)
    assert 10 <= len(stub.texts) <= 13
    assert not list(tmp_path.glob("*_reread_*"))


@pytest.mark.parametrize("status", [401, 404])
def test_a_wrong_key_ends_it_at_once_and_is_not_shown(status, tmp_path):
    few(tmp_path, 20, of=20)
    answer = (status, {}, {"error": {"message": f"Incorrect key: {KEY}"}})
    with Stub(lambda text: answer) as stub:
        done = reread(tmp_path, stub, "--concurrency", "2")
    complains(done, "refuses all requests", "check the address, the model's name and the key")
    assert KEY not in done.stdout + done.stderr
    assert "***" in done.stderr
    assert len(stub.texts) <= 4


def test_stopped_and_continued(tmp_path):
    """What was read is kept, and a line that an end cut in half is ignored."""
    n = 24
    few(tmp_path, n)
    refused = (404, {}, {"error": {"message": "gone"}})
    with Stub(lambda text: on_offer(text) if len(stub.texts) <= 6 else refused) as stub:
        complains(reread(tmp_path, stub, "--concurrency", "1"), "refuses all requests")
        kept = lines_of(tmp_path)
        assert 4 <= len(kept) <= 6
        (file,) = tmp_path.glob("*_reread_*.jsonl")
        with file.open("ab") as stream:  # as if the last line had been cut
            stream.write(json.dumps(kept[-1]).encode()[:50])
        stub.answer = on_offer
        asked = len(stub.texts)
        done = reread(tmp_path, stub)
        assert done.returncode == 0, done.stderr
        assert f"({n} unread by our reader, {len(kept)} already read by it)" in done.stdout
        asked = len(stub.texts) - asked
        assert asked in (n - len(kept), n - len(kept) + 1)  # one may have been under way
        assert reread(tmp_path, stub).returncode == 0
    (readings,) = rereading.readings_of(log_of(tmp_path))
    assert len(readings.lines) == n
    assert readings.outdated == set()


@pytest.mark.slow
def test_a_changed_log_and_other_words_are_noticed(tmp_path, monkeypatch):
    path = few(tmp_path, 3)
    with Stub(on_offer) as stub:
        reread(tmp_path, stub)
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        rows[1]["filtered_resps"] = secret(99)
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        (readings,) = rereading.readings_of(log_of(tmp_path))
        assert readings.outdated == {rows[1]["record"]["id"]}
        done = tempbench("rescore", tmp_path)
        assert "1 readings of stub-1 are of other replies or from another prompt" in done.stdout
        done = reread(tmp_path, stub)
        assert f"1 of {N} replies to ask about (3 unread by our reader, 2 already read by it)" in done.stdout
        assert "1 readings of stub-1 are of other replies" in done.stdout
        (readings,) = rereading.readings_of(log_of(tmp_path))
        assert readings.outdated == set()
        assert len(readings.lines) == 3
        monkeypatch.setattr(second, "VERSION", second.VERSION + 1)
        (readings,) = rereading.readings_of(log_of(tmp_path))
        assert (len(readings.lines), len(readings.outdated)) == (0, 3)


def test_readers_do_not_share_files(tmp_path):
    few(tmp_path, 1)
    log = log_of(tmp_path)
    names = ["gpt-4o", "a/b", "a_b", "../../etc/passwd", "*", "é" * 300, "x" * 300, "x" * 299]
    files = [rereading.file_of(log, name) for name in names]
    assert len(set(files)) == len(names)
    for file in files:
        assert file.parent == tmp_path
        assert len(file.name) < 200
        assert file.name.isascii()
    assert files[0].name.endswith(".gpt-4o.jsonl")


def agreeing(tmp_path):
    """Ten options read by us as AAAAA BBBB and nothing; by the second reader as AAAAB BBBN and A."""
    config = {name: [] for name in ("ours", "theirs")}
    config["ours"] = [*"AAAAABBBB", None]
    config["theirs"] = [*"AAAABBBB", "NONE", "A"]
    mains = [number for number, doc in enumerate(docs(TASK)) if doc["role"] == "main"][:10]
    ours = dict(zip(mains, config["ours"], strict=True))
    replies = {
        number: f"{secret(number)}. The answer is {letter}." for number, letter in ours.items() if letter
    }
    replies |= {number: secret(number) for number, letter in ours.items() if not letter}
    few(tmp_path, reply=lambda number, doc: replies.get(number, ""))
    return {replies[number]: answer for number, answer in zip(mains, config["theirs"], strict=True)}


@pytest.fixture(scope="module")
def agreed(tmp_path_factory):
    """A run that a second reader has read; what that is like is for others to look at, and to copy."""
    made = tmp_path_factory.mktemp("agreed")
    answers = agreeing(made)
    assert "second reader" not in tempbench("rescore", made).stdout
    with Stub(knowing(answers)) as stub:
        assert reread(made, stub, "--all").returncode == 0
    assert len(stub.texts) == 10
    return made


@pytest.mark.slow
def test_agreement_by_hand(agreed):
    (one,) = rereading.compared(log_of(agreed))
    assert (one.n, one.n_same) == (10, 7)
    # The numbers: with it where we read nothing, and with it wherever there is a reading.
    label = {number: doc["answer"] for number, doc in enumerate(docs(TASK)[:N]) if doc["role"] == "main"}
    order = list(label)[:10]
    theirs = [*"AAAABBBB", None, "A"]
    filled = [*"AAAAABBBB", "A"]
    for version, letters in ((one.filled, filled), (one.alone, theirs)):
        n_right = sum(label[number] == letter for number, letter in zip(order, letters, strict=True))
        assert version.now["mt"] == n_right / len(label)
        n_read = sum(letter is not None for letter in letters)
        assert version.now["parse_rate"] == n_read / N


@pytest.mark.slow
def test_rescore_shows_both(agreed):
    done = tempbench("rescore", agreed)
    assert done.returncode == 0, done.stderr
    assert "second reader stub-1: 10 replies, 9 read, 1 none, 0 refused, 0 wrong form" in done.stdout
    assert "stub-1 and we read the same in 70.0% of 10 answers" in done.stdout
    assert "ours   filled" in done.stdout
    assert "ours   alone" in done.stdout
    again = tempbench("rescore", agreed, "--reparse")
    assert "second reader stub-1" in again.stdout
    (task,) = json.loads(tempbench("rescore", agreed, "--json").stdout)
    (one,) = task["second_readers"]
    assert (one["reader"], one["replies"], one["statuses"]["read"]) == ("stub-1", 10, 9)
    assert one["agreement"] == {"n": 10, "same": 7}
    assert one["filled"]["then"]["parse_rate"] == 9 / N
    assert one["filled"]["now"]["parse_rate"] == 10 / N
    assert one["alone"]["now"]["parse_rate"] == 9 / N


@pytest.mark.slow
def test_reports_show_both(agreed, tmp_path):
    shutil.copytree(agreed, tmp_path, dirs_exist_ok=True)
    with Stub(on_offer) as stub:
        done = tempbench(
            "reread", tmp_path, "--reader", "<i>r</i>", "--base-url", stub.url, OPENAI_API_KEY=KEY
        )
        assert done.returncode == 0, done.stderr
    texts = {}
    for end in ("html", "md", "tex", "csv"):
        done = tempbench(
            "report", tmp_path, "-o", tmp_path / f"out.{end}", "--pictures", "0", "--no-intervals", "--all"
        )
        assert done.returncode == 0, done.stderr
        texts[end] = (tmp_path / f"out.{end}").read_text()
    page = texts["html"]
    assert "second reader stub-1: 10 replies" in page
    assert "read the same in 70.0% of 10 answers" in page
    assert "<i>r</i>" not in page
    assert "second reader &lt;i&gt;r&lt;/i&gt;: 1 replies" in page
    cells = r"\s*".join(rf"<td[^>]*>{value}</td>" for value in ("0.2250", "0.2500", "0.2250"))
    assert re.search(rf'<th scope="row">parse_rate</th>\s*{cells}', page)
    assert "| parse\\_rate | 0.2250 | 0.2500 | 0.2250 |" in texts["md"]
    assert "second reader stub-1" in texts["tex"]
    assert any(
        line.startswith('tempvs,"ours, else stub-1"') and f",parse_rate,{10 / N}," in line
        for line in texts["csv"].splitlines()
    )


@pytest.mark.slow
def test_readings_without_the_data_are_said_to_be_left_out(tmp_path, monkeypatch):
    few(tmp_path, 2)
    with Stub(on_offer) as stub:
        reread(tmp_path, stub)
    monkeypatch.setattr(logs, "docs_of", lambda config, **how: [])
    done = tempbench("rescore", tmp_path)
    assert done.returncode == 0
    assert "warning: second readers' readings cannot be scored" in done.stdout
    (task,) = json.loads(tempbench("rescore", tmp_path, "--json").stdout)
    assert "cannot be scored" in task["problems"][-1]
    tempbench("report", tmp_path, "-o", tmp_path / "out.html", "--pictures", "0", "--no-intervals")
    assert "readings cannot be scored" in (tmp_path / "out.html").read_text()


@pytest.mark.slow
def test_a_span_keeps_our_letter(tmp_path):
    """We read the letter, and the second reader the span that is in words."""
    task = "rextime_mini"
    rows = docs(task)
    few(tmp_path, reply=lambda number, doc: f"{doc['answer']}. {secret(number)}", task=task)
    assert log_of(tmp_path).values["answer_parse_rate"] == 1
    answers = {
        f"{doc['answer']}. {secret(number)}": gold(doc).replace(doc["answer"], "A", 1)
        for number, doc in enumerate(rows)
    }
    with Stub(knowing(answers)) as stub:
        assert reread(tmp_path, stub).returncode == 0
    (one,) = rereading.compared(log_of(tmp_path))
    assert one.filled.now["miou"] == 1
    assert one.filled.now["acc"] == 1
    assert one.alone is None  # no reply was read whole by us


def test_ends_of_spans_may_differ_by_half_a_second():
    assert rereading._is_same((1.0, 2.0), (1.4, 2.0))
    assert not rereading._is_same((1.0, 2.0), (1.6, 2.0))
