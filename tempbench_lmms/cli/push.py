"""`tempbench push`."""

import sys
from typing import Annotated

import typer

from tempbench_lmms import benchmarks


def push(
    benchmark: Annotated[str, typer.Argument(help="The benchmark whose prepared data to publish.")],
    repo: Annotated[str, typer.Option(help="The data set on the Hub, ORG/NAME.")],
    private: Annotated[
        bool,
        typer.Option("--private", help="Make the repository private."),
    ] = False,
    license: Annotated[str | None, typer.Option(help="Licence of your own data, such as cc-by-4.0.")] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be uploaded, and stop.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Upload without asking.")] = False,
) -> None:
    """Publish prepared data as a Hugging Face data set, if its licences allow it."""
    from tempbench_lmms.cli import datasets

    benchmarks.card(benchmark)

    def agreed() -> bool:
        return yes or (sys.stdin.isatty() and typer.confirm(f"Upload this to {repo}?"))

    datasets.publishing().push(benchmark, repo, private, license, dry_run, agreed)
