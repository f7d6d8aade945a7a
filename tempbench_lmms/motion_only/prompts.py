"""The prompt of a question."""

from collections.abc import Mapping
from typing import Any

from tempbench_lmms.data.rewording import reworded

PARAPHRASES = (
    {
        "Every single frame of the video is random noise; only its motion shows a": (
            "Each frame by itself is nothing but random noise, and only what moves in the video shows a"
        ),
        "Answer with the letter of the option alone. If you cannot see it, guess.": (
            "Give the letter of the option and nothing else. Guess where you cannot see it."
        ),
    },
    {
        "Every single frame of the video is random noise; only its motion shows a": (
            "Any one frame of this video is random noise; motion alone reveals a"
        ),
        "Answer with the letter of the option alone. If you cannot see it, guess.": (
            "If it cannot be seen, make a guess. Your answer is one option's letter alone."
        ),
    },
)
"""Two paraphrases: what stands in place of which words."""


def build(doc: Mapping[str, Any], media: str = "video", n_frames: int = 0) -> str:
    """Returns the text of a question.

    Args:
        doc: A row of the data set.
        media: How the video is shown: `video`, `frames` or `none`.
        n_frames: How many frames are shown.
    """
    shown = {"video": "this video", "none": "a video that is not shown"}.get(media)
    shown = shown or ("one frame of a video" if n_frames == 1 else f"{n_frames} frames of a video, in order")
    options = "\n".join(f"{letter}. {text}" for letter, text in zip("ABCD", doc["options"], strict=False))
    text = (
        f"You are given {shown}. Every single frame of the video is random noise; only its motion "
        f"shows a {doc['kind']}. Which {doc['kind']} is it?\n\n{options}\n\n"
        "Answer with the letter of the option alone. If you cannot see it, guess."
    )
    return reworded(text, doc, PARAPHRASES)
