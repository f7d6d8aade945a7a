"""The command `tempbench agreement`."""

import json
from pathlib import Path
from typing import Annotated

import typer


def agreement(
    logs: Annotated[list[Path], typer.Argument(help="Runs: their --output_path, or results files.")],
    partial: Annotated[bool, typer.Option("--partial", help="Use what can be read of damaged logs.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Tell how far people, or models, agree on the questions that all of them answered.

    Cohen's kappa for two, Fleiss' kappa for more. 1 is full agreement, 0 what chance gives.
    """
    from tempbench_lmms.runs import respondents
    from tempbench_lmms.runs.logs import read_runs
    from tempbench_lmms.runs.task_log import edited

    read = read_runs(logs, partial)
    with edited(" ".join(map(str, logs))):
        found = respondents.agreements(read)
    if as_json:
        print(json.dumps([respondents.as_json(one) for one in found], indent=2))
    else:
        print("\n".join(respondents.as_text(one) for one in found))
