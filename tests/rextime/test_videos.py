"""Videos that are missing, damaged or odd."""

import json

import pytest

from tempbench_lmms.errors import MediaError, TempbenchError
from tempbench_lmms.harness import preflight
from tempbench_lmms.media.integrity import check_video, frame_times
from tempbench_lmms.media.video import sample_frames
from tempbench_lmms.rextime import hooks, videos
from tempbench_lmms.runs import starting

pytestmark = pytest.mark.slow

QUESTION = {
    "question": "What follows?",
    "options": ["a", "b", "c", "d"],
    "answer": "From <s0> to <e0>, <option>.",
    "category": "sequential",
    "source": "qvhighlights_val",
    "duration": 4,
    "span": [1, 2],
    "ans": "A",
}


def audio_only(path):
    import av
    import numpy as np

    with av.open(str(path), "w") as container:
        stream = container.add_stream("aac", rate=16000)
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 16000), dtype=np.float32), "fltp", "mono")
        frame.rate = 16000
        container.mux(stream.encode(frame))
        container.mux(stream.encode())


def no_frames(path):
    import av

    with av.open(str(path), "w") as container:
        stream = container.add_stream("mpeg4", rate=5)
        stream.width = stream.height = 64
        stream.pix_fmt = "yuv420p"
        container.start_encoding()


@pytest.fixture
def damaged(tmp_path, write_video):
    """Videos with something wrong with each, by name."""
    whole = write_video(tmp_path / "whole.mp4", n=40).read_bytes()
    (tmp_path / "empty.mp4").write_bytes(b"")
    (tmp_path / "text.mp4").write_text("no video")
    for percent in (10, 50, 90):
        (tmp_path / f"cut{percent}.mp4").write_bytes(whole[: len(whole) * percent // 100])
    audio_only(tmp_path / "audio.mp4")
    no_frames(tmp_path / "frameless.mp4")
    return tmp_path


@pytest.mark.parametrize(
    "name", ["empty", "text", "cut10", "cut50", "cut90", "audio", "frameless", "missing"]
)
def test_damage_is_one_line_with_the_name(damaged, name):
    with pytest.raises(MediaError, match=rf"^{name}\.mp4: ") as caught:
        check_video(damaged / f"{name}.mp4")
    assert "\n" not in str(caught.value)


def test_damage_in_the_middle_is_found_when_thorough(tmp_path, write_video):
    path = write_video(tmp_path / "a.mp4", duration=120, n=400)
    data = bytearray(path.read_bytes())
    third = len(data) // 3
    data[third : third + 4000] = b"\xff" * 4000
    path.write_bytes(data)
    with pytest.raises(MediaError):
        check_video(path, thorough=True)


def test_variable_frame_rate_is_read_with_its_times(tmp_path, write_video):
    times = [0, 0.1, 0.2, 3.0, 3.1, 9.0]
    path = write_video(tmp_path / "vfr.mp4", times=times)
    check_video(path)
    # Frames 0, 2 and 5 of 6.
    assert sample_frames(path, 3).times == pytest.approx((0, 0.2, 9.0), abs=0.01)


def test_times_are_those_of_the_sampled_frames(tmp_path, write_video, docs):
    paths = [videos.locate(doc["video"]) for doc in docs[:6]]
    paths.append(write_video(tmp_path / "vfr.mp4", times=[0, 0.1, 0.2, 3.0, 3.1, 9.0]))
    for path in paths:
        for n in (1, 4, 16, 100):
            assert frame_times(path, n) == sample_frames(path, n).times


def prepared(tmp_path, monkeypatch, names):
    """Prepares questions about videos of the folder `tmp_path/videos`."""
    from hf_datasets.rextime.prepare import prepare

    source = tmp_path / "annotations"
    source.mkdir(exist_ok=True)
    records = [QUESTION | {"qid": f"q{i}", "vid": name} for i, name in enumerate(names)]
    (source / "rextime_val.json").write_text(json.dumps(records))
    monkeypatch.setenv("TEMPBENCH_DATA", str(tmp_path / "data"))
    return prepare(source, {"qvhighlights": tmp_path / "videos"}, splits=["validation"])


@pytest.fixture
def dataset(tmp_path, monkeypatch, write_video):
    """Three questions, of whose videos one is missing and one cut off."""
    import datasets

    from tempbench_lmms.data.tables import read_rows

    write_video(tmp_path / "videos" / "sub" / "good.mp4")
    cut = write_video(tmp_path / "videos" / "cut.mp4", n=40)
    cut.write_bytes(cut.read_bytes()[:3000])
    report = prepared(tmp_path, monkeypatch, ["good", "cut", "gone"])
    assert len(report.problems) == 2
    return datasets.Dataset.from_list(read_rows(tmp_path / "data" / "rextime" / "validation"))


def test_run_stops_with_the_names(dataset):
    with pytest.raises(TempbenchError, match=r"2 of 3 videos .* 2 of 3 questions .*cut\.mp4.*gone\.mp4"):
        hooks.with_videos(dataset)


def test_videos_in_their_own_folder_are_found_before_a_run(tmp_path, monkeypatch, write_video):
    write_video(tmp_path / "videos" / "good.mp4")
    assert not prepared(tmp_path, monkeypatch, ["good"]).problems
    preflight.check_data(["rextime"])
    data, *_ = starting.checked_data(["rextime"], verify=True)
    assert data["rextime"]["questions"] == 1
    (tmp_path / "videos" / "good.mp4").unlink()
    with pytest.raises(TempbenchError, match=r"good\.mp4: the video is missing"):
        starting.checked_data(["rextime"])


def test_run_goes_on_when_asked(dataset, monkeypatch):
    monkeypatch.setenv(videos.MISSING_MEDIA, "skip")
    kept = hooks.with_videos(dataset)
    assert kept["question_id"] == ["q0"]
    assert (kept[0]["n_missing_media"], kept[0]["n_questions"]) == (2, 3)
    monkeypatch.setenv(videos.MISSING_MEDIA, "ignore")
    with pytest.raises(TempbenchError, match="set it to stop or to skip"):
        hooks.with_videos(dataset)


def test_nothing_left_is_an_error(dataset, monkeypatch):
    monkeypatch.setenv(videos.MISSING_MEDIA, "skip")
    with pytest.raises(TempbenchError, match="2 of 2 videos"):
        hooks.with_videos(dataset.select([1, 2]))


def test_replaced_video_is_looked_at_again(dataset, tmp_path, write_video):
    write_video(tmp_path / "videos" / "cut.mp4")
    write_video(tmp_path / "videos" / "gone.mp4")
    assert len(hooks.with_videos(dataset)) == 3


def test_file_outside_the_folder_is_refused(tmp_path, monkeypatch, write_video):
    write_video(tmp_path / "elsewhere.mp4")
    (tmp_path / "videos").mkdir()
    (tmp_path / "videos" / "link.mp4").symlink_to(tmp_path / "elsewhere.mp4")
    report = prepared(tmp_path, monkeypatch, ["link", "../elsewhere"])
    assert len(report.problems) == 2
    for name in ("link.mp4", "../elsewhere.mp4", "../../../../etc/passwd"):
        with pytest.raises(TempbenchError, match=r"outside|no video"):
            videos.locate(f"tempbench://rextime/media/qvhighlights/{name}")


def test_number_of_frames_is_a_setting(docs):
    kwargs = {"media": "frames", "ask": "both", "frames": 3}
    content = hooks.doc_to_messages(docs[0], kwargs)[0]["content"]
    assert [part["type"] for part in content] == ["text", "image"] * 3 + ["text"]
    # 4 seconds at 5 frames a second: frames 0, 9 and 19 of 20.
    assert [part["text"] for part in content[:-1:2]] == [
        "Frame 1, at 0.0 seconds:",
        "Frame 2, at 1.8 seconds:",
        "Frame 3, at 3.8 seconds:",
    ]
    assert "in seconds: 0.0, 1.8, 3.8." in hooks.doc_to_text(docs[0], kwargs)
    with pytest.raises(TempbenchError, match="at least 1"):
        hooks.doc_to_visual(docs[0], {"media": "frames", "frames": 0})
