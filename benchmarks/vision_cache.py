"""What the vision cache saves of a question's time, on one GPU: `python benchmarks/vision_cache.py`.

Models of published sizes with random weights, as `model_speed.py` builds them, answer the first questions of
tasks, one at a time and in groups about the same pictures, without and with the cache, in turn. Their logits
are compared in all bits, and beside them those of asking again without the cache. Without a GPU it says
so and measures nothing, unless with `--size tiny`.
"""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import model_speed
import timing

from tempbench_lmms.data.checksums import digest, urls_of
from tempbench_lmms.harness import checking
from tempbench_lmms.harness.answers import answered_in_groups
from tempbench_lmms.harness.dealing import Pictured
from tempbench_lmms.harness.vision import VisionCache

TASKS = ("tempvs_mt1_two", "tempvs_mt1_two_separate", "coherence_qa_16f", "mateo_both_baseline")
QUESTIONS = 24
ROOM = 512 * 10**6
TOKENS = 2
"""Of a reply: the first comes of the prompt, the second of what is kept of it."""


class InGroups:
    """A runner that is asked in the order of `tempbench run`, and whose logits are noted by question."""

    def __init__(self, lm: Any) -> None:
        self._lm, self._inner, self._generate = lm, lm.generate_until, lm.model.generate
        self.logits: list[Any] = []
        lm.generate_until, lm.model.generate = self._grouped, self._noting

    def stop(self) -> None:
        """Gives the runner its own methods back."""
        self._lm.generate_until, self._lm.model.generate = self._inner, self._generate

    def _grouped(self, requests: Sequence[Any]) -> Any:
        return answered_in_groups([(one, self._pictured(one)) for one in requests], self._inner)

    def _pictured(self, request: Any) -> Pictured:
        task, number = request.task_name, request.doc_id
        urls = [*urls_of(self._lm.task_dict[task][request.metadata["split"]][number])]
        return Pictured(task, number, digest(sorted(urls)), digest(urls))

    def _noting(self, **named: Any) -> Any:
        import torch

        found = self._generate(**named, output_logits=True, return_dict_in_generate=True)
        self.logits.append(torch.stack(found.logits).cpu())
        return found.sequences


def asked(lm: Any, task: str, n: int, cache: VisionCache) -> tuple[float, list[Any]]:
    """Returns the seconds a question, and the logits of every question in the order asked."""
    noted = InGroups(lm)
    try:
        with cache.around(lm):
            seconds, _, _ = model_speed.asked(lm, task, n, TOKENS)
    finally:
        noted.stop()
    return seconds, noted.logits


def measured(size: str, tasks: Sequence[str], n: int, repeats: int, folder: Path) -> Iterator[timing.Row]:
    """Yields for each task what was encoded, which logits are the same, and the time with and without."""
    where = "cpu" if size == "tiny" else "cuda"
    given = f"attn_implementation=sdpa,max_num_frames=16,device={where},device_map={where}"
    lm = checking.runner("qwen2_5_vl", f"pretrained={model_speed.build(folder / size, size)},{given}")
    model_speed.asked(lm, tasks[0], 2, 2)
    for task in tasks:
        without, with_cache, same, repeated = [list[float]() for _ in range(4)]
        _, first = asked(lm, task, n, VisionCache(0))
        for _ in range(repeats):
            off, on = VisionCache(0), VisionCache(ROOM)
            seconds, again = asked(lm, task, n, off)
            without.append(seconds)
            repeated.append(sum(map(_equal, first, again)))
            seconds, again = asked(lm, task, n, on)
            with_cache.append(seconds)
            same.append(sum(map(_equal, first, again)))
        what = f"{size}, `{task}`, {len(first)} questions"
        yield timing.Row(f"{what}: picture sets encoded, {off.encoded} without the cache", [on.encoded], "")
        yield timing.Row(f"{what}: with all bits of their logits the same, asked twice without", repeated, "")
        yield timing.Row(f"{what}: with all bits of their logits the same, without and with it", same, "")
        yield timing.Row(f"{what}: a question, without", without, "s")
        yield timing.Row(f"{what}: a question, with it", with_cache, "s")
        yield timing.Row(f"{what}: without / with", timing.over(without, with_cache), "x")


def _equal(one: Any, other: Any) -> bool:
    """Whether two tensors are the same in all bits, not-a-number included."""
    import torch

    return bool(torch.equal(one.contiguous().view(torch.uint8), other.contiguous().view(torch.uint8)))


def rows(
    quick: bool, sizes: Sequence[str] = ("3B", "7B"), tasks: Sequence[str] = TASKS, n: int = QUESTIONS
) -> Iterator[timing.Row]:
    """Yields what the cache saves for each size and task; nothing without the GPU."""
    for size, folder in model_speed.each_size(sizes):
        yield from measured(size, tasks, 4 if quick else n, 1 if quick else 2, folder)


def main() -> None:
    """Prints the table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--size", nargs="+", default=["3B", "7B"], choices=["tiny", *model_speed.SIZES])
    options.add_argument("--tasks", nargs="+", default=list(TASKS))
    options.add_argument("--questions", type=int, default=QUESTIONS, help="the first of each task")
    options.add_argument("--quick", action="store_true", help="four questions a task, once")
    given = options.parse_args()
    for line in timing.table(rows(given.quick, given.size, given.tasks, given.questions)):
        print(line, flush=True)


if __name__ == "__main__":
    main()
