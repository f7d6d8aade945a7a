"""The harness's arguments of a run: which ones `tempbench` sets, which questions they select."""

import math
from collections.abc import Callable, Sequence
from typing import Any

from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness import options

_OWN = (
    *("model", "model_args", "tasks", "output_path", "use_cache", "log_samples", "config"),
    "repeats",  # the harness's store keeps only one reply per question
)


def value(further: Sequence[str], name: str) -> Any:
    """Returns the value of one of the harness's options among its arguments; None if not given."""
    return getattr(options.read(further), name, None)


def part(further: Sequence[str]) -> Callable[[Sequence[Any]], Sequence[Any]]:
    """Returns the function that selects a task's questions by `--limit` and `--offset`.

    Raises:
        TempbenchError: The harness would refuse its arguments, or `tempbench` sets them itself.
    """
    if ours := [f"--{name}" for name in _OWN if value(further, name)]:
        raise TempbenchError(
            f"{', '.join(ours)} is set by `tempbench run`; give it before `--`, or leave it out"
        )
    if value(further, "predict_only"):
        raise TempbenchError(
            "--predict_only computes no scores; leave it out: `tempbench run` stores the answers anyway"
        )
    limit, offset = value(further, "limit"), value(further, "offset") or 0
    if limit == 0:
        raise TempbenchError("--limit 0 asks no questions; give a larger number")
    if offset < 0 or (limit is not None and (not math.isfinite(limit) or (limit < 0 and limit != -1))):
        raise TempbenchError(
            "--limit takes a number of questions, a share below 1, or -1 for all; --offset a number from 0"
        )

    def taken(questions: Sequence[Any]) -> Sequence[Any]:
        if limit in (None, -1):
            return questions[offset:]
        share = math.ceil(len(questions) * limit) if limit < 1 else int(limit)
        return questions[offset : offset + share]

    return taken


def generation(further: Sequence[str]) -> dict[str, str]:
    """Returns the generation settings among the harness's arguments."""
    pairs = (value(further, "gen_kwargs") or "").split(",")
    return {name.strip(): word.strip() for name, _, word in (pair.partition("=") for pair in pairs)}


def with_generation(further: Sequence[str], settings: str) -> list[str]:
    """Returns the harness's arguments with more generation settings; the last `--gen_kwargs` counts."""
    return [*further, "--gen_kwargs", ",".join(filter(None, (value(further, "gen_kwargs"), settings)))]
