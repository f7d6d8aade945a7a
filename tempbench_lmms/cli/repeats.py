"""`tempbench run --repeats`: runs one after the other, each with its own seed and folder, and their spread.

Each repeat is a process of its own, so that what one leaves on a GPU, or breaks, is no matter of the next.
"""

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tempbench_lmms.cli.report import write_report
from tempbench_lmms.data.bounds import whole_number
from tempbench_lmms.data.run_files import CHECK, REPEAT, SPREAD, STATE
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.runs import ending


def check(repeats: int, output: Path, further: Sequence[str], until_decided: bool) -> None:
    """Refuses repeats that would all be the same, that are not done so, or whose spread nobody could tell.

    Raises:
        TempbenchError: They are not to be done.
    """
    from tempbench_lmms.runs import arguments

    settings = arguments.generation(further)
    temperature = settings.get("temperature", "0")  # a number, or none: the harness's options are checked
    is_greedy = settings.get("do_sample", "true").lower() in ("false", "0", "none")
    if is_greedy or temperature.lower() == "none" or float(temperature) <= 0:
        raise TempbenchError(
            f"--repeats {repeats} without sampling gives {repeats} times the same replies; add "
            "`-- --gen_kwargs temperature=0.7`, or leave out --repeats"
        )
    if "seed" in settings:
        raise TempbenchError(
            "--repeats gives each repeat a seed, and seed in --gen_kwargs is one for all; give the first "
            "repeat's as `-- --seed 1`"
        )
    if until_decided:
        raise TempbenchError("--repeats asks all questions in every repeat; leave it out, or --until-decided")
    if whole_number("WORLD_SIZE", 1, least=1) > 1:
        raise TempbenchError(
            f"--repeats starts every repeat itself, so it runs without a launcher; with one, start each "
            f"repeat with --output {output / 'repeat_1'} and so on, `-- --seed 1` and so on, and then "
            f"`tempbench rescore {output}`"
        )
    if (output / STATE).is_file():
        raise TempbenchError(f"{output} holds a run without --repeats; choose another --output")


def _seeds(further: Sequence[str]) -> list[str]:
    """Returns the first repeat's, as words; one of them may be none."""
    from tempbench_lmms.runs import arguments

    return [word.strip() for word in str(arguments.value(further, "seed") or "1").split(",")]


def run(repeats: int, output: Path, further: Sequence[str], report: bool) -> None:
    """Runs every repeat, or continues where they were ended, and says how their numbers spread."""
    for number in range(1, repeats + 1):
        folder = output / f"{REPEAT}{number}"
        folder.mkdir(parents=True, exist_ok=True)
        if (output / CHECK).is_file():
            shutil.copyfile(output / CHECK, folder / CHECK)
        print(f"tempbench: repeat {number} of {repeats}", file=sys.stderr, flush=True)
        command = [sys.executable, "-m", "tempbench_lmms.cli", *words(sys.argv[1:], number, folder, further)]
        with_parent = ending.end_with_parent if sys.platform == "linux" else None
        status = subprocess.run(command, check=False, preexec_fn=with_parent).returncode
        if -status in ending.SIGNALS:
            raise ending.end_likewise(-status)
        if status:
            then = "do what the line above says" if status > 0 else "give the same command again"
            raise TempbenchError(
                f"repeat {number} of {repeats} ended with status {status}; {then}, and it goes on from there"
            )
    _tell(output, repeats, report)


def words(given: Sequence[str], number: int, folder: Path, further: Sequence[str]) -> list[str]:
    """Returns the command line of a repeat: that of all of them, and what it has of its own.

    Of an option that is given twice the last one counts, here and in the harness.

    >>> words(["run", "--repeats", "3"], 2, Path("x/repeat_2"), ["--gen_kwargs", "temperature=1"])[3:6]
    ['--output=x/repeat_2', '--repeats=1', '--no-report']
    """
    from tempbench_lmms.runs import arguments

    cut = given.index("--") if "--" in given else len(given)
    ours = [word for word in given[:cut] if word != "--check"]
    ours += [f"--output={folder}", "--repeats=1", "--no-report"]
    # Our tasks say that sampling is off, which some runners obey.
    sampling = "" if "do_sample" in arguments.generation(further) else "do_sample=True"
    settings = arguments.with_generation(further, sampling)[-2:]
    seeds = [seed if seed.lower() == "none" else str(int(seed) + number - 1) for seed in _seeds(further)]
    return [*ours, "--", *given[cut + 1 :], *settings, "--seed", ",".join(seeds)]


def _tell(output: Path, k: int, report: bool) -> None:
    """Prints and writes the numbers over the first repeats: an earlier command may have asked for more."""
    from tempbench_lmms.data.tables import write_json
    from tempbench_lmms.runs import repeats
    from tempbench_lmms.runs.logs import read_runs

    folders = [output / f"{REPEAT}{number}" for number in range(1, k + 1)]
    found = repeats.of(read_runs(folders))
    write_json([repeats.as_json(one) for one in found], output / SPREAD)
    if report:
        write_report(output / "report.html", *folders)
    for one in found:
        print(repeats.as_text(one))
    if (n := len([*output.glob(f"{REPEAT}*/{STATE}")])) > k:
        print(
            f"tempbench: {output} holds {n} repeats, and this is about the first {k}; for all of them see "
            f"`tempbench rescore {output}`",
            file=sys.stderr,
        )
