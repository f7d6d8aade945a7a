"""Bounds the length of a reply and of its white space, and cuts out the part that states its answer."""

import re

from tempbench_lmms.parsing.clean import GAP, HEAD, TAIL, clean, ends

# All white space but a single space and a single end of line.
_SPACE = re.compile(r"\s{2,}|[^\S\n ]")


def clip(reply: str) -> str:
    """Returns the first and the last 4,000 characters of a longer reply, without words cut in two.

    The answer is in one of these parts. The bound limits the cost of every later pattern, since a looping
    model can fill its whole token budget.
    """
    if len(reply) <= HEAD + TAIL + len(GAP):
        return reply
    left, right = ends(reply)
    return reply[:left] + GAP + reply[right:]


def squeeze(text: str) -> str:
    r"""Returns a text in which one space, line end or empty line replaces each run of white space.

    >>> squeeze("a \t b \n c \r\n\r\n\r\n d")
    'a b\nc\n\nd'
    """
    return _SPACE.sub(lambda run: "\n" * min(run.group().count("\n"), 2) or " ", text)


def final_answer(reply: str) -> str | None:
    """Returns the narrowest part of a reply that states its answer, clipped; None if there is none.

    This is the content of the last answer tag or box, or else the text after the reasoning.

    >>> final_answer("<think>A? B?</think> Option B")
    'Option B'
    """
    parts = clean(reply).parts
    return clip(reply[parts[0].at[0] : parts[0].at[-1]].strip()) or None if parts else None
