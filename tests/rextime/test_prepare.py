import json

import pytest

from hf_datasets.parts import How
from hf_datasets.rextime.prepare import DATA, prepare
from hf_datasets.splits import report
from tempbench_lmms.data.tables import read_rows
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.rextime import rows
from tests.command import tempbench
from tests.hub import COMMIT, Hub, variables

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


@pytest.fixture
def folders(tmp_path, write_video):
    write_video(tmp_path / "qvh" / f"{RECORD['vid']}.mp4", duration=150)
    write_video(tmp_path / "anet" / "val" / "v_ZMTi498qnPc.mkv", duration=100.5)
    return {"qvhighlights": tmp_path / "qvh", "activitynet": tmp_path / "anet"}


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
def test_a_record_that_contradicts_itself_is_left_out_and_listed(change, why, source, folders, capsys):
    (source / "rextime_val.json").write_text(json.dumps([RECORD | change, ANET, ANET | {"qid": "sound"}]))
    manifest = prepare(source, folders, splits=["validation"])
    report(manifest, DATA.root)
    twice = "qid" in change
    asked = {row["question_id"] for row in read_rows(DATA.root / "validation")}
    assert asked == ({"sound"} if twice else {"sound", ANET["qid"]})
    left_out = manifest["skipped"]
    assert [one["id"] for one in left_out] == ([ANET["qid"]] * 2 if twice else [RECORD["qid"]])
    assert all(why in one["why"] for one in left_out)
    assert f"first is {left_out[0]['id']}: {left_out[0]['why']}" in capsys.readouterr().out
    assert any(left_out[0]["why"] in line for line in rows.problems(DATA.root))
    assert prepare(source, folders, splits=["validation"]) is None


def test_records_whose_sentence_names_the_right_option_are_asked(source, folders):
    for answer in (
        "From 0 to 28, eating spicy food.",
        "Eating spicy food",
        "From <s0> to <e0>, <option>.",
        "",
    ):
        (source / "rextime_val.json").write_text(json.dumps([RECORD | {"answer": answer}]))
        assert prepare(source, folders, how=How(force=True))["skipped"] == []


def test_prepare_from_a_folder(source, folders, tmp_path):
    manifest = prepare(source, folders)
    assert manifest["rows"] == {"validation": 2, "test": 1}
    assert (manifest["linked"], manifest["skipped"]) == (2, [])
    table = read_rows(DATA.root / "validation")
    assert table[1]["video"] == "tempbench://rextime/media/activitynet/v_ZMTi498qnPc.mkv"
    assert list(rows.problems(DATA.root)) == []
    before = {path: path.stat().st_mtime_ns for path in DATA.root.rglob("*")}
    assert prepare(source, folders) is None
    assert {path: path.stat().st_mtime_ns for path in DATA.root.rglob("*")} == before
    one = {"qvhighlights": tmp_path / "qvh"}
    with pytest.raises(TempbenchError, match="--force"):
        prepare(source, one)
    assert prepare(source, one, how=How(force=True))["skipped_by_reason"] == {"missing": 1}


@pytest.mark.slow
def test_less_is_prepared_where_the_user_says_so(source, folders, tmp_path):
    video = tmp_path / "anet" / "val" / "v_ZMTi498qnPc.mkv"
    video.rename(video.with_name("ZMTi498qnPc.mkv"))
    only = {"activitynet": tmp_path / "anet"}
    manifest = prepare(source, only, splits=["validation"])
    # The test split's video is not missed; the other one is found without the "v_" of its name.
    assert manifest["rows"] == {"validation": 1}
    assert [one["id"] for one in manifest["skipped"]] == [RECORD["qid"]]
    for wrong, said in (("train", "no annotation file of train"), ("tset", "'tset' is not a split")):
        with pytest.raises(TempbenchError, match=said):
            prepare(source, only, splits=[wrong])


@pytest.mark.slow
def test_a_video_of_another_length_is_refused(source, folders, write_video, tmp_path):
    # 10 seconds instead of 150; 100.5 seconds within the tolerance of 2 % either way.
    (tmp_path / "anet/val/v_ZMTi498qnPc.mkv").unlink()
    write_video(tmp_path / "qvh" / f"{RECORD['vid']}.mp4", duration=10)
    for seconds, n_rows in ((98.7, 1), (102.3, 1), (98.0, 0), (104.0, 0)):
        write_video(tmp_path / "anet" / "v_ZMTi498qnPc.mp4", duration=seconds)
        if not n_rows:
            with pytest.raises(TempbenchError, match=r"lasts 10\.0 seconds but its annotation says 150\.0"):
                prepare(source, folders, how=How(force=True))
            continue
        manifest = prepare(source, folders, how=How(force=True))
        assert (manifest["rows"], manifest["skipped_by_reason"]) == ({"validation": 1}, {"another length": 2})


def test_a_row_that_gives_its_video_another_length_is_left_out(source, tmp_path, write_video):
    write_video(tmp_path / "qvh" / f"{RECORD['vid']}.mp4", duration=2)
    one = RECORD | {"span": [0, 1]}
    records = [one | {"qid": "a", "duration": 90}, one | {"qid": "b", "duration": 2}]
    (source / "rextime_val.json").write_text(json.dumps(records))
    manifest = prepare(source, {"qvhighlights": tmp_path / "qvh"}, splits=["validation"])
    assert manifest["rows"] == {"validation": 1}
    assert "lasts 2.0 seconds but its annotation says 90.0" in manifest["skipped"][0]["why"]


def test_nothing_to_prepare(source, tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(TempbenchError, match="none of rextime_val"):
        prepare(tmp_path / "empty")
    with pytest.raises(TempbenchError, match="is not a folder"):
        prepare(source, {"activitynet": tmp_path / "none"})
    (source / "rextime_val.json").write_text(json.dumps([RECORD | {"options": []}]))
    with pytest.raises(TempbenchError, match=r"holds no question that .* options: 0, a question has 4"):
        prepare(source)


def test_prepare_from_the_hub(tmp_path, write_video):
    folder = tmp_path / "repository"
    folder.mkdir()
    (folder / "rextime_val.json").write_text(json.dumps([RECORD, ANET]))
    with Hub({"ReXTime/ReXTime": folder}) as hub:
        environment = {**variables(hub, tmp_path / "hf"), "TEMPBENCH_DATA": str(tmp_path / "data")}
        refused = tempbench("prepare", "rextime", **environment)
        assert refused.returncode == 1
        assert "--accept-license" in refused.stderr
        videos = tmp_path / "videos"
        write_video(videos / f"{ANET['vid']}.mp4", duration=100.5)
        given = ("--accept-license", "--anet-dir", videos, "--splits", "validation")
        done = tempbench("prepare", "rextime", *given, **environment)
        assert done.returncode == 0, done.stderr
        assert "validation: 1 questions, the release has 921" in done.stdout
        assert "2I9-kvemtSU_510.0_660.0.mp4: the video is missing" in done.stdout
        manifest = json.loads((tmp_path / "data" / "rextime" / "manifest.json").read_text())
        assert manifest["source"] == {"repository": "ReXTime/ReXTime", "revision": COMMIT}
        offline = tempbench("prepare", "rextime", *given, **environment | {"HF_HUB_OFFLINE": "1"})
        assert offline.returncode == 1
        assert "HF_HUB_OFFLINE" in offline.stderr
        assert "Traceback" not in offline.stderr
