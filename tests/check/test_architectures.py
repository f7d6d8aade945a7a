"""The harness's own runners on tiny models of more architectures: their faults are found, and no more."""

from unittest import mock

import pytest

from tempbench_lmms.check import probes, procedure
from tempbench_lmms.check.verdict import UNSEEN
from tempbench_lmms.harness import model_session, plugin
from tests.check import architectures

pytestmark = [pytest.mark.harness, pytest.mark.slow]

PLAN = procedure.Plan(n_pictures=4, n_lines=40, kinds=())


@pytest.fixture(scope="module")
def loaded(tmp_path_factory):
    """Returns a case and its runner; each model is loaded once."""
    plugin.install()
    runners = {}

    def load(name):
        if name not in runners:
            case = architectures.cases()[name]
            runners[name] = case, case.load(tmp_path_factory.mktemp(name.replace(" ", "_")))
        return runners[name]

    return load


@pytest.fixture(scope="module")
def inside(tmp_path_factory):
    return architectures.brief(procedure.drawn(PLAN, tmp_path_factory.mktemp("films"))[0])


def of_kind(inside, kind):
    return next(probe for probe in inside if probe.kind == kind)


@pytest.mark.parametrize(
    "name",
    # Each of a kind: what sees times in videos, what decodes none, and what shows images before texts.
    ["qwen3_vl", "internvl_hf", pytest.param("gemma3", marks=pytest.mark.exhaustive)],
)
def test_what_a_runner_does_wrong_is_found_and_no_more(name, loaded, inside):
    case, lm = loaded(name)
    check = procedure.checked(model_session.Session(lm).ask, PLAN, inside, [])
    assert architectures.found(check) == case.known
    unseen = {one.line for one in check.verdicts if one.state == UNSEEN}
    if ("video", "request failed") in case.known:  # of a video that never arrives nothing more can be said
        assert unseen == {"video length", "video order", "times"}
    else:
        assert unseen == set()


def changed(change):
    """Returns `probes.messages_of` with something going wrong on the way to the runner."""
    right = probes.messages_of

    def messages_of(probe):
        (message,) = right(probe)
        return [{**message, "content": change(probe, message["content"])}]

    return mock.patch.object(probes, "messages_of", messages_of)


def generating(lm, **values):
    right = lm._build_generate_kwargs
    return mock.patch.object(lm, "_build_generate_kwargs", lambda given: right(given) | values)


def reversed_and_cut(probe, content):
    if probe.kind == "long text":
        image, text, _ = content
        return [image, {**text, "text": text["text"][:900]}]
    images = [part for part in content if part["type"] == "image"]
    return [images.pop() if part["type"] == "image" else part for part in content]


def test_planted_faults_are_named_through_a_runner(loaded, inside):
    _, lm = loaded("qwen3_vl")
    some = [of_kind(inside, kind) for kind in ("pictures", "long text", "video")]
    right = type(lm.processor)._calculate_timestamps

    def third(self, *args):
        return [seconds / 3 for seconds in right(self, *args)]

    with (
        changed(reversed_and_cut),
        generating(lm, max_new_tokens=20),
        mock.patch.object(lm, "system_prompt", "Answer like a pirate."),
        mock.patch.object(type(lm.processor), "_calculate_timestamps", third),
    ):
        check = procedure.checked(model_session.Session(lm).ask, PLAN, some, [])
    assert architectures.found(check) == {
        ("order", "images reversed"),
        ("text", "prompt cut"),
        ("system", "system prompt added"),
        ("max_new_tokens", "max_new_tokens ignored"),
        ("times", "wrong times"),
    }


def test_a_failure_that_a_runner_hides_behind_an_empty_reply_is_told(loaded, inside):
    _, lm = loaded("internvl_hf")
    probe = of_kind(inside, "pictures")
    with mock.patch.object(lm.model, "generate", side_effect=RuntimeError("no memory left")):
        (answer,) = model_session.Session(lm).ask([probe])
    assert answer.error == "RuntimeError: no memory left"
