"""How motion-only videos are made: what this folder adds to the `tempbench` command."""

from collections.abc import Callable
from typing import Annotated, Any

from typer import Option

from tempbench_lmms.data import terminal
from tempbench_lmms.motion_only.card import N_PAIRS


def prepare(
    pairs: Annotated[int, Option(min=1, max=5_000, help="How many pairs of questions.")] = N_PAIRS,
    seed: Annotated[int, Option(min=0, help="Seed of everything random.")] = 1,
    force: Annotated[bool, Option(help="Replace data rendered with other settings.")] = False,
) -> None:
    """Render videos of noise in which only the motion shows a shape or a word; nothing is downloaded."""
    from functools import partial

    from rich.progress import track

    from . import prepare as making

    progress = partial(track, console=terminal.console(stderr=True), description="rendering")
    root, fresh = making.prepare(pairs, seed, force, progress)
    print(f"{root}: {2 * pairs} questions" if fresh else f"already prepared in {root}; nothing to do")


COMMANDS: dict[str, Callable[..., Any]] = {"prepare": prepare}
