"""Reads our tasks from their YAML without the harness: fast, and without torch."""

import importlib
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from tempbench_lmms import benchmarks
from tempbench_lmms.data import locks, provenance, tables
from tempbench_lmms.data.checks import table_problems
from tempbench_lmms.data.manifests import Media
from tempbench_lmms.data.roots import MINI, SCHEME, mini_root, resolve
from tempbench_lmms.errors import DataNotPreparedError, TempbenchError, hint
from tempbench_lmms.harness.variants import SafeLoader, task_dir


class _Loader(SafeLoader):
    """Safe YAML, with `!function` only for functions of this package."""


def _function(loader: _Loader, node: yaml.ScalarNode) -> Any:
    module, _, name = str(loader.construct_scalar(node)).rpartition(".")
    if not module.startswith("tempbench_lmms."):
        raise TempbenchError(f"{module}.{name} is not a function of this package; correct the YAML")
    return getattr(importlib.import_module(module), name)


_Loader.add_constructor("!function", _function)


@lru_cache(maxsize=1024)
def _parsed(path: Path, changed: int, loader: Any) -> dict[str, Any]:
    # A run's configuration is loaded several times, and parsing a hundred metrics takes a while.
    with path.open(encoding="utf-8") as stream:
        return yaml.load(stream, Loader=loader) or {}  # noqa: S506 (a SafeLoader)


def load(path: Path, loader: Any = _Loader) -> dict[str, Any]:
    """Returns the content of a task's file, including its includes."""
    config = dict(_parsed(path, path.stat().st_mtime_ns, loader))
    includes = config.pop("include", [])
    merged: dict[str, Any] = {}
    for name in reversed([includes] if isinstance(includes, str) else includes):
        merged |= load(path.parent / name, loader)  # the first of several files wins, as in the harness
    return merged | config


def task_files() -> dict[str, Path]:
    """Returns the YAML of every task and group by name."""
    return dict(_files_in(task_dir()))


@lru_cache
def _files_in(folder: Path) -> dict[str, Path]:
    return {path.stem: path for path in sorted(folder.glob("*/[!_]*.yaml"))}


def load_task(name: str) -> dict[str, Any]:
    """Returns a task's or group's configuration, `include`s resolved and functions imported.

    Raises:
        TempbenchError: There is no such task.
    """
    files = task_files()
    if name not in files:
        longer = " or ".join([one for one in files if name and name in one][:3])
        otherwise = f"did you mean {longer}?" if longer else "see `tempbench tasks`"
        raise TempbenchError(f"no task named {name!r}; {hint(name, files, otherwise)}")
    return load(files[name])


def kwargs_of(config: Mapping[str, Any]) -> dict[str, Any] | None:
    """Returns the arguments of a task's hooks, except the question."""
    return (config.get("lmms_eval_specific_kwargs") or {}).get("default")


def _url(config: dict[str, Any]) -> str:
    return str(config["dataset_kwargs"]["data_files"][config["test_split"]])


def _folder(config: dict[str, Any]) -> Path:
    return resolve(_url(config).rpartition("/")[0])


def root_of(config: dict[str, Any]) -> tuple[str, Path]:
    """Returns a task's benchmark, and the folder of the data set that the task reads.

    Raises:
        DataNotPreparedError: The data is missing.
    """
    benchmark, *rest = _url(config).removeprefix(SCHEME).split("/")
    return benchmark, resolve(f"{benchmark}/{MINI}" if rest[0] == MINI else benchmark)


def media_of(config: dict[str, Any]) -> Media:
    """Returns the media of the data set that a task reads."""
    return Media(root_of(config)[1], resolve)


def data_problems(config: dict[str, Any]) -> tuple[str, ...]:
    """Returns the problems of the table that a task reads, and missing media, without decoding any.

    Raises:
        DataNotPreparedError: The data is not there.
    """
    benchmark, root = root_of(config)
    folder = _folder(config)
    changed = tuple(sorted((file.name, file.stat().st_mtime_ns) for file in folder.glob("*.parquet")))
    return _data_problems(benchmark, root, folder, changed)


@lru_cache(maxsize=256)
def _data_problems(benchmark: str, root: Path, folder: Path, changed: object) -> tuple[str, ...]:
    # Several tasks read the same table, and a run asks before each of its steps.
    found = [table for table in benchmarks.rows(benchmark).tables_of(root) if table.path.parent == folder]
    if not found:
        return (f"no table in {folder}; prepare the data again",)
    media: dict[str, Path] = {}
    problems = [problem for table in found for problem in table_problems(table, media)]
    # Not `path.is_file()`, which raises for a name that is too long.
    gone = (url for url, path in media.items() if not os.path.isfile(path))
    return (*problems, *(f"{url} is missing; prepare the data again" for url in gone))


def check_data(names: Iterable[str]) -> None:
    """Checks the data of our tasks among `names`, and blocks `prepare` while this process lives.

    Raises:
        TempbenchError: Data is not prepared, a table is damaged, media are missing, or a benchmark's own
            `preflight` found something.
    """
    files = task_files()
    for name in names:
        if name not in files:
            continue
        config = load_task(name)
        if "group" in config:
            check_data(member for member in config["task"] if isinstance(member, str))
            continue
        benchmark, root = root_of(config)
        if root != mini_root(benchmark):  # nobody prepares the bundled sample
            locks.keep_reading(root)
        provenance.of_numbers(benchmark)  # cached before the code on the disk can change
        if problems := data_problems(config):
            raise TempbenchError(
                f"{name}: {problems[0]} ({len(problems)} problems; see `tempbench verify {benchmark}`)"
            )
        if check := getattr(benchmarks.rows(benchmark), "preflight", None):
            check(config, root)


def is_prepared(config: dict[str, Any]) -> bool:
    """Returns whether the table that a task reads exists on this machine."""
    try:
        return any(_folder(config).glob("*.parquet"))
    except DataNotPreparedError:
        return False


def docs_of(
    config: dict[str, Any],
    read: Callable[[Path], list[tables.Row]] = tables.read_rows,
) -> list[tables.Row]:
    """Returns the documents of a task in the harness's order.

    Args:
        config: The task's configuration.
        read: Reads the table in a folder; a caller with several tasks can pass a cached reader, and must not
            change rows.

    Raises:
        TempbenchError: The data is not prepared or cannot be read.
    """
    return asked(config, read(_folder(config)))


def load_leaf(name: str) -> dict[str, Any]:
    """Returns the configuration of a task; groups are refused."""
    config = load_task(name)
    if "group" in config:
        raise TempbenchError(f"{name} is a group; name one of its tasks: {', '.join(config['task'])}")
    return config


def docs_with(number: int, config: dict[str, Any], **how: Any) -> list[tables.Row]:
    """Returns the documents of a task as `docs_of` does; one must have this number."""
    docs = docs_of(config, **how)
    if not 0 <= number < len(docs):
        raise TempbenchError(
            f"{config['task']} has no document {number}; choose one from 0 to {len(docs) - 1}"
        )
    return docs


def not_valid(config: dict[str, Any], number: int, error: Exception) -> TempbenchError:
    """Returns the error of a question that cannot be shown."""
    return TempbenchError(
        f"{config['task']}: document {number} is not a valid question ({error!r}); see `tempbench verify "
        f"{root_of(config)[0]}`"
    )


def content(config: dict[str, Any], doc: tables.Row, number: int) -> tuple[Any, ...]:
    """Returns the content of a question for a chat model.

    Args:
        config: The task.
        doc: The question.
        number: Its number in the task, for messages.

    Returns:
        The parts in their order: text, a picture, or a video's path. A video given as a list of frames is
        returned as pictures.

    Raises:
        TempbenchError: The question is not valid, or a media file is damaged.
    """
    try:
        messages = config["doc_to_messages"](doc, kwargs_of(config))
        return tuple(shown for message in messages for part in message["content"] for shown in _parts(part))
    except (KeyError, TypeError, IndexError, ValueError, AttributeError) as error:
        raise not_valid(config, number, error) from None


def _parts(part: dict[str, Any]) -> list[Any]:
    if part["type"] == "text":
        return [str(part["text"])]
    # A video may come as the list of its frames.
    urls = part["url"] if isinstance(part["url"], list) else [part["url"]]
    return [Path(url) if isinstance(url, str) else url for url in urls]


def asked(config: dict[str, Any], rows: list[tables.Row]) -> list[tables.Row]:
    """Returns the documents that a task makes from rows; arguments as for `docs_of`."""
    process = config.get("process_docs")
    return list(process(Documents(rows))) if process else rows


@dataclass(eq=False)
class Documents(Sequence[tables.Row]):
    """Rows with the methods of `datasets.Dataset` that our tasks use; the base install lacks `datasets`."""

    rows: Sequence[tables.Row]

    from_list = classmethod(lambda cls, rows: cls(rows))

    @property
    def column_names(self) -> list[str]:
        """The names of the columns."""
        return [*self.rows[0]] if self.rows else []

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, of: Any) -> Any:
        return [row[of] for row in self.rows] if isinstance(of, str) else self.rows[of]

    def select(self, places: Iterable[int]) -> "Documents":
        """Returns the rows at some places."""
        return Documents([self.rows[place] for place in places])

    def add_column(self, name: str, values: Sequence[Any]) -> "Documents":
        """Returns the rows with one more column."""
        return Documents([{**row, name: value} for row, value in zip(self.rows, values, strict=True)])

    def remove_columns(self, names: Sequence[str]) -> "Documents":
        """Returns the rows without some columns."""
        return Documents([{key: row[key] for key in row if key not in names} for row in self.rows])
