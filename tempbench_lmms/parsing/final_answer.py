"""The final answer of a reply that may contain reasoning."""

from collections.abc import Iterable

from tempbench_lmms.parsing.text import clip

_REASONING = ("think", "thinking", "reasoning", "thought")
_CLOSING = (*(f"</{tag}>" for tag in _REASONING), "[/think]", "◁/think▷", "<|channel|>final<|message|>")
_OPENING = (*(f"<{tag}>" for tag in _REASONING), "[think]", "◁think▷", "<|channel|>")
_ANSWER = {
    **{f"<{tag}>": f"</{tag}>" for tag in ("answer", "final_answer", "conclusion")},
    "<|begin_of_box|>": "<|end_of_box|>",
}
# What every one of these tags begins with; most replies have none of it.
_SIGNS = "<[◁"


def _end_of_last(text: str, tags: Iterable[str]) -> int:
    """Returns the index behind the last of `tags` in `text`, 0 where there is none."""
    return max(place + len(tag) if (place := text.rfind(tag)) >= 0 else 0 for tag in tags)


def final_answer(reply: str) -> str | None:
    """Returns the part of a reply that states the answer.

    The content of the last `<answer>` tag, or of another that means the same; else what follows the last
    closing reasoning tag; else the whole reply. Where reasoning begins and does not end there is no answer. A
    very long answer comes clipped, so that what reads it need not mind its length.

    >>> final_answer("<think>A? B?</think> Option B")
    'Option B'
    >>> final_answer("<think>It could be A") is None
    True
    """
    if not any(sign in reply for sign in _SIGNS):
        return clip(reply.strip()) or None
    # "İ" is the one character that becomes two in lower case; places would shift.
    lower = reply.replace("İ", "I").lower()
    # A tag that a model only talks about inside its reasoning is not its answer.
    start = _end_of_last(lower, _CLOSING)
    answer = _end_of_last(lower[start:], _ANSWER)
    end = len(reply)
    if answer:
        start += answer
        ends = (lower.find(tag, start) for tag in _ANSWER.values())
        end = min((place for place in ends if place >= 0), default=end)
    if any(lower.find(tag, start, end) >= 0 for tag in _OPENING):
        return None
    return clip(reply[start:end].strip()) or None
