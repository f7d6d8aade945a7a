"""The prompt of a question."""

from collections.abc import Mapping
from typing import Any

from tempbench_lmms.data.questions import options


def build(doc: Mapping[str, Any], media: str = "video", n_frames: int = 0) -> str:
    """Returns the text of a question."""
    frames = "one frame of a video" if n_frames == 1 else f"{n_frames} frames of a video, in order"
    shown = {"video": "this video", "none": "a video that is not shown"}.get(media, frames)
    return (
        f"You are given {shown}. Every single frame of the video is random noise; only its motion "
        f"shows a {doc['kind']}. Which {doc['kind']} is it?\n\n{options(doc['options'])}\n\n"
        "Answer with the letter of the option alone. If you cannot see it, guess."
    )
