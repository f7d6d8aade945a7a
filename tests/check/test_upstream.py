"""Faults of the harness that `tempbench check-model` is there for: each test fails once the harness mends it.

Then the text in docs/upstream has done its work, and what is said of the fault in `check/hints.py` can go.
"""

from types import SimpleNamespace

import pytest

from tempbench_lmms.media import codes

pytestmark = pytest.mark.harness

SMALL = "min_pixels=50176,max_pixels=50176"  # as the frames are: made larger they take most of the time


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


@pytest.mark.usefixtures("_in_float32")
def test_qwen2_5_vl_takes_the_number_of_frames_of_a_batch_from_its_first_video(tiny_vlm, tmp_path):
    from tempbench_lmms.check import probes
    from tempbench_lmms.harness import model_session

    lm = model_session.runner("qwen2_5_vl", f"pretrained={tiny_vlm},device=cpu,device_map=cpu,{SMALL}", 2)
    inside = {probe.kind: probe for probe in probes.inside(0, tmp_path)}
    # The runner sorts by text; the name that comes first in the alphabet leads the batch.
    pair = sorted([inside["video"], inside["short video"]], key=probes.text_of)
    session = model_session.Session(lm)
    alone = [session.ask([probe])[0] for probe in pair]
    assert not any(answer.error for answer in alone)
    together = session.ask(pair)
    assert any(answer.error for answer in together) or any(
        one.arrived != other.arrived for one, other in zip(alone, together, strict=True)
    )


@pytest.mark.usefixtures("_in_float32")
def test_the_simple_qwen2_5_vl_drops_videos_by_their_suffix(tiny_vlm, tmp_path):
    import shutil

    from lmms_eval import models
    from lmms_eval.api.instance import Instance

    args = f"pretrained={tiny_vlm},device=cpu,device_map=cpu,{SMALL}"
    lm = models.get_model("qwen2_5_vl", force_simple=True).create_from_arg_string(args, {"batch_size": 1})
    known = codes.write_video(tmp_path / "a.mp4", [codes.drawn(codes.Card(i), 224) for i in range(16)], 2)
    for suffix in ("mkv", "webm"):
        shutil.copy(known, tmp_path / f"a.{suffix}")
    given = []
    generate = lm.model.generate
    lm.model.generate = lambda **named: given.append(named) or generate(**named)
    for suffix in ("mp4", "mkv", "webm"):
        path = str(tmp_path / f"a.{suffix}")
        lm.task_dict["t"] = {"test": [None]}
        arguments = ("When?", {"max_new_tokens": 2}, lambda doc, path=path: [path], 0, "t", "test")
        lm.generate_until(
            [Instance("generate_until", arguments, 0, {"task": "t", "doc_id": 0, "repeats": 1})]
        )
    seen, *unseen = given
    assert seen.get("pixel_values_videos") is not None
    assert [one.get("pixel_values_videos") for one in unseen] == [None, None]
    # And where it shows the video: 16 frames of 8 s are 8 steps of a second; the model is told another span.
    told = float(seen["second_per_grid_ts"][0]) * int(seen["video_grid_thw"][0][0])
    assert told < 4


def question_of_a_video(path, runner):
    """Returns what the harness asks of a runner about a video."""
    from lmms_eval.api.instance import Instance

    content = [{"type": "video", "url": path}, {"type": "text", "text": "When?"}]
    runner.task_dict = {"t": {"test": [None]}}
    arguments = ("When?", lambda doc: [{"role": "user", "content": content}], {}, 0, "t", "test")
    return Instance("generate_until", arguments, 0, {"task": "t", "doc_id": 0, "repeats": 1})


@pytest.fixture
def clip(tmp_path):
    return str(codes.write_video(tmp_path / "a.mp4", [codes.drawn(codes.Card(i), 64) for i in range(8)], 2))


@pytest.mark.parametrize(("asked_for", "texts"), [(None, 1), (True, 9)])
def test_vllm_tells_qwen3_vl_times_only_where_it_is_asked_to(asked_for, texts, clip):
    import inspect

    from lmms_eval.models.chat.vllm import VLLM

    defaults = inspect.signature(VLLM.__init__).parameters
    runner = VLLM.__new__(VLLM)
    for name in ("max_pixels", "min_image_pixels", "max_frame_num", "fps", "max_new_tokens", "is_qwen3_vl"):
        setattr(runner, name, defaults[name].default)
    runner.model, runner.nframes = "Qwen/Qwen3-VL-8B-Instruct", 8
    if asked_for is not None:
        runner.is_qwen3_vl = asked_for
    messages, _ = runner.make_one_request(question_of_a_video(clip, runner))
    told = [part["text"] for part in messages[0]["content"] if part["type"] == "text"]
    assert len(told) == texts
    assert told[0] == ("<0.0 seconds>" if asked_for else "When?")


def test_a_video_with_fewer_frames_than_asked_for_fails(clip):
    from lmms_eval.protocol import ChatMessages

    content = [{"type": "video", "url": clip}]
    messages = ChatMessages(messages=[{"role": "user", "content": content}])
    assert len(messages.to_openai_messages(video_kwargs={"nframes": 8})[0]["content"]) == 8
    with pytest.raises((AttributeError, ValueError)):
        messages.to_openai_messages(video_kwargs={"nframes": 32})


def given_to_the_processor(clip, **arguments):
    """Returns how `internvl_hf` asks its processor for a video's frames."""
    import inspect

    from lmms_eval.models.chat.internvl_hf import InternVLHf

    class Given(Exception):
        pass

    class Processor:
        def apply_chat_template(self, messages, **options):
            return "When?"

        def __call__(self, **given):
            raise Given(given)

    runner = InternVLHf.__new__(InternVLHf)
    for name in ("num_frames", "fps", "min_patches", "max_patches"):
        setattr(runner, name, inspect.signature(InternVLHf.__init__).parameters[name].default)
    runner.batch_size_per_gpu, runner._rank, runner.processor = 1, 0, Processor()
    runner.accelerator = SimpleNamespace(is_main_process=False)
    vars(runner).update(arguments)
    with pytest.raises(Given) as caught:
        runner.generate_until([question_of_a_video(clip, runner)])
    return {
        name: value
        for name, value in caught.value.args[0].items()
        if name in ("num_frames", "fps", "do_sample_frames")
    }


def frames_shown(n, given):
    """Returns how many frames InternVL is shown of a video of n frames at 8 a second."""
    import numpy as np
    from transformers.models.internvl.video_processing_internvl import InternVLVideoProcessor
    from transformers.video_utils import VideoMetadata

    metadata = VideoMetadata(total_num_frames=n, fps=8.0, duration=n / 8, frames_indices=list(range(n)))
    video = np.zeros((n, 3, 32, 32), np.uint8)
    made = InternVLVideoProcessor(size={"height": 32, "width": 32})(
        videos=[video], video_metadata=[metadata], return_tensors="pt", **given
    )
    return made["pixel_values_videos"].shape[1]


def test_internvl_hf_asks_for_frames_but_not_by_rate_nor_of_short_videos(clip):
    assert frames_shown(40, given_to_the_processor(clip, num_frames=8)) == 8  # mended
    assert frames_shown(40, given_to_the_processor(clip, fps=2)) == 32  # 5 seconds: 10 were asked for
    with pytest.raises(ValueError, match="exceeds"):
        frames_shown(8, given_to_the_processor(clip))


def test_positions_of_time_take_fractions_of_a_second():
    """Not the harness's: what it relies on, and what older `transformers` cut to whole numbers."""
    import torch
    from transformers import Qwen2_5_VLConfig
    from transformers.models.qwen2_5_vl.modeling_qwen2_5_vl import Qwen2_5_VLModel

    model = Qwen2_5_VLModel.__new__(Qwen2_5_VLModel)
    torch.nn.Module.__init__(model)
    model.config = Qwen2_5_VLConfig()
    video = model.config.video_token_id
    positions, _ = model.get_rope_index(
        torch.tensor([[video] * 4]),
        mm_token_type_ids=torch.tensor([[2] * 4]),
        video_grid_thw=torch.tensor([[4, 2, 2]]),
        second_per_grid_ts=torch.tensor([0.5]),
    )
    per_second = model.config.vision_config.tokens_per_second
    assert positions[0, 0].tolist() == [int(i * 0.5 * per_second) for i in range(4)]
