"""Seeds of sampled replies: of each call of a runner, and of each question where the runner takes one.

The harness seeds once, when it starts. A run that is continued would begin with the same random numbers
again, for other questions; and vLLM's engine has a seed of its own, which its runner sets to 1 in every run.
"""

import sys
from collections import Counter
from collections.abc import Sequence
from typing import Any

from lmms_eval.caching.response_cache import extract_gen_kwargs, is_deterministic

from tempbench_lmms.data.checksums import digest

_DIGITS = 8  # hexadecimal: what every generator takes


def is_sampled(kind: str, request: Any) -> bool:
    """Whether a reply is drawn at random, so that another one to the same question differs."""
    return not is_deterministic(kind, extract_gen_kwargs(request))


def is_one_of_several(kind: str, request: Any) -> bool:
    """Whether its task asks a question several times (`repeats` in its YAML), each with another draw."""
    return is_sampled(kind, request) and (request.repeats or 1) > 1


def sow(lm: Any, kind: str, requests: Sequence[Any], seed: str, times: Counter[str]) -> None:
    """Seeds what samples the replies of one call; does nothing where none is sampled.

    The harness asks a question several times by the same request, so one seed in it would be that of all its
    replies: such a request gets none, and vLLM's engine draws them one after the other.

    Args:
        lm: The harness's model.
        kind: The method of the model.
        requests: What is asked in this call.
        seed: Of the run.
        times: Counts calls with the same questions, which are seeded apart.
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
