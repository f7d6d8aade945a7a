"""How NExT-GQA data is made: what this folder adds to the `tempbench` command."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

from typer import Option

from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.nextgqa.card import SPLITS


def prepare(
    source: Annotated[Path, Option(help="A clone of doc-doc/NExT-GQA, or its folder datasets/nextgqa.")],
    videos: Annotated[
        Path | None,
        Option(help="Folder or archive with the videos of NExT-QA, as VidOR arranges them or flat."),
    ] = None,
    harness: Annotated[
        bool, Option("--harness", help="Use the videos of the harness's tasks nextqa_*.")
    ] = False,
    splits: Annotated[
        str, Option(help="Splits to prepare, separated by commas; videos of others are not needed.")
    ] = ",".join(SPLITS),
    copy: Annotated[bool, Option("--copy", help="Copy videos instead of linking them.")] = False,
    force: Annotated[bool, Option(help="Replace data prepared from another source.")] = False,
) -> None:
    """Prepare NExT-GQA from its repository and a folder of videos."""
    from ..parts import watched
    from ..splits import report
    from . import prepare as preparing

    preparing.DATA.earlier(force)  # problems with the folder are reported before missing files
    if (videos is not None) == harness:
        raise TempbenchError(f"name the videos with either --videos or --harness: {preparing.BY_HAND}")
    folder = videos if videos is not None else preparing.harness_videos()
    report(preparing.prepare(source, folder, watched(force, copy), splits.split(",")), preparing.DATA.root)


COMMANDS: dict[str, Callable[..., Any]] = {"prepare": prepare}
