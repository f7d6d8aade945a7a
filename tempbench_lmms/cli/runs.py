"""The commands `plan`, `run` and `compare`.

Heavy modules are imported where they are needed, so that `tempbench path` need not wait. Each repeat of
`run --repeats` is a separate process, so one repeat cannot affect the next through the GPU or an error.
"""

import functools
import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from tempbench_lmms.cli.command import AsJson, GroupBy, IncludePath, Partial
from tempbench_lmms.cli.report import write_report
from tempbench_lmms.data import bounds, outputs, provenance, roots, terminal
from tempbench_lmms.data.outputs import CHECK, LOCK, REPEAT, STATE
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.runs import supervision

_TIMEOUT = 1800

SliceSize = Annotated[
    int, typer.Option("--slice", min=1, help="Answers to store at a time: the most that is lost.")
]
MaxFailures = Annotated[
    str, typer.Option(help="How many requests may fail before the run fails, as a number or a share.")
]
QuestionTimeout = Annotated[
    float, typer.Option(min=0, help="Seconds after which a question counts as failed; 0 is no limit.")
]
UntilDecided = Annotated[
    Path | None,
    typer.Option(
        metavar="RUN_B",
        help="Stop when it is decided whether this run is better or worse than RUN_B, an earlier run of "
        "all questions. Groups of questions are asked in random order.",
    ),
]
DecideBy = Annotated[
    str, typer.Option(help="With --until-decided: the metric that decides; default: the headline.")
]
Repeats = Annotated[
    int,
    typer.Option(
        min=1,
        max=1000,
        help="Ask all questions this many times with sampled replies, to measure the spread.",
    ),
]
Within = Annotated[
    float,
    typer.Option(min=0.001, max=0.99, help="Without --against: assumed correlation within a group."),
]
Correlation = Annotated[
    float, typer.Option(min=0, max=0.99, help="Assumed correlation of the two runs' results over groups.")
]


def run(
    model: Annotated[str, typer.Option(help="The harness's --model.")],
    tasks: Annotated[str, typer.Option(help="Tasks or groups, separated by commas.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for this run.")],
    model_args: Annotated[str, typer.Option(help="The harness's --model_args.")] = "",
    slice_size: SliceSize = 200,
    check: Annotated[bool, typer.Option("--check", help="Run check-model first.")] = False,
    anyway: Annotated[
        bool, typer.Option("--anyway", help="With --check: run even if the check did not pass.")
    ] = False,
    report: Annotated[
        bool, typer.Option(help="Write report.html into the folder at the end of the run.")
    ] = True,
    name: Annotated[str, typer.Option(help="Name of the run in reports; default: the model's name.")] = "",
    max_failures: MaxFailures = "1%",
    question_timeout: QuestionTimeout = _TIMEOUT,
    until_decided: UntilDecided = None,
    decide_by: DecideBy = "",
    repeats: Repeats = 1,
    arguments: Annotated[
        list[str] | None, typer.Argument(help="Options for the harness, e.g. --limit 8 --batch_size 4.")
    ] = None,
) -> None:
    """Run an evaluation; after an interruption, the same command continues.

    Under `torchrun` or `accelerate launch`, start it as `-m tempbench_lmms.cli run ...`.
    """
    further = arguments or []
    with supervision.told(output):
        first = not bounds.whole_number("RANK", 0, least=0)
        _check_places(output)
        if first:  # before anything heavy is imported
            terminal.tell(f"checking the data of {tasks}")
        from tempbench_lmms.harness import catalog

        catalog.check_tasks(tasks.split(","), further)
        catalog.check_model(model, model_args)
        if folder := catalog.options(further).include_path:
            catalog.include(Path(folder))  # for the report at the end
        if repeats > 1:
            check_repeats(repeats, output, further, until_decided is not None)
        if check and first and not (output / CHECK).is_file():  # a continued run has already been checked
            _check_first(model, model_args, tasks, output, further, anyway)
        if repeats > 1:
            return run_repeats(repeats, output, further, report)
        tell = supervision.supervised(output) if supervision.is_possible() else None
        # A plugin of the user's imports torch, say.
        if tell is None and question_timeout not in (0, _TIMEOUT):
            print("tempbench: --question-timeout has no effect, this process cannot fork", file=sys.stderr)
        from tempbench_lmms.runs import model_check, safe_run, starting

        provenance.note_check(model_check.kept(output, model, model_args))
        how = safe_run.RunOptions(
            slice_size, max_failures, question_timeout, tell, name, until_decided, decide_by
        )
        at_end = functools.partial(_write_page, output / "report.html" if report else None)
        safe_run.run(starting.Command(model, tasks, output, model_args, further), how, at_end)


def _check_places(output: Path) -> None:
    for folder in (output, output / "cache"):
        outputs.check_folder(folder, "choose another --output")
    for name in (STATE, "report.html", LOCK):
        if (output / name).is_dir():
            raise TempbenchError(f"{output / name} is a folder; choose another --output")
    outputs.check_folder(roots.datasets_cache(), "set HF_HOME to a folder that can be written to")


def _check_first(
    model: str, model_args: str, tasks: str, output: Path, further: Sequence[str], anyway: bool = False
) -> None:
    """Runs `tempbench check-model` in a separate process, so that its memory is free for the run."""
    if bounds.whole_number("WORLD_SIZE", 1, least=1) > 1:
        raise TempbenchError(
            f"--check needs a separate process; first run `tempbench check-model --keep {output}` without a "
            "launcher, and then this without --check"
        )
    from tempbench_lmms.harness import catalog

    command = [sys.executable, "-m", "tempbench_lmms.cli", "check-model", "--model", model, "--tasks", tasks]
    command += ["--model-args", model_args, "--keep", str(output)]
    given = catalog.options(further)
    if (size := str(getattr(given, "batch_size", ""))).isdecimal():
        command += ["--batch-size", size]
    if getattr(given, "force_simple", False):
        command.append("--force-simple")
    if getattr(given, "include_path", None):
        command += ["--include-path", given.include_path]
    status = subprocess.run(command, check=False).returncode
    if not (output / CHECK).is_file():
        raise TempbenchError(
            f"the model could not be checked (status {status}); see the messages above, or leave out --check"
        )
    if not status:
        return
    state = "failed" if status == 1 else "could not judge the model"
    if not anyway:
        (output / CHECK).unlink()  # so that the next start checks again
        raise TempbenchError(
            f"the check {state}; see the lines above for what to change, or add --anyway to run nevertheless"
        )
    terminal.tell(f"the check {state}; the run continues, and its report says so")


def _write_page(page: Path | None, results: Path, is_new: bool) -> None:
    # A page is older than the results if the run was ended while it wrote its page.
    if page and (is_new or not page.is_file() or page.stat().st_mtime < results.stat().st_mtime):
        write_report(page, results)


def check_repeats(repeats: int, output: Path, further: Sequence[str], until_decided: bool) -> None:
    """Refuses repeats that would be identical, cannot be started here, or whose spread could not be computed.

    Raises:
        TempbenchError: The repeats are refused.
    """
    from tempbench_lmms.harness.catalog import temperature
    from tempbench_lmms.runs.starting import generation

    settings = generation(further)
    is_greedy = settings.get("do_sample", "true").lower() in ("false", "0", "none")
    refusals = (
        (
            is_greedy or not temperature(settings.get("temperature", "")),
            f"--repeats {repeats} without sampling gives the same replies {repeats} times; add `-- "
            "--gen_kwargs temperature=0.7`, or leave out --repeats",
        ),
        (
            "seed" in settings,
            "--repeats gives each repeat its own seed, but seed in --gen_kwargs is the same for all; "
            "give the first repeat's seed as `-- --seed 1`",
        ),
        (
            until_decided,
            "--repeats asks all questions in every repeat; leave out either --repeats or --until-decided",
        ),
        (
            bounds.whole_number("WORLD_SIZE", 1, least=1) > 1,
            "--repeats starts every repeat itself and cannot run under a launcher; start each repeat with "
            f"--output {output / 'repeat_1'} and so on, `-- --seed 1` and so on, and then run `tempbench "
            f"rescore {output}`",
        ),
        (
            (output / STATE).is_file(),
            f"{output} holds a run without --repeats; choose another --output",
        ),
    )
    for is_so, reason in refusals:
        if is_so:
            raise TempbenchError(reason)


def run_repeats(repeats: int, output: Path, further: Sequence[str], report: bool) -> None:
    """Runs or continues every repeat, and prints the spread of their scores."""
    for number in range(1, repeats + 1):
        folder = output / f"{REPEAT}{number}"
        folder.mkdir(parents=True, exist_ok=True)
        if (output / CHECK).is_file():
            shutil.copyfile(output / CHECK, folder / CHECK)
        terminal.tell(f"repeat {number} of {repeats}")
        words = repeat_words(sys.argv[1:], number, folder, further)
        command = [sys.executable, "-m", "tempbench_lmms.cli", *words]
        status = subprocess.run(command, check=False, preexec_fn=supervision.end_with_parent).returncode
        if -status in supervision.SIGNALS:
            raise supervision.end_likewise(-status)
        if status:
            raise TempbenchError(
                f"repeat {number} of {repeats} ended with status {status}; do what the line above says, and "
                "give the same command again to continue from there"
            )
    from tempbench_lmms.runs import logs
    from tempbench_lmms.runs.repeats import as_text, of

    folders = [output / f"{REPEAT}{number}" for number in range(1, repeats + 1)]
    if report:
        write_report(output / "report.html", *folders)
    for one in of(logs.read_runs(folders)):
        print(as_text(one))
    if (n := len([*output.glob(f"{REPEAT}*/{STATE}")])) > repeats:  # an earlier command made more
        terminal.tell(
            f"{output} holds {n} repeats, but this shows only the first {repeats}; `tempbench rescore "
            f"{output}` shows all"
        )


def repeat_words(given: Sequence[str], number: int, folder: Path, further: Sequence[str]) -> list[str]:
    """Returns the command line of a repeat: the common one, and its own options.

    If an option is given twice, the last one counts, here and in the harness.

    >>> repeat_words(["run", "--repeats", "3"], 2, Path("x/repeat_2"), ["--gen_kwargs", "temperature=1"])[3:6]
    ['--output=x/repeat_2', '--repeats=1', '--no-report']
    """
    from tempbench_lmms.runs.starting import generation, value, with_generation

    cut = given.index("--") if "--" in given else len(given)
    ours = [word for word in given[:cut] if word != "--check"]
    ours += [f"--output={folder}", "--repeats=1", "--no-report"]
    # Our tasks turn sampling off, which some runners obey.
    sampling = "" if "do_sample" in generation(further) else "do_sample=True"
    settings = with_generation(further, sampling)[-2:]
    first = [word.strip() for word in str(value(further, "seed") or "1").split(",")]
    seeds = [seed if seed.lower() == "none" else str(int(seed) + number - 1) for seed in first]
    return [*ours, "--", *given[cut + 1 :], *settings, "--seed", ",".join(seeds)]


def compare(
    run_a: Annotated[
        Path, typer.Argument(help="The run's --output_path or results file; for repeats the folder of all.")
    ],
    run_b: Annotated[Path, typer.Argument(help="The run to compare it with.")],
    anyway: Annotated[
        bool, typer.Option("--anyway", help="Compare even if data, prompts or versions differ.")
    ] = False,
    reparse: Annotated[
        bool, typer.Option("--reparse", help="Read the logged replies of both runs again.")
    ] = False,
    partial: Partial = False,
    resamples: Annotated[int, typer.Option(min=100, max=1_000_000, help="Number of resamples.")] = 10_000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the resamples.")] = 0,
    all_: Annotated[bool, typer.Option("--all", help="Show every metric, not only headlines.")] = False,
    metrics: Annotated[str, typer.Option(help="Show these metrics, separated by commas.")] = "",
    as_json: AsJson = False,
    group_by: GroupBy = "",
    include_path: IncludePath = None,
) -> None:
    """Say whether run A is better than run B, metric by metric, on the same questions."""
    from tempbench_lmms import api
    from tempbench_lmms.runs import comparison

    how: dict[str, Any] = {"anyway": anyway, "partial": partial, "reparse": reparse, "group_by": group_by}
    done = api.compare(run_a, run_b, resamples=resamples, seed=seed, **how)
    if as_json:
        print(json.dumps(comparison.as_json(done.pairs, done.remarks, done.metrics), indent=2))
    else:
        shown = comparison.chosen(done.metrics, all_, [*filter(None, metrics.split(","))])
        print(comparison.as_text(done.pairs, done.remarks, done.metrics, shown))


def plan(
    tasks: Annotated[str, typer.Option(help="Tasks or groups, separated by commas.")],
    against: Annotated[
        Path | None, typer.Option(help="An earlier run of these tasks, for the spread of their scores.")
    ] = None,
    difference: Annotated[
        float, typer.Option(min=0.0001, max=1_000_000, help="The difference between two runs to detect.")
    ] = 0.03,
    speed: Annotated[float | None, typer.Option(min=0, max=86_400, help="Seconds per question.")] = None,
    right: Annotated[
        float, typer.Option(min=0.01, max=0.99, help="Without --against: assumed share of right answers.")
    ] = 0.5,
    within: Within = 0.2,
    correlation: Correlation = 0.4,
    questions: Annotated[
        int | None, typer.Option(min=1, help="How many questions there are, if the data is not here.")
    ] = None,
    groups: Annotated[
        int | None, typer.Option(min=1, help="With --questions: the number of their videos or other groups.")
    ] = None,
    group_by: GroupBy = "",
    include_path: IncludePath = None,
    as_json: AsJson = False,
) -> None:
    """Compute, before a run, the smallest difference it can detect, the questions it needs, and its time."""
    from tempbench_lmms.runs import logs, planning, run_card, task_log

    shares = {"right": right, "within": within, "correlation": correlation}
    if groups and groups > (questions or 0):
        raise TempbenchError(f"--groups {groups}: give --questions, and no more groups than questions")
    numbers = (questions, groups or questions) if questions else None
    earlier = logs.read_runs([against], group_by=group_by) if against else []
    leaves = _leaves(tasks.split(","), [log.task for log in earlier if log.other], include_path)
    assumed = planning.Assumed(**shares)
    # Only a log can hold unexpected values, if it was edited.
    with task_log.edited(against) if against else nullcontext():
        plans = [
            planning.plan(name, earlier, difference, speed, assumed, numbers, group_by) for name in leaves
        ]
    if difference > 1 and all(metric.value <= 1 for one in plans for metric in one.metrics):
        raise TempbenchError(
            f"--difference {difference:g}: no metric of {tasks} exceeds 1; give a share such as 0.03"
        )
    if as_json:
        common = {"difference": difference, "assumed": asdict(assumed)}
        print(json.dumps({**common, "tasks": [run_card.finite(asdict(one)) for one in plans]}, indent=2))
        return
    spread = (
        f"the spread between groups as in {against}"
        if against
        else f"{right:g} of the answers are right (correlation within a group {within:g}); add --against RUN "
        "to plan for gated metrics and pairs"
    )
    print(
        f"Assumed: {spread}; a correlation of {correlation:g} between the two runs' results over groups.\n"
        "Detected: in four of five comparisons, two-sided at 5 %, each metric by itself."
    )
    for one in plans:
        print(planning.as_text(one, difference))
    print("\nSeconds per question by model size: docs/performance.md; `tempbench run` prints it too.")


def _leaves(wanted: list[str], logged: list[str], include_path: Path | None) -> dict[str, None]:
    from tempbench_lmms.harness import catalog
    from tempbench_lmms.runs import starting

    # Other people's tasks may be known only from a log.
    further = ["--include_path", str(include_path)] if include_path else []
    if unlogged := [name for name in wanted if name not in logged]:
        catalog.check_tasks(unlogged, further)
    others = [*catalog.behind(wanted, further), *(name for name in logged if name in wanted)]
    return dict.fromkeys([*starting.leaves(wanted), *others])
