"""What is read of the requests to an engine of vLLM: an engine that does no more than make them."""

from itertools import pairwise
from types import MappingProxyType, SimpleNamespace

import numpy as np
import pytest

from tempbench_lmms.check import probes, procedure
from tempbench_lmms.check.inputs import Picture, Text
from tempbench_lmms.harness import model_session, watching
from tempbench_lmms.media import codes
from tests.check import planted

pytestmark = pytest.mark.harness


class MultiModalBatchedField:
    """As vLLM calls it: an element is one row of the batch."""


class Processor:
    """Makes of text a token a character, of a picture the four tokens `[**]`."""

    MARKS = ("[", "]", "*", "<|im_start|>")
    tokenizer = property(lambda self: self)
    added_tokens_decoder = MappingProxyType(dict(enumerate(MARKS)))
    image_processor = SimpleNamespace(image_mean=(0.5, 0.5, 0.5), image_std=(0.25, 0.25, 0.25))

    def apply_chat_template(self, messages, chat_template=None, **options):
        texts = [part["text"] for message in messages for part in message["content"]]
        return f"{chat_template or ''}<|im_start|>user: {''.join(texts)}\nassistant: "

    def encode(self, text):
        tokens = []
        while text:
            mark = next((mark for mark in self.MARKS if text.startswith(mark)), None)
            tokens.append(self.MARKS.index(mark) if mark else ord(text[0]) + 10)
            text = text[len(mark or "x") :]
        return tokens

    def decode(self, tokens, skip_special_tokens=False):
        return "".join(self.MARKS[token] if token < 10 else chr(token - 10) for token in tokens)

    def convert_ids_to_tokens(self, token):
        return self.decode([token])


class Tensor(np.ndarray):
    """The little of a tensor that is asked for."""

    detach = float = cpu = lambda self: self

    def numpy(self):
        return np.asarray(self)

    def unsqueeze(self, axis):
        return np.expand_dims(self, axis).view(Tensor)


class Core:
    def __init__(self):
        self.known, self.requests = set(), []

    def add_request(self, request):
        self.requests.append(request)


class Engine:
    """What vLLM makes of a conversation; a picture that its core knows is sent without its pixels."""

    __module__ = "vllm.entrypoints.llm"

    def __init__(self, fault=None, raw=False):
        self.raw = raw
        processor = Processor()
        shown = SimpleNamespace(info=SimpleNamespace(get_hf_processor=lambda: processor))
        self.llm_engine = SimpleNamespace(
            engine_core=Core(),
            model_config=SimpleNamespace(hf_config=SimpleNamespace(image_token_id=2)),
            renderer=SimpleNamespace(mm_processor=shown, get_mm_processor=lambda: shown),
        )
        self.fault = fault or (lambda content: content)

    def chat(self, messages, sampling_params, chat_template=None):
        for one, params in zip(messages, sampling_params, strict=True):
            self.llm_engine.engine_core.add_request(self.request(one, params, chat_template))
        return ["reply"] * len(messages)

    def request(self, messages, params, chat_template):
        processor = self.llm_engine.renderer.get_mm_processor().info.get_hf_processor()
        parts, pictures = [], []
        for part in self.fault(messages[0]["content"]):
            parts.append({"type": "text", "text": part if isinstance(part, str) else "[**]"})
            pictures += [] if isinstance(part, str) else [part]
        text = processor.apply_chat_template([{"content": parts}], chat_template)
        tokens = processor.encode(text)
        starts = [i for i, (one, other) in enumerate(pairwise(tokens)) if one == other == 2]
        features = [self.feature(*pair) for pair in zip(pictures, starts, strict=True)]
        return SimpleNamespace(prompt_token_ids=tokens, mm_features=features or None, sampling_params=params)

    def feature(self, card, start):
        core, name = self.llm_engine.engine_core, str(card)
        planes = np.moveaxis(codes.drawn(card), -1, 0).view(Tensor)
        planes = planes if self.raw else (planes.astype(np.float32) / 255 - 0.5) / 0.25
        values = {"pixel_values": SimpleNamespace(data=planes, field=MultiModalBatchedField())}
        data = None if name in core.known else values
        core.known.add(name)
        place = SimpleNamespace(offset=start, length=2, get_num_embeds=lambda: 2)
        return SimpleNamespace(data=data, modality="image", identifier=name, mm_position=place)


class Runner:
    """A runner as the harness's `vllm`, for questions of text and pictures."""

    def __init__(self, engine, chat_template=None, least=1):
        self.client, self.chat_template, self.least = engine, chat_template, least
        self.task_dict = {}

    is_simple = False

    def generate_until(self, requests):
        messages, params = [], []
        for request in requests:
            _, _, settings, number, task, split = request.args
            probe = self.task_dict[task][split][number]
            messages.append([{"role": "user", "content": list(probe.parts)}])
            most = max(self.least, settings["max_new_tokens"])
            params.append(SimpleNamespace(max_tokens=most, temperature=settings["temperature"], stop=[]))
        return self.client.chat(messages=messages, sampling_params=params, chat_template=self.chat_template)


@pytest.fixture(scope="module")
def checked(drawn):
    """Checks a runner with the questions of a seed that have no video."""

    def check(runner, seed=0):
        plan, inside, _ = drawn(seed)
        pictured = [probe for probe in inside if not probe.films and not probe.system]
        return procedure.checked(model_session.Session(runner).ask, plan, pictured, [])

    return check


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.exhaustive) for seed in (1, 2))])
def test_no_false_alarm(seed, checked):
    found = checked(Runner(Engine()), seed)
    assert planted.found(found) == set()
    states = {one.line: one.state for one in found.verdicts}
    assert states["order"] == states["interleaved"] == states["text"] == states["batch"] == "passed"
    (size,) = (one.text for one in found.verdicts if one.line == "size")
    assert size == "6 images of 448x448 pixels, 12 tokens"


def on_pictures(change):
    def fault(content):
        pictures = change([part for part in content if not isinstance(part, str)])
        texts = [part for part in content if isinstance(part, str)]
        mixed = [one for pair in zip(texts, pictures, strict=False) for one in pair]
        return [*mixed, *texts[len(pictures) :], *pictures[len(texts) :]]

    return fault


FAULTS = {
    "images swapped": on_pictures(
        lambda cards: [cards[2], cards[1], cards[0], *cards[3:]] if cards[3:] else cards
    ),
    "text and images apart": lambda content: sorted(content, key=lambda part: isinstance(part, str)),
    "prompt cut": lambda content: content if len(content) > 3 else [content[0], content[1][:300]],
}


@pytest.mark.parametrize("name", FAULTS)
def test_what_the_engine_makes_of_the_messages_is_judged(name, checked):
    assert name in planted.found(checked(Runner(Engine(FAULTS[name]))))


def test_a_template_and_a_least_length(checked):
    faulty = Engine()
    request = faulty.request
    faulty.request = lambda one, params, template: request(one, params, "You are a careful assistant.")
    assert planted.found(checked(Runner(faulty))) == {"system prompt added"}
    assert planted.found(checked(Runner(Engine(), least=4096))) == {"max_new_tokens ignored"}


def test_pixels_that_are_not_sent_again_are_remembered():
    runner, card, told = Runner(Engine()), probes.Card(7, "red"), []
    params = [SimpleNamespace(max_tokens=5, temperature=0.7, stop="end")]
    for _ in range(2):
        with watching.watching(runner, told.extend):
            runner.client.chat([[{"role": "user", "content": ["Look", card]}]], params)
    first, again = told
    assert first == again
    assert first.parts[0] == Text("Look")
    assert isinstance(first.parts[1], Picture)
    assert first.parts[1].cards == (card,)
    assert (first.settings.max_new_tokens, first.settings.samples, first.settings.stop) == (5, True, ("end",))
    assert runner.client.llm_engine.engine_core.requests[1].mm_features[0].data is None
    assert "add_request" not in vars(runner.client.llm_engine.engine_core)


@pytest.mark.parametrize("raw", [False, True])
def test_colours_are_those_of_the_picture(raw):
    """Newer engines normalise in the model, and send colours from 0 to 255."""
    runner, card, told = Runner(Engine(raw=raw)), probes.Card(7, "red", "circle"), []
    with watching.watching(runner, told.extend):
        runner.client.chat([[{"role": "user", "content": ["Look", card]}]], [SimpleNamespace(stop=None)])
    assert np.array_equal(told[0].parts[1].pixels, codes.drawn(card))


def test_a_picture_that_cannot_be_read_is_there(checked):
    engine = Engine()
    engine.llm_engine.model_config.hf_config = SimpleNamespace()
    found = checked(Runner(engine))
    states = {one.line: one.state for one in found.verdicts}
    assert states["number"] == "passed"
    assert states["order"] == "cannot be seen from here"
