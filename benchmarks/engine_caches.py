"""What an engine's caches serve, by its own counters: `python benchmarks/engine_caches.py [--tasks T ...]`.

Tiny random weights behind servers of vLLM answer questions of tasks, dealt out to one and to two runners as
`tempbench run` deals them out to processes: each runner asks the first of its share one after the other, both
at once. Two runners ask one server, or each its own, as processes with an engine each do. Before
each measurement the servers empty their caches. A token is a byte of text here, so texts are longer than with
published tokenizers, and the share of tokens lower. Without vLLM nothing is run, and a line says so.
"""

import argparse
import copy
import os
import tempfile
import urllib.request
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest.mock import patch

import engines
import timing

from tempbench_lmms.data.checksums import digest, urls_of
from tempbench_lmms.harness import checking, tiny
from tempbench_lmms.harness.adapter import request_failed
from tempbench_lmms.harness.dealing import Pictured, shares
from tempbench_lmms.harness.tasks import docs_of, kwargs_of, load_task

TASKS = (
    "tempvs_mt1_two_mini",
    "tempvs_mt1_two_separate_mini",
    "mateo_both_baseline_mini",
    "timeblind_frames_mini",
    "tempcompass_pairs_mini",
    "nextgqa_frames_mini",
    "coherence_qa_4f_mini",
    "rextime_frames_mini",
    "timepercept_isr_mini",
    "motion_only_4f_mini",
)
QUESTIONS = 24
WAYS = ((1, 1), (2, 1), (2, 2))
"""Runners, and the servers that they ask."""
_COUNTERS = ("prefix_cache", "mm_cache")


def requests_of(lm: Any, task: str) -> list[tuple[Any, Pictured]]:
    """Returns a task's questions for a runner, and what each shows."""
    from lmms_eval.api.instance import Instance

    config = load_task(task)
    docs = list(docs_of(config))
    kwargs = kwargs_of(config)
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


def counted(servers: Sequence[str]) -> dict[str, float]:
    """Returns the engines' counters, added up: what was looked up in each cache, and what was there."""
    found = {f"{one}_{kind}": 0.0 for one in _COUNTERS for kind in ("hits", "queries")}
    for server in servers:
        with urllib.request.urlopen(f"{server}/metrics", timeout=60) as answer:
            lines = answer.read().decode().splitlines()
        for line in lines:
            name = line.partition("{")[0].removeprefix("vllm:").removesuffix("_total")
            if name in found:
                found[name] += float(line.rpartition(" ")[2])
    return found


def _emptied(server: str) -> None:
    for name in ("reset_prefix_cache", "reset_mm_cache"):
        urllib.request.urlopen(urllib.request.Request(f"{server}/{name}", method="POST"), timeout=60).close()


def measured(urls: Sequence[str], model: Path, task: str, n: int, n_runners: int) -> tuple[float, ...]:
    """Returns the shares of prompt tokens and of pictures from the caches, in per cent, and the questions.

    Raises:
        ValueError: A request failed, or nothing was looked up.
    """
    servers = [url.removesuffix("/v1") for url in urls]
    more = f"max_frames_num={engines.FRAMES},max_retries=1,num_concurrent=1,api_key=none"
    runners = [
        checking.runner("openai", f"model={model},base_url={urls[rank % len(urls)]},{more}")
        for rank in range(n_runners)
    ]
    asked = [requests_of(lm, task) for lm in runners]
    left = [[about for _, about in asked[0]][rank::n_runners] for rank in range(n_runners)]
    dealt = [[*dict.fromkeys(left[rank][i].number for rank, i in share)] for share in shares(left)]
    # All are dealt out, as in a run, and the first of each runner's are asked.
    orders = [order[: len(range(rank, n, n_runners))] for rank, order in enumerate(dealt)]
    for server in servers:
        _emptied(server)
    before = counted(servers)

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
    after = counted(servers)
    used = {name: after[name] - before[name] for name in after}
    if any(map(request_failed, replies)) or not all(used[f"{one}_queries"] for one in _COUNTERS):
        raise ValueError(f"{task}: the server did not answer all, or counted nothing: {used}")
    return *(100 * used[f"{one}_hits"] / used[f"{one}_queries"] for one in _COUNTERS), sum(map(len, orders))


def rows(quick: bool, tasks: Sequence[str] = TASKS, n: int = QUESTIONS) -> Iterator[timing.Row]:
    """Yields both shares for each of `WAYS` and each task; nothing where vLLM is not installed."""
    if not engines.there():
        return
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        model = tiny.build(Path(folder) / "tiny", width=128)
        # Its caches can be emptied.
        stack.enter_context(patch.dict(os.environ, VLLM_SERVER_DEV_MODE="1"))
        urls: list[str] = []
        for n_runners, n_servers in WAYS:
            while len(urls) < n_servers:
                log = Path(folder) / f"server{len(urls)}.log"
                urls.append(stack.enter_context(engines.server(model, log)))
            who = f"{_said(n_runners, 'runner')}, {_said(n_servers, 'server')}"
            for task in tasks[:1] if quick else tasks:
                tokens, pictures, asked = measured(
                    urls[:n_servers], model, task, 6 if quick else n, n_runners
                )
                what = f"`{task}`, {asked:.0f} questions, {who}"
                yield timing.Row(f"{what}: prompt tokens from the cache", [tokens], "%")
                yield timing.Row(f"{what}: pictures from the cache", [pictures], "%")


def _said(n: int, what: str) -> str:
    return f"{n} {what}{'s' * (n > 1)}"


def main() -> None:
    """Prints the table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--tasks", nargs="+", default=list(TASKS))
    options.add_argument(
        "--questions", type=int, default=QUESTIONS, help="of each task, the first that are dealt out"
    )
    options.add_argument("--quick", action="store_true", help="six questions of one task")
    given = options.parse_args()
    for line in timing.table(rows(given.quick, given.tasks, given.questions)):
        print(line, flush=True)


if __name__ == "__main__":
    main()
