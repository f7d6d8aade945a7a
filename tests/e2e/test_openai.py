"""The OpenAI-compatible runner against a server on this machine: what it sends, and what comes of it."""

import base64
import io

import numpy as np
import pytest
from PIL import Image

from tempbench_lmms.harness.tasks import docs_of, kwargs_of, load_task
from tests.second_reader import Stub

pytestmark = pytest.mark.harness

STRIP = "tempvs_mt1_two_mini"
IMAGES = {  # task: pictures a question
    STRIP: 1,
    "tempvs_mt3_event_separate_mini": 5,
    "coherence_qa_4f_times_mini": 4,
    "rextime_frames_mini": 16,
}
FRAMES_AS_VIDEO = "coherence_qa_8f_video_mini"
N_DOCS = 2
KEY = "sk-of-nobody"
PROXIES = {"no_proxy": "127.0.0.1", "NO_PROXY": "127.0.0.1"}


def parts_of(messages):
    return [part for message in messages for part in message["content"]]


def texts_of(messages):
    return [part["text"] for part in parts_of(messages) if part["type"] == "text"]


@pytest.fixture(scope="module")
def asked(tmp_path_factory, run_harness):
    with Stub(lambda text: "Option A") as server:
        run = run_harness(
            "openai",
            [*IMAGES, FRAMES_AS_VIDEO],
            tmp_path_factory.mktemp("openai"),
            ["--limit", str(N_DOCS)],
            model_args=f"model=tiny,base_url={server.url},api_key={KEY}",
            environment=PROXIES,
        )
    return run, server


def wanted_of(task):
    """Returns the conversations of a task's first documents, as our hook gives them, and the documents."""
    config = load_task(task)
    kwargs = kwargs_of(config)
    docs = list(docs_of(config))[:N_DOCS]
    return [(doc, config["doc_to_messages"](doc, kwargs)) for doc in docs]


def sent_for(server, wanted):
    """Returns the one request with the texts of a conversation."""
    (body,) = [body for body in server.bodies if texts_of(body["messages"]) == texts_of(wanted)]
    return body


def pictures_of(body):
    pictures = []
    for part in parts_of(body["messages"]):
        if part["type"] == "image_url":
            head, data = part["image_url"]["url"].split(",", 1)
            assert head == "data:image/png;base64"
            pictures.append(Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB"))
    return pictures


@pytest.mark.parametrize("task", IMAGES)
def test_images_are_sent_as_they_are_and_in_place(asked, task):
    """The parts of `doc_to_messages`, in their order: texts between the pictures, every pixel of these."""
    for _, wanted in wanted_of(task):
        body = sent_for(asked[1], wanted)
        assert body["model"] == "tiny"
        assert body["temperature"] == 0
        assert body["max_tokens"] == load_task(task)["generation_kwargs"]["max_new_tokens"]
        assert "stop" not in body
        assert [message["role"] for message in body["messages"]] == [message["role"] for message in wanted]
        kinds = [part["type"].removesuffix("_url") for part in parts_of(body["messages"])]
        assert kinds == [part["type"] for part in parts_of(wanted)]
        shown = [part["url"] for part in parts_of(wanted) if part["type"] == "image"]
        sent = pictures_of(body)
        assert [picture.size for picture in sent] == [picture.size for picture in shown]
        assert [picture.tobytes() for picture in sent] == [picture.tobytes() for picture in shown]
        assert len(sent) == IMAGES[task]


def difference(sent, frame):
    """Mean squared difference of two pictures' grey values, the one sent brought back to the other's size."""
    small = sent.resize(frame.size, Image.Resampling.BOX)
    pixels = [np.asarray(picture.convert("L"), dtype=float) for picture in (small, frame)]
    return float(np.square(pixels[0] - pixels[1]).mean())


def in_order(sent, frames):
    """True where each picture is nearest to the frame of its own place, or to one that looks the same."""
    assert len(sent) == len(frames)
    return all(
        difference(picture, frame) <= 1.02 * min(difference(picture, other) for other in frames)
        for picture, frame in zip(sent, frames, strict=True)
    )


def test_frames_given_as_a_video_keep_number_and_order(asked):
    """The runner sends them one by one, each resized to multiples of 28 pixels."""
    for doc, wanted in wanted_of(FRAMES_AS_VIDEO):
        (video,) = [part["url"] for part in parts_of(wanted) if part["type"] == "video"]
        sent = pictures_of(sent_for(asked[1], wanted))
        assert len(video) == doc["n_frames"] == 8
        assert in_order(sent, video)
        assert not in_order(sent[::-1], video)
        assert {(picture.width % 28, picture.height % 28) for picture in sent} == {(0, 0)}


def test_what_comes_of_it(asked):
    run, server = asked
    assert len(server.bodies) == N_DOCS * 5
    assert set(server.keys) == {f"Bearer {KEY}"}
    assert all(row["filtered_resps"] == "Option A" for row in run.logged(STRIP))
    assert run.value(STRIP, "n_failed") == 0
