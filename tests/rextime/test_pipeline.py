"""The generation pipeline: its rules, and its steps against a local server."""

import http.server
import json
import threading

import pytest

from hf_datasets.rextime import build, pipeline
from hf_datasets.rextime.pipeline import Event
from tempbench_lmms.data.roots import mini_root
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.rextime.rows import row
from tests.disk import room_for


@pytest.mark.parametrize(
    ("scores", "relation"),
    [
        ((0, 0, 3, 3), "sequential"),
        ((3, 0, 3, 3), "sequential"),  # 3 < 4
        ((2, 2, 0, 0), "cause_effect"),
        ((3, 3, 3, 1), "cause_effect"),  # 4 < 5
        ((2, 2, 3, 2), "means_end"),  # neither 4 < 4 nor 5 < 5
        ((3, 3, 3, 3), "means_end"),
    ],
)
def test_relation(scores, relation):
    assert pipeline.relation(*scores) == relation


@pytest.mark.parametrize("score", [4, -1, 1.5, True, None, "3"])
def test_scores_out_of_range(score):
    with pytest.raises(TempbenchError, match="purpose"):
        pipeline.relation(1, 1, 1, score)


EVENTS = [Event("a", (0, 4)), Event("b", (4, 7)), Event("c", (6, 10)), Event("d", (4.5, 6))]


def test_videos_are_filtered():
    assert pipeline.coverage(EVENTS, 10) == 1.0
    assert pipeline.coverage([Event("a", (0, 4)), Event("b", (2, 5))], 10) == 0.5
    assert pipeline.keep_video(EVENTS, 10)
    assert not pipeline.keep_video(EVENTS, 20)  # half is covered
    assert not pipeline.keep_video([Event("a", (0, 6)), Event("b", (5, 10))], 10)  # none lie apart
    assert not pipeline.keep_video([], 10)


def test_pairs_are_filtered():
    assert pipeline.keep_pair(EVENTS, 0, 1, 0) is None
    assert pipeline.keep_pair(EVENTS, 0, 1, 2) == "the events are too similar"
    assert pipeline.keep_pair(EVENTS, 1, 3, 0) == "one event lies within the other"
    # d lies between a and c, and b does not: it ends after c begins.
    assert pipeline.keep_pair(EVENTS, 2, 0, 0, "sequential") == "the events are not consecutive"
    assert pipeline.keep_pair(EVENTS, 2, 0, 0, "cause_effect") is None
    assert pipeline.keep_pair(EVENTS, 0, 9, 0) == "no pair of events"


def test_measures_of_a_question():
    assert pipeline.pivot_window((5, 12), 20) == (0.0, 20)
    assert pipeline.across_time((0, 5), (3, 8))
    assert not pipeline.across_time((3, 4), (3, 8))


class Model(http.server.BaseHTTPRequestHandler):
    """Answers each step of the pipeline in turn, the way a model would."""

    asked: list[dict] = []  # noqa: RUF012
    valid = True
    broken = 0

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked.append({"path": self.path, "key": self.headers.get("Authorization"), "body": body})
        if Model.broken:
            Model.broken -= 1
            self.send_error(503)
            return
        content = body["messages"][0]["content"]
        text = content if isinstance(content, str) else content[-1]["text"]
        if "List the pairs" in text:
            pairs = [{"first": 0, "second": 1, "similarity": 0}, {"first": 1, "second": 0, "similarity": 3}]
            reply = json.dumps([*pairs, {"first": 1}])
        elif "What else" in text:
            reply = '[{"event": "a lamp lights", "start": 6, "end": 7, "similarity": 0}, {"event": "?"}]'
        elif "Score from" in text:
            reply = '```json\n{"directness": 3, "necessity": 3, "proactiveness": 0, "purpose": 1}\n```'
        elif "Write a question" in text:
            reply = '{"question": "What happens because he falls?", "answer": "He cries.", "answer_event": 2}'
        elif "three wrong" in text:
            reply = '["He laughs.", "He runs.", "He sleeps."]'
        else:
            reply = json.dumps({"valid": Model.valid})
        data = json.dumps({"choices": [{"message": {"content": reply}}]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


@pytest.fixture
def endpoint(monkeypatch):
    Model.asked, Model.valid, Model.broken = [], True, 0
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-local")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()


VIDEO = {
    "vid": "v_abcdefghijk",
    "duration": 10,
    "events": [{"text": "He falls.", "span": [0, 4]}, {"text": "He cries.", "span": [5, 10]}],
}


@pytest.fixture
def captions(tmp_path):
    file = tmp_path / "captions.json"
    file.write_text(json.dumps([VIDEO, VIDEO | {"vid": "v_sparse00000", "duration": 100}]))
    return file


def test_build(endpoint, captions, tmp_path):
    Model.broken = 2
    output = tmp_path / "made.jsonl"
    counts = build.build_file(captions, output, "gpt", endpoint)
    assert counts == {
        "pairs proposed": 2,
        "questions: cause_effect": 1,
        "pairs dropped: the events are too similar": 1,
        "videos": 2,
        "videos without events that lie apart and cover them": 1,
    }
    (made,) = [json.loads(line) for line in output.read_text().splitlines()]
    assert made["category"] == "cause_effect"
    assert made["options"]["ABCD".index(made["ans"])] == "He cries."
    assert (made["span"], made["question_span"]) == ([5, 10], [0, 4])
    assert row(made)["windows"] == [[5.0, 10.0]]
    assert all(
        one["path"] == "/v1/chat/completions" and one["key"] == "Bearer sk-local" for one in Model.asked
    )

    n_asked = len(Model.asked)
    assert build.build_file(captions, output, "gpt", endpoint) == {"videos done before": 2}
    assert len(Model.asked) == n_asked


def qids(output):
    return [json.loads(line)["qid"] for line in output.read_text().splitlines()]


@pytest.mark.parametrize("left", ["half a line", "one line", "no output"])
def test_an_interrupted_run_neither_loses_nor_repeats_a_question(endpoint, captions, tmp_path, left):
    output, progress = tmp_path / "made.jsonl", tmp_path / "made.progress.jsonl"
    captions.write_text(json.dumps([VIDEO | {"vid": f"v_{number:011d}"} for number in range(3)]))
    build.build_file(captions, output, "gpt", endpoint)
    whole = output.read_bytes()
    lines = progress.read_bytes().splitlines(keepends=True)
    progress.write_bytes(lines[0] + {"half a line": lines[1][:-4]}.get(left, b""))
    output.write_bytes(whole.splitlines(keepends=True)[0])
    if left == "no output":
        output.unlink()
    assert build.build_file(captions, output, "gpt", endpoint)["videos done before"] == 1
    assert output.read_bytes() == whole
    output.write_text('{"qid": "of somebody"}')
    with pytest.raises(TempbenchError, match="holds other questions"):
        build.build_file(captions, output, "gpt", endpoint)


def test_a_full_disk_loses_no_question(endpoint, captions, tmp_path):
    output = tmp_path / "made.jsonl"
    captions.write_text(json.dumps([VIDEO | {"vid": f"v_{number:011d}"} for number in range(3)]))
    with pytest.raises(OSError, match="too large"), room_for(600):
        build.build_file(captions, output, "gpt", endpoint)
    assert build.build_file(captions, output, "gpt", endpoint)["videos done before"] == 1
    assert qids(output) == [f"v_{number:011d}_0" for number in range(3)]


@pytest.mark.parametrize("name", ["a_samples_x.jsonl", "20260101_000000_samples_b.progress.jsonl"])
def test_to_start_anew_removes_no_file_of_a_run(captions, tmp_path, name):
    (tmp_path / name).write_text("kept")
    output = tmp_path / name.replace(".progress", "")
    with pytest.raises(TempbenchError, match="is a file of a run"):
        build.build_file(captions, output, "gpt", "http://127.0.0.1:9/v1", force=True)
    assert (tmp_path / name).read_text() == "kept"


def test_a_disk_without_room_is_found_before_the_model_is_asked(endpoint, captions, tmp_path, monkeypatch):
    monkeypatch.setattr(build, "_BYTES_A_VIDEO", 1e18)
    with pytest.raises(TempbenchError, match="needed for the questions of 2 videos"):
        build.build_file(captions, tmp_path / "made.jsonl", "gpt", endpoint)
    assert not Model.asked


def test_model_that_rejects_its_question(endpoint, captions, tmp_path):
    Model.valid = False
    counts = build.build_file(captions, tmp_path / "made.jsonl", "gpt", endpoint, limit=1)
    assert counts["pairs dropped: the model rejects its own question"] == 1


def test_build_from_frames(endpoint, tmp_path):
    video = next((mini_root("rextime") / "media").rglob("*00000004.mp4"))
    (tmp_path / "clip.mp4").write_bytes(video.read_bytes())
    file = tmp_path / "captions.jsonl"
    file.write_text(json.dumps(VIDEO | {"events": VIDEO["events"][:1], "duration": 7.6, "file": "clip.mp4"}))
    counts = build.build_file(file, tmp_path / "made.jsonl", "gpt", endpoint)
    assert counts["questions: cause_effect"] == 1
    parts = Model.asked[0]["body"]["messages"][0]["content"]
    assert [part["type"] for part in parts] == ["image_url"] * 10 + ["text"]
    file.write_text(json.dumps(VIDEO | {"file": "../clip.mp4"}))
    with pytest.raises(TempbenchError, match="points outside"):
        build.build_file(file, tmp_path / "other.jsonl", "gpt", endpoint)


def test_endpoint_that_is_not_there(captions, tmp_path, monkeypatch):
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    with pytest.raises(TempbenchError, match="does not answer"):
        build.build_file(captions, tmp_path / "made.jsonl", "gpt", "http://127.0.0.1:9/v1")
    with pytest.raises(TempbenchError, match="is not an HTTP address"):
        build.build_file(captions, tmp_path / "made.jsonl", "gpt", "file:///etc/passwd")
    (tmp_path / "foreign.jsonl").write_text("{}")
    with pytest.raises(TempbenchError, match="--force"):
        build.build_file(captions, tmp_path / "foreign.jsonl", "gpt", "http://127.0.0.1:9/v1")
