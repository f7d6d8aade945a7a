"""Tasks that are derived from other tasks: `NAME_rotated` and `NAME_lite`.

A benchmark's table of tasks says which of its tasks are multiple choice:

    multiple_choice:
      of: [nextgqa, nextgqa_answer]              # tasks, variants and groups
      unit: video                                # the field of a record that names the unit of sampling
      rotate: tempbench_lmms.B.prompts.rotated   # only where `data.option_order.turned` does not do

and of which a tenth is asked (`lite: {of: [nextgqa]}`). The functions of such tasks are in
`harness.derived_hooks`.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tempbench_lmms.data.roots import MINI
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.metrics.sampling import LITE

Config = dict[str, Any]

ROTATED, TENTH = "rotated", "lite"
KEYS = {"multiple_choice": ROTATED, "lite": TENTH}
"""The tasks that are derived under each key of a table."""
_HOOKS = "tempbench_lmms.harness.derived_hooks"


def base_of(name: str) -> str | None:
    """Returns the base task of a `_rotated` task; None for other tasks.

    >>> base_of("nextgqa_rotated_mini"), base_of("nextgqa_mini")
    ('nextgqa_mini', None)
    """
    stem, mini = (name.removesuffix(f"_{MINI}"), f"_{MINI}") if name.endswith(f"_{MINI}") else (name, "")
    return stem.removesuffix(f"_{ROTATED}") + mini if stem.endswith(f"_{ROTATED}") else None


def asks(name: str) -> str:
    """Returns what a rotated task asks, in a few words; empty for other tasks.

    >>> asks("nextgqa_rotated")
    'nextgqa with the options in every order'
    """
    base = base_of(name)
    return f"{base} with the options in every order" if base else ""


def tasks_of(
    benchmark: str,
    table: Config,
    tasks: Mapping[str, Config],
    resolved: Callable[[Config], Config],
) -> tuple[dict[str, Config], dict[str, dict[str, str]]]:
    """Returns the derived tasks and groups, and the parts that they include.

    Args:
        benchmark: The benchmark's name.
        table: Its table of tasks.
        tasks: The tasks and groups with entries of their own, by name.
        resolved: Returns a task's configuration with what it includes.

    Returns:
        The configurations by name, and the functions by part and key.

    Raises:
        TempbenchError: The table names an unknown task.
    """
    out: dict[str, Config] = {}
    parts: dict[str, dict[str, str]] = {}
    for name, word, own, sample in _names(table):
        base, made = f"{name}{sample}", f"{name}_{word}{sample}"
        if base not in tasks or made in tasks:
            problem = "no such task exists" if base not in tasks else f"{made} already exists"
            raise TempbenchError(f"task_yamls/{benchmark}/tasks.yaml: {word} is of {base}, but {problem}")
        config = tasks[base]
        if "group" in config:
            stems = [member.removesuffix(sample) for member in config["task"]]
            members = [f"{stem}_{word}{sample}" for stem in stems if stem not in own.get("without", ())]
            out[made] = {**config, "group": made, "task": members}
            continue
        whole = resolved(config)
        functions = _functions(benchmark, word, whole)
        hooks = filter(None, (one.rpartition("__")[2] for one in functions.values()))
        part = f"_{'-'.join([word, *hooks])}.yaml"
        parts[part] = functions
        includes = config["include"]
        includes = [includes] if isinstance(includes, str) else includes
        out[made] = {**config, "include": [part, *includes], "task": made}
        if word == TENTH:
            out[made]["metadata"] = {**whole.get("metadata", {}), "draw": LITE}
    return out, parts


def _names(table: Config) -> Iterator[tuple[str, str, Config, str]]:
    for key, word in KEYS.items():
        own = table.get(key) or {}
        for name in own.get("of", ()):
            yield from ((name, word, own, sample) for sample in ("", f"_{MINI}"))


def _functions(benchmark: str, word: str, base: Config) -> dict[str, str]:
    """Returns the functions of a derived task that differ from its base, by key."""
    found = {}
    for key, what in (("process_docs", "docs"), ("process_results", "results"), ("metric_list", "metrics")):
        if word == ROTATED or what == "docs":
            hook = str(base.get(key, "")).rpartition("hooks.")[2]
            found[key] = f"{_HOOKS}.{word}_{what}__{benchmark}__{hook}"
    return found
