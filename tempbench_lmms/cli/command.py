"""What all commands share: spellings of options, and output that cannot control the terminal."""

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from tempbench_lmms.data import terminal
from tempbench_lmms.errors import TempbenchError


def _include(folder: Path | None) -> Path | None:
    if folder is not None:
        from tempbench_lmms.harness import catalog

        catalog.include(folder)
    return folder


GroupBy = Annotated[
    str,
    typer.Option(
        metavar="FIELD",
        help="For tasks of the harness: the field by which questions belong together; by default that of "
        "their picture or video.",
    ),
]
IncludePath = Annotated[
    Path | None,
    typer.Option(help="A folder with tasks of your own, as the harness's --include_path.", callback=_include),
]
Logs = Annotated[list[Path], typer.Argument(help="Output folders of runs, or results files.")]
Partial = Annotated[
    bool, typer.Option("--partial", help="Include the readable part of damaged or unfinished runs.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite what is there.")]
Intervals = Annotated[bool, typer.Option(help="Compute intervals from the logs.")]


def spelling(name: str) -> str:
    """Returns our spelling of an option from the harness's spelling.

    >>> spelling("model_args"), spelling("output_path")
    ('model-args', 'output')
    """
    hyphened = name.replace("_", "-")
    return "output" if hyphened == "output-path" else hyphened


class SafeCommand(TyperCommand):
    """A command whose output cannot control the terminal."""

    is_painted = False

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Reads the command line; refuses an empty file name, which would mean the current folder."""
        has_empty = "" in args
        rest: list[str] = super().parse_args(ctx, args)
        for name, value in ctx.params.items() if has_empty else ():
            if Path() in (value if isinstance(value, (list, tuple)) else [value]):
                raise TempbenchError(f"{name}: the name is empty; give the name of a file or folder")
        return rest

    def invoke(self, ctx: Any) -> Any:
        """Runs the command."""
        with terminal.guarded(self.is_painted):
            try:
                return super().invoke(ctx)
            except KeyboardInterrupt:
                terminal.tell("ended by SIGINT")
                raise SystemExit(130) from None


class ColouredCommand(SafeCommand):
    """A command in which the harness prints its own coloured messages."""

    is_painted = True


class HarnessCommand(ColouredCommand):
    """A command that passes options on to the harness, with or without `--` before them."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Reads the command line; refuses options that the harness does not know either."""
        rest = super().parse_args(ctx, args)  # which ends where help is asked for
        from tempbench_lmms.harness import catalog

        words = ctx.params.get("arguments") or []
        catalog.options(words, [option for one in self.params for option in one.opts if option[:2] == "--"])
        # A run always writes logs, because they store the answers.
        ctx.params["arguments"] = [word for word in words if word != "--log_samples"]
        return rest
