"""The `_lite` tasks: a tenth of a task's groups of questions, whole, and the same ones everywhere.

A task's YAML names the function that makes its documents. For `_lite` that is a function of this module,
which draws groups from the table and gives them to the task's own function, where it has one. Its name says
whose: `NAME__only_these` for `tempbench_lmms.NAME.hooks.only_these`, `NAME` where the task has none.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from tempbench_lmms import benchmarks
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.metrics.sampling import drawn

DRAW = "draw"
"""The key of a variant that draws groups."""
_BETWEEN = "__"
_PROCESS = "process_docs"


def part_of(config: Mapping[str, Any]) -> str:
    """Returns the name of the file that a drawn task includes, for the task's whole configuration."""
    own = str(config.get(_PROCESS, "")).rpartition(".")[2]
    return f"_lite_{own}.yaml" if own else "_lite.yaml"


def parts(benchmark: str, configs: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Returns the texts of the files that drawn tasks of a benchmark include, by name.

    Args:
        benchmark: The benchmark's name.
        configs: The files that its tasks include.

    Raises:
        TempbenchError: A function that makes documents is not in the benchmark's hooks.
    """
    texts = {}
    for config in ({}, *configs.values()):
        module, _, own = str(config.get(_PROCESS, "")).rpartition(".")
        if own and module != f"tempbench_lmms.{benchmark}.hooks":
            raise TempbenchError(
                f"{_PROCESS} {module}.{own} of {benchmark}: put it into the benchmark's hooks"
            )
        name = f"{benchmark}{_BETWEEN}{own}" if own else benchmark
        texts[part_of(config)] = (
            "# A fixed tenth of the groups of questions.\n"
            f"{_PROCESS}: !function tempbench_lmms.harness.lite.{name}\n"
        )
    return texts


@cache
def _process(name: str) -> Callable[[Any], Any]:
    benchmark, _, own = name.partition(_BETWEEN)
    after = getattr(benchmarks.optional(benchmark, "hooks"), own) if own else None

    def draw(dataset: Any) -> Any:
        groups = benchmarks.groups(benchmark)
        wanted = {*groups.columns, *groups.strata} & {*dataset.column_names}
        columns = {column: list(dataset[column]) for column in sorted(wanted)}
        kept = drawn(groups.stratum(columns))
        return dataset.select([i for i, group in enumerate(groups.of(columns)) if group in kept])

    def process(dataset: Any) -> Any:
        return after(draw(dataset)) if after else draw(dataset)

    def without_media(dataset: Any) -> Any:
        return getattr(after, "without_media", after or (lambda same: same))(draw(dataset))

    process.without_media = without_media  # type: ignore[attr-defined]
    return process


def __getattr__(name: str) -> Callable[[Any], Any]:
    if name.partition(_BETWEEN)[0] not in benchmarks.names():
        raise AttributeError(name)
    return _process(name)
