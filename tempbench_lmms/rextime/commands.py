"""What ReXTime adds to the `tempbench` command."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from tempbench_lmms.errors import TempbenchError


def preflight(config: Mapping[str, Any]) -> None:
    """Raises where a task's videos are missing, before a model is loaded."""
    from tempbench_lmms.harness.tasks import docs_of

    if config.get("process_docs"):
        docs_of(dict(config))


def export_train(
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder to write.")],
    frames: Annotated[int, typer.Option(min=1, max=768, help="Frames of each video.")] = 16,
    limit: Annotated[int | None, typer.Option(min=1, help="Only this many questions.")] = None,
    mini: Annotated[
        bool, typer.Option("--mini", help="Take the bundled sample, to try a trainer out.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace an earlier export.")] = False,
) -> None:
    """Write the training split for fine-tuning: frames with their times, and the right letter and span."""
    from tempbench_lmms.data.finetuning import write_conversations
    from tempbench_lmms.data.roots import mini_root, prepared_root
    from tempbench_lmms.data.tables import read_rows
    from tempbench_lmms.rextime import training
    from tempbench_lmms.rextime.card import LORA

    # The sample has no training split.
    table = mini_root("rextime") / "validation" if mini else prepared_root("rextime") / "train"
    if not table.is_dir():
        raise TempbenchError(f"{table} is missing; prepare the data with rextime_train.json")
    rows = training.with_videos(read_rows(table)[:limit])
    counts = write_conversations(training.examples(rows, frames), output, LORA, force, "rextime")
    print(f"{output}: {counts['conversations']} conversations, {counts['images']} frames")


COMMANDS: dict[str, Callable[..., Any]] = {"preflight": preflight, "export-train": export_train}
