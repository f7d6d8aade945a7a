"""What is read of the requests to an engine of vLLM: an engine that does no more than make them."""

from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

from tempbench_lmms.check import probes
from tempbench_lmms.check.inputs import Picture, Settings, Text
from tempbench_lmms.harness import watching
from tempbench_lmms.media import codes

pytestmark = pytest.mark.harness


class MultiModalBatchedField:
    """As vLLM calls it: an element is one row of the batch."""


class Processor:
    """Makes of text a token a character, of a picture the four tokens `[**]`."""

    MARKS = ("[", "]", "*", "<|im_start|>")
    tokenizer = property(lambda self: self)
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
        return [SimpleNamespace(outputs=[SimpleNamespace(text="reply")])] * len(messages)

    def request(self, messages, params, chat_template):
        processor = self.llm_engine.renderer.get_mm_processor().info.get_hf_processor()
        parts, pictures = [], []
        for part in self.fault([one.get("card", one.get("text")) for one in messages[0]["content"]]):
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


SETTINGS = SimpleNamespace(max_tokens=5, temperature=0.7, stop="end")
CARDS = (probes.Card(7, "red", "circle"), probes.Card(8))


def told(engine, *content, template=None):
    """Returns what a question is told to be, asked of an engine that a runner has."""
    runner, seen = SimpleNamespace(client=engine, chat_template=template), []
    parts = [
        {"type": "text", "text": one}
        if isinstance(one, str)
        else {"type": "image", "image": codes.as_image(codes.drawn(one)), "card": one}
        for one in content
    ]
    with watching.watching(runner, seen.extend):
        engine.chat([[{"role": "user", "content": parts}]], [SETTINGS], template)
    (inputs,) = seen
    return inputs


def test_a_request_is_read_as_it_was_given():
    engine = Engine()
    first = told(engine, "Look ", CARDS[0], " and ", CARDS[1])
    shown = [part.cards if isinstance(part, Picture) else part.text for part in first.parts]
    assert shown == ["Look [", (CARDS[0],), "] and [", (CARDS[1],), "]"]
    assert [part.tokens for part in first.parts if isinstance(part, Picture)] == [2, 2]
    assert first.settings == Settings(5, True, ("end",))
    assert (first.said, first.templates) == ("reply", 1)
    # The pixels of a picture that the core knows are not sent again.
    assert told(engine, "Look ", CARDS[0], " and ", CARDS[1]) == first
    assert engine.llm_engine.engine_core.requests[1].mm_features[0].data is None
    assert "add_request" not in vars(engine.llm_engine.engine_core)


def test_what_the_engine_makes_of_the_messages_is_told():
    swapped = told(Engine(lambda content: content[::-1]), "Look", *CARDS)
    shown = [part.cards for part in swapped.parts if isinstance(part, Picture)]
    assert shown == [(CARDS[1],), (CARDS[0],)]
    faulty = Engine()
    request = faulty.request
    faulty.request = lambda one, params, template: request(one, params, "Be careful.")
    assert told(faulty, "Look", CARDS[0]).parts[0] == Text("Be careful.", "system")
    assert told(Engine(), "Look", CARDS[0], template="Be careful.").parts[0].role == "user"


@pytest.mark.parametrize("raw", [False, True])
def test_colours_are_those_of_the_picture(raw):
    """Newer engines normalise in the model, and send colours from 0 to 255."""
    assert np.array_equal(told(Engine(raw=raw), "Look", CARDS[0]).parts[1].pixels, codes.drawn(CARDS[0]))


def test_a_picture_that_cannot_be_read_is_there():
    engine = Engine()
    engine.llm_engine.model_config.hf_config = SimpleNamespace()
    assert told(engine, "Look", CARDS[0]).parts[1].is_hidden


def test_an_engine_of_another_form_shows_its_messages():
    engine = Engine()
    engine.llm_engine, engine.chat = None, lambda messages, params, template: [None] * len(messages)
    found = told(engine, "Look", CARDS[0])
    assert found.parts[0] == Text("Look")
    assert found.parts[1].cards == (CARDS[0],)
    assert found.settings == Settings(5, True, ("end",))
