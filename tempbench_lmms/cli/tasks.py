"""The command `tempbench tasks`: what each task asks, how much of it there is, and what a question shows."""

import functools
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from tempbench_lmms import benchmarks
from tempbench_lmms.data import tables
from tempbench_lmms.errors import TempbenchError

DONE, SAMPLE, NOT_YET, DAMAGED = "prepared", "sample", "not prepared", "damaged"

_KEPT = 4
"""Tables that are kept while tasks are listed: variants follow a task, and read its table or the sample's."""


@dataclass(frozen=True)
class Listed:
    """A task or group.

    Attributes:
        task: Its name.
        benchmark: Its benchmark.
        asks: What it asks; empty for variants with an entry of their own, whose settings say it.
        settings: What its prompts are given.
        tasks: Its members, where it is a group.
        questions: How many there are, each one call of the model; None where the data is not here.
        pictures: Pictures of its first question; of the bundled sample where the data is not here.
        videos: Likewise, videos.
        seconds: Length of the first question's video, where the data is here and says it.
        data: `prepared`, `sample`, `not prepared` or `damaged`; empty for groups.
    """

    task: str
    benchmark: str
    asks: str
    settings: dict[str, Any]
    tasks: tuple[str, ...] = ()
    questions: int | None = None
    pictures: int = 0
    videos: int = 0
    seconds: float | None = None
    data: str = ""


def tasks(
    benchmark: Annotated[str | None, typer.Argument(help="Only this benchmark's tasks.")] = None,
    all_: Annotated[
        bool, typer.Option("--all", help="Also the variants, and the twins on the bundled sample.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List our tasks: what each asks, how many questions it has, and what a question shows."""
    if benchmark is not None:
        benchmarks.card(benchmark)
    names = _names(benchmark, all_)
    read = functools.lru_cache(maxsize=_KEPT)(tables.read_rows)
    if as_json:
        print(json.dumps([asdict(_listed(name, read)) for name in names], indent=2))
        return
    width = max(map(len, names))
    print(f"{'task':{width}}  {'questions':12}  {'shows':15}  asks")
    for name in names:  # one by one, for the last comes seconds after the first
        one = _listed(name, read)
        number = one.data if one.questions is None else f"{one.questions:,}"
        print(f"{name:{width}}  {number:12}  {_shown(one):15}  {one.asks or _settings(one)}", flush=True)
    if not all_:
        print("\nA question is one call of the model. --all adds variants, and NAME_mini on the sample.")


def _names(benchmark: str | None, all_: bool) -> list[str]:
    from tempbench_lmms.harness.tasks import task_files
    from tempbench_lmms.harness.variants import asked

    return [
        name
        for name, file in task_files().items()
        if benchmark in (None, file.parent.name) and (all_ or name in asked())
    ]


def _listed(name: str, read: Callable[[Path], list[tables.Row]]) -> Listed:
    from tempbench_lmms.harness import derived
    from tempbench_lmms.harness.tasks import kwargs_of, load_task, task_files
    from tempbench_lmms.harness.variants import asked

    config = load_task(name)
    kwargs = kwargs_of(config) or {}
    head = (name, task_files()[name].parent.name, asked().get(name) or derived.asks(name), kwargs)
    if "group" in config:
        return Listed(*head, tasks=tuple(config["task"]))
    return Listed(*head, **_counted(name, config, read))


def _counted(name: str, config: dict[str, Any], read: Callable[[Path], list[tables.Row]]) -> dict[str, Any]:
    """Returns what the data says of a task; where it is not here, what the sample's first question shows."""
    from tempbench_lmms.cli.show import seen
    from tempbench_lmms.data.roots import MINI
    from tempbench_lmms.harness.tasks import is_prepared
    from tempbench_lmms.media.pictures import is_picture

    is_sample = name.endswith(f"_{MINI}")
    there = is_prepared(config)
    try:
        view = seen(name if there else f"{name}_{MINI}", 0, media=False, read=read)
    except TempbenchError:  # `tempbench verify` says what it is
        return {"data": DAMAGED}
    pictures = sum(map(is_picture, view.content))
    shows = {"pictures": pictures, "videos": sum(isinstance(part, Path) for part in view.content)}
    if not there:
        return {**shows, "data": NOT_YET}
    data = SAMPLE if is_sample else DONE
    return {**shows, "questions": view.position[1], "seconds": view.seconds, "data": data}


def _shown(one: Listed) -> str:
    parts = [
        f"{number} {noun}{'s' if number > 1 else ''}"
        for number, noun in ((one.pictures, "picture"), (one.videos, "video"))
        if number
    ]
    if one.seconds and one.videos:
        parts.append(f"{one.seconds:.0f} s")
    return ", ".join(parts) or ("" if one.tasks else "text")


def _settings(one: Listed) -> str:
    if one.tasks:
        return f"{len(one.tasks)} tasks"
    return ", ".join(f"{key} {value}" for key, value in one.settings.items())
