"""How temporal coherence data is made: what this folder adds to the `tempbench` command."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

from typer import Option

from tempbench_lmms.coherence.card import TYPES
from tempbench_lmms.data import terminal
from tempbench_lmms.errors import TempbenchError


def prepare(
    source: Annotated[
        Path | None, Option(help="TOMATO's repository, its download from the Hub, or a folder around it.")
    ] = None,
    harness: Annotated[
        bool, Option("--harness", help="Use the copy of TOMATO from the harness's task `tomato`.")
    ] = False,
    videos: Annotated[
        Path | None, Option(help="The folder or archive of TOMATO's videos; default: in --source.")
    ] = None,
    types: Annotated[
        str, Option(help="TOMATO's reasoning types to prepare, separated by commas.")
    ] = ",".join(TYPES),
    captions: Annotated[
        Path | None, Option(help="A folder or archive of videos to caption, e.g. MSR-VTT.")
    ] = None,
    caption_file: Annotated[
        Path | None,
        Option(
            help="The videos' captions: {file: caption}, or MSR-VTT's annotations; default: in the folder."
        ),
    ] = None,
    copy: Annotated[bool, Option("--copy", help="Copy videos instead of linking them.")] = False,
    force: Annotated[bool, Option(help="Replace data prepared from another source.")] = False,
) -> None:
    """Prepare TOMATO, a folder of videos to caption, or both, from this machine's disk."""
    from ..parts import watched
    from .prepare import prepare_captions, prepare_tomato
    from .tomato import BY_HAND, REPOSITORY, harness_source

    if source is not None and harness:
        raise TempbenchError("--source and --harness both name TOMATO; give only one of them")
    source = harness_source() if harness else source
    if source is None and captions is None:
        raise TempbenchError(
            f"name what to prepare: --source FOLDER for TOMATO ({REPOSITORY}; its videos: {BY_HAND}), "
            "--harness where the harness has it, --captions FOLDER for videos to caption"
        )
    how = watched(force, copy)
    parts: dict[str, Any] = {}
    if source is not None:
        parts["questions"] = prepare_tomato(source, videos, how, types.split(","))
    if captions is not None:
        parts["captions"] = prepare_captions(captions, caption_file, how)
    _print_parts(parts)


def _print_parts(parts: dict[str, Any]) -> None:
    from tempbench_lmms.data.roots import data_home

    from ..parts import left_out

    root = data_home("coherence") / "coherence"
    for name, part in parts.items():
        if part is None:
            print(f"{name}: already prepared in {root}; nothing to do")
            continue
        print(f"{name}: {part['rows']} rows in {root}, {len(part['skipped'])} left out")
        print(f"  videos: {part['linked']} linked to yours, {part['copied']} copied")
        if part.get("captions_without_video"):
            print(f"  captions of {part['captions_without_video']} other videos are not used")
        print(*left_out(part), sep="\n", end="\n" * bool(part["skipped"]))
        if len(part["skipped"]) > 5:
            print("  ... all of them in manifest.json")


def build(
    references: Annotated[bool, Option("--references", help="Write reference sentences.")] = False,
    endpoint: Annotated[
        str, Option(help="OpenAI-compatible URL before /chat/completions.")
    ] = "http://localhost:8000/v1",
    model: Annotated[str, Option(help="The language model's name at the endpoint.")] = "",
    key_variable: Annotated[
        str, Option(help="Environment variable that holds the endpoint's key.")
    ] = "OPENAI_API_KEY",
    workers: Annotated[int, Option(min=1, max=64, help="Number of simultaneous requests.")] = 8,
) -> None:
    """Write reference sentences into the prepared questions, with a language model and the paper's prompt."""
    import os
    from functools import partial

    from rich.progress import track as progress

    from tempbench_lmms.data import locks
    from tempbench_lmms.data.roots import prepared_root

    from .references import build as build_references

    if not references:
        raise TempbenchError("nothing to build; give --references")
    if not model:
        raise TempbenchError("name the language model with --model")
    root = prepared_root("coherence")
    track = partial(progress, console=terminal.console(stderr=True))
    with locks.preparing("coherence"):
        locks.before_change(root)
        written = build_references(root, endpoint, model, os.environ.get(key_variable, ""), workers, track)
    print(f"{written} reference sentences by {model} written to {root / 'qa'}")


COMMANDS: dict[str, Callable[..., Any]] = {"prepare": prepare, "build": build}
