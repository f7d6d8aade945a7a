"""The part of a reply that states its answer, as it stands there."""

from tempbench_lmms.parsing.clean import clean
from tempbench_lmms.parsing.text import clip


def final_answer(reply: str) -> str | None:
    """Returns the narrowest part of a reply that states its answer; None where there is none.

    What the last answer tag or box holds; else what follows the reasoning. A very long answer comes clipped,
    so that what reads it need not mind its length.

    >>> final_answer("<think>A? B?</think> Option B")
    'Option B'
    """
    parts = clean(reply).parts
    return clip(reply[parts[0].at[0] : parts[0].at[-1]].strip()) or None if parts else None
