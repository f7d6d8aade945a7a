"""How TimeBlind data is made: what this folder adds to the `tempbench` command."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

from typer import Option


def prepare(
    source: Annotated[
        Path | None, Option(help="A folder with the Hub's download; without it, it is downloaded.")
    ] = None,
    tags: Annotated[
        Path | None, Option(help="tags.json of the code's repository; default: in --source.")
    ] = None,
    revision: Annotated[str, Option(help="Revision to download.")] = "main",
    link: Annotated[bool, Option("--link", help="Hard-link your videos if the disk allows it.")] = False,
    force: Annotated[bool, Option(help="Replace data prepared from another source.")] = False,
) -> None:
    """Prepare TimeBlind from the Hub, for evaluation on this machine; its authors state no licence."""
    from tempbench_lmms.data.roots import data_home

    from ..parts import watched
    from . import prepare as making

    part = making.prepare(source or making.download(revision), tags, watched(force, not link))
    root = data_home("timeblind") / "timeblind"
    if part is None:
        print(f"already prepared in {root}; nothing to do")
        return
    print(f"{root}: {part['rows']} of {part['expected_rows']} questions")
    if not part["tagged"]:
        print("  no tags: give tags.json of https://github.com/Baiqi-Li/TimeBlind with --tags")
    if contrary := part["contrary_answers"]:
        print(f"  {len(contrary)} answers are not those of their place, first question {contrary[0]}")
    if part["skipped"]:
        print(f"  left out: {len(part['instances_left_out'])} instances")
    for one in part["skipped"][:5]:
        print(f"  {one['id']}: {one['why']}")
    print("  no licence is stated: `tempbench push` refuses this data")


COMMANDS: dict[str, Callable[..., Any]] = {"prepare": prepare}
