"""What ReXTime adds to the `tempbench` command."""

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from tempbench_lmms.errors import TempbenchError

_SHOWN = 20


def verify(root: Path) -> Iterator[str]:
    """Yields one line a problem in the data under `root`."""
    from tempbench_lmms.rextime.checks import problems

    yield from problems(root)


def preflight(config: Mapping[str, Any]) -> None:
    """Raises where a task's videos are missing, before a model is loaded."""
    from tempbench_lmms.tasks import docs_of

    if config.get("process_docs"):
        docs_of(dict(config))


def prepare(
    source: Annotated[
        Path | None, typer.Option(help="Folder with the official annotation files; else from the Hub.")
    ] = None,
    anet_dir: Annotated[Path | None, typer.Option(help="Folder with the ActivityNet videos.")] = None,
    qvh_dir: Annotated[Path | None, typer.Option(help="Folder with the QVHighlights videos.")] = None,
    revision: Annotated[str, typer.Option(help="Revision on the Hub.")] = "main",
    accept_license: Annotated[
        bool, typer.Option("--accept-license", help="You have read and accept the licences that are named.")
    ] = False,
    force: Annotated[bool, typer.Option(help="Replace data prepared from something else.")] = False,
    thorough: Annotated[
        bool, typer.Option(help="Decode every frame of every video: slow, and finds damage in the middle.")
    ] = False,
) -> None:
    """Prepare ReXTime: annotations from the Hub or a folder, videos from where you have them."""
    from rich.console import Console
    from rich.progress import Progress

    from tempbench_lmms.data.roots import data_home
    from tempbench_lmms.hf_datasets.rextime import prepare as preparing
    from tempbench_lmms.rextime.card import CARD

    if not accept_license:
        licences = "; ".join(f"{one.name}: {one.licence}" for one in CARD.sources)
        raise TempbenchError(f"the data has licences of its own ({licences}); add --accept-license")
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("looking at the videos", total=None)
        report = preparing.prepare(
            source,
            {"activitynet": anet_dir, "qvhighlights": qvh_dir},
            revision,
            force,
            thorough,
            lambda done, total: bar.update(task, completed=done, total=total),
        )
    manifest = report.manifest
    print(f"{'written to' if report.fresh else 'already prepared:'} {data_home() / 'rextime'}")
    for split, count in manifest["rows"].items():
        expected = manifest["expected_rows"][split]
        note = "" if count == expected else f", the paper has {expected}"
        complete = manifest["completeness"][split]
        print(f"{split}: {count} questions{note}; {complete:.1%} of them have a usable video")
    for split in ("validation", "test"):
        if split not in manifest["rows"]:
            print(f"{split}: no annotation file was found")
    if report.problems:
        print(f"{len(report.problems)} of {manifest['videos']['needed']} videos are missing or damaged:")
        for problem in list(report.problems.values())[:_SHOWN]:
            print(f"  {problem}")
        if len(report.problems) > _SHOWN:
            print(f"  and {len(report.problems) - _SHOWN} more; all are in the manifest")
        print(preparing.ADVICE)


def score(
    predictions: Annotated[Path, typer.Option(help="JSONL: a submission, or qid and response.")],
    ground_truth: Annotated[Path, typer.Option(help="The scorer's rextime_val.jsonl, or rextime_val.json.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    partial: Annotated[
        bool, typer.Option(help="Score the questions that are there instead of stopping at missing ones.")
    ] = False,
) -> None:
    """Score ReXTime predictions as the official scorer does, and with our metrics beside it."""
    from tempbench_lmms.rextime.offline import score_files

    result = score_files(predictions, ground_truth, partial)
    for note in result.notes:
        print(note, file=sys.stderr)
    if as_json:
        print(json.dumps({"official": result.official, "metrics": result.metrics}, indent=2))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table("official", "value", box=None)
    for name, value in result.official["brief"].items():
        table.add_row(name, str(value))
    ours = Table("metric", "value", "std. error", box=None)
    for name, (value, error) in result.rows.items():
        ours.add_row(name, value, error)
    console = Console()
    console.print(table, ours)


def submit(
    logs: Annotated[
        Path, typer.Argument(help="Folder of a run, its sample log, or a submission file to be checked.")
    ],
    split: Annotated[str, typer.Option(help="test or validation.")] = "test",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The .jsonl file to write.")] = None,
    fill: Annotated[
        bool, typer.Option(help="Write questions that were not asked as unanswered, which counts as wrong.")
    ] = False,
    strict: Annotated[
        bool, typer.Option(help="Also refuse what the leaderboard takes and scores as wrong.")
    ] = False,
    force: Annotated[bool, typer.Option(help="Overwrite the file.")] = False,
) -> None:
    """Write and check the file and the zip that the ReXTime leaderboard (CodaLab 19587) takes."""
    from tempbench_lmms.rextime.offline import submit_logs

    done = submit_logs(logs, split, output, fill, strict, force)
    for problem in done.problems:
        print(problem)
    wrong = f", {len(done.problems)} of them noted above" if done.problems else ""
    print(f"{done.n_lines} questions{wrong}: written to {done.file} and {done.archive}")


def stats(
    mini: Annotated[bool, typer.Option(help="Of the bundled sample.")] = False,
    ground_truth: Annotated[
        Path | None, typer.Option(help="Of the scorer's rextime_val.jsonl instead of the prepared data.")
    ] = None,
    split: Annotated[str, typer.Option(help="validation or train.")] = "validation",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Measure ReXTime: spans, durations, answers, and what a model gets that sees nothing."""
    from tempbench_lmms.data.roots import mini_root, prepared_root
    from tempbench_lmms.data.tables import read_rows
    from tempbench_lmms.rextime import statistics

    if ground_truth:
        from tempbench_lmms.hf_datasets.rextime.rows import load_records, row

        found = [row(record) for record in load_records(ground_truth)]
    else:
        root = mini_root("rextime") if mini else prepared_root("rextime")
        found = read_rows(root / split)
    measured = statistics.measure(found)
    print(json.dumps(measured, indent=2) if as_json else statistics.as_text(measured))


def build(
    captions: Annotated[Path, typer.Option(help="JSON or JSONL of videos with time-aligned captions.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="JSONL to write.")],
    model: Annotated[str, typer.Option(help="The model's name at the endpoint.")],
    base_url: Annotated[
        str, typer.Option(help="An OpenAI-compatible endpoint.", envvar="OPENAI_BASE_URL")
    ] = "https://api.openai.com/v1",
    limit: Annotated[int | None, typer.Option(help="Only this many videos.")] = None,
    force: Annotated[bool, typer.Option(help="Start anew instead of going on with the file.")] = False,
) -> None:
    """Make questions from captions as section 3 does; the key is read from OPENAI_API_KEY."""
    from rich.console import Console

    from tempbench_lmms.hf_datasets.rextime.build import build_file

    done = build_file(captions, output, model, base_url, limit, force, Console(stderr=True))
    for reason, count in done.items():
        print(f"{reason}: {count}")


COMMANDS: dict[str, Callable[..., Any]] = {
    "verify": verify,
    "preflight": preflight,
    "prepare": prepare,
    "score": score,
    "submit": submit,
    "stats": stats,
    "build": build,
}
