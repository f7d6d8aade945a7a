"""The command `tempbench tasks`: lists what each task asks, its size, and what a question shows."""

import functools
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from tempbench_lmms import benchmarks
from tempbench_lmms.data import tables
from tempbench_lmms.data.terminal import counted
from tempbench_lmms.errors import TempbenchError

DONE, SAMPLE, NOT_YET, DAMAGED = "prepared", "sample", "not prepared", "damaged"

_KEPT = 4
"""Number of tables kept in memory: variants follow their task and read the same table or the sample's."""


@dataclass(frozen=True)
class Listed:
    """A task or group.

    Attributes:
        task: Its name.
        benchmark: Its benchmark.
        asks: What it asks; empty for variants with their own entry, which their settings describe.
        settings: The settings of its prompts.
        tasks: Its members, if it is a group.
        questions: Number of questions, each one call of the model; None if the data is missing.
        pictures: Number of pictures in its first question, or the bundled sample's first one if the data is
            missing.
        videos: The same for videos.
        seconds: Length of the first question's video, if the data has it.
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
    all_: Annotated[bool, typer.Option("--all", help="Also list variants and the _mini tasks.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the tasks: what each asks, how many questions it has, and what a question shows."""
    if benchmark is not None:
        benchmarks.card(benchmark)
    names = _names(benchmark, all_)
    read = functools.lru_cache(maxsize=_KEPT)(tables.read_rows)
    if as_json:
        print(json.dumps([asdict(_listed(name, read)) for name in names], indent=2))
        return
    width = max(map(len, names))
    print(f"{'task':{width}}  {'questions':12}  {'shows':15}  asks")
    for name in names:  # one by one, because listing all takes seconds
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
    from tempbench_lmms.cli.show import seen
    from tempbench_lmms.data.roots import MINI
    from tempbench_lmms.harness import derived
    from tempbench_lmms.harness.tasks import is_prepared, kwargs_of, load_task, task_files
    from tempbench_lmms.harness.variants import asked
    from tempbench_lmms.media.pictures import is_picture

    config = load_task(name)
    kwargs = kwargs_of(config) or {}
    head = (name, task_files()[name].parent.name, asked().get(name) or derived.asks(name), kwargs)
    if "group" in config:
        return Listed(*head, tasks=tuple(config["task"]))
    there = is_prepared(config)
    try:  # if the data is missing, the sample's first question shows what a question looks like
        view = seen(name if there else f"{name}_{MINI}", 0, read=read)
    except TempbenchError:  # `tempbench verify` reports the problem
        return Listed(*head, data=DAMAGED)
    return Listed(
        *head,
        questions=view.position[1] if there else None,
        pictures=sum(map(is_picture, view.content)),
        videos=sum(isinstance(part, Path) for part in view.content),
        seconds=view.seconds if there else None,
        data=NOT_YET if not there else SAMPLE if name.endswith(f"_{MINI}") else DONE,
    )


def _shown(one: Listed) -> str:
    numbers = ((one.pictures, "picture"), (one.videos, "video"))
    parts = [counted(number, noun) for number, noun in numbers if number]
    if one.seconds and one.videos:
        parts.append(f"{one.seconds:.0f} s")
    return ", ".join(parts) or ("" if one.tasks else "text")


def _settings(one: Listed) -> str:
    if one.tasks:
        return f"{len(one.tasks)} tasks"
    return ", ".join(f"{key} {value}" for key, value in one.settings.items())
