"""`tempbench demo`: runs the bundled sample through the real harness in a minute, without a GPU."""

from pathlib import Path
from typing import Annotated, Any

import typer

from tempbench_lmms import benchmarks
from tempbench_lmms.cli.report import report
from tempbench_lmms.data import outputs, terminal
from tempbench_lmms.harness import plugin

_TASK = "tempvs_mini"
# The tiny model answers nonsense: more questions to it, and longer replies, say no more and take longer. The
# sample goes from story to story, so that its first questions are of all tests.
_TINY_QUESTIONS = 100
_LEGEND = f"""Shares from 0 to 1; - is undefined. mt: main questions right; gt: grounding questions
right; gt_strict: all of a sequence's right; mt_given_gt_strict: mt of those. The report has all six tests.
The tiny model has random weights and was asked the first {_TINY_QUESTIONS} questions."""
_MODEL = "--model qwen2_5_vl --model-args pretrained=Qwen/Qwen2.5-VL-3B-Instruct --tasks"
_NEXT = (
    "Next, with a real model on a GPU:",
    f"  tempbench check-model {_MODEL} {_TASK}",
    f"  tempbench run {_MODEL} {_TASK} --output logs/qwen",
    "  tempbench prepare tempvs --accept-license",
)


def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the logs.")] = Path(
        "tempbench_demo"
    ),
) -> None:
    """Run a tiny model, random guessing and an oracle on the bundled sample, through the real harness."""
    outputs.check_folder(output)
    plugin.harness_version()
    terminal.tell("building a tiny Qwen2.5-VL with random weights")
    from tempbench_lmms.harness import evaluation
    from tempbench_lmms.harness.catalog import as_names

    console = terminal.console()
    output.mkdir(parents=True, exist_ok=True)
    outputs.check_room(output, 50_000_000, "the tiny model, the logs and the report")
    tiny = output / "tiny_qwen2_5_vl"
    titles = {"qwen2_5_vl": "tiny VLM", "tempbench_chance": "chance", "tempbench_oracle": "oracle"}
    wanted: dict[str, dict[str, Any]] = {
        model: {"model": model, "tasks": as_names(_TASK)} for model in titles
    }
    wanted["qwen2_5_vl"] |= {
        "model_args": f"pretrained={tiny},device=cpu,device_map=cpu,attn_implementation=sdpa",
        "limit": _TINY_QUESTIONS,
        "gen_kwargs": "max_new_tokens=6",
    }
    begun: list[str] = []
    console.print(f"starting lmms-eval for {_TASK} and {len(wanted)} models", style="dim")

    def show(model: str, line: str) -> None:
        if model not in begun:
            begun.append(model)
            console.print(f"{len(begun)} of {len(wanted)}: --model {model} --tasks {_TASK}", style="dim")

    # Threads on such small matrices wait for each other; on a busy machine they are a hundred times slower.
    runs = evaluation.run_in_turn(
        wanted, output, {"OMP_NUM_THREADS": "1"}, show, ("tempbench_lmms.harness.tiny", str(tiny))
    )
    console.print(_table({title: runs[model] for model, title in titles.items()}))
    console.print(_LEGEND)
    named = [f"{title}={runs[model].results_file}" for model, title in titles.items()]
    # Pictures take time to make.
    report(named, output / "report.html", title="tempbench demo", pictures=60, force=True)
    console.print(*_NEXT, sep="\n", soft_wrap=True, highlight=False, markup=False)


def _table(columns: dict[str, Any]) -> Any:
    from rich import box
    from rich.table import Table

    card = benchmarks.card("tempvs")
    table = Table(title=f"{_TASK}: the bundled TempVS sample", box=box.SIMPLE_HEAD, padding=(0, 1))
    table.add_column("metric", no_wrap=True)
    for title in (*columns, "chance in the paper"):
        table.add_column(title, justify="right", max_width=12)
    for metric in (*card.primary[:4], "mt1_two_parse_rate"):
        values = [*(run.value(_TASK, metric) for run in columns.values()), card.chance.get(metric, "")]
        table.add_row(metric, *(f"{one:.4g}" if isinstance(one, float) else str(one) for one in values))
    return table
