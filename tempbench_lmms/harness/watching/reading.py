"""How a check listens to a runner: the methods that it watches, what a runner has, prompts and templates."""

import contextlib
import functools
import inspect
import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any
from unittest import mock

from tempbench_lmms.check.inputs import Inputs, Part, Settings, Text, as_picture, as_video

Tell = Callable[[Sequence[Inputs]], None]
"""Called with all questions of a call, in order."""


@dataclass(frozen=True)
class Way:
    """A method through which runners reach a model.

    Attributes:
        owner: The object or class that has the method.
        name: The method's name.
        read: Returns what the method's arguments give to the model, one item per question.
        said: Returns what the model said, from the method's result and its arguments.
    """

    owner: Any
    name: str
    read: Callable[..., Sequence[Inputs]]
    said: Callable[..., Sequence[str | None]] = lambda out, *args, **more: ()

    def heard(self, tell: Tell) -> Any:
        """Returns a patch that tells of each call, and passes it on unchanged."""
        call = getattr(self.owner, self.name)

        def end(asked: Sequence[Inputs], out: Any, *args: Any, **more: Any) -> Any:
            said = self.said(out, *args, **more)
            said = said if len(said) == len(asked) else [None] * len(asked)
            tell([replace(one, said=text) for one, text in zip(asked, said, strict=True)])
            return out

        @contextlib.contextmanager
        def telling_failures(asked: Sequence[Inputs]) -> Iterator[None]:
            try:
                yield
            except Exception as error:  # some runners answer with an empty reply instead
                tell([replace(one, error=f"{type(error).__name__}: {error}") for one in asked])
                raise

        async def later(asked: Sequence[Inputs], out: Any, *args: Any, **more: Any) -> Any:
            with telling_failures(asked):
                out = await out
            return end(asked, out, *args, **more)

        @functools.wraps(call)
        def told(*args: Any, **more: Any) -> Any:
            asked: Sequence[Inputs] = []
            with contextlib.suppress(AttributeError, KeyError, TypeError, ValueError):  # an unknown form
                asked = self.read(*args, **more)
            with telling_failures(asked):
                out = call(*args, **more)
            return (later if inspect.isawaitable(out) else end)(asked, out, *args, **more)

        return mock.patch.object(self.owner, self.name, told)


# ---- what a runner has: its processor, model or engine, under whatever names

_FIRST = ("processor", "_image_processor", "_processor", "image_processor", "model", "_model", "client")
_WITHOUT = {"builtins", "torch", "accelerate", "transformers"}
"""Packages whose objects hold no processor, model or engine of their own."""


def owned(lm: Any, wanted: Callable[[Any], bool]) -> Any:
    """Returns the first thing of a runner, or of what it has, that is wanted; None for none."""
    return next(filter(wanted, _things(lm)), None)


def _things(lm: Any) -> Iterator[Any]:
    for name in _FIRST:
        if (found := getattr(lm, name, None)) is not None:
            yield found
    values = list(getattr(lm, "__dict__", {}).values())
    yield from values
    for value in values:
        if type(value).__module__.partition(".")[0] not in _WITHOUT:
            yield from getattr(value, "__dict__", {}).values()


def processor_of(lm: Any) -> Any:
    """Returns a runner's processor of text and pictures."""
    return owned(lm, lambda one: hasattr(one, "tokenizer") and hasattr(one, "image_processor"))


def model_of(lm: Any) -> Any:
    """Returns a runner's model that generates."""
    return owned(lm, lambda one: callable(getattr(one, "generate", None)) and hasattr(one, "config"))


def engine_of(lm: Any) -> Any:
    """Returns a runner's engine of vLLM."""
    return owned(
        lm, lambda one: callable(getattr(one, "chat", None)) and type(one).__module__.startswith("vllm")
    )


# ---- prompts, and what a chat template writes around what a task says

_PLACES = re.compile(
    r"(?:<\|vision_start\|>)?(?:<\|(?:image|video)_pad\|>)+(?:<\|vision_end\|>)?|<(?:image|video|start_of_image|"
    r"IMG_CONTEXT|image_soft_token)>|<\|(?:image|video)(?:_\d+)?\|>|\[IMG\]"
)
_UNSEEN = Settings()
_MARK, _SYSTEM = "tempbench-mark", "tempbench-system"


def of_prompt(
    text: str, images: Sequence[Any] = (), videos: Sequence[Any] = (), times: Sequence[Any] | None = None
) -> Iterator[Part]:
    """Yields the parts of a prompt with signs where a picture or video stands."""
    pictures: list[Part] = list(map(as_picture, images))
    clips: list[Part] = [as_video(video, times[i] if times else None) for i, video in enumerate(videos)]
    if not _PLACES.search(text):
        yield from (*pictures, *clips)
        pictures, clips = [], []
    start = 0
    for place in _PLACES.finditer(text):
        several = clips if "video" in place.group() or not pictures else pictures
        yield Text(text[start : place.start()])
        yield from several[:1]
        del several[:1]
        start = place.end()
    yield Text(text[start:])
    yield from (*pictures, *clips)


@dataclass(frozen=True)
class Template:
    """What is written before and after a user's text, and around a system prompt.

    A processor and its tokenizer may each have a template of their own, and runners use either.
    """

    heads: tuple[str, ...] = ()
    tails: tuple[str, ...] = ()
    around: tuple[tuple[str, str], ...] = ()


def template_of(processor: Any, template: str | None = None) -> Template:
    """Returns the templates of a processor and of its tokenizer; empty if they have none."""
    heads: set[str] = set()
    tails: set[str] = set()
    around: set[tuple[str, str]] = set()
    for owner in (processor, processor.tokenizer):
        parts = owner is processor  # a tokenizer's template takes only text
        found = _rendered(owner, [_message("user", _MARK, parts)], template)
        if found is None:
            continue
        head, _, tail = found.partition(_MARK)
        heads.add(head)
        tails.add(tail)
        # Some templates write more between the head and a text, but not between the head and a picture.
        pictured = _message("user", _MARK, parts)
        if parts:
            pictured["content"].insert(0, {"type": "image"})
        heads.add(head[: _shared(head, _rendered(owner, [pictured], template) or head)])
        both = [_message("system", _SYSTEM, parts), _message("user", _MARK, parts)]
        before, mark, rest = (_rendered(owner, both, template) or "").partition(_SYSTEM)
        if mark:
            between = rest.partition(_MARK)[0]
            shared = len(between) - _shared(between[::-1], head[::-1])
            around.add((before, between[:shared]))
            # A template's head may have its own system prompt; this part stays if another prompt is given.
            heads.add(between[shared:])
    by_length = sorted(filter(str.strip, heads), key=len, reverse=True)
    return Template(tuple(by_length), tuple(filter(str.strip, tails)), tuple(around))


def _message(role: str, text: str, parts: bool) -> dict[str, Any]:
    return {"role": role, "content": [{"type": "text", "text": text}] if parts else text}


def _rendered(owner: Any, messages: list[dict[str, Any]], template: str | None) -> str | None:
    from jinja2 import TemplateError

    given = {"chat_template": template} if template else {}
    try:
        return str(owner.apply_chat_template(messages, tokenize=False, add_generation_prompt=True, **given))
    except (ValueError, TypeError, AttributeError, KeyError, TemplateError):
        return None  # without a template for this, all that arrives is the runner's


def _shared(one: str, other: str) -> int:
    return len(os.path.commonprefix([one, other]))  # noqa: RUF071 (of characters)


def without_template(pieces: Sequence[Part], template: Template, settings: Settings = _UNSEEN) -> Inputs:
    """Returns what parts say without the chat template; text before its beginning is a system prompt."""
    signs = re.findall(r"<[^<>\s]+>[^<>]*$", template.heads[-1].strip()) if template.heads else []
    texts = [part.text for part in pieces if isinstance(part, Text)]
    # How often a user's turn begins, if the template has a sign of it.
    count = sum(text.count(signs[-1].strip()) for text in texts) if signs else None
    return Inputs(tuple(_with_roles(pieces, template)), settings, templates=count)


def _with_roles(pieces: Sequence[Part], template: Template) -> Iterator[Part]:
    for i, part in enumerate(pieces):
        if not isinstance(part, Text):
            yield part
            continue
        text = part.text
        if i == 0:
            head = next((head for head in template.heads if head in text), "")
            before, _, text = text.partition(head) if head else ("", "", text)
            if said := _bare(before, template.around).strip():
                yield Text(said, "system")
        if i == len(pieces) - 1:
            text = text.removesuffix(next((tail for tail in template.tails if text.endswith(tail)), ""))
        yield Text(text)


def _bare(before: str, around: Sequence[tuple[str, str]]) -> str:
    for head, tail in around:
        if head.strip() and before.startswith(head):
            return before.removeprefix(head).removesuffix(tail)
    return before
