"""What ReXTime adds to the `tempbench` command."""

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from tempbench_lmms.data import terminal
from tempbench_lmms.data.replies import Partial
from tempbench_lmms.errors import TempbenchError


def verify(root: Path) -> Iterator[str]:
    """Yields one line a problem in the data under `root`."""
    from tempbench_lmms.rextime.checks import problems

    yield from problems(root)


def preflight(config: Mapping[str, Any]) -> None:
    """Raises where a task's videos are missing, before a model is loaded."""
    from tempbench_lmms.harness.tasks import docs_of

    if config.get("process_docs"):
        docs_of(dict(config))


def score(
    predictions: Annotated[Path, typer.Option(help="JSONL: a submission, or qid and response.")],
    ground_truth: Annotated[Path, typer.Option(help="The scorer's rextime_val.jsonl, or rextime_val.json.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    partial: Partial = False,
) -> None:
    """Score ReXTime predictions as the official scorer does, and with our metrics beside it."""
    from tempbench_lmms.rextime.offline import score_files

    result = score_files(predictions, ground_truth, partial)
    for note in result.notes:
        print(note, file=sys.stderr)
    if as_json:
        print(json.dumps({"official": result.official, "metrics": result.metrics}, indent=2))
        return
    from rich.table import Table

    table = Table("official", "value", box=None)
    for name, value in result.official["brief"].items():
        table.add_row(name, str(value))
    ours = Table("metric", "value", "std. error", box=None)
    for name, (value, error) in result.rows.items():
        ours.add_row(name, value, error)
    console = terminal.console()
    console.print(table, ours)


def submit(
    logs: Annotated[
        Path, typer.Argument(help="Folder of a run, its sample log, or a submission file to be checked.")
    ],
    split: Annotated[str, typer.Option(help="test or validation.")] = "test",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The .jsonl file to write.")] = None,
    fill: Annotated[
        bool, typer.Option(help="Write questions that were not asked as unanswered, which counts as wrong.")
    ] = False,
    strict: Annotated[
        bool, typer.Option(help="Also refuse what the leaderboard takes and scores as wrong.")
    ] = False,
    force: Annotated[bool, typer.Option(help="Overwrite the file.")] = False,
) -> None:
    """Write and check the file and the zip that the ReXTime leaderboard (CodaLab 19587, now closed) took."""
    from tempbench_lmms.rextime.offline import submit_logs
    from tempbench_lmms.rextime.submission import CLOSED

    done = submit_logs(logs, split, output, fill, strict, force)
    for problem in done.problems:
        print(problem)
    wrong = f", {len(done.problems)} of them noted above" if done.problems else ""
    print(f"{done.n_lines} questions{wrong}: written to {done.file} and {done.archive}")
    if split == "test":
        print(CLOSED)


def stats(
    mini: Annotated[bool, typer.Option(help="Of the bundled sample.")] = False,
    ground_truth: Annotated[
        Path | None, typer.Option(help="Of the scorer's rextime_val.jsonl instead of the prepared data.")
    ] = None,
    split: Annotated[str, typer.Option(help="validation or train.")] = "validation",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Measure ReXTime: spans, durations, answers, and what a model gets that sees nothing."""
    from tempbench_lmms.data.roots import mini_root, prepared_root
    from tempbench_lmms.data.tables import read_rows
    from tempbench_lmms.rextime import statistics

    if ground_truth:
        from tempbench_lmms.rextime.rows import load_records, row

        found = [row(record) for record in load_records(ground_truth)]
        if not found:
            raise TempbenchError(f"{ground_truth} holds no question; name the official file")
    else:
        root = mini_root("rextime") if mini else prepared_root("rextime")
        found = read_rows(root / split)
    measured = statistics.measure(found)
    print(json.dumps(measured, indent=2) if as_json else statistics.as_text(measured))


def export_train(
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder to write.")],
    annotations: Annotated[
        Path | None, typer.Option(help="The official rextime_train.json, in place of the prepared split.")
    ] = None,
    video_dir: Annotated[
        Path | None, typer.Option(help="Folder with the videos, in place of those that prepare found.")
    ] = None,
    frames: Annotated[int, typer.Option(min=1, max=768, help="Frames of each video.")] = 16,
    limit: Annotated[int | None, typer.Option(min=1, help="Only this many questions.")] = None,
    mini: Annotated[
        bool, typer.Option("--mini", help="Take the bundled sample, to try a trainer out.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace an earlier export.")] = False,
) -> None:
    """Write the training split for fine-tuning: frames with their times, and the right letter and span."""
    from tempbench_lmms.data.finetuning import write_conversations
    from tempbench_lmms.rextime import training
    from tempbench_lmms.rextime.card import COUNTS, LORA

    find = training.in_folder(video_dir) if video_dir else training.in_prepared_data
    rows = training.with_videos(_to_train_on(annotations, mini)[:limit], find)
    counts = write_conversations(training.examples(rows, frames), output, LORA, force, "rextime")
    note = "" if mini or limit else f" (the paper has {COUNTS['train']})"
    print(f"{output}: {counts['conversations']} conversations{note}, {counts['images']} frames")


def _to_train_on(annotations: Path | None, mini: bool) -> list[dict[str, Any]]:
    from tempbench_lmms.data.roots import mini_root, prepared_root
    from tempbench_lmms.data.tables import read_rows
    from tempbench_lmms.rextime.rows import load_records, row

    if annotations:
        found = [row(record) for record in load_records(annotations)]
        if not found or not found[0]["options"]:
            raise TempbenchError(f"{annotations} holds no questions with options; give rextime_train.json")
        return found
    if mini:  # it has no training split
        return read_rows(mini_root("rextime") / "validation")
    table = prepared_root("rextime") / "train"
    if not table.is_dir():
        raise TempbenchError(
            f"{table} is missing; prepare the data with rextime_train.json, or give it with --annotations"
        )
    return read_rows(table)


COMMANDS: dict[str, Callable[..., Any]] = {
    "verify": verify,
    "preflight": preflight,
    "score": score,
    "submit": submit,
    "stats": stats,
    "export-train": export_train,
}
