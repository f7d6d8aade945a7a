"""The lines of a prompt that benchmarks share whose questions are about a video and its times."""

from collections.abc import Sequence

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
    """Returns the line that names the times of frames for a model that gets all frames before the text."""
    listed = ", ".join(f"{time:.1f}" for time in times)
    return f"The {len(times)} frames are taken at these times, in seconds: {listed}."


def options(texts: Sequence[str]) -> str:
    r"""Returns the options of a question, a line each.

    >>> options(["a dog", "a cat"])
    'A. a dog\nB. a cat'
    """
    return "\n".join([f"{letter}. {text}" for letter, text in zip(LETTERS, texts, strict=False)])
