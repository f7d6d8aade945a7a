"""The command `tempbench tasks`: lists what each task asks, its size, and what a question shows."""

import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from tempbench_lmms import benchmarks
from tempbench_lmms.cli.command import AsJson
from tempbench_lmms.data import tables
from tempbench_lmms.data.terminal import counted
from tempbench_lmms.errors import TempbenchError

_KEPT = 4
"""Number of tables kept in memory: variants follow their task and read the same table or the sample's."""


def tasks(
    benchmark: Annotated[str | None, typer.Argument(help="Only this benchmark's tasks.")] = None,
    all_: Annotated[bool, typer.Option("--all", help="Also list variants and the _mini tasks.")] = False,
    as_json: AsJson = False,
) -> None:
    """List the tasks: what each asks, how many questions it has, and what a question shows."""
    if benchmark is not None:
        benchmarks.card(benchmark)
    names = _names(benchmark, all_)
    read = functools.lru_cache(maxsize=_KEPT)(tables.read_rows)
    if as_json:
        print(json.dumps([_listed(name, read) for name in names], indent=2))
        return
    width = max(map(len, names))
    print(f"{'task':{width}}  {'questions':12}  {'shows':15}  asks")
    for name in names:  # one by one, because listing all takes seconds
        one = _listed(name, read)
        number = one["data"] if one["questions"] is None else f"{one['questions']:,}"
        print(f"{name:{width}}  {number:12}  {_shown(one):15}  {one['asks'] or _settings(one)}", flush=True)
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


def _listed(name: str, read: Callable[[Path], list[tables.Row]]) -> dict[str, Any]:
    """Returns the description of a task or group and of its first question, for `--json`.

    If the data is missing, the sample's first question shows what a question looks like.
    """
    from tempbench_lmms.cli.show import seen
    from tempbench_lmms.data.roots import MINI
    from tempbench_lmms.harness.tasks import is_prepared, kwargs_of, load_task, task_files
    from tempbench_lmms.harness.variants import asks
    from tempbench_lmms.media.images import is_picture

    config = load_task(name)
    is_group = "group" in config
    out: dict[str, Any] = {
        "task": name,
        "benchmark": task_files()[name].parent.name,
        # Empty for variants, which `settings` describe.
        "asks": asks(name),
        "settings": kwargs_of(config) or {},
        "tasks": config["task"] if is_group else [],
        "questions": None,
        "pictures": 0,
        "videos": 0,
        "seconds": None,  # of the first question's video
        "data": "",
    }
    if is_group:
        return out
    there = is_prepared(config)
    try:
        view = seen(name if there else f"{name}_{MINI}", 0, read=read)
    except TempbenchError:  # `tempbench verify` reports the problem
        return out | {"data": "damaged"}
    out["pictures"] = sum(map(is_picture, view.content))
    out["videos"] = sum(isinstance(part, Path) for part in view.content)
    if not there:
        return out | {"data": "not prepared"}
    data = "sample" if name.endswith(f"_{MINI}") else "prepared"
    return out | {"questions": view.position[1], "seconds": view.seconds, "data": data}


def _shown(one: dict[str, Any]) -> str:
    parts = [counted(one[f"{noun}s"], noun) for noun in ("picture", "video") if one[f"{noun}s"]]
    if one["seconds"] and one["videos"]:
        parts.append(f"{one['seconds']:.0f} s")
    return ", ".join(parts) or ("" if one["tasks"] else "text")


def _settings(one: dict[str, Any]) -> str:
    if one["tasks"]:
        return f"{len(one['tasks'])} tasks"
    return ", ".join(f"{key} {value}" for key, value in one["settings"].items())
