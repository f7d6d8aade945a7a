"""Checks the data of our tasks before the harness loads a model."""

from collections.abc import Iterable
from typing import Any

from tempbench_lmms import benchmarks
from tempbench_lmms.data import code_digest, locks
from tempbench_lmms.data.roots import mini_root
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness.tasks import data_problems, load_task, root_of, task_files


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
        _keep_reading(config)
        benchmark = files[name].parent.name
        code_digest.of_numbers(benchmark)  # cached before the code on the disk can change
        if problems := data_problems(config):
            raise TempbenchError(
                f"{name}: {problems[0]} ({len(problems)} problems; see `tempbench verify {benchmark}`)"
            )
        if check := benchmarks.commands(benchmark).get("preflight"):
            check(config)


def _keep_reading(config: dict[str, Any]) -> None:
    benchmark, root = root_of(config)
    if root != mini_root(benchmark):  # nobody prepares the bundled sample
        locks.keep_reading(root)
