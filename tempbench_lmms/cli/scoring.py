"""The commands that score kept replies: `score`, `import`, `rescore`, `reread` and `signature`."""

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from tempbench_lmms import benchmarks
from tempbench_lmms.cli.command import AsJson, Force, IncludePath, Logs, Partial
from tempbench_lmms.data import outputs, tables, terminal
from tempbench_lmms.errors import TempbenchError

_SHOWN = 5  # replies on which our reader and a task differ
_SomeReplies = Annotated[
    bool, typer.Option("--partial", help="Score the existing replies even if some are missing.")
]


def score(
    ctx: typer.Context,
    predictions: Annotated[
        Path,
        typer.Option(help="JSON Lines with question_id and reply, a sample log, or the official files."),
    ],
    task: Annotated[str, typer.Option(help="The task that was asked; default: the benchmark's own.")] = "",
    data: Annotated[
        Path | None, typer.Option(help="The official question files, instead of the prepared data.")
    ] = None,
    format_: Annotated[
        str,
        typer.Option(
            "--format", help="The format, as for `tempbench import`; default: derived from the file."
        ),
    ] = "",
    model: Annotated[str, typer.Option(help="The model's name, which some official rules need.")] = "",
    mini: Annotated[bool, typer.Option("--mini", help="Use the bundled sample.")] = False,
    as_json: AsJson = False,
    partial: _SomeReplies = False,
) -> None:
    """Score replies from elsewhere: our metrics, and what the official scorer prints."""
    from tempbench_lmms.record import shown
    from tempbench_lmms.runs import importing

    # The subcommand's name is the benchmark's.
    found = importing.score(str(ctx.info_name), predictions, task, data, format_, model, mini, partial)
    for note in found.notes:
        print(note, file=sys.stderr)
    if as_json:
        print(json.dumps(found.as_json(), indent=2))
        return
    terminal.print_nested(found.official, "official")
    if found.metrics:
        rows = ((name, shown(one), shown(error, blank="")) for name, (one, error) in found.metrics.items())
        terminal.print_tables({"": [("metric", "value", "std. error"), *rows]})


def import_(
    format_: Annotated[
        str,
        typer.Argument(metavar="FORMAT", help="replies, vlmevalkit, or a benchmark's own, such as tempvs."),
    ],
    path: Annotated[Path, typer.Argument(help="File or folder of replies.")],
    task: Annotated[str, typer.Option(help="The task that was asked, e.g. tempvs_mt1_two.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the logs.")],
    model: Annotated[str, typer.Option(help="The model's name; by default from the file.")] = "",
    partial: _SomeReplies = False,
) -> None:
    """Import replies from elsewhere as a log for report, compare, rescore and reread."""
    terminal.tell("reading the replies")
    from tempbench_lmms.harness.tasks import task_files
    from tempbench_lmms.runs import importing

    source = importing.source_of(path, task, model.strip())
    readers = {**importing.READERS, **benchmarks.readers(task_files()[task].parent.name)}
    if format_ not in readers:
        raise TempbenchError(f"no format {format_!r} for {task}; choose one of {', '.join(readers)}")
    log = importing.run(readers[format_], format_, source, output, partial)
    for line in source.remarks:
        print(line, file=sys.stderr)
    n = terminal.counted(len(log.samples), "reply", "replies")
    print(f"{log.file}: {n} of {log.model}; {importing.NOTE}")


def rescore(
    logs: Logs,
    reparse: Annotated[
        bool, typer.Option("--reparse", help="Read the logged replies again, with the local data.")
    ] = False,
    anyway: Annotated[
        bool,
        typer.Option("--anyway", help="With --reparse: read replies even if the local data differs."),
    ] = False,
    partial: Partial = False,
    as_json: AsJson = False,
    items: Annotated[
        Path | None, typer.Option(help="Also write each question's record and scores as CSV.")
    ] = None,
    force: Force = False,
) -> None:
    """Compute a run's scores again from its logs, without a model."""
    from tempbench_lmms.report.text import items_as_csv
    from tempbench_lmms.runs import logs as runs
    from tempbench_lmms.runs import repeats, task_log

    if items:
        if items.suffix.lower() != ".csv":
            raise TempbenchError(f"--items {items}: only CSV is possible; end the name in .csv")
        outputs.check_file(items, force)
    read = runs.read_runs(logs, partial)
    with task_log.edited(" ".join(map(str, logs))):
        if reparse:  # without this, a log of another run shows in its scores
            read = runs.checked(read, partial)
        found = [runs.rescore(log, reparse, anyway=anyway) for log in read]
        spreads = repeats.of(replace(one.log, samples=one.samples) for one in found)  # as they are read now
        firsts = {(one.logs[0].file, one.logs[0].task): repeats.as_json(one) for one in spreads}
        said = [_rescored(one, as_json, firsts.get((one.log.file, one.log.task))) for one in found]
    if items:
        tables.write_text(items_as_csv([(one.log, one.samples) for one in found]), items)
        print(f"{items}: the questions one by one", file=sys.stderr)
    if as_json:
        print(json.dumps(said, indent=2))
    else:
        print(*said, *map(repeats.as_text, spreads), sep="\n")
    differing = [f"{one.log.task} {name}" for one in found for name in one.differing]
    if differing and not reparse:
        more = f" and {len(differing) - 5} more" if len(differing) > 5 else ""
        raise TempbenchError(
            f"the scores differ from those of the run: {', '.join(differing[:5])}{more}; the log belongs to "
            "another run, or another version of this package wrote it: try --reparse"
        )


def _rescored(found: Any, as_json: bool, spread: Any) -> Any:
    # `spread` is that over the repeats that begin with this run, for JSON.
    from tempbench_lmms.runs import logs, quality, rereading, run_card

    second, problem = rereading.compared_or_why(found.log, found.samples)
    if as_json:
        out = logs.as_json(found) | ({} if spread is None else {"over_repeats": spread})
        out |= {"second_readers": [rereading.as_json(one) for one in second]} if second else {}
        return out | {"problems": [*out["problems"], *filter(None, [problem])]}
    warnings = (*found.log.problems, *quality.warnings(found.log), *filter(None, [problem]))
    texts = [
        logs.as_text(found, "run", "now"),
        f"  {next(run_card.signature_lines([run_card.signature_of(found.log)]))}",
    ]
    texts += [f"  warning: {line}" for line in warnings] + [rereading.as_text(one) for one in second]
    return "\n".join(texts)


def reread(
    logs: Logs,
    reader: Annotated[str, typer.Option(help="The second reader: the name of a model at --base-url.")] = "",
    base_url: Annotated[
        str, typer.Option(help="An OpenAI-compatible endpoint, up to and including /v1.")
    ] = "",
    everything: Annotated[
        bool, typer.Option("--all", help="Ask about, or show, all replies, not only unread ones.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what it would cost.")] = False,
    concurrency: Annotated[int, typer.Option(min=1, help="Number of simultaneous requests.")] = 8,
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds to wait for an answer.")] = 60,
    retries: Annotated[int, typer.Option(min=0, help="Number of times to repeat a failed request.")] = 5,
    api_key_env: Annotated[
        str, typer.Option(help="The environment variable with the endpoint's key, if it needs one.")
    ] = "OPENAI_API_KEY",
    partial: Partial = False,
    include_path: IncludePath = None,
) -> None:
    """Let a language model read the unread replies; `rescore` and `report` show both readings.

    The replies are sent to the endpoint. Its readings are stored beside the logs, which do not change. The
    same command continues an interrupted one. Without --reader, our reader gives a second opinion on the
    scores of the harness's own multiple-choice tasks.
    """
    terminal.tell("reading the logs")
    from tqdm import tqdm

    from tempbench_lmms.runs import rereading
    from tempbench_lmms.runs.logs import read_runs

    if not reader and not base_url:
        return _show_opinions(read_runs(logs, partial), everything)
    if not reader.strip() or not base_url:
        raise TempbenchError("a second reader needs its name, --reader, and its address, --base-url")
    second = rereading.Endpoint(reader, base_url, os.environ.get(api_key_env, ""), timeout, retries)
    chosen = [
        question
        for log in read_runs(logs, partial)
        if not log.other
        for question in rereading.to_ask(log, second.name, everything)
    ]
    tokens = sum(len(question.request()) for question in chosen) // 4
    print(
        f"{len(chosen):,} requests to {reader}: about {tokens:,} tokens, and about {10 * len(chosen):,} "
        "tokens of answers; an answer in the wrong form is asked for once more"
    )
    if dry_run or not chosen:
        return
    try:
        with tqdm(total=len(chosen), unit="reply", disable=None) as bar:
            lines, failures = rereading.ask(chosen, second, concurrency, bar.update)
    except KeyboardInterrupt:
        terminal.tell("stopped; give the same command again to continue")
        os._exit(130)  # Python would wait for the running requests; the readings are already stored
    rereading.report(lines, failures, len(chosen))


def _show_opinions(logs: Sequence[Any], everything: bool) -> None:
    from tempbench_lmms.runs.quality import opinion_on

    others = [log for log in logs if log.other]
    if not others:
        raise TempbenchError("our reader has read these replies; name a second one with --reader")
    for log in others:
        try:
            print(_opinion(log, *opinion_on(log), everything))
        except TempbenchError as error:
            print(f"{log.task}, {log.model}: {error}")


def _opinion(log: Any, metric: str, answers: Sequence[Any], everything: bool) -> str:
    from tempbench_lmms.any_task.opinion import default_letter

    right, ours = sum(one.score > 0 for one in answers), sum(one.is_right for one in answers)
    lines = [
        f"{log.task}, {log.model}: {100 * right / len(answers):.1f} % right by the task ({metric}), "
        f"{100 * ours / len(answers):.1f} % by our reader, of {terminal.counted(len(answers), 'question')} "
        "with options"
    ]
    if silent := [one for one in answers if one.letter is None]:
        default, n_right = default_letter(answers), sum(one.score > 0 for one in silent)
        taken = f"the task takes them for {default}" if default else f"{n_right:,} count as right"
        lines.append(
            f"  {terminal.counted(len(silent), 'reply', 'replies')} with no letter for our reader: {taken}"
        )
    if differing := [one for one in answers if one.differs]:
        lines.append(
            f"  {terminal.counted(len(differing), 'reply', 'replies')} scored differently; the log stays"
        )
    for one in differing if everything else differing[:_SHOWN]:
        read, score = one.letter or "nothing", "right" if one.score > 0 else "wrong"
        lines.append(
            f"    question {one.id}: {score} by the task; the answer is {one.right}, our reader reads "
            f"{read}: {terminal.one_line(one.reply)[:80]!r}"
        )
    return "\n".join(lines)


def signature(runs: Logs, partial: Partial = False) -> None:
    """Print one line per task that says how its scores were made, for a paper or a bug report."""
    from tempbench_lmms.runs import logs, run_card, task_log

    with task_log.edited(" ".join(map(str, runs))):
        for log in logs.with_repeats_as_one(logs.read_runs(runs, partial)):
            print(*run_card.signature_lines([run_card.signature_of(log)]))
