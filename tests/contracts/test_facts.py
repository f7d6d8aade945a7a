"""Each fact of a paper stands once: in its benchmark's card, which everything else takes it from."""

import ast
import functools
import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tempbench_lmms import benchmarks
from tests.each import for_each
from tests.syntax import nodes

ROOT = Path(__file__).parents[2]
FOLDERS = ("tempbench_lmms", "hf_datasets", "benchmarks", "tests")


def key_of(value: Any) -> Any:
    """Returns what two statements of one fact have in common, whatever their order and kind of list."""
    if isinstance(value, dict):
        return frozenset((name, repr(one)) for name, one in value.items())
    return tuple(sorted(map(repr, value)))


def literals(path: Path, lengths: set[int]) -> Iterator[Any]:
    """Yields the lists and tables of some lengths that a file writes out; of a test's tables not the rows."""
    found = nodes(path.read_text(encoding="utf-8"))
    tables = (
        [node for node in found if isinstance(node, ast.Dict)] if path.is_relative_to(ROOT / "tests") else []
    )
    rows = {id(row) for table in tables for row in table.values}
    for node in found:
        if isinstance(node, (ast.Tuple, ast.List, ast.Set, ast.Dict)) and id(node) not in rows:
            if len(node.keys if isinstance(node, ast.Dict) else node.elts) not in lengths:
                continue
            try:
                value = ast.literal_eval(node)
            except (ValueError, TypeError):
                continue
            yield key_of(value)


@functools.cache
def files() -> dict[str, set[Any]]:
    """Returns what is written out in each file; for the tests, and not whenever they are collected."""
    lengths = {len(value) for _, _, value in facts()}
    return {
        file.relative_to(ROOT).as_posix(): set(literals(file, lengths))
        for folder in FOLDERS
        for file in sorted((ROOT / folder).rglob("*.py"))
    }


def facts() -> Iterator[tuple[str, str, Any]]:
    for benchmark in benchmarks.names():
        module = importlib.import_module(f"tempbench_lmms.{benchmark}.card")
        for name, value in vars(module).items():
            if name.isupper() and isinstance(value, (tuple, dict)):
                yield benchmark, name, value
                inner = value.values() if isinstance(value, dict) else value
                for one in inner:
                    if isinstance(one, (tuple, dict)) and len(one) > 2:
                        yield benchmark, f"{name}, {one}", one


@pytest.mark.slow
def test_a_fact_is_written_once() -> None:
    for_each(facts(), lambda fact: _is_written_once(*fact))


def _is_written_once(benchmark: str, name: str, value: Any) -> None:
    card = f"tempbench_lmms/{benchmark}/card.py"
    words = all(isinstance(one, str) for one in value)
    # Two benchmarks may have the same names of splits.
    again = [
        file
        for file, found in files().items()
        if key_of(value) in found
        and not file.endswith("/card.py")
        and (words or not file.startswith("tests/"))
    ]
    assert again == [], f"{name} of {card} is written again"


def test_no_number_of_a_paper_is_in_two_places() -> None:
    for benchmark in benchmarks.names():
        assert benchmarks.card(benchmark).reference, benchmark
        keys = [(one.table, one.model, one.metric) for one in benchmarks.card(benchmark).reference]
        assert len(set(keys)) == len(keys), benchmark
