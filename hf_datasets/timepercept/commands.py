"""How TimePerceptBench data is made: what this folder adds to the `tempbench` command."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from tempbench_lmms.data import tables
from tempbench_lmms.errors import TempbenchError

_Force = Annotated[bool, typer.Option("--force", help="Replace what is there.")]


def prepare(
    sitscc: Annotated[
        Path | None, typer.Option(help="Manifest of dated series (SITSCC or your own): JSON, a group a line.")
    ] = None,
    fmow: Annotated[Path | None, typer.Option(help="Folder of fMoW-rgb as distributed.")] = None,
    ucm: Annotated[
        str | None, typer.Option(help="UC Merced: a folder (class folders or Parquet), or `hub`.")
    ] = None,
    temporalvqa: Annotated[
        str | None, typer.Option(help="TemporalVQA: a folder with its Parquet files, or `hub`.")
    ] = None,
    test: Annotated[int, typer.Option(min=0, help="Questions a test, test split.")] = 200,
    train: Annotated[int, typer.Option(min=0, help="Questions a test, training split.")] = 800,
    test_share: Annotated[float, typer.Option(min=0, max=1, help="Share of the places for testing.")] = 0.2,
    seed: Annotated[int, typer.Option(help="Of the split and of all draws.")] = 2025,
    size: Annotated[int, typer.Option(min=16, max=4096, help="Pixels a side.")] = 256,
    max_cloud: Annotated[float, typer.Option(min=0, max=100, help="Percent of cloud allowed.")] = 10.0,
    min_ratio: Annotated[
        float, typer.Option(min=1, help="How many times longer the next longer interval is at least.")
    ] = 1.0,
    min_change: Annotated[
        float | None,
        typer.Option(min=0, help="Leave out pairs that differ less, and balance ICE over degrees of change."),
    ] = None,
    fmow_split: Annotated[list[str] | None, typer.Option(help="Part of fMoW; repeatable.")] = None,
    category: Annotated[list[str] | None, typer.Option(help="Category of fMoW; repeatable.")] = None,
    force: _Force = False,
) -> None:
    """Build the nine tests from dated pictures, and the two controls."""
    from tempbench_lmms.data.roots import home_to_write

    from . import prepare as building
    from .series import FMOW_SPLITS

    if not (sitscc or fmow or ucm or temporalvqa):
        raise TempbenchError(
            "nothing to prepare from; give --sitscc MANIFEST, --fmow DIR, --ucm DIR|hub or "
            "--temporalvqa DIR|hub"
        )
    settings = building.Settings(
        seed=seed,
        test=test,
        train=train,
        test_share=test_share,
        size=size,
        max_cloud=max_cloud,
        min_ratio=min_ratio,
        min_change=min_change,
        fmow_splits=tuple(fmow_split or FMOW_SPLITS),
        categories=tuple(category or ()),
    )
    root = home_to_write("timepercept")
    if sitscc or fmow:
        building.prepare_series(root, sitscc, fmow, settings, force, print)
    if ucm:
        request = {"source": _absolute(ucm), "listing": _listing(ucm), "seed": seed, "size": size}
        make = partial(_make_ucm, root, ucm, seed, size)
        building.write_part(root, "ucm", request, make, force, print)
    if temporalvqa:
        request = {"source": _absolute(temporalvqa), "listing": _listing(temporalvqa)}
        make = partial(_make_temporalvqa, root, temporalvqa)
        building.write_part(root, "temporalvqa", request, make, force, print)


def _listing(source: str) -> str | None:
    """Returns what tells a changed source from the same one; None for a repository of the Hub."""
    return tables.listing_of(Path(source)) if Path(source).exists() else None


def _make_ucm(root: Path, source: str, seed: int, size: int) -> dict[str, Any]:
    from . import controls

    origin = controls.origin(source, controls.UCM_REPOSITORY)
    part: dict[str, Any] = controls.build_ucm(root, origin, seed, size)
    return part


def _make_temporalvqa(root: Path, source: str) -> dict[str, Any]:
    from . import controls

    part: dict[str, Any] = controls.build_temporalvqa(
        root, controls.origin(source, controls.TEMPORALVQA_REPOSITORY)
    )
    return part


def _absolute(source: str) -> str:
    return source if source == "hub" else str(Path(source).resolve())


def build(
    array: Annotated[Path, typer.Option(help=".npz with values (t, h, w[, 3]) and a boolean cloud mask.")],
    timestamps: Annotated[Path, typer.Option(help="JSON list of t ISO dates.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder to write.")],
    rows: Annotated[int, typer.Option(min=1, help="Rows of tiles; every tile is a place.")] = 1,
    columns: Annotated[int, typer.Option(min=1, help="Columns of tiles.")] = 1,
    values: Annotated[str, typer.Option(help="The array's name in the file.")] = "",
    mask: Annotated[str, typer.Option(help="The mask's name in the file.")] = "",
) -> None:
    """Cut dated rasters into places and write the manifest that `prepare --sitscc` reads."""
    from .rasters import write_manifest

    counts = write_manifest(array, timestamps, output, rows, columns, values, mask)
    print(f"{counts['places']} places, {counts['pictures']} pictures; now run")
    print(f"tempbench prepare timepercept --sitscc {output / 'manifest.jsonl'}")


COMMANDS: dict[str, Callable[..., Any]] = {"prepare": prepare, "build": build}
