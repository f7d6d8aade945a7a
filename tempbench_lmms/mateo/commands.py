"""What MATEO adds to the `tempbench` command."""

from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from tempbench_lmms.errors import TempbenchError


def preflight(config: Mapping[str, Any]) -> None:
    """Raises where a task shows pictures and the data was prepared without them."""
    from tempbench_lmms.data import manifests
    from tempbench_lmms.harness.tasks import kwargs_of, root_of

    shown = kwargs_of(config) or {}
    _, root = root_of(dict(config))
    if shown.get("modality") != "text" and (manifests.read(root) or {}).get("text_only") is True:
        raise TempbenchError(
            f"{config['task']} shows pictures, and {root} was prepared with --text-only; run tasks "
            "mateo_text_*, or prepare the data with pictures"
        )


def export_train(
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder to write.")],
    modality: Annotated[str, typer.Option(help="image, text or both.")] = "both",
    setting: Annotated[str, typer.Option(help="baseline, instructions or icl.")] = "instructions",
    split: Annotated[str, typer.Option(help="train, validation or test.")] = "train",
    mini: Annotated[bool, typer.Option(help="Take the bundled sample, to try a trainer out.")] = False,
    force: Annotated[bool, typer.Option(help="Replace an earlier export.")] = False,
) -> None:
    """Write questions with their right answers for fine-tuning, and the paper's LoRA settings."""
    from tempbench_lmms.data.finetuning import write_conversations
    from tempbench_lmms.data.roots import mini_root, prepared_root
    from tempbench_lmms.data.tables import read_rows
    from tempbench_lmms.mateo.card import LORA, SPLITS
    from tempbench_lmms.mateo.checks import table_name
    from tempbench_lmms.mateo.training import examples, trained_on

    if split not in SPLITS:
        raise TempbenchError(f"unknown split {split!r}; choose one of {', '.join(SPLITS)}")
    root = mini_root("mateo") if mini else prepared_root("mateo")
    # The bundled sample has no splits.
    table = root / table_name("test" if mini else split)
    if not table.is_dir():
        raise TempbenchError(f"{root} has no {split} split; prepare a release that has one")
    rows = trained_on(read_rows(table))
    counts = write_conversations(examples(rows, modality, setting), output, LORA, force)
    print(f"{output}: {counts['conversations']} conversations, {counts['images']} pictures")
    for label, count in sorted(Counter(row["label"] for row in rows).items()):
        print(f"  {label}: {count}")


COMMANDS: dict[str, Callable[..., Any]] = {"preflight": preflight, "export-train": export_train}
