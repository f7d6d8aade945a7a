"""The prompts of ReXTime.

The paper defers its prompt to a supplement; "we prompt the models to predict the time span directly and
select the most likely options" (section 4.2). The released request to GPT-4o asks for a summary, the option
and the span in one reply and wants JSON; ours asks for the same without the summary, and states the duration
in the same place. docs/fidelity/rextime.md has both side by side.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from tempbench_lmms.errors import TempbenchError

LETTERS = "ABCD"

ASKS = ("both", "answer", "span")
"""What is asked for: the option and the span in one reply; only the option; only the span."""

_MEDIA = {
    "video": "The video is {duration} seconds long.",
    "frames": "The frames above are taken from a video of {duration} seconds; the time of each is given.",
    "none": "The question is about a video that you cannot see. Choose the option that is most likely.",
}
_INSTRUCTIONS = {
    "both": (
        "Choose the option that answers the question, and give the time span of the video in which this "
        "answer takes place. The span is a start and an end in seconds.\n"
        'Reply with JSON only, in this form: {"answer": "<letter>", "span": [<start>, <end>]}'
    ),
    "answer": (
        "Choose the option that answers the question.\n"
        'Reply with JSON only, in this form: {"answer": "<letter>"}'
    ),
    "span": (
        "Find the time span of the video in which the answer to the question takes place. The span is a "
        "start and an end in seconds.\n"
        'Reply with JSON only, in this form: {"span": [<start>, <end>]}'
    ),
}


def seconds(value: float) -> str:
    """Returns a time as a prompt prints it: at most two decimals.

    >>> seconds(150.0), seconds(129.964)
    ('150', '129.96')
    """
    return f"{value:.2f}".rstrip("0").rstrip(".")


def frame_label(number: int, time: float) -> str:
    """Returns the text before frame `number` (from 1), shown at `time` seconds."""
    return f"Frame {number}, at {time:.1f} seconds:"


def wording(doc: Mapping[str, Any], ask: str) -> str:
    """Returns the lines of a question for all media: who reads a reply need not know what was shown."""
    return "\n".join(build(doc, media, ask) for media in _MEDIA)


def build(doc: Mapping[str, Any], media: str, ask: str, times: Sequence[float] = ()) -> str:
    """Returns the text of a question.

    Args:
        doc: A row of the data set.
        media: What the model sees: `video`, `frames` or `none`.
        ask: One of `ASKS`. The option texts are not shown where only the span is asked for, as in the
            released moment-retrieval prompt.
        times: Of the frames, in seconds, for a model that gets all frames before the text; empty where each
            frame follows its label.

    Raises:
        TempbenchError: There is no such kind of prompt.
    """
    if media not in _MEDIA or ask not in ASKS:
        raise TempbenchError(
            f"no prompt for media {media!r} and ask {ask!r}; choose from {', '.join(_MEDIA)} and "
            f"{', '.join(ASKS)}"
        )
    lines = []
    if times:
        listed = ", ".join(f"{time:.1f}" for time in times)
        lines.append(f"The {len(times)} frames are taken at these times, in seconds: {listed}.")
    lines.append(_MEDIA[media].format(duration=seconds(doc["duration"])))
    lines.append(f"Question: {doc['question']}")
    if ask != "span":
        if doc["options"]:
            lines.append("Options:")
            lines += [f"{letter}. {text}" for letter, text in zip(LETTERS, doc["options"], strict=False)]
        else:
            # The scorer's ground-truth file has the letters and no texts.
            lines.append(f"Options: {', '.join(LETTERS)}")
    return "\n".join([*lines, _INSTRUCTIONS[ask]])
