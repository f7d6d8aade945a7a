"""The forms in which a question is asked: the released request to GPT-4o, more frames, reasoning first."""

import pytest

from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness.tasks import load_task
from tempbench_lmms.rextime import hooks, prompts
from tempbench_lmms.rextime.parser import read

DOC = {
    "duration": 129.964,
    "question": "What did he do before he left?",
    "options": ["He sang.", "He ate.", "He slept.", "He ran."],
}
# Of the released `demo/request.py`, its placeholders filled in; its spelling is kept.
OFFICIAL = """
You are tasked to complete the following logical reasoning task.
1. Watch and breifly summarize the video.
2. Given 50 video frames and a question, choose the most correct answer from the options.
3. Find the time span in seconds that support your answer. The time span should be consistent with the option you choose.

Total Video Duration: 129.96 seconds
Question: What did he do before he left?
Options:
A. He sang.
B. He ate.
C. He slept.
D. He ran.

<Provide your video summarize here.>
<Provide your explaination to the question here.>
Finish the following json structure strictly with your answer and supporting time span according your explaination.
```json{
    "relevant_span": <[start_time, end_time], in seconds, e.g. [3.0, 10.5]>,
    "answer": <Option you choice from "A", "B", "C", "D".>
}```
"""  # noqa: E501
REPLY = """He sings, then eats, then leaves.
Option A comes from 0 to 9 seconds, but the question is about what is right before.
```json{
    "relevant_span": [12.0, 30.5],
    "answer": "B"
}```"""


def kwargs(task):
    return load_task(task)["lmms_eval_specific_kwargs"]["default"]


def test_the_released_request(docs):
    assert prompts.official(DOC, 50) == OFFICIAL
    config = load_task("rextime_official_mini")
    assert config["generation_kwargs"]["max_new_tokens"] == 1000
    given = kwargs("rextime_official_mini")
    system, user = hooks.doc_to_messages(docs[0], given)
    assert system["content"][0]["text"] == "You are a helpful assistant."
    first, *frames = user["content"]
    assert first["text"] == hooks.doc_to_text(docs[0], given) == prompts.official(docs[0], 50)
    assert [part["type"] for part in frames] == ["image"] * 50
    assert max(frames[0]["url"].size) <= prompts.OFFICIAL_PIXELS == 534
    assert len(hooks.doc_to_visual(docs[0], given)) == 50


def test_large_frames_are_resized_and_small_ones_left(monkeypatch, docs):
    from PIL import Image

    from tempbench_lmms.media import video

    sizes = ((1280, 720), (320, 240))
    frames = video.Frames(tuple(Image.new("RGB", size) for size in sizes), (0.0, 1.0))
    monkeypatch.setattr(video, "sample_frames", lambda path, n: frames)
    shown = hooks.doc_to_visual(docs[0], {"media": "frames", "style": "official", "frames": 2})
    assert [image.size for image in shown] == [(534, 300), (320, 240)]


def test_its_reply_is_read():
    found = read(REPLY, DOC["options"], DOC["duration"], prompt=prompts.wording(DOC, "both"))
    assert (found["letter"].value, found["span"].value) == ("B", (12.0, 30.5))
    # The request itself, repeated, is no answer.
    echoed = read(OFFICIAL, DOC["options"], DOC["duration"], prompt=prompts.wording(DOC, "both"))
    assert (echoed["letter"].value, echoed["span"].value) == (None, None)


def test_what_it_cannot_ask():
    with pytest.raises(TempbenchError, match="the options' texts"):
        prompts.official(DOC | {"options": []}, 50)
    with pytest.raises(TempbenchError, match="has frames and asks for both"):
        hooks.doc_to_text(DOC, {"media": "video", "style": "official"})
    with pytest.raises(TempbenchError, match="no prompt for"):
        prompts.build(DOC, "video", "both", style="official")


def test_reasoning_comes_before_the_json():
    for task in ("rextime", "rextime_vqa", "rextime_moment", "rextime_blind", "rextime_test"):
        plain, cot = (hooks.doc_to_text(DOC, kwargs(name)) for name in (task, f"{task}_cot"))
        assert "Reply with JSON only" in plain
        assert "Reply with JSON only" not in cot
        assert "Think step by step" in cot
        assert cot.splitlines()[-1].rpartition(": {")[2] == plain.splitlines()[-1].rpartition(": {")[2]
        assert load_task(f"{task}_cot")["generation_kwargs"]["max_new_tokens"] == 1024


def test_fifty_frames(docs):
    content = hooks.doc_to_messages(docs[0], kwargs("rextime_frames_50_mini"))[0]["content"]
    assert sum(part["type"] == "image" for part in content) == 50
    assert content[0]["text"] == "Frame 1, at 0.0 seconds:"
