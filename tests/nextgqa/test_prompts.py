"""What a model is asked, and what it is shown."""

import pytest

from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness.tasks import load_task, task_files
from tempbench_lmms.harness.variants import base_of
from tempbench_lmms.nextgqa import hooks, prompts

DOC = {
    "duration": 35.0,
    "question": "why did he smile",
    "options": ["fun", "joy", "wind", "rain", "sun"],
    "answer": "B",
}


def test_both():
    assert prompts.build(DOC, "video", "both") == (
        "The video is 35 seconds long.\nQuestion: why did he smile?\nOptions:\nA. fun\nB. joy\nC. wind\n"
        "D. rain\nE. sun\nChoose the option that answers the question, and give the time span of the video "
        "that shows that it is right: a start and an end in seconds, as short as it can be without leaving "
        "something out. "
        "Where it is visible several times, give one of them.\n"
        'Reply with JSON only, in this form: {"answer": "<letter>", "span": [<start>, <end>]}'
    )


def test_what_the_others_say_and_keep_to_themselves():
    span = prompts.build(DOC, "video", "span")
    assert not any(option in span for option in ("joy", "wind", "Options"))
    ground = prompts.build(DOC, "video", "ground")
    assert "Answer: joy\n" in ground
    assert "wind" not in ground
    blind = prompts.build(DOC, "none", "answer")
    assert "35" not in blind
    assert "span" not in blind
    timed = prompts.build(DOC, "frames", "both", (0.0, 17.5))
    assert timed.startswith("The 2 frames are taken at these times, in seconds: 0.0, 17.5.\nThe frames above")


@pytest.mark.parametrize(("media", "ask"), [("audio", "both"), ("video", "everything")])
def test_unknown_prompt(media, ask):
    with pytest.raises(TempbenchError, match="no prompt"):
        prompts.build(DOC, media, ask)


def test_media_of_a_question(docs):
    (video,) = hooks.doc_to_visual(docs[0], {"media": "video"})
    assert video.endswith("media/1000000000.mp4")
    (user,) = hooks.doc_to_messages(docs[0], {"media": "frames", "frames": 4})
    kinds = [part["type"] for part in user["content"]]
    assert kinds == ["text", "image"] * 4 + ["text"]
    assert user["content"][0]["text"].startswith("Frame 1, at 0.0 seconds:")
    assert hooks.doc_to_visual(docs[0], {"media": "none"}) == []
    with pytest.raises(TempbenchError, match="whole number"):
        hooks.doc_to_text(docs[0], {"media": "frames", "frames": 0})


def is_drawn(name):
    """Whether a task, or the first one of a group, asks about a part of another task's questions."""
    config = load_task(name)
    return is_drawn(config["task"][0]) if "group" in config else "draw" in config["metadata"]


def test_tasks():
    own = (name for name in task_files() if base_of(name) is None and not is_drawn(name))
    names = {name for name in own if name.startswith("nextgqa") and not name.endswith("_mini")}
    bases = {"nextgqa", *(f"nextgqa_{kind}" for kind in ("frames", "answer", "blind", "span", "ground"))}
    assert names == bases | {f"{name}_val" for name in bases}
    for name in names:
        split = "validation" if name.endswith("_val") else "test"
        files = load_task(name)["dataset_kwargs"]["data_files"]
        assert list(files.values()) == [f"tempbench://nextgqa/{split}/*.parquet"]
