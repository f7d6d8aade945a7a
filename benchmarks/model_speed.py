"""How long models of published sizes take for a question, on one GPU: `python benchmarks/model_speed.py`.

The weights are random and the sizes those of Qwen2.5-VL, so nothing is downloaded; what a question costs does
not depend on the weights. The harness's own runner asks, one question at a time, in bfloat16. A token is a
byte of text here, so texts are longer than with the published tokenizer; pictures, which are most of a
prompt, cost what they do there. Without a GPU it says so and measures nothing, unless with `--size tiny`.
"""

import argparse
import gc
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import timing

_FIELDS = (
    "hidden_size",
    "intermediate_size",
    "num_hidden_layers",
    "num_attention_heads",
    "num_key_value_heads",
)
SIZES: dict[str, dict[str, Any]] = {
    "3B": dict(zip(_FIELDS, (2048, 11008, 36, 16, 2), strict=True)),
    "7B": dict(zip(_FIELDS, (3584, 18944, 28, 28, 4), strict=True)),
    "32B": dict(zip(_FIELDS, (5120, 27648, 64, 40, 8), strict=True)),
}
"""The language model of each size, from the published configurations."""

_VISION = {"3B": 3420, "7B": 3420, "32B": 3456}
_VOCABULARY = 152064
TASKS = (
    "tempvs_mt1_two",
    "timepercept_isr",
    "mateo_both_baseline",
    "coherence_qa_16f",
    "rextime_frames",
    "rextime",
)
REPLIES = (1, 33)
"""Tokens of a reply; the difference of the two gives the time of one token more."""


def build(folder: Path, size: str) -> Path:
    """Writes a model of a size with random weights in bfloat16, and the processor of the tiny model."""
    import torch
    from transformers import Qwen2_5_VLConfig, Qwen2_5_VLForConditionalGeneration

    from tempbench_lmms.harness import tiny

    tiny.build(folder)
    if size == "tiny":
        return folder
    for old in folder.glob("*.safetensors"):
        old.unlink()
    written = Qwen2_5_VLConfig.from_pretrained(folder).to_dict()
    text = {**written["text_config"], **SIZES[size]}
    text |= {"vocab_size": _VOCABULARY, "rope_scaling": {"type": "mrope", "mrope_section": [16, 24, 24]}}
    text |= {"initializer_range": 0.02}
    for name in ("rope_parameters", "layer_types", "max_window_layers"):
        text.pop(name, None)
    vision = {"depth": 32, "hidden_size": 1280, "num_heads": 16, "intermediate_size": _VISION[size]}
    vision |= {
        "out_hidden_size": text["hidden_size"],
        "fullatt_block_indexes": [7, 15, 23, 31],
        "window_size": 112,
    }
    tokens = {name: value for name, value in written.items() if name.endswith("_token_id")}
    config = Qwen2_5_VLConfig(text_config=text, vision_config=vision, tie_word_embeddings=False, **tokens)
    torch.set_default_dtype(torch.bfloat16)
    with torch.device("cuda"):
        model = Qwen2_5_VLForConditionalGeneration(config)
    torch.set_default_dtype(torch.float32)
    model.generation_config.pad_token_id = written["text_config"]["pad_token_id"]
    model.save_pretrained(folder)
    return folder


class Clock:
    """Times what a runner's `generate_until` takes, and counts what its model is given."""

    def __init__(self, lm: Any) -> None:
        self._lm, self._model = lm, lm.model
        self._inner, self._generate = lm.generate_until, lm.model.generate
        self.seconds, self.prompts = 0.0, list[int]()
        lm.generate_until, lm.model.generate = self._timed, self._counted
        lm.clean = lambda: None  # the harness throws a model away after each evaluation

    def stop(self) -> None:
        """Gives the runner its own methods back."""
        self._lm.generate_until, self._model.generate = self._inner, self._generate

    def _timed(self, requests: Any) -> Any:
        start = time.perf_counter()
        try:
            return self._inner(requests)
        finally:
            self.seconds += time.perf_counter() - start

    def _counted(self, *given: Any, **named: Any) -> Any:
        self.prompts.append(int(named["input_ids"].shape[1]))
        return self._generate(*given, **named)


def asked(lm: Any, task: str, limit: int, tokens: int) -> tuple[float, int, int]:
    """Returns the seconds a question, the median prompt in tokens, and how many questions were asked."""
    from lmms_eval import evaluator

    clock = Clock(lm)
    try:
        evaluator.simple_evaluate(
            model=lm,
            tasks=[f"{task}_mini"],
            limit=limit,
            gen_kwargs=f"max_new_tokens={tokens}",
            bootstrap_iters=0,
        )
    finally:
        clock.stop()
    prompts = sorted(clock.prompts)
    return clock.seconds / max(1, len(prompts)), prompts[len(prompts) // 2], len(prompts)


def measured(
    size: str, tasks: Sequence[str], limit: int, folder: Path, arguments: str
) -> Iterator[timing.Row]:
    """Yields three rows a task: a reply of one token, each token more, and the GPU memory."""
    import torch

    from tempbench_lmms.harness import checking

    where = "cpu" if size == "tiny" else "cuda"
    pretrained = build(folder / size, size)
    lm = checking.runner(
        "qwen2_5_vl", f"pretrained={pretrained},{arguments},device={where},device_map={where}"
    )
    asked(lm, tasks[0], 2, 2)
    for task in tasks:
        if where == "cuda":
            torch.cuda.reset_peak_memory_stats()
        (short, prompt, n), (long, _, _) = (asked(lm, task, limit, tokens) for tokens in REPLIES)
        what = f"{size}, `{task}`, {n} questions of {prompt:,} tokens"
        yield timing.Row(f"{what}: a question, reply of one token", [short], "s")
        yield timing.Row(
            f"{what}: each token more", [1000 * (long - short) / (REPLIES[1] - REPLIES[0])], "ms"
        )
        if where == "cuda":
            yield timing.Row(f"{what}: memory", [torch.cuda.max_memory_allocated() / 2**30], "GiB")


def each_size(sizes: Sequence[str]) -> Iterator[tuple[str, Path]]:
    """Yields each size and a folder for its model, with the plugin in place; none without the GPU."""
    import torch

    from tempbench_lmms.harness import plugin

    if "tiny" not in sizes and not torch.cuda.is_available():
        print("SKIPPED: no GPU here, so nothing was measured (--size tiny tries the script on a CPU)")
        return
    plugin.install()
    with tempfile.TemporaryDirectory() as folder:
        for size in sizes:
            yield size, Path(folder)
            gc.collect()  # the model before, so that memory is that of one
            torch.cuda.empty_cache()


def rows(
    quick: bool,
    sizes: Sequence[str] = ("3B", "7B"),
    tasks: Sequence[str] = TASKS,
    arguments: str = "attn_implementation=sdpa,max_num_frames=16",
) -> Iterator[timing.Row]:
    """Yields what each size takes for the questions of each task; nothing without the GPU."""
    for size, folder in each_size(sizes):
        yield from measured(size, tasks, 2 if quick else 6, folder, arguments)


def main() -> None:
    """Prints the table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--size", nargs="+", default=["3B", "7B"], choices=["tiny", *SIZES])
    options.add_argument("--tasks", nargs="+", default=list(TASKS))
    options.add_argument("--quick", action="store_true", help="two questions a task")
    given = options.parse_args()
    for line in timing.table(rows(given.quick, given.size, given.tasks)):
        print(line, flush=True)


if __name__ == "__main__":
    main()
