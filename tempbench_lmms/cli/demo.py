"""`tempbench demo`: the bundled sample through the real harness, in a few minutes, without a GPU."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from tempbench_lmms import benchmarks
from tempbench_lmms.harness import evaluation
from tempbench_lmms.record import UNDEFINED

_TASK = "tempvs_mini"
# The tiny model reads bytes, not words: a longer reply of it says no more, and takes longer.
_TINY_TOKENS = 6
# Threads on matrices this small wait for each other; on a busy machine that is a hundred times slower.
_ENVIRONMENT = {"OMP_NUM_THREADS": "1"}


def run(output: Path, console: Console) -> None:
    """Runs a tiny random model, chance and an oracle on the bundled TempVS sample, and shows one table.

    Args:
        output: Folder for the harness's logs and the tiny model.
        console: Where to print.

    Raises:
        TempbenchError: A run left no results.
    """
    from tempbench_lmms.harness.tiny import build

    columns: dict[str, evaluation.Run] = {}
    with console.status("building a tiny Qwen2.5-VL with random weights"):
        tiny = build(output / "tiny_qwen2_5_vl")
    runs: Sequence[tuple[str, str, str, list[str]]] = (
        (
            "tiny VLM",
            "qwen2_5_vl",
            f"pretrained={tiny},device=cpu,device_map=cpu,attn_implementation=sdpa",
            ["--gen_kwargs", f"max_new_tokens={_TINY_TOKENS}"],
        ),
        ("chance", "tempbench_chance", "media=true", []),
        ("oracle", "tempbench_oracle", "", []),
    )
    for title, model, model_args, arguments in runs:
        with console.status(f"lmms-eval --model {model} --tasks {_TASK}"):
            columns[title] = evaluation.run(
                model,
                [_TASK],
                output / title.replace(" ", "_"),
                arguments,
                model_args,
                environment=_ENVIRONMENT,
            )
    console.print(_table(columns))
    console.print(f"A number is a share from 0 to 1; {UNDEFINED} is undefined. Logs: {output.resolve()}")


def _table(columns: dict[str, evaluation.Run]) -> Table:
    card = benchmarks.card("tempvs")
    table = Table("metric", *columns, "chance in the paper", title=f"{_TASK}: the bundled TempVS sample")
    for metric in [*card.primary, *(f"{name.removesuffix('_mt')}_parse_rate" for name in card.primary[::4])]:
        values = [_shown(run.value(_TASK, metric)) for run in columns.values()]
        table.add_row(metric, *values, _shown(card.chance.get(metric, "")))
    return table


def _shown(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, (int, float)) else str(value)
