"""`tempbench demo`: runs the bundled sample through the real harness in a minute, without a GPU."""

from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from tempbench_lmms import benchmarks
from tempbench_lmms.cli.report import report
from tempbench_lmms.data import outputs
from tempbench_lmms.harness import evaluation
from tempbench_lmms.harness.task_names import as_names
from tempbench_lmms.record import UNDEFINED

_TASK = "tempvs_mini"
# The tiny model answers nonsense: more questions to it, and longer replies, say no more and take longer. The
# sample goes from story to story, so that its first questions are of all tests.
_TINY_QUESTIONS = 100
_TINY_TOKENS = 6
_PICTURES = 60
"""Number of questions with pictures in the report; pictures take time to make."""
_BYTES = 50_000_000
_CPU = "device=cpu,device_map=cpu"
_LEGEND = f"""Shares from 0 to 1; {UNDEFINED} is undefined. mt: main questions right; gt: grounding questions
right; gt_strict: all of a sequence's right; mt_given_gt_strict: mt of those. The report has all six tests.
The tiny model has random weights and was asked the first {_TINY_QUESTIONS} questions."""
_MODEL = "--model qwen2_5_vl --model-args pretrained=Qwen/Qwen2.5-VL-3B-Instruct --tasks"
_NEXT = (
    "Next, with a real model on a GPU:",
    f"  tempbench check-model {_MODEL} {_TASK}",
    f"  tempbench run {_MODEL} {_TASK} --output logs/qwen",
    "  tempbench prepare tempvs --accept-license",
)
# Threads on such small matrices wait for each other; on a busy machine they are a hundred times slower.
_ENVIRONMENT = {"OMP_NUM_THREADS": "1"}


def run(output: Path, console: Console) -> None:
    """Runs a tiny random model, chance and an oracle on the bundled TempVS sample, and shows one table.

    Raises:
        TempbenchError: A run left no results.
    """
    output.mkdir(parents=True, exist_ok=True)
    outputs.check_room(output, _BYTES, "the tiny model, the logs and the report")
    tiny = output / "tiny_qwen2_5_vl"
    wanted: dict[str, dict[str, Any]] = {
        "tiny VLM": {
            "model": "qwen2_5_vl",
            "model_args": f"pretrained={tiny},{_CPU},attn_implementation=sdpa",
            "limit": _TINY_QUESTIONS,
            "gen_kwargs": f"max_new_tokens={_TINY_TOKENS}",
        },
        "chance": {"model": "tempbench_chance"},
        "oracle": {"model": "tempbench_oracle"},
    }
    columns = _evaluated(wanted, output, console, tiny)
    console.print(_table(columns))
    console.print(_LEGEND)
    page = output / "report.html"
    named = [f"{title}={one.results_file}" for title, one in columns.items()]
    report(named, page, title="tempbench demo", pictures=_PICTURES, force=True)
    console.print(*_NEXT, sep="\n", soft_wrap=True, highlight=False, markup=False)


def _evaluated(
    wanted: dict[str, dict[str, Any]], output: Path, console: Console, tiny: Path
) -> dict[str, evaluation.Run]:
    """Evaluates the models in one start of the harness, which builds the tiny one; says how far it is."""
    folders = {wanted[title]["model"]: title for title in wanted}
    evaluations = {folder: {**wanted[title], "tasks": as_names(_TASK)} for folder, title in folders.items()}
    begun: list[str] = []
    console.print(f"starting lmms-eval for {_TASK} and {len(wanted)} models", style="dim")

    def show(folder: str, line: str) -> None:
        if folder not in begun:
            begun.append(folder)
            words = f"{len(begun)} of {len(wanted)}: --model {evaluations[folder]['model']} --tasks {_TASK}"
            console.print(words, style="dim")

    start = ("tempbench_lmms.harness.tiny", str(tiny))
    runs = evaluation.run_in_turn(evaluations, output, _ENVIRONMENT, show, start)
    return {title: runs[folder] for folder, title in folders.items()}


def _table(columns: dict[str, evaluation.Run]) -> Table:
    card = benchmarks.card("tempvs")
    table = Table(title=f"{_TASK}: the bundled TempVS sample", box=box.SIMPLE_HEAD, padding=(0, 1))
    table.add_column("metric", no_wrap=True)
    for title in (*columns, "chance in the paper"):
        table.add_column(title, justify="right", max_width=12)
    for metric in (*card.primary[:4], "mt1_two_parse_rate"):
        values = [_shown(run.value(_TASK, metric)) for run in columns.values()]
        table.add_row(metric, *values, _shown(card.chance.get(metric, "")))
    return table


def _shown(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, (int, float)) else str(value)
