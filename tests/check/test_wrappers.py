"""Wrappers of one's own: what they hand over is found, or told by the hook."""

import asyncio
from types import SimpleNamespace

import numpy as np
import pytest

from tempbench_lmms.check import probes, procedure, questions
from tempbench_lmms.check.inputs import Inputs, Picture, Text, Video
from tempbench_lmms.harness import model_session, watching
from tempbench_lmms.harness.watching.reading import Way
from tempbench_lmms.media import codes
from tests.check import planted

CARD = probes.Card(7, "red")
PIXELS = codes.drawn(CARD)


class Wrapper:
    """Sees, and calls the hook where it is told to."""

    is_simple = False

    def __init__(self, hands_over=True):
        self.task_dict, self.hands_over = {}, hands_over

    def generate_until(self, requests):
        replies = []
        for request in requests:
            _, to_messages, settings, number, task, split = request.args
            messages = to_messages(self.task_dict[task][split][number])
            if self.hands_over:
                watching.given(messages, max_new_tokens=12, temperature=0, until=[])
            replies.append(questions.reply(questions.inputs_of(messages, settings)))
        return replies


@pytest.mark.parametrize("hands_over", [True, False])
def test_the_hook_shows_what_is_handed_over(drawn, hands_over):
    pytest.importorskip("lmms_eval")
    plan, inside, _ = drawn()
    pictured = [probe for probe in inside if not probe.films]
    session = model_session.Session(Wrapper(hands_over))
    check = procedure.checked(session.ask, plan, pictured, [])
    assert planted.found(check) == set()
    states = {one.line: one.state for one in check.verdicts}
    assert states["order"] == states["signs"] == ("passed" if hands_over else "cannot be seen from here")
    assert check.state == "not judged"  # no video was asked about
    assert ("the hook" in next(one.text for one in check.unseen)) is not hands_over


def told(lm, prompt, **more):
    seen = []
    with watching.watching(lm, seen.extend):
        watching.given(prompt, **more)
    return seen[0]


@pytest.mark.parametrize("image", [codes.as_image(PIXELS), PIXELS, np.moveaxis(PIXELS / 255, -1, 0)])
def test_a_prompt_with_signs_for_its_media(image):
    frames = [PIXELS, PIXELS]
    found = told(object(), "Look: <image> and <video>.", images=[image], videos=[frames], times=[[0, 1]])
    first, picture, between, video, last = found.parts
    assert (first, between, last) == (Text("Look: "), Text(" and "), Text("."))
    assert isinstance(picture, Picture)
    assert picture.cards == (CARD,)
    assert isinstance(video, Video)
    assert video.times == (0, 1)


def test_the_hook_does_nothing_outside_of_a_check():
    watching.given("Look", images=[object()])


def test_a_processor_and_a_model_are_found_under_any_name():
    class Processor:
        tokenizer = SimpleNamespace(apply_chat_template=None)
        image_processor = object()
        apply_chat_template = None

        def __call__(self, text, images=None, **more):
            return text

    lm = SimpleNamespace(engine=SimpleNamespace(own_processor=Processor()))
    seen = []
    with watching.watching(lm, seen.extend):
        assert lm.engine.own_processor(text="A <image>", images=[PIXELS]) == "A <image>"
    assert seen[0].parts[:2] == (Text("A "), Picture(None, None, (CARD,), (448, 448)))


def test_another_number_of_replies_is_a_failure(drawn):
    pytest.importorskip("lmms_eval")
    _, inside, _ = drawn()
    lm = Wrapper()
    lm.generate_until = lambda requests: ["red"] * (len(requests) - 1)
    (answer,) = model_session.Session(lm).ask(inside[:1])
    assert answer.error == "another number of replies: 0 to 1 questions"


def test_questions_with_the_same_text_are_told_apart_by_their_pictures(drawn):
    """Runners ask several at once, in any order."""
    pytest.importorskip("lmms_eval")
    _, _, outside = drawn(0, True)
    pair = [probe for probe in outside if probe.kind == "colours of images"][:2]
    lm = Wrapper()
    ask = lm.generate_until
    lm.generate_until = lambda requests: ask(requests[::-1])[::-1]
    answers = model_session.Session(lm).ask(pair)
    assert [answer.arrived.parts for answer in answers] == [procedure.rendered(one).parts for one in pair]


@pytest.mark.parametrize("is_awaited", [False, True])
def test_what_fails_is_told_and_what_cannot_be_read_is_passed_on(is_awaited):
    class Client:
        def ask(self, text):
            return self.later(text) if is_awaited else self.now(text)

        async def later(self, text):
            return self.now(text)

        def now(self, text):
            if text == "fail":
                raise RuntimeError("no memory left")
            return text

    def ask(text):
        return asyncio.run(client.ask(text)) if is_awaited else client.ask(text)

    client, seen = Client(), []
    way = Way(client, "ask", lambda text: [Inputs((Text(text.lower()),))], lambda out, text: [out])
    with way.heard(seen.extend):
        assert ask("Well") == "Well"
        assert ask(None) is None
        with pytest.raises(RuntimeError):
            ask("fail")
    assert [(one.text, one.said, one.error) for one in seen] == [
        ("well", "Well", ""),
        ("fail", None, "RuntimeError: no memory left"),
    ]
