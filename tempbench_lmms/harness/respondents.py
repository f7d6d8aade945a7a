"""Models without weights, with exactly known scores: `--model tempbench_oracle` and its like.

They show that data, prompts, parsing and metrics fit together before you rent a GPU: if an oracle does not
reach 1.0, or a garbage reply scores, the benchmark has a fault.
"""

import hashlib
import random
from collections.abc import Callable, Mapping
from typing import Any

_GARBAGE = (
    "I'm sorry, but I can't help with that.",
    "zxq 🌀 ∅ ~~ ##",
    "The picture shows something. It may be this or that.",
    "Lorem ipsum dolor sit amet, consectetur adipiscing elit.",
    "¿?",
)


def _generator(doc: Mapping[str, Any], task: str, seed: int) -> random.Random:
    # From the question's id, not its place, so that any distribution of the documents over processes gives
    # the same replies.
    return random.Random(hashlib.sha256(f"{seed}|{task}|{doc['question_id']}".encode()).digest())


def oracle(doc: Mapping[str, Any], task: str, seed: int) -> str:
    """The right answer."""
    return str(doc["target"])


def chance(doc: Mapping[str, Any], task: str, seed: int) -> str:
    """One of the possible answers, uniformly; the same one again for the same seed."""
    return str(_generator(doc, task, seed).choice(doc["choices"]))


def constant(doc: Mapping[str, Any], task: str, seed: int) -> str:
    """The first of the possible answers."""
    return str(doc["choices"][0])


def garbage(doc: Mapping[str, Any], task: str, seed: int) -> str:
    """A reply without an answer."""
    return _generator(doc, task, seed).choice(_GARBAGE)


def empty(doc: Mapping[str, Any], task: str, seed: int) -> str:
    """Nothing."""
    return ""


def failing(doc: Mapping[str, Any], task: str, seed: int) -> str:
    """What the harness hands over after an API request failed."""
    return "[LMMS_EVAL_REQUEST_FAILED after 5 retries] Error code: 503 - A backend is busy"


REPLIES: dict[str, Callable[[Mapping[str, Any], str, int], str]] = {
    function.__name__: function for function in (oracle, chance, constant, garbage, empty, failing)
}


def cannot_answer(model: str, task: str) -> str:
    """Returns why a respondent that knows only our tasks' answers cannot answer a task; else empty."""
    if model not in ("tempbench_oracle", "tempbench_chance", "tempbench_constant"):
        return ""
    return f"{model} knows no answers of {task}, only of our tasks; take tempbench_garbage or tempbench_empty"
