"""How ReXTime data is made: what this folder adds to the `tempbench` command."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

from typer import Option

from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.rextime.card import CARD, SOURCES, SPLITS


def prepare(
    source: Annotated[
        Path | None, Option(help="Folder with the official annotation files; else from the Hub.")
    ] = None,
    anet_dir: Annotated[Path | None, Option(help="Folder or archive with the ActivityNet videos.")] = None,
    qvh_dir: Annotated[Path | None, Option(help="Folder or archive with the QVHighlights videos.")] = None,
    splits: Annotated[
        str, Option(help="Splits to prepare, separated by commas; only their videos are needed.")
    ] = ",".join(SPLITS),
    revision: Annotated[str, Option(help="Revision on the Hub.")] = "main",
    accept_license: Annotated[
        bool, Option("--accept-license", help="Confirm that you have read and accept the licences.")
    ] = False,
    copy: Annotated[bool, Option("--copy", help="Copy videos instead of linking them.")] = False,
    force: Annotated[bool, Option(help="Replace data prepared from another source.")] = False,
) -> None:
    """Prepare ReXTime: annotations from the Hub or a folder, videos from where you have them."""
    from ..parts import watched
    from ..splits import report
    from . import prepare as preparing

    preparing.DATA.earlier(force)  # problems of the target folder are reported before missing options
    if not accept_license:
        licences = "; ".join(f"{one.name}: {one.licence}" for one in CARD.sources)
        raise TempbenchError(
            f"the data has its own licences ({licences}); read them and add --accept-license"
        )
    folders = dict(zip(SOURCES, (anet_dir, qvh_dir), strict=True))
    how = watched(force, copy)
    manifest = preparing.prepare(source, folders, revision, how, splits.split(","))
    report(manifest, preparing.DATA.root)
    if manifest and "missing" in manifest["skipped_by_reason"]:
        print(preparing.ADVICE)


COMMANDS: dict[str, Callable[..., Any]] = {"prepare": prepare}
