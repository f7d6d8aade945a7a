r"""The part of a reply that states its answer: behind the reasoning, in an answer tag or a box.

Reasoning comes in tags. Where it begins and does not end, the reply is cut off. What comes behind it is the
wide part; an answer tag or a box in it is read first.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

from tempbench_lmms.parsing.patterns import lazy
from tempbench_lmms.parsing.text import clip, holds

_REASONING = ("think", "thinking", "reasoning", "thought", "analysis", "scratchpad")
_CLOSING = (*(f"</{tag}>" for tag in _REASONING), "[/think]", "◁/think▷", "<|channel|>final<|message|>")
_OPENING = (*(f"<{tag}>" for tag in _REASONING), "[think]", "◁think▷", "<|channel|>")
_ANSWER = {
    **{f"<{tag}>": f"</{tag}>" for tag in ("answer", "final_answer", "conclusion", "final")},
    "<|begin_of_box|>": "<|end_of_box|>",
}
# Every one of these tags holds one of these; most replies have none of them.
_SIGNS = ("<", "◁", "think]")
_BOX = lazy(r"\\(?:fbox|boxed)\s*\{")
_OPEN_BOXES = lazy(r"^[^{}]{1,60}\}\W{0,10}(?:or|oder|ou|and|或|または)?\W*\\(?:fbox|boxed)\s*\{$")
_LONGEST_BOX = 2_000
# Where a model that has answered goes on to invent a question.
_NEXT_QUESTION = lazy(
    r"\n[ \t]{0,8}(?:#{1,6}[ \t]{0,4}|\*\*)?(?:(?:next\s)?question|q\d*|human|user|frage|pregunta"
    r"|问题|質問|질문)[ \t]{0,4}\d{0,3}[ \t]{0,4}(?:\*\*)?[:：]",
    re.IGNORECASE,
)


class Part(NamedTuple):
    """Where a reply states its answer.

    Attributes:
        tagged: What the last answer tag holds; None where there is no tag, empty where it is empty.
        boxed: What the last box of LaTeX holds; None where there is none.
        wide: What follows the reasoning; None where it is empty or cut off.
        start: Where the wide part begins in the reply.
        end: Where it ends.
        cut_off: Whether the reply ends within its reasoning.
    """

    tagged: str | None
    boxed: str | None
    wide: str | None
    start: int
    end: int
    cut_off: bool = False


def _end_of_last(text: str, tags: Iterable[str], start: int = 0) -> int:
    """Returns the index behind the last of `tags` in `text` from `start` on, 0 where there is none."""
    return max(place + len(tag) if (place := text.rfind(tag, start)) >= 0 else 0 for tag in tags)


def final_part(reply: str) -> Part:
    """Returns the part of a reply that states its answer.

    >>> final_part("<think>A? B?</think> Option B").wide, final_part("<think>It could be A").cut_off
    ('Option B', True)
    """
    if not holds(reply.lower() if "[" in reply else reply, _SIGNS):
        return Part(None, _boxed(reply), clip(reply.strip()) or None, 0, len(reply))
    # "İ" is the one character that becomes two in lower case; places would shift.
    lower = reply.replace("İ", "I").lower()
    # A tag that a model only talks about inside its reasoning is not its answer.
    start = _end_of_last(lower, _CLOSING)
    end = len(reply)
    answer = _end_of_last(lower, _ANSWER, start)
    close = end
    if answer:
        ends = (lower.find(tag, answer) for tag in _ANSWER.values())
        close = min((place for place in ends if place >= 0), default=end)
    if any(lower.find(tag, answer or start, close) >= 0 for tag in _OPENING):
        return Part(None, None, None, start, end, cut_off=True)
    wide = clip(reply[start:end].strip()) or None
    tagged = clip(reply[answer:close].strip()) if answer else None
    return Part(tagged, _boxed(reply, start), wide, start, end)


def final_answer(reply: str) -> str | None:
    """Returns the narrowest part of a reply that states its answer; None where there is none.

    The content of the last `<answer>` tag, or of another that means the same; else what follows the last
    closing reasoning tag; else the whole reply. A very long answer comes clipped, so that what reads it need
    not mind its length.

    >>> final_answer("<think>A? B?</think> Option B")
    'Option B'
    """
    part = final_part(reply)
    return part.wide if part.tagged is None else part.tagged or None


def before_next_question(part: Part) -> Part | None:
    r"""Returns the part without questions that are invented behind the answer; None where there are none.

    >>> found = before_next_question(final_part("Answer: D\n\nQuestion: Which colour? Answer: B"))
    >>> found.wide if found else None
    'Answer: D'
    """
    wide = part.wide or ""
    following = _NEXT_QUESTION.search(wide)
    head = wide[: following.start()].strip() if following else ""
    # "Q1: ... Q2: ...": a list of questions, and no answer before the first.
    if not head or _NEXT_QUESTION.match("\n" + head):
        return None
    return part._replace(wide=head, boxed=_boxed(head))


def _boxed(reply: str, start: int = 0) -> str | None:
    """Returns what stands in the last box of LaTeX, without the braces."""
    if "\\" not in reply:
        return None
    found = list(_BOX.finditer(reply, max(start, len(reply) - 2 * _LONGEST_BOX)))
    if not found:
        return None
    if len(found) > 1 and _OPEN_BOXES.search(reply[found[-2].end() : found[-1].end()]):
        return reply[found[-2].start() :]  # two boxes, and no word which of them counts
    inside = reply[found[-1].end() : found[-1].end() + _LONGEST_BOX]
    depth = 1
    for place, sign in enumerate(inside):
        depth += (sign == "{") - (sign == "}")
        if not depth:
            return inside[:place].strip() or None
    return None
