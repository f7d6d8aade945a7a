"""Tasks that shared code makes of other tasks: `NAME_rotated`, `NAME_paraphrase_1` and `NAME_paraphrase_2`.

A benchmark's table of tasks says which of its tasks are multiple choice:

    multiple_choice:
      of: [nextgqa, nextgqa_answer]              # tasks, variants and groups
      unit: video                                # the field of a record that names the unit of sampling
      rotate: tempbench_lmms.B.prompts.rotated   # only where `data.option_order.turned` does not do

and which have paraphrased prompts (`paraphrased: {of: [nextgqa]}`; the words are in its `prompts.py`).
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tempbench_lmms.data.roots import MINI
from tempbench_lmms.errors import TempbenchError

Config = dict[str, Any]

ROTATED = "rotated"
PARAPHRASES = ("paraphrase_1", "paraphrase_2")
KEYS = {"multiple_choice": (ROTATED,), "paraphrased": PARAPHRASES}
"""What is made of the tasks under each key of a table."""
_HOOKS = "tempbench_lmms.harness.rotated"
_OWN = "hooks."


def base_of(name: str) -> tuple[str, str] | None:
    """Returns the task that a task is made of, and how; None for one with an entry of its own.

    >>> base_of("nextgqa_rotated_mini"), base_of("nextgqa_mini")
    (('nextgqa_mini', 'rotated'), None)
    """
    stem, mini = (name.removesuffix(f"_{MINI}"), f"_{MINI}") if name.endswith(f"_{MINI}") else (name, "")
    for word in (ROTATED, *PARAPHRASES):
        if stem.endswith(f"_{word}"):
            return stem.removesuffix(f"_{word}") + mini, word
    return None


def asks(name: str) -> str:
    """Returns what a made task asks, in a few words; nothing for a task with an entry of its own.

    >>> asks("nextgqa_rotated")
    'nextgqa with the options in every order'
    """
    made = base_of(name)
    if made is None:
        return ""
    return f"{made[0]} {'with the options in every order' if made[1] == ROTATED else 'in other words'}"


def tasks_of(
    benchmark: str,
    table: Config,
    tasks: Mapping[str, Config],
    resolved: Callable[[Config], Config],
) -> tuple[dict[str, Config], dict[str, dict[str, str]]]:
    """Returns the tasks and groups that are made of others, and the parts that they include.

    Args:
        benchmark: The benchmark's name.
        table: Its table of tasks.
        tasks: The tasks and groups with entries of their own, by name.
        resolved: Returns a task's configuration with what it includes.

    Returns:
        Configurations by name, and functions by part and key.

    Raises:
        TempbenchError: The table names a task that is not there.
    """
    out: dict[str, Config] = {}
    parts: dict[str, dict[str, str]] = {}
    for name, word, sample in _names(table):
        base, made = f"{name}{sample}", f"{name}_{word}{sample}"
        if base not in tasks or made in tasks:
            problem = "no such task is there" if base not in tasks else f"{made} is there already"
            raise TempbenchError(f"task_yamls/{benchmark}/tasks.yaml: {word} is of {base}, but {problem}")
        config = tasks[base]
        if "group" in config:
            members = [f"{member.removesuffix(sample)}_{word}{sample}" for member in config["task"]]
            out[made] = {**config, "group": made, "task": members}
            continue
        functions = _functions(benchmark, word, resolved(config))
        hooks = filter(None, (one.rpartition("__")[2] for one in functions.values()))
        part = f"_{'-'.join([word, *hooks])}.yaml"
        parts[part] = functions
        includes = config["include"]
        includes = [includes] if isinstance(includes, str) else includes
        out[made] = {**config, "include": [part, *includes], "task": made}
    return out, parts


def _names(table: Config) -> Iterator[tuple[str, str, str]]:
    for key, words in KEYS.items():
        for name in (table.get(key) or {}).get("of", ()):
            for word in words:
                yield from ((name, word, sample) for sample in ("", f"_{MINI}"))


def _functions(benchmark: str, word: str, base: Config) -> dict[str, str]:
    """Returns the functions of a made task that differ from those of its base, by key."""

    def function(what: str, hook: str) -> str:
        return f"{_HOOKS}.{what}__{benchmark}__{hook}"

    keys = ("process_docs", "process_results", "metric_list")
    docs, results, metrics = (str(base.get(key, "")).rpartition(_OWN)[2] for key in keys)
    found = {"process_docs": function(f"{word}_docs", docs)}
    if word == ROTATED:
        found["process_results"] = function("rotated_results", results)
        found["metric_list"] = function("rotated_metrics", metrics)
    return found
