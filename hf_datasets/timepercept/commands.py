"""How TimePerceptBench data is made: what this folder adds to the `tempbench` command."""

from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from typer import Option

from tempbench_lmms.data import tables
from tempbench_lmms.errors import TempbenchError

_Force = Annotated[bool, Option("--force", help="Replace what is there.")]
_Series = Annotated[
    Path | None,
    Option(
        "--series",
        "--sitscc",
        help="Your dated pictures, or SITSCC: a manifest (JSON lines, CSV), or a folder of dated names.",
    ),
]
_Ucm = Annotated[
    str | None, Option(help="UC Merced: its zip file, a folder (class folders or Parquet), or `hub`.")
]
_TemporalVqa = Annotated[str | None, Option(help="TemporalVQA: a folder with its Parquet files, or `hub`.")]
_MinDistance = Annotated[
    float, Option(min=0, help="Metres; places nearer to each other are never in two splits.")
]
_FmowSplit = Annotated[
    list[str] | None,
    Option(help="Part of fMoW: train, val; with the ground truth also test, seq; repeatable."),
]
_DateFormat = Annotated[
    str, Option(help="Format of the dates of --series, e.g. %d.%m.%Y; by default common formats.")
]
_Bands = Annotated[
    str, Option(help="Numbers of the one or three bands to show of the files in --series, from 1.")
]
_PlaceFrom = Annotated[str, Option(help="What identifies a place in a folder --series: folder or name.")]


def prepare(
    series: _Series = None,
    fmow: Annotated[Path | None, Option(help="Folder of fMoW-rgb as distributed.")] = None,
    ucm: _Ucm = None,
    temporalvqa: _TemporalVqa = None,
    test: Annotated[int, Option(min=0, help="Questions per test, test split.")] = 200,
    train: Annotated[int, Option(min=0, help="Questions per test, training split.")] = 800,
    test_share: Annotated[float, Option(min=0, max=1, help="Share of the places for testing.")] = 0.2,
    seed: Annotated[int, Option(help="Seed of the split and all draws.")] = 2025,
    size: Annotated[int, Option(min=16, max=4096, help="Pixels per side.")] = 256,
    max_cloud: Annotated[float, Option(min=0, max=100, help="Percent of cloud allowed.")] = 10.0,
    fmow_split: _FmowSplit = None,
    category: Annotated[list[str] | None, Option(help="Category of fMoW; repeatable.")] = None,
    min_distance: _MinDistance = 5_000.0,
    tests: Annotated[str, Option(help="Tests, separated by commas; all nine if omitted.")] = "",
    date_format: _DateFormat = "",
    bands: _Bands = "",
    place_from: _PlaceFrom = "",
    force: _Force = False,
) -> None:
    """Build the nine tests from dated pictures, and the two controls."""
    from tempbench_lmms.data.releases import chosen
    from tempbench_lmms.data.roots import home_to_write
    from tempbench_lmms.timepercept.card import TESTS

    from . import prepare as building
    from .fmow import DEFAULT, NOISY
    from .folders import PLACES

    if not (series or fmow or ucm or temporalvqa):
        raise TempbenchError(
            "nothing to prepare from; give --series MANIFEST|DIR, --fmow DIR, --ucm DIR|hub or "
            "--temporalvqa DIR|hub (docs: tempbench_lmms/timepercept/README.md says where each comes from)"
        )
    settings = building.Settings(
        seed=seed,
        test=test,
        train=train,
        test_share=test_share,
        size=size,
        max_cloud=max_cloud,
        fmow_splits=tuple(chosen(fmow_split or DEFAULT, (*DEFAULT, *NOISY), "part of fMoW")),
        categories=tuple(category or ()),
        min_distance=min_distance,
        tests=tuple(chosen(filter(None, tests.split(",")), TESTS, "test") or TESTS),
        date_format=date_format,
        bands=tuple(band.strip() for band in bands.split(",") if band.strip()),
        place_from="".join(chosen(filter(None, [place_from]), PLACES, "way to tell places apart")),
    )
    root = home_to_write("timepercept")
    if series or fmow:
        building.prepare_series(root, series, fmow, settings, force, print)
    if ucm:
        plan = partial(_plan_ucm, root, ucm, seed, size)
        request = {**_origin(ucm), "seed": seed, "size": size}
        building.write_part(root, "ucm", request, plan, force, print)
    if temporalvqa:
        plan = partial(_plan_temporalvqa, root, temporalvqa)
        building.write_part(root, "temporalvqa", _origin(temporalvqa), plan, force, print)


def _origin(source: str) -> dict[str, Any]:
    """Returns what tells a changed source from the same one; a repository of the Hub has no listing."""
    listing = tables.listing_of(Path(source)) if Path(source).exists() else None
    return {"source": _absolute(source), "listing": listing}


def _plan_ucm(
    root: Path, source: str, seed: int, size: int, stack: ExitStack
) -> Callable[[], dict[str, Any]]:
    from tempbench_lmms.data import releases

    from . import controls

    if source != controls.HUB and Path(source).exists():
        unpacked = stack.enter_context(releases.unpacked(Path(source), root))
        found = controls.Origin(unpacked, _absolute(source), "")
    else:
        found = controls.origin(source, controls.UCM_REPOSITORY)
    return partial(controls.build_ucm, root, found, seed, size)


def _plan_temporalvqa(root: Path, source: str, stack: ExitStack) -> Callable[[], dict[str, Any]]:
    from . import controls

    return partial(controls.build_temporalvqa, root, controls.origin(source, controls.TEMPORALVQA_REPOSITORY))


def _absolute(source: str) -> str:
    return source if source == "hub" else str(Path(source).resolve())


COMMANDS: dict[str, Callable[..., Any]] = {"prepare": prepare}
