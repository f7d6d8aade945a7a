"""What an engine's caches serve, by its own counters: `python benchmarks/engine_caches.py [--tasks T ...]`.

Tiny random weights behind a server of vLLM answer the first questions of tasks, dealt out to one and to two
runners as `tempbench run` deals them out to processes: each runner asks its share one question after the
other, both at once. Before each measurement the server empties its caches. A token is a byte of text here, so
texts are longer than with published tokenizers, and the share of tokens lower. Without vLLM nothing is run,
and a line says so.
"""

import argparse
import copy
import os
import tempfile
import urllib.request
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unittest.mock import patch

import engines
import timing

from tempbench_lmms.data.checksums import digest, urls_of
from tempbench_lmms.harness import checking, tiny
from tempbench_lmms.harness.adapter import request_failed
from tempbench_lmms.harness.dealing import Pictured, shares
from tempbench_lmms.harness.tasks import docs_of, load_task

TASKS = (
    "tempvs_mt1_two_mini",
    "tempvs_mt1_two_separate_mini",
    "mateo_both_baseline_mini",
    "timeblind_frames_mini",
    "coherence_qa_4f_mini",
    "rextime_frames_mini",
    "timepercept_isr_mini",
    "motion_only_4f_mini",
)
QUESTIONS = 24
RUNNERS = (1, 2)
_COUNTERS = ("prefix_cache", "mm_cache")


def requests_of(lm: Any, task: str, n: int) -> list[tuple[Any, Pictured]]:
    """Returns the first questions of a task for a runner, and what each shows."""
    from lmms_eval.api.instance import Instance

    config = load_task(task)
    docs = list(docs_of(config))[:n]
    kwargs = (config.get("lmms_eval_specific_kwargs") or {}).get("default")
    settings = {**config["generation_kwargs"], "max_new_tokens": 1}
    lm.task_dict[task] = {"test": docs}
    found = []
    for number, doc in enumerate(docs):
        text = config["doc_to_text"](doc, kwargs)
        arguments = (text, lambda one: config["doc_to_messages"](one, kwargs), copy.deepcopy(settings))
        about = {"task": task, "doc_id": number, "repeats": 1}
        one = Instance("generate_until", (*arguments, number, task, "test"), 0, about)
        urls = [*urls_of(doc)]
        found.append((one, Pictured(task, number, digest(sorted(urls)), digest(urls))))
    return found


def counted(server: str) -> dict[str, float]:
    """Returns the engine's counters: what was looked up in each cache, and what was there."""
    with urllib.request.urlopen(f"{server}/metrics", timeout=60) as answer:
        lines = answer.read().decode().splitlines()
    found = {f"{one}_{kind}": 0.0 for one in _COUNTERS for kind in ("hits", "queries")}
    for line in lines:
        name = line.partition("{")[0].removeprefix("vllm:").removesuffix("_total")
        if name in found:
            found[name] += float(line.rpartition(" ")[2])
    return found


def _emptied(server: str) -> None:
    for name in ("reset_prefix_cache", "reset_mm_cache"):
        urllib.request.urlopen(urllib.request.Request(f"{server}/{name}", method="POST"), timeout=60).close()


def measured(url: str, model: Path, task: str, n: int, n_runners: int) -> tuple[float, ...]:
    """Returns the shares of prompt tokens and of pictures from the caches, in per cent, and the questions.

    Raises:
        ValueError: A request failed, or nothing was looked up.
    """
    server = url.removesuffix("/v1")
    more = "max_retries=1,num_concurrent=1,api_key=none"
    runners = [checking.runner("openai", f"model={model},base_url={url},{more}") for _ in range(n_runners)]
    asked = [requests_of(lm, task, n) for lm in runners]
    left = [[about for _, about in asked[0]][rank::n_runners] for rank in range(n_runners)]
    orders = [dict.fromkeys(left[rank][i].number for rank, i in share) for share in shares(left)]
    _emptied(server)
    before = counted(server)

    def answer(rank: int) -> list[Any]:
        return [
            reply
            for number in orders[rank]
            for reply in runners[rank].generate_until([asked[rank][number][0]])
        ]

    with ThreadPoolExecutor(n_runners) as pool:
        replies = [
            getattr(one, "text", one) for several in pool.map(answer, range(n_runners)) for one in several
        ]
    after = counted(server)
    used = {name: after[name] - before[name] for name in after}
    if any(map(request_failed, replies)) or not all(used[f"{one}_queries"] for one in _COUNTERS):
        raise ValueError(f"{task}: the server did not answer all, or counted nothing: {used}")
    return *(100 * used[f"{one}_hits"] / used[f"{one}_queries"] for one in _COUNTERS), len(asked[0])


def rows(quick: bool, tasks: Sequence[str] = TASKS, n: int = QUESTIONS) -> Iterator[timing.Row]:
    """Yields both shares for each task, at one and at two runners; nothing where vLLM is not installed."""
    if not engines.there():
        return
    with tempfile.TemporaryDirectory() as folder:
        model, log = tiny.build(Path(folder) / "tiny", width=128), Path(folder) / "server.log"
        # Its caches can be emptied.
        with patch.dict(os.environ, VLLM_SERVER_DEV_MODE="1"), engines.server(model, log) as url:
            for task in tasks[:1] if quick else tasks:
                for n_runners in RUNNERS:
                    tokens, pictures, asked = measured(url, model, task, 6 if quick else n, n_runners)
                    what = f"`{task}`, {asked:.0f} questions, {n_runners} runner{'s' * (n_runners > 1)}"
                    yield timing.Row(f"{what}: prompt tokens from the cache", [tokens], "%")
                    yield timing.Row(f"{what}: pictures from the cache", [pictures], "%")


def main() -> None:
    """Prints the table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--tasks", nargs="+", default=list(TASKS))
    options.add_argument("--questions", type=int, default=QUESTIONS, help="the first of each task")
    options.add_argument("--quick", action="store_true", help="six questions of one task")
    given = options.parse_args()
    for line in timing.table(rows(given.quick, given.tasks, given.questions)):
        print(line, flush=True)


if __name__ == "__main__":
    main()
