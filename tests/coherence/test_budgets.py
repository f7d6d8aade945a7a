"""More frames than the paper's, frames by rate, and the requests to the models of Table 3."""

import itertools

import numpy as np
import pytest

from tempbench_lmms.coherence import hooks, prompts
from tempbench_lmms.data.roots import resolve
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness.tasks import docs_of, load_task
from tempbench_lmms.media import decoding, video

SIZES = (1, 2, 5, 16, 30, 299, 300, 366)


def asked(task):
    """Returns the first question of a task and the settings it is asked with."""
    config = load_task(task)
    return docs_of(config)[0], config["lmms_eval_specific_kwargs"]["default"]


@pytest.mark.parametrize("n", [1, 4, 16])
def test_places_from_the_middle_of_segments(n):
    for n_frames in SIZES:
        places = video.segment_places(n_frames, n)
        # As `get_index` writes it.
        size = float(n_frames - 1) / n
        assert places == [int(0 + (size / 2) + np.round(size * i)) for i in range(n)]
        assert len(places) == n
        assert 0 <= min(places) <= max(places) < n_frames
        # Half-way between the ends of segments that `linspace` truncates; every frame of a short video.
        ends = [i * n_frames // n for i in range(n + 1)]
        halves = [(low + high) // 2 for low, high in itertools.pairwise(ends)]
        assert video.half_places(n_frames, n) == (halves if n < n_frames else list(range(n_frames)))


def test_frames_by_rate_follow_the_length_of_the_video():
    for rate in (1, 2):
        doc, kwargs = asked(f"coherence_qa_{rate}fps_mini")
        seconds = video.probe(resolve(doc["video"])).duration
        assert doc["n_frames"] == max(1, round(seconds * rate))
        assert doc["condition"] == f"{rate}fps"
        assert f"provided with {doc['n_frames']} separate frames" in hooks.doc_to_text(doc, kwargs)
        assert len(hooks.doc_to_visual(doc, kwargs)) == doc["n_frames"]


def test_larger_budgets():
    doc, kwargs = asked("coherence_qa_64f_times_mini")
    assert doc["n_frames"] == 64
    content = hooks.doc_to_messages(doc, kwargs)[1]["content"]
    assert sum(part["type"] == "image" for part in content) == 64


def test_the_request_to_internvl():
    doc, kwargs = asked("coherence_qa_4f_official_mini")
    (user,) = hooks.doc_to_messages(doc, kwargs)  # no system prompt
    texts = [part["text"] for part in user["content"] if part["type"] == "text"]
    assert texts == ["Frame1: ", "\nFrame2: ", "\nFrame3: ", "\nFrame4: ", f"\n{prompts.question(doc)}"]
    path = resolve(doc["video"])
    places = video.segment_places(video.probe(path).n_frames, 4)
    _, pictures = decoding.read(path, lambda n_frames: places)
    shown = hooks.doc_to_visual(doc, kwargs)
    assert [image.tobytes() for image in shown] == [pictures[place].tobytes() for place in places]


def test_the_request_to_video_ccam():
    doc, kwargs = asked("coherence_qa_official_ccam_mini")
    (user,) = hooks.doc_to_messages(doc, kwargs)
    frames, text = user["content"]
    assert (frames["type"], len(frames["url"])) == ("video", 4)
    assert text["text"] == f"\n{prompts.question(doc)}"


def test_other_ways_are_refused():
    doc, _ = asked("coherence_qa_4f_mini")
    with pytest.raises(TempbenchError, match="choose from images, times"):
        hooks.doc_to_messages(doc, {"frames": "strip"})
