"""`tempbench run --repeats`: makes runs, each with its own seed and folder, and shows their spread.

Each repeat is a separate process, so one repeat cannot affect the next through the GPU or an error.
"""

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tempbench_lmms.cli.report import write_report
from tempbench_lmms.data.bounds import whole_number
from tempbench_lmms.data.outputs import CHECK, REPEAT, STATE
from tempbench_lmms.data.terminal import tell
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.runs import ending


def check(repeats: int, output: Path, further: Sequence[str], until_decided: bool) -> None:
    """Refuses repeats that would be identical, cannot be started here, or whose spread could not be computed.

    Raises:
        TempbenchError: The repeats are refused.
    """
    from tempbench_lmms.runs import arguments

    settings = arguments.generation(further)
    temperature = settings.get("temperature", "0")  # a number or absent: the harness's options are checked
    is_greedy = settings.get("do_sample", "true").lower() in ("false", "0", "none")
    if is_greedy or temperature.lower() == "none" or float(temperature) <= 0:
        raise TempbenchError(
            f"--repeats {repeats} without sampling gives the same replies {repeats} times; add `-- "
            "--gen_kwargs temperature=0.7`, or leave out --repeats"
        )
    if "seed" in settings:
        raise TempbenchError(
            "--repeats gives each repeat its own seed, but seed in --gen_kwargs is the same for all; "
            "give the first repeat's seed as `-- --seed 1`"
        )
    if until_decided:
        raise TempbenchError(
            "--repeats asks all questions in every repeat; leave out either --repeats or --until-decided"
        )
    if whole_number("WORLD_SIZE", 1, least=1) > 1:
        raise TempbenchError(
            "--repeats starts every repeat itself and cannot run under a launcher; start each repeat with "
            f"--output {output / 'repeat_1'} and so on, `-- --seed 1` and so on, and then run `tempbench "
            f"rescore {output}`"
        )
    if (output / STATE).is_file():
        raise TempbenchError(f"{output} holds a run without --repeats; choose another --output")


def _seeds(further: Sequence[str]) -> list[str]:
    """Returns the first repeat's seeds as words; some may be absent."""
    from tempbench_lmms.runs import arguments

    return [word.strip() for word in str(arguments.value(further, "seed") or "1").split(",")]


def run(repeats: int, output: Path, further: Sequence[str], report: bool) -> None:
    """Runs or continues every repeat, and prints the spread of their scores."""
    for number in range(1, repeats + 1):
        folder = output / f"{REPEAT}{number}"
        folder.mkdir(parents=True, exist_ok=True)
        if (output / CHECK).is_file():
            shutil.copyfile(output / CHECK, folder / CHECK)
        tell(f"repeat {number} of {repeats}")
        command = [sys.executable, "-m", "tempbench_lmms.cli", *words(sys.argv[1:], number, folder, further)]
        with_parent = ending.end_with_parent if sys.platform == "linux" else None
        status = subprocess.run(command, check=False, preexec_fn=with_parent).returncode
        if -status in ending.SIGNALS:
            raise ending.end_likewise(-status)
        if status:
            then = "do what the line above says" if status > 0 else "give the same command again"
            raise TempbenchError(
                f"repeat {number} of {repeats} ended with status {status}; {then} to continue from there"
            )
    _tell(output, repeats, report)


def words(given: Sequence[str], number: int, folder: Path, further: Sequence[str]) -> list[str]:
    """Returns the command line of a repeat: the common one, and its own options.

    If an option is given twice, the last one counts, here and in the harness.

    >>> words(["run", "--repeats", "3"], 2, Path("x/repeat_2"), ["--gen_kwargs", "temperature=1"])[3:6]
    ['--output=x/repeat_2', '--repeats=1', '--no-report']
    """
    from tempbench_lmms.runs import arguments

    cut = given.index("--") if "--" in given else len(given)
    ours = [word for word in given[:cut] if word != "--check"]
    ours += [f"--output={folder}", "--repeats=1", "--no-report"]
    # Our tasks turn sampling off, which some runners obey.
    sampling = "" if "do_sample" in arguments.generation(further) else "do_sample=True"
    settings = arguments.with_generation(further, sampling)[-2:]
    seeds = [seed if seed.lower() == "none" else str(int(seed) + number - 1) for seed in _seeds(further)]
    return [*ours, "--", *given[cut + 1 :], *settings, "--seed", ",".join(seeds)]


def _tell(output: Path, k: int, report: bool) -> None:
    """Prints the scores over the first repeats; an earlier command may have made more."""
    from tempbench_lmms.runs import repeats
    from tempbench_lmms.runs.logs import read_runs

    folders = [output / f"{REPEAT}{number}" for number in range(1, k + 1)]
    if report:
        write_report(output / "report.html", *folders)
    for one in repeats.of(read_runs(folders)):
        print(repeats.as_text(one))
    if (n := len([*output.glob(f"{REPEAT}*/{STATE}")])) > k:
        tell(
            f"{output} holds {n} repeats, but this shows only the first {k}; `tempbench rescore {output}` "
            "shows all"
        )
