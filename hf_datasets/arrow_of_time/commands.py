"""How the data is made: what this folder adds to the `tempbench` command."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

from typer import Option


def prepare(
    source: Annotated[Path, Option(help="A clone of https://github.com/mattashiho233/AoT-PsyPhyBENCH.")],
    videos: Annotated[
        Path | None, Option(help="The clips, named by their numbers or as in Multi-Moments in Time.")
    ] = None,
    force: Annotated[bool, Option(help="Replace data prepared from another source.")] = False,
) -> None:
    """Prepare AoT-PsyPhyBENCH from its repository and the clips, which its authors do not distribute."""
    from ..parts import watched
    from . import prepare as making

    part = making.prepare(source, videos or source, watched(force, copy=True))
    if part is None:
        print("already prepared; nothing to do")
        return
    print(f"{part['rows']} of {part['expected_rows']} questions; {part['rendered']} clips were reversed here")
    for one in part["skipped"][:5]:
        print(f"  left out, {one['id']}: {one['why']}")


COMMANDS: dict[str, Callable[..., Any]] = {"prepare": prepare}
