"""Faults of the harness that `tempbench check-model` is there for: each test fails once the harness mends it.

Then its text in docs/decisions/upstream.md, and what docs/check_model.md says of it, can go.
"""

import importlib.metadata
import importlib.util
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

from tempbench_lmms.media import codes

pytestmark = pytest.mark.harness


def picture(number, side=64):
    return codes.as_image(codes.drawn(codes.Card(number), side))


def test_encoded_pictures_are_remembered_by_id():
    from lmms_eval.models.model_utils import media_encoder

    # The same place in memory, another picture: what happens to the frames of a video, made one by one.
    shown, cache = picture(0), {}
    first = media_encoder.encode_image_to_base64(shown, cache=cache)
    shown.paste(picture(1))
    assert media_encoder.encode_image_to_base64(shown, cache=cache) == first
    assert media_encoder.encode_image_to_base64(shown) != first


def test_gemini_drops_a_video_that_is_given_as_frames(monkeypatch):
    from lmms_eval.models.chat import gemini
    from lmms_eval.protocol import ChatMessages

    part = SimpleNamespace(
        from_text=lambda text: ("text", text),
        from_bytes=lambda data, mime_type: ("image", len(data)),
        from_uri=lambda file_uri, mime_type: ("video", file_uri),
    )
    types = SimpleNamespace(Part=part, Content=lambda role, parts: parts)
    monkeypatch.setattr(gemini, "types", types)
    content = [
        {"type": "video", "url": [picture(number) for number in range(4)]},
        {"type": "text", "text": "What happens?"},
    ]
    messages = ChatMessages(messages=[{"role": "user", "content": content}])
    (parts,) = gemini._chat_messages_to_gemini_contents(messages, lambda path: None, [])
    assert parts == [("text", "What happens?")]


def test_openai_messages_of_a_video_tell_no_times(tmp_path):
    from lmms_eval.protocol import ChatMessages

    path = codes.write_video(tmp_path / "a.mp4", [codes.drawn(codes.Card(i), 64) for i in range(8)], 2)
    content = [{"type": "video", "url": str(path)}, {"type": "text", "text": "When?"}]
    messages = ChatMessages(messages=[{"role": "user", "content": content}])
    (sent,) = messages.to_openai_messages(video_kwargs={"nframes": 8})
    assert [part["type"] for part in sent["content"]] == ["image_url"] * 8 + ["text"]
    assert [part["text"] for part in sent["content"] if part["type"] == "text"] == ["When?"]


@pytest.fixture
def clip(tmp_path):
    return str(codes.write_video(tmp_path / "a.mp4", [codes.drawn(codes.Card(i), 64) for i in range(8)], 2))


def test_a_video_with_fewer_frames_than_asked_for_fails(clip):
    from lmms_eval.protocol import ChatMessages

    content = [{"type": "video", "url": clip}]
    messages = ChatMessages(messages=[{"role": "user", "content": content}])
    assert len(messages.to_openai_messages(video_kwargs={"nframes": 8})[0]["content"]) == 8
    with pytest.raises((AttributeError, ValueError)):
        messages.to_openai_messages(video_kwargs={"nframes": 32})


def test_the_proposed_patch_finds_the_tasks_of_a_package(tmp_path, monkeypatch):
    spec = importlib.util.find_spec("lmms_eval.tasks")
    patched = tmp_path / "lmms_eval/tasks/__init__.py"
    patched.parent.mkdir(parents=True)
    patched.write_bytes(Path(spec.origin).read_bytes())
    patch = Path(__file__).parents[2] / "docs/decisions/external_tasks.patch"
    subprocess.run(["git", "apply", str(patch)], cwd=tmp_path, check=True)
    module = importlib.util.module_from_spec(importlib.util.spec_from_file_location("patched_tasks", patched))
    module.__spec__.loader.exec_module(module)
    ours = importlib.metadata.EntryPoint(
        "ours", "tempbench_lmms.harness.variants:task_dir", "lmms_eval.tasks"
    )
    broken = importlib.metadata.EntryPoint("broken", "nowhere:folder", "lmms_eval.tasks")
    monkeypatch.setattr(module, "entry_points", lambda group: [broken, ours])
    patched.with_name("own.yaml").write_text("task: own")  # what the harness brings, beside its file
    assert module.TaskManager().match_tasks(["tempvs", "rextime_mini", "own"]) == [
        "own",
        "rextime_mini",
        "tempvs",
    ]
