"""The prompts of NExT-GQA.

The official models choose an option by a score and find the segment by their attention, so the release has no
prompt: these are ours. They say how long the video is, and ask for JSON.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from tempbench_lmms.data import questions
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.nextgqa.card import OPTIONS

LETTERS = questions.LETTERS[:OPTIONS]

_SPAN = (
    "a start and an end in seconds. Where it is visible several times, give one of them.\n"
    'Reply with JSON only, in this form: {"span": [<start>, <end>]}'
)
ASKS = {
    "both": (
        "Choose the option that answers the question, and give the time span of the video that shows that "
        "it is right: a start and an end in seconds, as short as it can be without leaving something out. "
        "Where it is visible several times, give one of them.\n"
        'Reply with JSON only, in this form: {"answer": "<letter>", "span": [<start>, <end>]}'
    ),
    "answer": (
        "Choose the option that answers the question.\n"
        'Reply with JSON only, in this form: {"answer": "<letter>"}'
    ),
    "span": f"Find the time span of the video in which the answer to the question is visible: {_SPAN}",
    "ground": f"Find the time span of the video that shows that this answer is right: {_SPAN}",
}
"""What is asked for: option and span in one reply; the option; the span for the question alone; the span for
the question with its right answer."""

_MEDIA = {
    "video": "The video is {duration} seconds long.",
    "frames": "The frames above are taken from a video of {duration} seconds; the time of each is given.",
    "none": "The question is about a video that is not shown. Choose the most likely option.",
}


def wording(doc: Mapping[str, Any], ask: str) -> str:
    """Returns the lines of a question in all its forms, so that the reader need not know what was shown."""
    return "\n".join(build(doc, media, ask) for media in _MEDIA)


def build(doc: Mapping[str, Any], media: str, ask: str, times: Sequence[float] = ()) -> str:
    """Returns the text of a question.

    Args:
        doc: A row of the data set.
        media: What the model sees: `video`, `frames` or `none`.
        ask: One of `ASKS`.
        times: Of the frames, in seconds, for a model that gets all frames before the text; empty where each
            frame follows its label.

    Raises:
        TempbenchError: There is no such kind of prompt.
    """
    if media not in _MEDIA or ask not in ASKS:
        raise TempbenchError(
            f"no prompt for media {media!r} and ask {ask!r}; choose from {', '.join(_MEDIA)}; "
            f"{', '.join(ASKS)}"
        )
    lines = [questions.frame_times(times)] if times else []
    lines.append(_MEDIA[media].format(duration=questions.seconds(doc["duration"])))
    lines.append(f"Question: {doc['question']}?")
    if ask == "ground":
        lines.append(f"Answer: {doc['options'][LETTERS.index(doc['answer'])]}")
    elif ask != "span":
        lines += ["Options:", questions.options(doc["options"])]
    return "\n".join([*lines, ASKS[ask]])
