"""The harness's own runners, unchanged: no false alarm, and what they really do wrong is found."""

import json

import pytest
from PIL import Image

from tempbench_lmms.check import procedure, questions
from tempbench_lmms.harness import model_session, plugin, watching
from tests.check import architectures, planted
from tests.second_reader import Stub

pytestmark = pytest.mark.harness

QWEN = "pretrained={},device=cpu,device_map=cpu,min_pixels=50176,max_pixels=50176"


@pytest.fixture(scope="module", autouse=True)
def _plugin():
    plugin.install()


def checked(lm, folder, **options):
    plan = procedure.Plan(**{"n_pictures": 4, "n_lines": 20, "kinds": (), **options})
    inside, outside = procedure.drawn(plan, folder)
    return procedure.checked(model_session.Session(lm).ask, plan, architectures.brief(inside), outside)


def states(found):
    return {one.line: one.state for one in found.verdicts}


@pytest.fixture(scope="module")
def server():
    """Answers as one who sees, and keeps what it was asked."""
    with Stub(lambda body: questions.reply(watching.of_request(body)), of_body=True) as found:
        yield found


@pytest.fixture
def _pictures_are_packed_fast(monkeypatch):
    """The runner packs each as tightly as Pillow does; the pixels are the same."""
    save = Image.Image.save

    def fast(self, file, format=None, **how):
        save(self, file, format, **({"compress_level": 1} | how))

    monkeypatch.setattr(Image.Image, "save", fast)


@pytest.mark.usefixtures("_pictures_are_packed_fast")
@pytest.mark.parametrize("model", ["openai", pytest.param("async_openai", marks=pytest.mark.exhaustive)])
def test_runners_of_the_openai_protocol(model, server, tmp_path, monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-nobody")
    arguments = f"model=tiny,base_url={server.url},api_key=sk-of-nobody,max_retries=1"
    lm = model_session.runner(model, arguments)
    kinds = ("colours of images",)
    found = checked(lm, tmp_path, kinds=kinds)
    named = {(one.line, name) for one in found.verdicts for name in one.faults}
    # Both send a video as pictures, and no time with them; what else stands here is of videos alone.
    assert {line for line, _ in named} <= {"times", "short video", "batch"}
    assert ("times", "no times") in named
    assert {line for line, state in states(found).items() if state != "passed"} == {line for line, _ in named}
    assert {"max_new_tokens", "greedy", *kinds} <= states(found).keys()


@pytest.mark.usefixtures("_pictures_are_packed_fast")
@pytest.mark.parametrize("model", ["openai", "async_openai"])
def test_what_is_seen_is_what_is_sent(model, server, drawn, monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    lm = model_session.runner(model, f"model=tiny,base_url={server.url},api_key=sk-of-nobody")
    _, asked, _ = drawn()
    asked = [probe for probe in asked if probe.cards and probe.kind != "same text"][:3]
    server.bodies.clear()
    sent = {}
    for probe, answer in zip(asked, model_session.Session(lm).ask(asked), strict=True):
        (sent[probe.name],) = [body for body in server.bodies if probe.name in json.dumps(body["messages"])]
        inputs = watching.of_request(sent[probe.name])
        assert answer.arrived == inputs
        assert answer.reply == questions.reply(inputs)
    assert len(sent) == len(server.bodies) == 3


def test_a_tiny_qwen2_5_vl(tiny_vlm, tmp_path):
    lm = architectures.in_float32(model_session.runner("qwen2_5_vl", QWEN.format(tiny_vlm)))
    found = checked(lm, tmp_path, seed=1)
    assert planted.found(found) == set()
    assert set(states(found).values()) == {"passed"}
    assert found.state == "passed"
