"""Generates the YAML of every task from the tables `task_yamls/*/tasks.yaml`.

The harness reads one file per task. Most of ours would only say how a task differs from another one, so one
table per benchmark says that, and the files are generated into a cache. Why: docs/decisions/task_variants.md.
"""

import atexit
import hashlib
import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import Any

import yaml

from tempbench_lmms import __version__, benchmarks
from tempbench_lmms.data.resources import folder_of
from tempbench_lmms.data.roots import MINI, SCHEME, cache_home
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness import derived

TABLE = "tasks.yaml"
_ALL = "tempbench"
_KWARGS = "lmms_eval_specific_kwargs"

_HOOKS = ("doc_to_visual", "doc_to_text", "doc_to_messages", "process_docs", "process_results", "metric_list")
"""The hooks that a task names."""
_DEFAULT = {
    "dataset_path": "parquet",
    "test_split": "test",
    "output_type": "generate_until",
    "doc_to_target": "target",
    "num_fewshot": 0,
    **{name: name for name in ("doc_to_visual", "doc_to_text", "doc_to_messages", "process_results")},
    "metric_list": "METRIC_LIST",
}
"""What all tasks share."""
_FILTER = (
    "filter_list: [{name: none, filter: [{function: !function tempbench_lmms.harness.adapter.FirstReply}]}]\n"
)

Config = dict[str, Any]


class SafeLoader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Safe YAML, read by the much faster libyaml if available; subclasses define `!function`."""


class WordLoader(SafeLoader):
    """Reads `!function` as a plain word."""


def _word(loader: WordLoader, node: yaml.ScalarNode) -> str:
    return str(loader.construct_scalar(node))


WordLoader.add_constructor("!function", _word)


@cache
def task_dir() -> Path:
    """Returns the folder with a YAML of every task and group, creating it if needed.

    It is in the cache or, if that cannot be written, among the temporary files of this process. Its name has
    the version and a hash of the content, so that several versions do not collide.

    Raises:
        TempbenchError: It cannot be written anywhere, or a table is wrong.
    """
    files = made()
    content = hashlib.sha256(json.dumps(files, sort_keys=True).encode()).hexdigest()
    name = f"{__version__}-{content[:16]}"
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
        folder = folder_of("task_yamls", benchmark)
        table = table_of(folder)
        parts = parts_of(benchmark, table)
        read = {name: yaml.load(text, Loader=WordLoader) for name, text in parts.items()}  # noqa: S506
        files |= {f"{benchmark}/{name}": text for name, text in parts.items()}
        tasks = tasks_of(benchmark, table, read)
        more, functions = derived.tasks_of(benchmark, table, tasks, partial(resolved, parts=read))
        where = f"task_yamls/{benchmark}/{TABLE}"
        for name, config in (tasks | more).items():
            files[f"{benchmark}/{name}.yaml"] = _text(config, where)
        for name, own in functions.items():
            files[f"{benchmark}/{name}"] = _text(own, where, "!function")
    for suffix in ("", f"_{MINI}", "_lite", f"_lite_{MINI}"):
        members = [name for name in benchmarks.names() if f"{name}/{name}{suffix}.yaml" in files]
        everything = {"task": [f"{name}{suffix}" for name in members], "metadata": {"version": 1}}
        group = {"group": f"{_ALL}{suffix}", **everything}
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
        where = f"task_yamls/{benchmark}/{TABLE}"
        out[f"_{name}.yaml"] = _text(config, where) + _lines(hooks, "!function")
        if name == "default":
            out[f"_{name}.yaml"] += _FILTER
    return out


@cache
def asked() -> dict[str, str]:
    """Returns what each task and group asks, in a few words, without variants and samples."""
    everything = {_ALL: "all benchmarks"}
    for benchmark in benchmarks.names():
        everything |= table_of(folder_of("task_yamls", benchmark))["asks"]
    return everything


def table_of(folder: Path) -> Config:
    """Returns the table of tasks in a benchmark's folder."""
    text = (folder / TABLE).read_text(encoding="utf-8")
    table: Config = yaml.load(text, Loader=WordLoader)  # noqa: S506 (a SafeLoader)
    return table


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
    tasks, groups = table.get("tasks") or {}, table.get("groups") or {}
    for name, variants in _names(table, where):
        keys = [tasks[name] if name in tasks else groups[name], *(table["variants"][one] for one in variants)]
        suffix = "".join(f"_{one}" for one in variants)
        for sample in ("", f"_{MINI}"):
            made_name = f"{name}{suffix}{sample}"
            if made_name in out:
                raise TempbenchError(f"{where}: {made_name} is defined twice; rename one of the two")
            if name in groups:
                out[made_name] = {"group": made_name, **groups[name]}
                out[made_name]["task"] = [f"{member}{suffix}{sample}" for member in groups[name]["task"]]
            else:
                folder = f"{SCHEME}{benchmark}/{MINI}" if sample else f"{SCHEME}{benchmark}"
                out[made_name] = _task(made_name, folder, keys, parts)
    for name, config in out.items():
        if unknown := sorted(set(config["task"]) - set(out)) if "group" in config else ():
            raise TempbenchError(f"{where}: {name} has no task {unknown[0]}; correct the group")
    return out


def _names(table: Config, where: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yields each task and group of a table, and each of its variants."""
    known = {**(table.get("tasks") or {}), **(table.get("groups") or {})}
    yield from ((name, ()) for name in known)
    for variant, keys in (table.get("variants") or {}).items():
        for name in keys["of"]:
            if name not in known:
                raise TempbenchError(f"{where}: the variant {variant} belongs to {name}, which is not a task")
            yield name, (variant,)


def _task(name: str, folder: str, entries: list[Config], parts: Mapping[str, Config]) -> Config:
    """Returns a task's configuration from its entry in the table and those of its variants."""
    includes: list[str] = []
    for entry in entries:
        own = entry.get("include", [])
        includes = [
            *([own] if isinstance(own, str) else own),
            *includes,
        ]  # the harness lets the first one win
    base = resolved({"include": list(includes)}, parts)
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
    includes = config.get("include", [])
    merged: Config = {}
    for name in reversed([includes] if isinstance(includes, str) else includes):
        merged |= resolved(parts[name], parts)
    return merged | {key: value for key, value in config.items() if key != "include"}
