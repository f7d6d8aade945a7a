"""The prompt, which is the same for every clip.

Source: `run_openai_no_reasoning_zero_shot.sh` of the official repository, to the letter: `SYSTEM_PROMPT` and
`CUSTOM_INSTRUCTION`. Its scripts for other models have the same words, except Cosmos-Reason1's.
"""

from collections.abc import Mapping
from typing import Any

SYSTEM = (
    "You are a helpful assistant. You will see videos provided from the user, played either forward or "
    "backward. Finish your answer with F or B only. F for forward and B for backward. "
)
INSTRUCTION = "Detect whether the video plays forward or backward with confidence. "


def build(doc: Mapping[str, Any]) -> str:
    """Returns the user's text of a row."""
    return INSTRUCTION
