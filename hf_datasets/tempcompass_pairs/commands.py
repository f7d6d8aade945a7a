"""How TempCompass data is made: what this folder adds to the `tempbench` command."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

from typer import Option

from tempbench_lmms.errors import TempbenchError


def prepare(
    source: Annotated[
        Path | None,
        Option(help="The official repository, or the download from the Hub; default: download it."),
    ] = None,
    harness: Annotated[
        bool, Option("--harness", help="Use the data of the harness's task `tempcompass`.")
    ] = False,
    videos: Annotated[
        Path | None, Option(help="The folder or archive of the clips; default: in --source.")
    ] = None,
    revision: Annotated[str, Option(help="Revision on the Hub.")] = "main",
    accept_license: Annotated[
        bool, Option("--accept-license", help="Confirm that you accept its terms; needed for the download.")
    ] = False,
    copy: Annotated[bool, Option("--copy", help="Copy videos instead of linking them.")] = False,
    force: Annotated[bool, Option(help="Replace data prepared from another source.")] = False,
) -> None:
    """Prepare TempCompass: questions without a judge, and which of them form contrast groups."""
    from tempbench_lmms.tempcompass_pairs.card import CARD

    from ..parts import watched
    from .prepare import download
    from .prepare import prepare as run
    from .sources import harness_source

    if source is not None and harness:
        raise TempbenchError("--source and --harness both name TempCompass; give one of them")
    if source is None and not harness and not accept_license:
        (terms,) = CARD.sources
        raise TempbenchError(
            f"read the licence first ({terms.name}: {terms.licence}, {terms.withheld}), then add "
            "--accept-license to download, or name what is here with --source"
        )
    if source is None:
        source = harness_source() if harness else download(revision)
    _print(run(source, videos, watched(force, copy)))


def _print(part: dict[str, Any] | None) -> None:
    from tempbench_lmms.data.roots import data_home

    from ..parts import left_out

    root = data_home("tempcompass_pairs") / "tempcompass_pairs"
    if part is None:
        print(f"already prepared in {root}; nothing to do")
        return
    print(f"{part['rows']} questions in {root}, {len(part['skipped'])} left out")
    print(f"  videos: {part['linked']} linked to yours, {part['copied']} copied")
    for kind, n in part["by_kind"].items():
        official, groups, of = (
            part["official_by_kind"][kind],
            part["groups"][kind],
            part["official_groups"][kind],
        )
        print(f"  {kind}: {n} of {official} questions, {groups} of {of} contrast groups")
    print(*left_out(part), sep="\n", end="\n" * bool(part["skipped"]))


COMMANDS: dict[str, Callable[..., Any]] = {"prepare": prepare}
