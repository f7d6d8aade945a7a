"""What TimePerceptBench adds to the `tempbench` command."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer


def export_train(
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder to write.")],
    tests: Annotated[str, typer.Option(help="Tests, separated by commas; all nine if omitted.")] = "",
    mini: Annotated[bool, typer.Option("--mini", help="Use the bundled sample.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace what is there.")] = False,
) -> None:
    """Write the training split as conversations for TRL and LLaMA-Factory, with the paper's LoRA settings."""
    from tempbench_lmms.data.roots import mini_root, prepared_root
    from tempbench_lmms.timepercept.training import export

    wanted = tuple(name.strip() for name in tests.split(",") if name.strip())
    counts = export(output, mini_root("timepercept") if mini else prepared_root("timepercept"), wanted, force)
    print(f"{counts['conversations']} conversations, {counts['images']} pictures in {output}")


COMMANDS: dict[str, Callable[..., Any]] = {"export-train": export_train}
