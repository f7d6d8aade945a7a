"""What a chat template writes around what a task says, and what of a prompt is left without it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tempbench_lmms.check.inputs import Inputs, Part, Settings, Text

_UNSEEN = Settings()
_MARK, _SYSTEM = "tempbench-mark", "tempbench-system"


@dataclass(frozen=True)
class Template:
    """What is written before and after a user's text, and around a system prompt.

    A processor and its tokenizer may each have a template of their own, and runners use either.
    """

    heads: tuple[str, ...] = ()
    tails: tuple[str, ...] = ()
    around: tuple[tuple[str, str], ...] = ()


def of(processor: Any, template: str | None = None) -> Template:
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
        also = _rendered(owner, [pictured], template) or head
        heads.add(head[: _shared(head, also)])
        both = [_message("system", _SYSTEM, parts), _message("user", _MARK, parts)]
        framed = _rendered(owner, both, template) or ""
        before, mark, rest = framed.partition(_SYSTEM)
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
    """Returns the length of the beginning that two texts share."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(one), len(other)))


def inputs_of(pieces: Sequence[Part], template: Template, settings: Settings = _UNSEEN) -> Inputs:
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
    """Returns a system prompt without what the template writes around it."""
    for head, tail in around:
        if head.strip() and before.startswith(head):
            return before.removeprefix(head).removesuffix(tail)
    return before
