"""The prompts of ReXTime.

The paper defers its prompt to a supplement; "we prompt the models to predict the time span directly and
select the most likely options" (section 4.2). The released request to GPT-4o asks for a summary, the option
and the span in one reply and wants JSON; ours asks for the same without the summary, and states the duration
in the same place. README.md has both side by side. The style `official` is the released
request itself (`demo/request.py`).
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from tempbench_lmms.data import questions
from tempbench_lmms.data.tables import parse_json
from tempbench_lmms.errors import TempbenchError

LETTERS = "ABCD"

ASKS = ("both", "answer", "span")
"""What is asked for: the option and the span in one reply; only the option; only the span."""

STYLES = ("direct", "cot", "official")
"""How a question is asked: for the answer alone; with reasoning before it; as the released request does."""

SYSTEM = "You are a helpful assistant."
"""The system prompt of the released request; the other styles have none."""

OFFICIAL_FRAMES = 50
OFFICIAL_PIXELS = 534
"""What the released request asks the service to resize frames to; here, the longer side of a frame."""

# To the letter, line breaks at both ends included; the number of frames is 50 there.
_OFFICIAL = """
You are tasked to complete the following logical reasoning task.
1. Watch and breifly summarize the video.
2. Given {n} video frames and a question, choose the most correct answer from the options.
3. Find the time span in seconds that support your answer. The time span should be consistent with the option \
you choose.

Total Video Duration: {duration} seconds
Question: {question}
Options:
{options}

<Provide your video summarize here.>
<Provide your explaination to the question here.>
Finish the following json structure strictly with your answer and supporting time span according your explaination.
```json{{
    "relevant_span": <[start_time, end_time], in seconds, e.g. [3.0, 10.5]>,
    "answer": <Option you choice from "A", "B", "C", "D".>
}}```
"""  # noqa: E501

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

# Ours: the paper has no chain of thought; the released request asks for a summary and an explanation first.
_DIRECTLY = "Reply with JSON only, in this form: "
_REASONED = (
    "Think step by step: say what happens in the video and when, and which part of it the question is about. "
    "End your reply with JSON in this form: "
)
_REQUESTS = {
    (ask, style): text.replace(_DIRECTLY, form)
    for ask, text in _INSTRUCTIONS.items()
    for style, form in (("direct", _DIRECTLY), ("cot", _REASONED))
}


def wording(doc: Mapping[str, Any], ask: str) -> str:
    """Returns the lines of a question in all its forms, so that the reader need not know what was shown."""
    texts = [build(doc, media, ask, style=style) for media in _MEDIA for style in ("direct", "cot")]
    if ask == "both" and doc["options"]:
        texts.append(official(doc, OFFICIAL_FRAMES))
    return "\n".join(texts)


def as_requested(answer: str) -> str:
    """Returns an answer to our request in the form that the released one asks for.

    >>> as_requested('{"answer": "B", "span": [5, 12.5]}')
    '```json{"relevant_span": [5, 12.5], "answer": "B"}```'
    """
    found = parse_json(answer)
    return f"```json{json.dumps({'relevant_span': found['span'], 'answer': found['answer']})}```"


def official(doc: Mapping[str, Any], n_frames: int) -> str:
    """Returns the text of the released request to GPT-4o; raises `TempbenchError` without option texts."""
    if not doc["options"]:
        raise TempbenchError(
            "the official request shows the options' texts, which this data has not; prepare it from "
            "rextime_val.json"
        )
    return _OFFICIAL.format(
        n=n_frames,
        duration=questions.seconds(doc["duration"]),
        question=doc["question"],
        options=questions.options(doc["options"]),
    )


def build(
    doc: Mapping[str, Any], media: str, ask: str, times: Sequence[float] = (), style: str = "direct"
) -> str:
    """Returns the text of a question.

    Args:
        doc: A row of the data set.
        media: What the model sees: `video`, `frames` or `none`.
        ask: One of `ASKS`. The option texts are not shown where only the span is asked for, as in the
            released moment-retrieval prompt.
        times: Of the frames, in seconds, for a model that gets all frames before the text; empty where each
            frame follows its label.
        style: `direct` or `cot`.

    Raises:
        TempbenchError: There is no such kind of prompt.
    """
    if media not in _MEDIA or (ask, style) not in _REQUESTS:
        raise TempbenchError(
            f"no prompt for media {media!r}, ask {ask!r} and style {style!r}; choose from "
            f"{', '.join(_MEDIA)}; {', '.join(ASKS)}; direct and cot"
        )
    lines = [questions.frame_times(times)] if times else []
    lines.append(_MEDIA[media].format(duration=questions.seconds(doc["duration"])))
    lines.append(f"Question: {doc['question']}")
    if ask != "span":
        if doc["options"]:
            lines += ["Options:", questions.options(doc["options"])]
        else:
            # The scorer's ground-truth file has the letters and no texts.
            lines.append(f"Options: {', '.join(LETTERS)}")
    return "\n".join([*lines, _REQUESTS[ask, style]])
