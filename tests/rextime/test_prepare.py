import hashlib
import http.server
import json
import os
import threading

import pytest

from hf_datasets.rextime import commands
from hf_datasets.rextime.prepare import prepare
from tempbench_lmms.data.roots import mini_root
from tempbench_lmms.data.tables import read_rows
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness import preflight
from tempbench_lmms.harness.tasks import docs_of, load_task
from tempbench_lmms.media import sandbox
from tempbench_lmms.rextime import checks, rows, videos
from tempbench_lmms.rextime.card import CATEGORIES
from tests.command import tempbench

# Row 1 of the release, as its notes print it.
RECORD = {
    "qid": "qvh_val241",
    "vid": "2I9-kvemtSU_510.0_660.0",
    "duration": 150,
    "question": "What were the woman and man doing before they showed reactions?",
    "answer": "From <s0> to <e0>, <option>.",
    "source": "qvhighlights_val",
    "category": "sequential",
    "options": ["eating spicy food", "running a marathon", "touring a desert", "singing karaoke"],
    "span": [0, 28],
    "ans": "A",
}
ANET = RECORD | {
    "qid": "anet_val92",
    "vid": "v_ZMTi498qnPc",
    "source": "ActivityNet_val_2",
    "duration": 100.5,
}


@pytest.fixture
def source(tmp_path, monkeypatch):
    monkeypatch.setenv("TEMPBENCH_DATA", str(tmp_path / "data"))
    folder = tmp_path / "annotations"
    folder.mkdir()
    (folder / "rextime_val.json").write_text(json.dumps([RECORD, ANET]))
    (folder / "rextime_test_release.json").write_text(json.dumps([RECORD | {"qid": "qvh_test1"}]))
    return folder


def test_row():
    row = rows.row(RECORD)
    assert row["video"] == "tempbench://rextime/media/qvhighlights/2I9-kvemtSU_510.0_660.0.mp4"
    assert row["windows"] == [[0.0, 28.0]]
    assert row["target"] == '{"answer": "A", "span": [0, 28]}'
    assert row["choices"][0] == '{"answer": "A", "span": [0, 150]}'
    assert rows.row(ANET)["source"] == "activitynet"


def test_row_of_the_scorers_file():
    record = {
        "qid": "q",
        "query": "What?",
        "duration": 4,
        "vid": "v_ZMTi498qnPc",
        "relevant_windows": [[1, 2]],
        "ans": "B",
    }
    row = rows.row(record)
    assert (row["source"], row["options"], row["windows"]) == ("activitynet", [], [[1.0, 2.0]])


def test_test_split_keeps_no_answer():
    row = rows.row(RECORD, answers=False)
    assert (row["answer"], row["windows"], row["target"]) == ("", [], "")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"span": [1]}, "a start and an end"),
        ({"span": ["a", 2]}, "could not convert"),
        ({"duration": None}, "float"),
        ({"duration": float("nan")}, "is not a number of seconds"),
    ],
)
def test_malformed_record_is_named(change, message):
    with pytest.raises(TempbenchError, match=f"qvh_val241: .*{message}"):
        rows.row(RECORD | change)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"ans": "E"}, "is not"),
        ({"ans": ""}, "is not"),
        ({"answer": "From 0 to 28, Running a  marathon."}, "A, and the text in `answer` is that of option B"),
        ({"answer": "singing karaoke"}, "A, and the text in `answer` is that of option D"),
        ({"span": [0, 152]}, "[0.0, 152.0] is not a span within 150.0 seconds"),
        ({"span": [28, 0]}, "[28.0, 0.0] is not a span"),
        ({"span": [-1, 28]}, "[-1.0, 28.0] is not a span"),
        ({"options": ["one", "two", "one", "three"]}, "options: "),
        ({"options": ["one", "two"]}, "options: "),
        ({"question": " "}, "question: "),
        ({"qid": ANET["qid"]}, "2 questions have this id"),
    ],
)
def test_a_record_that_contradicts_itself_is_left_out_and_listed(change, why, source, tmp_path, capsys):
    (source / "rextime_val.json").write_text(json.dumps([RECORD | change, ANET, ANET | {"qid": "sound"}]))
    report = prepare(source)
    commands._print_report(report, tmp_path)
    root = tmp_path / "data" / "rextime"
    twice = "qid" in change
    asked = {row["question_id"] for row in read_rows(root / "validation")}
    assert asked == ({"sound"} if twice else {"sound", ANET["qid"]})
    left_out = report.manifest["rows_left_out"]
    assert [one["id"] for one in left_out] == ([ANET["qid"]] * 2 if twice else [RECORD["qid"]])
    assert all(why in one["why"] for one in left_out)
    assert f"validation, {left_out[0]['id']}: left out, {left_out[0]['why']}" in capsys.readouterr().out
    said = [line for line in checks.problems(root) if line.startswith("validation, ")]
    assert [left_out[0]["why"] in line for line in said] == [True] * len(left_out)
    assert not prepare(source).fresh


def test_records_whose_sentence_names_the_right_option_are_asked(source):
    for answer in (
        "From 0 to 28, eating spicy food.",
        "Eating spicy food",
        "From <s0> to <e0>, <option>.",
        "",
    ):
        (source / "rextime_val.json").write_text(json.dumps([RECORD | {"answer": answer}]))
        assert prepare(source, force=True).manifest["rows_left_out"] == []


@pytest.mark.slow
def test_no_question_of_the_real_validation_split_is_left_out(shared, tmp_path, monkeypatch):
    monkeypatch.setenv("TEMPBENCH_DATA", str(tmp_path / "data"))
    manifest = prepare(shared / "real" / "rextime", splits=["validation"]).manifest
    assert (manifest["rows"], manifest["rows_left_out"]) == ({"validation": 921}, [])


def test_prepare_from_a_folder(source, tmp_path, write_video):
    write_video(tmp_path / "qvh" / f"{RECORD['vid']}.mp4", duration=150)
    write_video(tmp_path / "anet" / "val" / "v_ZMTi498qnPc.mkv", duration=100.5)
    folders = {"qvhighlights": tmp_path / "qvh", "activitynet": tmp_path / "anet"}
    report = prepare(source, folders)
    assert report.fresh
    assert report.problems == {}
    assert report.manifest["rows"] == {"validation": 2, "test": 1}
    assert report.manifest["completeness"] == {"validation": 1.0, "test": 1.0}
    root = tmp_path / "data" / "rextime"
    table = read_rows(root / "validation")
    assert table[1]["video"] == "tempbench://rextime/media/activitynet/val/v_ZMTi498qnPc.mkv"
    before = {path: path.stat().st_mtime_ns for path in root.rglob("*")}
    assert not prepare(source, folders).fresh
    assert {path: path.stat().st_mtime_ns for path in root.rglob("*")} == before
    with pytest.raises(TempbenchError, match="--force"):
        prepare(source, {"qvhighlights": tmp_path / "qvh"})
    assert len(prepare(source, {"qvhighlights": tmp_path / "qvh"}, force=True).problems) == 1


@pytest.mark.slow
def test_less_is_prepared_where_the_user_says_so(source, tmp_path, write_video):
    write_video(tmp_path / "anet" / f"{ANET['vid'].removeprefix('v_')}.mp4", duration=100.5)
    folders = {"activitynet": tmp_path / "anet"}
    report = prepare(source, folders, splits=["validation"])
    assert report.manifest["rows"] == {"validation": 2}
    # The test split's video is not missed; the other one is found without the "v_" of its name.
    assert report.manifest["videos"] == {"needed": 2, "usable": 1}
    assert [url.rpartition("/")[2] for url in report.problems] == [f"{RECORD['vid']}.mp4"]
    for wrong, said in (("train", "no annotation file of train"), ("tset", "'tset' is not a split")):
        with pytest.raises(TempbenchError, match=said):
            prepare(source, folders, splits=[wrong])


@pytest.mark.slow
def test_a_video_of_another_length_is_refused(source, tmp_path, write_video):
    # 10 seconds instead of 150; 100.5 seconds within the tolerance of 2 % either way.
    write_video(tmp_path / "qvh" / f"{RECORD['vid']}.mp4", duration=10)
    folders = {"qvhighlights": tmp_path / "qvh", "activitynet": tmp_path / "anet"}
    for seconds, n_wrong in ((98.7, 1), (102.3, 1), (98.0, 2), (104.0, 2)):
        write_video(tmp_path / "anet" / "v_ZMTi498qnPc.mp4", duration=seconds)
        report = prepare(source, folders, force=True)
        assert len(report.problems) == n_wrong, seconds
    [first, _] = report.problems.values()
    assert "lasts 10.0 seconds and its annotation says 150.0" in first
    assert "get the one that the annotation is of" in first
    assert report.manifest["skipped_by_reason"] == {"another length": 2}
    assert report.manifest["completeness"] == {"validation": 0.0, "test": 0.0}
    assert [line for line in checks.problems(tmp_path / "data" / "rextime") if "lasts 10.0" in line]


def test_a_row_that_gives_its_video_another_length_is_left_out(source, tmp_path, write_video, capsys):
    write_video(tmp_path / "qvh" / f"{RECORD['vid']}.mp4", duration=2)
    for file, seconds in (
        ("rextime_val.json", 90),
        ("rextime_test_release.json", 2),
        ("rextime_train.json", 2),
    ):
        record = RECORD | {"qid": file, "duration": seconds, "span": [0, 1]}
        (source / file).write_text(json.dumps([record, record | {"qid": f"{file}_2", "duration": 2}]))
    report = prepare(source, {"qvhighlights": tmp_path / "qvh"})
    assert report.problems == {}
    assert report.manifest["rows"] == {"validation": 1, "test": 2, "train": 2}
    commands._print_report(report, tmp_path)
    said = "lasts 2.0 seconds and its annotation says 90.0; other questions say 2.0"
    assert said in capsys.readouterr().out
    root = tmp_path / "data" / "rextime"
    [problem] = checks.problems(root)
    assert problem.startswith("validation, rextime_val.json: left out")
    assert said in problem
    assert not prepare(source, {"qvhighlights": tmp_path / "qvh"}).fresh
    # Of the 90 seconds alone it is another video.
    (source / "rextime_val.json").write_text(json.dumps([RECORD | {"duration": 90}]))
    report = prepare(source, {"qvhighlights": tmp_path / "qvh"}, force=True, splits=["validation"])
    assert "its annotation says 90.0" in next(iter(report.problems.values()))
    commands._print_report(report, tmp_path, ["validation"])
    assert "test:" not in capsys.readouterr().out
    commands._print_report(report, tmp_path)
    assert "test: no annotation file was found" in capsys.readouterr().out


@pytest.mark.slow
def test_verify_decodes_nothing_that_has_not_changed(source, tmp_path, monkeypatch, write_video):
    path = write_video(tmp_path / "qvh" / f"{RECORD['vid']}.mp4", duration=150, n=40)
    write_video(tmp_path / "anet" / "v_ZMTi498qnPc.mp4", duration=100.5)
    prepare(source, {"qvhighlights": tmp_path / "qvh", "activitynet": tmp_path / "anet"})
    root = tmp_path / "data" / "rextime"
    known = videos.read_verdicts(root)["tempbench://rextime/media/qvhighlights/" + path.name]
    assert (known["n_frames"], round(known["duration"]), known["problem"]) == (40, 150, None)
    looked = []
    check = sandbox.check_video
    monkeypatch.setattr(
        sandbox,
        "check_video",
        lambda path, thorough: looked.append((path.name, thorough)) or check(path, thorough),
    )
    assert list(checks.problems(root)) == []
    # A copy with another time is the same file.
    os.utime(path, ns=(1, 1))
    assert list(checks.problems(root)) == []
    assert looked == []
    # Other bytes, though size and time are the same.
    stat = path.stat()
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    videos._looked_at.cache_clear()
    [problem] = checks.problems(root)
    assert "another file than was prepared" in problem
    assert looked == [(path.name, True)]
    # Another video of the same name is told by its length, here and before a run.
    write_video(path, duration=10)
    [problem] = checks.problems(root)
    assert "lasts 10.0 seconds and its annotation says 150.0" in problem
    url = "tempbench://rextime/media/qvhighlights/" + path.name
    assert "lasts 10.0 seconds" in videos.problems([url])[url]


def test_interrupted_prepare_is_taken_up(source, tmp_path, monkeypatch, write_video):
    from hf_datasets.rextime import prepare as module

    write_video(tmp_path / "qvh" / f"{RECORD['vid']}.mp4", duration=150)
    folders = {"qvhighlights": tmp_path / "qvh"}
    write = module.tables.write_rows
    monkeypatch.setattr(module.tables, "write_rows", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        prepare(source, folders)
    assert not (tmp_path / "data" / "rextime" / "manifest.json").exists()
    monkeypatch.setattr(module.tables, "write_rows", write)
    monkeypatch.setattr(
        module,
        "check_videos",
        lambda paths, _: iter(paths) if not paths else pytest.fail("was looked at before"),
    )
    assert prepare(source, folders).manifest["videos"] == {"needed": 2, "usable": 1}


@pytest.mark.parametrize("file", ["rextime_val.json", "rextime_val.jsonl"])
def test_without_option_texts_only_the_moment_is_asked_for(file, tmp_path, monkeypatch, write_video, capsys):
    monkeypatch.setenv("TEMPBENCH_DATA", str(tmp_path / "data"))
    folder = tmp_path / "annotations"
    folder.mkdir()
    lacking = [{key: value for key, value in RECORD.items() if key != "options"}, RECORD | {"qid": "other"}]
    text = json.dumps(lacking) if file.endswith("json") else "\n".join(map(json.dumps, lacking))
    (folder / file).write_text(text)
    write_video(tmp_path / "qvh" / f"{RECORD['vid']}.mp4", duration=150)
    report = prepare(folder, {"qvhighlights": tmp_path / "qvh"}, splits=["validation"])
    commands._print_report(report, tmp_path)
    assert "validation: 1 questions have no option texts; only rextime_moment" in capsys.readouterr().out
    for task in (
        "rextime",
        "rextime_vqa",
        "rextime_blind",
        "rextime_frames",
        "rextime_official",
        "rextime_cot",
    ):
        with pytest.raises(TempbenchError, match=r"1 of 2 questions have no option texts.*rextime_moment"):
            preflight.check_data([task])
    preflight.check_data(["rextime_moment"])
    # Who has replies already may have them scored.
    assert len(docs_of(load_task("rextime"), media=False)) == 2


def test_nothing_to_prepare(tmp_path, monkeypatch):
    monkeypatch.setenv("TEMPBENCH_DATA", str(tmp_path / "data"))
    with pytest.raises(TempbenchError, match="none of rextime_val"):
        prepare(tmp_path)
    with pytest.raises(TempbenchError, match="is not a folder"):
        prepare(tmp_path, {"activitynet": tmp_path / "none"})


class Hub(http.server.BaseHTTPRequestHandler):
    """Speaks as much of the Hub's protocol as a download needs."""

    files = {"rextime_val.json": json.dumps([RECORD, ANET]).encode()}  # noqa: RUF012
    sha = "a" * 40

    def do_HEAD(self):
        self.answer(body=False)

    def do_GET(self):
        self.answer(body=True)

    def answer(self, body):
        if self.path.startswith("/api/datasets/ReXTime/ReXTime"):
            info = {
                "id": "ReXTime/ReXTime",
                "sha": self.sha,
                "siblings": [{"rfilename": f} for f in self.files],
            }
            data, headers = json.dumps(info).encode(), {"Content-Type": "application/json"}
        else:
            data = self.files[self.path.rpartition("/")[2]]
            headers = {"ETag": f'"{hashlib.sha256(data).hexdigest()}"', "X-Repo-Commit": self.sha}
        self.send_response(200)
        for name, value in {**headers, "Content-Length": str(len(data))}.items():
            self.send_header(name, value)
        self.end_headers()
        if body:
            self.wfile.write(data)

    def log_message(self, *_):
        pass


@pytest.fixture
def hub():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


VALIDATION = ("--splits", "validation")


def test_prepare_from_the_hub(hub, tmp_path):
    environment = {
        "HF_ENDPOINT": hub,
        "HF_HOME": str(tmp_path / "hf"),
        "HF_HUB_OFFLINE": "0",
        "TEMPBENCH_DATA": str(tmp_path / "data"),
    }
    refused = tempbench("prepare", "rextime", **environment)
    assert refused.returncode == 1
    assert "--accept-license" in refused.stderr
    done = tempbench("prepare", "rextime", "--accept-license", *VALIDATION, **environment)
    assert done.returncode == 0, done.stderr
    assert "validation: 2 questions, the paper has 921; 0.0% of them have a usable video" in done.stdout
    assert "v_ZMTi498qnPc.mp4: the video is missing" in done.stdout
    manifest = json.loads((tmp_path / "data" / "rextime" / "manifest.json").read_text())
    assert manifest["source"] == {"repository": "ReXTime/ReXTime", "revision": Hub.sha}
    verified = tempbench("verify", "rextime", **environment)
    assert verified.returncode == 1
    assert "2 problems" in verified.stderr
    offline = tempbench(
        "prepare", "rextime", "--accept-license", *VALIDATION, **environment | {"HF_HUB_OFFLINE": "1"}
    )
    assert offline.returncode == 1
    assert "HF_HUB_OFFLINE" in offline.stderr
    assert "Traceback" not in offline.stderr


def test_sample_is_small_and_balanced(docs):
    root = mini_root("rextime")
    assert sum(path.stat().st_size for path in root.rglob("*") if path.is_file()) < 2_000_000
    assert len({doc["video"] for doc in docs}) >= 24
    assert all(4 <= doc["duration"] <= 30 for doc in docs)
    assert {doc["category"] for doc in docs} == {*CATEGORIES}
    # A question and its answer are at different times.
    for doc in docs:
        (start, end), asked = doc["windows"][0], doc["question_span"]
        assert asked[1] <= start or end <= asked[0]
        assert end <= doc["duration"]
