"""What is shown of a video."""

import pytest

from tempbench_lmms.data.roots import resolve
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.media.video import frame_times, sample_frames
from tempbench_lmms.rextime import hooks

pytestmark = pytest.mark.slow


def test_times_are_those_of_the_sampled_frames(tmp_path, write_video, docs):
    paths = [resolve(doc["video"]) for doc in docs[:3]]
    paths.append(write_video(tmp_path / "vfr.mp4", times=[0, 0.1, 0.2, 3.0, 3.1, 9.0]))
    for path in paths:
        for n in (1, 4, 16, 100):
            assert frame_times(path, n) == sample_frames(path, n).times
    # Frames 0, 2 and 5 of 6.
    assert frame_times(paths[-1], 3) == pytest.approx((0, 0.2, 9.0), abs=0.01)


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
