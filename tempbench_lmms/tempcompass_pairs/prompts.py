"""The prompts: the official ones, to the letter.

Source: `answer_prompt` in `run_qwen2_vl.py`, `run_gpt_4o.py` and the other scripts of the official
repository, which is appended to the question of the files.
"""

from collections.abc import Mapping
from typing import Any

SUFFIX = {
    "multi_choice": "\nPlease directly give the best option:",
    "yes_no": "\nPlease answer yes or no:",
    "caption_matching": "\nPlease directly give the best option:",
}


def build(doc: Mapping[str, Any]) -> str:
    """Returns the text of a question."""
    return f"{doc['question']}{SUFFIX[doc['kind']]}"


def frame_label(number: int, time: float) -> str:
    """Returns the text before frame `number` (from 1), shown at `time` seconds; ours."""
    return f"Frame {number} ({time:.1f} s): "
