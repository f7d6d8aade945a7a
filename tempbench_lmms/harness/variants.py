"""Generates the YAML of every task from the tables `task_yamls/*/tasks.yaml`.

The harness reads one file per task. Most of ours would only say how a task differs from another one, so one
table per benchmark says that, and the files are generated into a cache. Why: docs/decisions/task_variants.md.

A table also says of which tasks others are derived: `NAME_rotated`, with the options in every order, and
`NAME_lite`, a tenth of the questions:

    multiple_choice:
      of: [nextgqa, nextgqa_answer]              # tasks, variants and groups
      rotate: tempbench_lmms.B.prompts.rotated   # only where `data.questions.turned` does not do
    lite:
      of: [nextgqa]
      strata: [type]                             # the columns whose values the tenth keeps in proportion

The functions of derived tasks are in `harness.derived_hooks`.
"""

import atexit
import hashlib
import itertools
import json
import shutil
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from tempbench_lmms import __version__, benchmarks
from tempbench_lmms.data.roots import MINI, SCHEME, cache_home, folder_of
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.metrics.sampling import LITE

TABLE = "tasks.yaml"
_ALL = "tempbench"
_KWARGS = "lmms_eval_specific_kwargs"
ROTATED, TENTH = "rotated", "lite"
KEYS = {"multiple_choice": ROTATED, "lite": TENTH}
"""The tasks that are derived under each key of a table."""

_HOOKS = ("doc_to_visual", "doc_to_text", "doc_to_messages", "process_docs", "process_results", "metric_list")
_DEFAULT = {
    "dataset_path": "parquet",
    "test_split": "test",
    "output_type": "generate_until",
    "doc_to_target": "target",
    "num_fewshot": 0,
    **{name: name for name in ("doc_to_visual", "doc_to_text", "doc_to_messages", "process_results")},
    "metric_list": "METRIC_LIST",
}
_FILTER = (
    "filter_list: [{name: none, filter: [{function: !function tempbench_lmms.harness.adapter.FirstReply}]}]\n"
)

Config = dict[str, Any]


class SafeLoader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Safe YAML, read by the much faster libyaml if available; subclasses define `!function`."""


class WordLoader(SafeLoader):
    """Reads `!function` as a plain word."""


WordLoader.add_constructor("!function", lambda loader, node: str(loader.construct_scalar(node)))


@cache
def task_dir() -> Path:
    """Returns the folder with a YAML of every task and group, creating it if needed.

    It is in the cache or, if that cannot be written, among the temporary files of this process. Its name has
    the version and a hash of the content, so that several versions do not collide.

    Raises:
        TempbenchError: It cannot be written anywhere, or a table is wrong.
    """
    files = made()
    name = f"{__version__}-{hashlib.sha256(json.dumps(files, sort_keys=True).encode()).hexdigest()[:16]}"
    try:
        return write(cache_home() / "tempbench_tasks" / name, files)
    except OSError as error:
        first = error
    try:
        home = tempfile.mkdtemp(prefix="tempbench_tasks_")
        atexit.register(shutil.rmtree, home, ignore_errors=True)
        return write(Path(home) / name, files)
    except OSError as error:
        raise TempbenchError(
            f"the tasks' YAMLs cannot be written ({first}; {error}); set HF_HOME to a folder that can be"
        ) from None


def write(folder: Path, files: Mapping[str, str]) -> Path:
    """Writes files into a new folder, completely or not at all, and returns the folder.

    Several processes may do this at once: each writes its own folder, and one of them gets the name.

    Raises:
        OSError: It cannot be written.
    """
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent) as own:
        new = Path(own, "new")
        for name, text in files.items():
            (new / name).parent.mkdir(parents=True, exist_ok=True)
            (new / name).write_bytes(text.encode())
        with suppress(OSError):  # another process was quicker
            new.rename(folder)
    if not folder.is_dir():
        raise OSError(f"{folder} cannot be written")
    return folder


@cache
def made() -> dict[str, str]:
    """Returns the text of every file by its path: the parts, and the generated tasks and groups.

    Raises:
        TempbenchError: A table is wrong.
    """
    files: dict[str, str] = {}
    for benchmark in benchmarks.names():
        table = table_of(benchmark)
        parts = parts_of(benchmark, table)
        files |= {f"{benchmark}/{name}": text for name, text in parts.items()}
        read = {name: yaml.load(text, Loader=WordLoader) for name, text in parts.items()}  # noqa: S506
        tasks = tasks_of(benchmark, table, read)
        more, functions = derived_of(benchmark, table, tasks, read)
        where = f"task_yamls/{benchmark}/{TABLE}"
        files |= {f"{benchmark}/{name}.yaml": _text(own, where) for name, own in (tasks | more).items()}
        files |= {f"{benchmark}/{name}": _text(own, where, "!function") for name, own in functions.items()}
    for suffix in ("", f"_{MINI}", f"_{TENTH}", f"_{TENTH}_{MINI}"):
        members = [name for name in benchmarks.names() if f"{name}/{name}{suffix}.yaml" in files]
        group = {
            "group": f"{_ALL}{suffix}",
            "task": [f"{name}{suffix}" for name in members],
            "metadata": {"version": 1},
        }
        files[f"{_ALL}/{_ALL}{suffix}.yaml"] = _text(group, "the list of benchmarks")
    return files


def parts_of(benchmark: str, table: Config) -> dict[str, str]:
    """Returns the files that tasks include, `parts` of a table: `_default.yaml`, and one for each kind.

    A part inherits from `default`, which inherits from `_DEFAULT`. A hook is named as in the benchmark's
    `hooks`; `scored: answer` stands for `process_results_answer` and `ANSWER_METRIC_LIST`. Tags (!function)
    stand in these files alone: the harness's web interface reads only files without.
    """
    out: dict[str, str] = {}
    for name, own in table["parts"].items():
        config = {**(_DEFAULT if name == "default" else {"include": "_default.yaml"}), **(own or {})}
        if not config.get("include", True):
            del config["include"]
        if kind := config.pop("scored", ""):
            config |= {
                "process_results": f"process_results_{kind}",
                "metric_list": f"{kind.upper()}_METRIC_LIST",
            }
        if "generation_kwargs" in config:
            config["generation_kwargs"] |= {"temperature": 0, "do_sample": False, "until": []}
        if "kwargs" in config:
            config[_KWARGS] = {"default": config.pop("kwargs")}
        hooks = {
            key: f"tempbench_lmms.{benchmark}.hooks.{config.pop(key)}" for key in _HOOKS if key in config
        }
        out[f"_{name}.yaml"] = _text(config, f"task_yamls/{benchmark}/{TABLE}") + _lines(hooks, "!function")
        if name == "default":
            out[f"_{name}.yaml"] += _FILTER
    return out


@cache
def asked() -> dict[str, str]:
    """Returns what each task and group asks, in a few words, without variants and samples."""
    everything = {_ALL: "all benchmarks"}
    for benchmark in benchmarks.names():
        everything |= table_of(benchmark)["asks"]
    return everything


def asks(name: str) -> str:
    """Returns what a task, group, sample or rotated task asks, in a few words; empty for variants."""
    base = base_of(name)
    of_base = f"{base} with the options in every order" if base else ""
    return asked().get(name) or of_base or asked().get(name.removesuffix(f"_{MINI}"), "")


def base_of(name: str) -> str | None:
    """Returns the base task of a `_rotated` task; None for other tasks.

    >>> base_of("nextgqa_rotated_mini"), base_of("nextgqa_mini")
    ('nextgqa_mini', None)
    """
    stem = name.removesuffix(f"_{MINI}")
    base = stem.removesuffix(f"_{ROTATED}")
    return base + name[len(stem) :] if base != stem else None


def table_of(benchmark: str) -> Config:
    """Returns a benchmark's table of tasks."""
    text = (folder_of("task_yamls", benchmark) / TABLE).read_text(encoding="utf-8")
    return yaml.load(text, Loader=WordLoader)  # type: ignore[no-any-return]  # noqa: S506 (a SafeLoader)


def _text(config: Mapping[str, Any], source: str, tag: str = "") -> str:
    return f"# Made from {source}; changes here are lost.\n{_lines(config, tag)}"


def _lines(config: Mapping[str, Any], tag: str = "") -> str:
    # JSON is YAML, and looks the same whatever library writes it.
    return "".join(
        f"{key}: {f'{tag} {value}' if tag else json.dumps(value, ensure_ascii=False)}\n"
        for key, value in config.items()
    )


def tasks_of(benchmark: str, table: Config, parts: Mapping[str, Config]) -> dict[str, Config]:
    """Returns the configuration of every task and group of a table, and of their `_mini` versions.

    Args:
        benchmark: The benchmark's name.
        table: Its `tasks.yaml`.
        parts: The files that it can include, by name.

    Raises:
        TempbenchError: The table is wrong.
    """
    out: dict[str, Config] = {}
    where = f"task_yamls/{benchmark}/{TABLE}"
    known = {**(table.get("tasks") or {}), **(table.get("groups") or {})}
    variants = {f"_{variant}": keys for variant, keys in (table.get("variants") or {}).items()}
    entries = [(name, "") for name in known]
    entries += [(name, suffix) for suffix, keys in variants.items() for name in keys["of"]]
    for (name, suffix), sample in itertools.product(entries, ("", f"_{MINI}")):
        made_name = f"{name}{suffix}{sample}"
        if name not in known:
            raise TempbenchError(f"{where}: the variant {suffix[1:]} belongs to {name}, which is not a task")
        if made_name in out:
            raise TempbenchError(f"{where}: {made_name} is defined twice; rename one of the two")
        if name in (table.get("groups") or {}):
            members = [f"{member}{suffix}{sample}" for member in known[name]["task"]]
            out[made_name] = {"group": made_name, **known[name], "task": members}
        else:
            folder = f"{SCHEME}{benchmark}/{MINI}" if sample else f"{SCHEME}{benchmark}"
            entry = [known[name], *([variants[suffix]] if suffix else [])]
            out[made_name] = _task(made_name, folder, entry, parts)
    for name, config in out.items():
        if unknown := sorted(set(config["task"]) - set(out)) if "group" in config else ():
            raise TempbenchError(f"{where}: {name} has no task {unknown[0]}; correct the group")
    return out


def _task(name: str, folder: str, entries: list[Config], parts: Mapping[str, Config]) -> Config:
    # The harness lets the first one win.
    includes = [one for entry in reversed(entries) for one in _listed(entry.get("include"))]
    base = resolved({"include": includes}, parts)
    # The bundled sample has one table where the release has several splits.
    names = ("table_mini", "table") if name.endswith(f"_{MINI}") else ("table",)
    table = next(entry[key] for entry in reversed(entries) for key in names if key in entry)
    config: Config = {
        "include": includes[0] if len(includes) == 1 else includes,
        "task": name,
        "dataset_kwargs": {"data_files": {base["test_split"]: f"{folder}/{table}/*.parquet"}},
    }
    for entry in entries:
        for key, value in entry.items():
            if key == "kwargs":
                given = config.get(_KWARGS) or base.get(_KWARGS) or {"default": {}}
                config[_KWARGS] = {**given, "default": {**given["default"], **value}}
            elif key not in ("include", "table", "table_mini", "of"):
                # The harness would replace a mapping whole.
                given = config.get(key, base.get(key))
                both = isinstance(value, dict) and isinstance(given, dict)
                config[key] = {**(given or {}), **value} if both else value
    return config


def resolved(config: Config, parts: Mapping[str, Config]) -> Config:
    """Returns a configuration with its includes; the first of several files wins, as in the harness."""
    merged: Config = {}
    for name in reversed(_listed(config.get("include"))):
        merged |= resolved(parts[name], parts)
    return merged | {key: value for key, value in config.items() if key != "include"}


def _listed(includes: Any) -> list[str]:
    return [includes] if isinstance(includes, str) else includes or []


def derived_of(
    benchmark: str, table: Config, tasks: Mapping[str, Config], parts: Mapping[str, Config]
) -> tuple[dict[str, Config], dict[str, dict[str, str]]]:
    """Returns the derived tasks and groups by name, and the parts that they include: functions by key.

    Args:
        benchmark: The benchmark's name.
        table: Its table of tasks.
        tasks: The tasks and groups with entries of their own, by name.
        parts: The files that these can include, by name.

    Raises:
        TempbenchError: The table names an unknown task.
    """
    out: dict[str, Config] = {}
    more: dict[str, dict[str, str]] = {}
    for key, word in KEYS.items():
        own = table.get(key) or {}
        for name, sample in itertools.product(own.get("of", ()), ("", f"_{MINI}")):
            base, new = f"{name}{sample}", f"{name}_{word}{sample}"
            if base not in tasks or new in tasks:
                problem = "no such task exists" if base not in tasks else f"{new} already exists"
                raise TempbenchError(f"task_yamls/{benchmark}/{TABLE}: {word} is of {base}, but {problem}")
            config = tasks[base]
            if "group" in config:
                stems = (member.removesuffix(sample) for member in config["task"])
                members = [f"{stem}_{word}{sample}" for stem in stems if stem not in own.get("without", ())]
                out[new] = {**config, "group": new, "task": members}
                continue
            whole = resolved(config, parts)
            functions = _functions(benchmark, word, whole)
            hooks = filter(None, (one.rpartition("__")[2] for one in functions.values()))
            part = f"_{'-'.join([word, *hooks])}.yaml"
            more[part] = functions
            out[new] = {**config, "include": [part, *_listed(config["include"])], "task": new}
            if word == TENTH:
                out[new]["metadata"] = {**whole.get("metadata", {}), "draw": LITE}
    return out, more


def _functions(benchmark: str, word: str, base: Config) -> dict[str, str]:
    kinds = {"process_docs": "docs", "process_results": "results", "metric_list": "metrics"}
    return {
        key: f"tempbench_lmms.harness.derived_hooks.{word}_{what}__{benchmark}__"
        + str(base.get(key, "")).rpartition("hooks.")[2]
        for key, what in kinds.items()
        if word == ROTATED or what == "docs"
    }
