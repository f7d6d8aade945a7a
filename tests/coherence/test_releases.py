"""Every layout in which users have TOMATO and MSR-VTT is read, and every damage of one is said."""

import json
import os
import re
import shutil
from pathlib import Path

import pytest

from hf_datasets.coherence import commands as making
from hf_datasets.coherence import prepare as preparing
from hf_datasets.coherence import tomato
from hf_datasets.coherence.captions import References
from tempbench_lmms import benchmarks
from tempbench_lmms.coherence import captioning, encoders, scoring
from tempbench_lmms.data import roots, tables
from tempbench_lmms.errors import TempbenchError
from tests.coherence import releases


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TEMPBENCH_DATA", str(tmp_path / "data"))
    return tmp_path / "data" / "coherence"


def prepare(**given: object) -> None:
    making.prepare(**{"types": releases.TYPES, **given})


def rows() -> list[dict]:
    return tables.read_rows(roots.prepared_root("coherence") / "qa")


def part(name: str = "tomato") -> dict:
    return json.loads((roots.prepared_root("coherence") / "manifest.json").read_text())["parts"][name]


def problems() -> list[str]:
    return list(benchmarks.rows("coherence").problems(roots.prepared_root("coherence")))


EXPECTED = [
    ("count/0", "human/0209-03", "How many circles?", "C"),
    ("count/1", "object/0001-01", "How many?", "A"),
    ("shape_trend/0", "simulated/0300-00", "Which shape?", "B"),
]


def check_all_is_there(home: Path, capsys: pytest.CaptureFixture[str], **given: object) -> None:
    prepare(**given)
    root = "tempbench://coherence/media/"
    names = [row["video"].removeprefix(root).removesuffix(".mp4") for row in rows()]
    found = [(row["question_id"], row["question"], row["answer"]) for row in rows()]
    assert [(one[0], name, *one[1:]) for one, name in zip(found, names, strict=True)] == EXPECTED
    for place, clip in releases.VIDEOS.items():
        assert (home / "media" / place).read_bytes() == clip.read_bytes()
        assert not (home / "media" / place).is_symlink()
    assert problems() == []
    assert [path.name for path in home.parent.iterdir() if path.name.endswith(".unpacked")] == []
    for row in rows():
        record = scoring.record({**row, "condition": "16f", "base_id": "q"}, row["target"])
        assert record["correct"] == 1
    prepare(**given)
    assert "nothing to do" in capsys.readouterr().out


@pytest.mark.parametrize("layout", releases.LAYOUTS, ids=lambda layout: layout.__name__)
def test_every_layout_gives_the_same_questions(layout, home, tmp_path, capsys):
    check_all_is_there(home, capsys, **layout(tmp_path / "source"))


@pytest.mark.harness
def test_the_oracle_gets_everything_right(home, tmp_path, run_harness):
    prepare(**releases.harness_copy(tmp_path / "source"))
    done = run_harness(
        "tempbench_oracle",
        ["coherence_qa_8f"],
        tmp_path / "run",
        model_args="media=true",
        environment={"TEMPBENCH_DATA": str(home.parent)},
    )
    assert done.value("coherence_qa_8f", "accuracy") == 1.0
    assert {sample["record"]["question"] for sample in done.logged("coherence_qa_8f")} == {
        question_id for question_id, *_ in EXPECTED
    }


def test_the_harness_s_own_copy_is_found(home, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("HF_HOME", str(releases.harness_cache(tmp_path / "hf")))
    monkeypatch.delenv("HF_HUB_CACHE", raising=False)
    check_all_is_there(home, capsys, harness=True)
    # Where the harness has unpacked nothing, the archives of its copy are.
    shutil.rmtree(tmp_path / "hf" / "TOMATO")
    prepare(harness=True, force=True)
    assert len(rows()) == 3
    assert (part()["linked"], part()["copied"]) == (0, 3)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "other"))
    with pytest.raises(TempbenchError, match="run its task `tomato` once"):
        prepare(harness=True)
    with pytest.raises(TempbenchError, match="give only one of them"):
        prepare(harness=True, source=tmp_path)


def test_videos_are_links_that_take_no_room(home, tmp_path, capsys):
    source = releases.repository(tmp_path / "source")["source"]
    prepare(source=source)
    place = next(iter(releases.VIDEOS))
    assert os.path.samefile(source / "videos" / place, home / "media" / place)
    assert "3 linked to yours, 0 copied" in capsys.readouterr().out
    # The user removes the source: the data stays.
    shutil.rmtree(source / "videos" / "simulated")
    assert problems() == []


def test_a_video_that_changes_behind_its_link_is_noticed(home, tmp_path):
    source = releases.repository(tmp_path / "source")["source"]
    prepare(source=source)
    video = source / "videos" / "human" / "0209-03.mp4"
    times, other = os.stat(video), releases.CLIPS[5].read_bytes()
    video.write_bytes(other)  # into the same file
    assert [line for line in problems() if "the file has changed" in line]
    # Also where its size and time are those of before.
    content = bytearray(releases.CLIPS[0].read_bytes())
    content[-1] ^= 1
    video.write_bytes(content)
    os.utime(video, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert [line for line in problems() if "the file has changed" in line]
    # Made anew from what is there now.
    video.write_bytes(other)
    with pytest.raises(TempbenchError, match="--force"):
        prepare(source=source)
    prepare(source=source, force=True)
    assert problems() == []


def without(folder: Path) -> str:
    (folder / "videos" / "object" / "0001-01.mp4").unlink()
    return r"tomato: 1 left out .*\(missing\), the first is count/1"


def cut(folder: Path) -> str:
    video = folder / "videos" / "object" / "0001-01.mp4"
    video.write_bytes(video.read_bytes()[:-2000])
    return r"tomato: 1 left out .*, the first is count/1"


def two_of_one_name(folder: Path) -> str:
    again = folder / "videos" / "older" / "object" / "0001-01.mp4"
    again.parent.mkdir(parents=True)
    shutil.copy(releases.CLIPS[4], again)
    return r"tomato: 1 left out .*\(same name\), the first is count/1"


@pytest.mark.parametrize("damage", [without, cut, two_of_one_name], ids=lambda one: one.__name__)
def test_damage_is_listed_and_verify_never_says_ok(damage, tmp_path):
    source = releases.repository(tmp_path / "source")["source"]
    said = damage(source)
    prepare(source=source)
    [found] = problems()
    assert re.search(said, found), found


def test_two_questions_of_one_id_are_left_out(tmp_path):
    listed = releases.harness_rows()
    listed[1]["id"] = listed[0]["id"]
    releases.harness_copy(tmp_path / "source")
    releases.parquet(listed, tmp_path / "source" / "data" / "test-00000-of-00001.parquet")
    prepare(source=tmp_path / "source")
    assert [row["question_id"] for row in rows()] == ["shape_trend/0"]
    assert part()["skipped_by_reason"] == {"same id": 2}
    assert problems()


def test_ids_that_are_the_numbers_count(tmp_path):
    listed = releases.harness_rows()
    listed[0]["id"], listed[1]["id"], listed[2]["id"] = 1, 0, 0
    releases.harness_copy(tmp_path / "source")
    releases.parquet(listed, tmp_path / "source" / "data" / "test-00000-of-00001.parquet")
    prepare(source=tmp_path / "source")
    assert {row["question_id"]: row["question"] for row in rows()} == {
        "count/1": "How many circles?",
        "count/0": "How many?",
        "shape_trend/0": "Which shape?",
    }


def test_the_real_questions_keep_their_ids_in_every_form(shared, tmp_path):
    real = tomato.find(shared / "real" / "tomato")
    listed = []
    for file in real.files:
        items = list(json.loads(file.read_text()).values())
        kind = tomato.kind_of(file.stem)
        releases.parquet(items, tmp_path / "hub" / "data" / f"{kind}-00000-of-00001.parquet")
        for item in items:
            row = {name: item[name] for name in ("question", "options", "answer", "demonstration_type")}
            video = f"videos/{item['demonstration_type']}/{item['key']}.mp4"
            listed.append({**row, "id": len(listed), "reason_type": file.stem, "video_path": video})
    releases.parquet(listed, tmp_path / "harness" / "data" / "test-00000-of-00001.parquet")
    expected = list(preparing.tomato_rows(real, []))
    assert len({row["question_id"] for row, _ in expected}) == 1484
    assert list(preparing.tomato_rows(tomato.find(tmp_path / "hub"), [])) == expected
    found = list(preparing.tomato_rows(tomato.find(tmp_path / "harness"), []))
    assert found == [({**row, "variation": []}, video) for row, video in expected]


def captions() -> list[dict]:
    return tables.read_rows(roots.prepared_root("coherence") / "caption")


def test_all_captions_of_msrvtt_are_references(tmp_path, capsys, monkeypatch):
    making.prepare(captions=releases.msrvtt(tmp_path / "MSRVTT"))
    first = captions()[0]
    assert first["question_id"] == "TrainValVideo/video0.mp4/video"
    assert first["references"] == [f"caption {k} of video0" for k in range(20)]
    assert (first["target"], first["choices"]) == ("caption 0 of video0", first["references"])
    assert "captions of 1 other videos are not used" in capsys.readouterr().out
    assert problems() == []
    # The nearest counts; a caption that is any of them is right.
    record = captioning.record(first, "caption 7 of video0")
    assert record["correct"] == 1
    asked = []
    monkeypatch.setattr(
        encoders, "bertscore", lambda pairs: asked.extend(pairs) or [float(a == b) for a, b in pairs]
    )
    assert captioning.bertscore([record]).value == 1
    assert len(asked) == 20
    single = captioning.record(
        {**first, "question_id": "1", "references": ["another"], "target": "another"}, "caption"
    )
    assert "references" not in single
    assert captioning.bertscore([record, single]).value == 0.5


def test_clips_of_another_length_are_no_clips_of_msrvtt(tmp_path):
    making.prepare(captions=releases.msrvtt(tmp_path / "MSRVTT"))
    with pytest.raises(TempbenchError, match=r"lasts .* seconds but its annotation says"):
        making.prepare(captions=releases.msrvtt(tmp_path / "other", 5), force=True)


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ({"video0": 3}, "the entry of video0 is neither"),
        ([{"caption": "no video"}], "entry 0 has no video"),
        ({"sentences": [{"caption": "no video"}]}, "not an annotation file of MSR-VTT"),
        ("text", "not a JSON object of captions"),
    ],
)
def test_captions_that_cannot_be_read(written, says, home, tmp_path):
    folder = releases.msrvtt(tmp_path / "MSRVTT")
    (tmp_path / "given.json").write_text(json.dumps(written))
    with pytest.raises(TempbenchError, match=says):
        preparing.prepare_captions(folder, tmp_path / "given.json")
    assert not home.exists()
    (folder / "captions.json").write_text("{}")
    with pytest.raises(TempbenchError, match="choose one with --caption-file"):
        preparing.prepare_captions(folder)


def test_a_caption_that_names_two_videos_is_of_neither(tmp_path, capsys):
    folder = tmp_path / "clips"
    for number, place in enumerate(("a/video0.mp4", "b/video0.mp4", "video1.mp4")):
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(releases.CLIPS[number % 2], folder / place)
    given = tmp_path / "given.json"
    given.write_text(json.dumps({"video0.mp4": "It falls.", "video1": "It rises."}))
    making.prepare(captions=folder, caption_file=given)
    assert {row["target"] for row in captions()} == {"It rises."}
    said = "the captions name 2 videos 'video0.mp4', as 'a/video0.mp4' and 'b/video0.mp4'"
    assert said in capsys.readouterr().out
    assert part("captions")["skipped_by_reason"] == {"a caption of two videos": 2}


def test_a_caption_by_path_goes_before_one_by_name(tmp_path):
    given = tmp_path / "given.json"
    given.write_text(json.dumps({"a/v.mp4": "It falls.", "v.mp4": "It rises.", "w": "It sinks."}))
    by_path = References(given, ["a/v.mp4", "b/v.mp4", "w.mp4"])
    assert [by_path.of(place).captions for place in ("a/v.mp4", "b/v.mp4")] == [["It falls."], ["It rises."]]
    own = References(given, ["v.mp4", "b/v.mp4", "w.mp4", "w.webm"])
    assert (own.of("v.mp4").captions, own.of("b/v.mp4"), own.of("w.mp4")) == (["It rises."], None, None)
    assert (list(own.unclear), own.unused()) == (["w.mp4", "w.webm"], ["a/v.mp4"])
