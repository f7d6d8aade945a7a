"""How ReXTime data is made: what this folder adds to the `tempbench` command."""

from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Option

from tempbench_lmms.data import choices, terminal
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.rextime.card import CARD, EVALUATED, SOURCES, SPLITS

if TYPE_CHECKING:
    from .prepare import Report

_SHOWN = 20


def prepare(
    source: Annotated[
        Path | None, Option(help="Folder with the official annotation files; else from the Hub.")
    ] = None,
    anet_dir: Annotated[Path | None, Option(help="Folder or archive with the ActivityNet videos.")] = None,
    qvh_dir: Annotated[Path | None, Option(help="Folder or archive with the QVHighlights videos.")] = None,
    splits: Annotated[
        str, Option(help="Splits to prepare, separated by commas; the videos of others are not needed.")
    ] = ",".join(SPLITS),
    revision: Annotated[str, Option(help="Revision on the Hub.")] = "main",
    accept_license: Annotated[
        bool, Option("--accept-license", help="You have read and accept the licences that are named.")
    ] = False,
    force: Annotated[bool, Option(help="Replace data prepared from something else.")] = False,
    thorough: Annotated[
        bool,
        Option(
            "--thorough/--quick",
            help="Decode and count every frame of every video, which finds damage in the middle; or only the "
            "beginning and the end of each.",
        ),
    ] = True,
) -> None:
    """Prepare ReXTime: annotations from the Hub or a folder, videos from where you have them."""
    from rich.progress import Progress

    from tempbench_lmms.data.roots import data_home

    from . import prepare as preparing

    if not accept_license:
        licences = "; ".join(f"{one.name}: {one.licence}" for one in CARD.sources)
        raise TempbenchError(f"the data has licences of its own ({licences}); add --accept-license")
    with Progress(console=terminal.console(stderr=True), transient=True) as bar:
        task = bar.add_task("looking at the videos", total=None)
        report = preparing.prepare(
            source,
            dict(zip(SOURCES, (anet_dir, qvh_dir), strict=True)),
            revision,
            force,
            thorough,
            lambda done, total: bar.update(task, completed=done, total=total),
            splits.split(","),
        )
    _print_report(
        report, data_home("rextime") / "rextime", choices.chosen(splits.split(","), SPLITS, "split")
    )


def _print_report(report: "Report", root: Path, wanted: Collection[str] = SPLITS) -> None:
    from tempbench_lmms.rextime.videos import ROWS_LEFT_OUT

    from .prepare import ADVICE

    manifest = report.manifest
    print(f"{'written to' if report.fresh else 'already prepared:'} {root}")
    for split, count in manifest["rows"].items():
        expected = manifest["expected_rows"][split]
        note = "" if count == expected else f", the paper has {expected}"
        complete = manifest["completeness"][split]
        print(f"{split}: {count} questions{note}; {complete:.1%} of them have a usable video")
    for split, count in manifest.get("without_options", {}).items():
        print(f"{split}: {count} questions have no option texts; only rextime_moment can ask them")
    for reason, count in manifest.get("files_left_out_by_reason", {}).items():
        first = manifest["files_left_out"][0]
        print(f"{count} files left out ({reason}), the first is {first['file']}: {first['why']}")
    left_out = manifest.get(ROWS_LEFT_OUT, ())
    for one in left_out[:_SHOWN]:
        print(f"  {one['split']}, {one['id']}: left out, {one['why']}")
    if len(left_out) > _SHOWN:
        print(f"  and {len(left_out) - _SHOWN} more questions are left out; all are in the manifest")
    for split in EVALUATED:
        if split not in manifest["rows"] and split in wanted:
            print(f"{split}: no annotation file was found")
    if report.problems:
        print(f"{len(report.problems)} of {manifest['videos']['needed']} videos are missing or damaged:")
        for problem in list(report.problems.values())[:_SHOWN]:
            print(f"  {problem}")
        if len(report.problems) > _SHOWN:
            print(f"  and {len(report.problems) - _SHOWN} more; all are in the manifest")
        print(ADVICE)


def cut(
    videos: Annotated[Path, Option(help="Folder with the full videos, called by their YouTube ids.")],
    output: Annotated[Path, Option("--output", "-o", help="Folder for the clips.")],
    source: Annotated[
        Path | None, Option(help="Folder with the official annotation files; else from the Hub.")
    ] = None,
    splits: Annotated[str, Option(help="Splits whose clips are wanted, separated by commas.")] = ",".join(
        SPLITS
    ),
    revision: Annotated[str, Option(help="Revision on the Hub.")] = "main",
) -> None:
    """Cut the QVHighlights clips out of the full videos, by their names; what is there stays."""
    from functools import partial

    from rich.progress import track

    from .cut import cut as cut_clips

    progress = partial(track, console=terminal.console(stderr=True))
    report = cut_clips(videos, output, source, revision, splits.split(","), progress)
    print(f"{report.cut} clips cut into {output}, {report.there} of {report.wanted} were there")
    for problem in report.problems.values():
        print(f"  {problem}")
    if report.problems:
        raise TempbenchError(
            f"{len(report.problems)} of {report.wanted} clips are missing; get their videos or the clips "
            "themselves (https://github.com/jayleicn/moment_detr) and run this again"
        )


COMMANDS: dict[str, Callable[..., Any]] = {"prepare": prepare, "cut": cut}
