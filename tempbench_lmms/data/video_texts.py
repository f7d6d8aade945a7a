"""Lines of prompts that the benchmarks about videos and times share."""

import json
import math
from collections.abc import Sequence
from typing import Any

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def seconds(value: float) -> str:
    """Returns a time as a prompt prints it: at most two decimals.

    >>> seconds(150.0), seconds(129.964)
    ('150', '129.96')
    """
    return f"{value:.2f}".rstrip("0").rstrip(".")


def frame_label(number: int, time: float) -> str:
    """Returns the text before frame `number` (from 1), shown at `time` seconds."""
    return f"Frame {number}, at {time:.1f} seconds:"


def frame_times(times: Sequence[float]) -> str:
    """Returns the line with the times of frames, for a model that gets all frames before the text."""
    listed = ", ".join(f"{time:.1f}" for time in times)
    return f"The {len(times)} frames are taken at these times, in seconds: {listed}."


def options(texts: Sequence[str]) -> str:
    r"""Returns the options of a question, one per line.

    >>> options(["a dog", "a cat"])
    'A. a dog\nB. a cat'
    """
    return "\n".join([f"{letter}. {text}" for letter, text in zip(LETTERS, texts, strict=False)])


def reply(answer: str, span: Sequence[float]) -> str:
    """Returns a reply with an option and a span in seconds, as JSON.

    >>> reply("B", [3.0, 7.5])
    '{"answer": "B", "span": [3, 7.5]}'
    """
    return json.dumps({"answer": answer, "span": [int(one) if one == int(one) else one for one in span]})


def finite(value: Any) -> float:
    """Returns a release's number of seconds; raises ValueError for anything else."""
    if isinstance(value, bool) or not math.isfinite(float(value)):
        raise ValueError(f"{value!r} is not a number of seconds")
    return float(value)


def span_of(window: Sequence[Any]) -> list[float]:
    """Returns a release's start and end; raises ValueError if they are not two numbers."""
    if len(window) != 2:
        raise ValueError("a span needs a start and an end")
    return [finite(one) for one in window]
