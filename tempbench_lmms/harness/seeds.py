"""Seeds for sampled replies: for each call of a runner, and for each question if the runner accepts one.

The harness seeds only once, at its start. A continued run would reuse the same random numbers for other
questions, and vLLM's engine has its own seed, which its runner sets to 1 in every run.
"""

import sys
from collections import Counter
from collections.abc import Sequence
from typing import Any

from lmms_eval.caching.response_cache import extract_gen_kwargs, is_deterministic

from tempbench_lmms.data.checksums import digest

_DIGITS = 8  # hexadecimal digits: a size that every generator accepts


def is_sampled(kind: str, request: Any) -> bool:
    """Returns whether a reply is sampled, so that another reply to the same question may differ."""
    return not is_deterministic(kind, extract_gen_kwargs(request))


def is_one_of_several(kind: str, request: Any) -> bool:
    """Returns whether the task samples several replies per question (`repeats` in its YAML)."""
    return is_sampled(kind, request) and (request.repeats or 1) > 1


def sow(lm: Any, kind: str, requests: Sequence[Any], seed: str, times: Counter[str]) -> None:
    """Seeds the sampling of one call; does nothing if no reply is sampled.

    The harness repeats a question with the same request, so a seed in it would apply to all its replies. Such
    a request gets no seed, and vLLM's engine draws the replies one after the other.

    Args:
        lm: The harness's model.
        kind: The method of the model.
        requests: The requests of this call.
        seed: The run's seed.
        times: Counts calls with the same questions, which get different seeds.
    """
    sampled = [request for request in requests if is_sampled(kind, request)]
    if not sampled:
        return
    if (torch := sys.modules.get("torch")) is not None:
        places = [_place(request) for request in requests]
        torch.manual_seed(_number(seed, places, times[call := digest(places)]))
        times[call] += 1
    if "vllm" in type(lm).__module__:
        for request in sampled:
            if is_one_of_several(kind, request):
                continue
            extract_gen_kwargs(request).setdefault("seed", _number(seed, _place(request)))


def _place(request: Any) -> list[Any]:
    return [request.task_name, request.doc_id, request.idx]


def _number(*of: Any) -> int:
    return int(digest([*of])[:_DIGITS], 16)
