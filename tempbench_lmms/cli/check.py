"""The command `tempbench check-model`."""

import contextlib
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tempbench_lmms.cli.command import AsJson, Force, IncludePath
from tempbench_lmms.data import outputs, terminal

if TYPE_CHECKING:
    from tempbench_lmms.runs.model_check import Wanted

STATUS = {"passed": 0, "failed": 1, "not judged": 3}


@contextlib.contextmanager
def _output_kept_clean() -> Iterator[None]:
    """Sends the output of the harness, its libraries and their processes to stderr."""
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)


def check_model(
    model: Annotated[str, typer.Option(help="The harness's --model.")] = "",
    model_args: Annotated[str, typer.Option(help="The harness's --model_args.")] = "",
    tasks: Annotated[
        str, typer.Option(help="Tasks or groups, separated by commas; only their needs decide the verdict.")
    ] = "",
    batch_size: Annotated[int, typer.Option(min=1, help="The harness's --batch_size.")] = 1,
    force_simple: Annotated[
        bool, typer.Option("--force-simple", help="The harness's --force_simple.")
    ] = False,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Also write an HTML page.")] = None,
    as_json: AsJson = False,
    questions: Annotated[
        bool, typer.Option(help="Also ask small questions that any seeing model can answer.")
    ] = True,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the pictures and questions.")] = 0,
    keep: Annotated[
        Path | None, typer.Option(help="Store the verdict in this run's folder, for its report.")
    ] = None,
    force: Force = False,
    everything: Annotated[
        bool, typer.Option("--all", help="Print every line, not only what failed.")
    ] = False,
    selftest: Annotated[
        bool,
        typer.Option(
            "--selftest", help="Inject faults into a model that can see, and list those that are named."
        ),
    ] = False,
    include_path: IncludePath = None,
) -> None:
    """Check that a model receives, and sees, what a task sends.

    The exit status is 0 if it passed, 1 if something failed, and 3 if too much could not be judged.
    """
    if selftest:
        from tempbench_lmms.runs import selftest as planting

        for line in planting.table(seed):
            print(line, flush=True)
        return
    if not model:
        raise typer.BadParameter("name the model: --model NAME", param_hint="--model")
    if output:
        outputs.check_file(output, force)
    if keep:
        outputs.check_folder(keep)
    from tempbench_lmms.harness import catalog
    from tempbench_lmms.runs.model_check import Wanted

    catalog.check_model(model, model_args)
    further = ("--include_path", str(include_path)) if include_path else ()
    wanted_tasks = tuple(filter(None, tasks.split(",")))
    if wanted_tasks:
        catalog.check_tasks(wanted_tasks, further)
    wanted = Wanted(model, model_args, wanted_tasks, batch_size, seed, questions, force_simple, further)
    _check(wanted, output, keep, as_json, everything)


def _check(wanted: "Wanted", output: Path | None, keep: Path | None, as_json: bool, everything: bool) -> None:
    from tempbench_lmms.data.tables import write_text
    from tempbench_lmms.report.page import check_page
    from tempbench_lmms.runs import model_check

    if keep:  # the run card names the model: fail before the check, not after it
        model_check.name_of(wanted.model, wanted.model_args)
    with _output_kept_clean():
        found = model_check.check(wanted, terminal.tell)
    print(json.dumps(found.as_json(), indent=2) if as_json else model_check.as_text(found, everything))
    if keep:
        model_check.keep(found, wanted, keep)
    if output:
        write_text(check_page(found), output)
        print(f"written to {output}", file=sys.stderr)
    if status := STATUS[found.state]:
        raise typer.Exit(status)
