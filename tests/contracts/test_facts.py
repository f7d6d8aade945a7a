"""Each fact of a paper stands once: in its benchmark's card, which everything else takes it from."""

import ast
import functools
import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tempbench_lmms import benchmarks
from tests.each import for_each

ROOT = Path(__file__).parents[2]
FOLDERS = ("tempbench_lmms", "hf_datasets", "benchmarks", "tests")


def key_of(value: Any) -> Any:
    """Returns what two statements of one fact have in common, whatever their order and kind of list."""
    if isinstance(value, dict):
        return frozenset((name, repr(one)) for name, one in value.items())
    return tuple(sorted(map(repr, value)))


def literals(path: Path, lengths: set[int]) -> Iterator[Any]:
    """Yields the lists and tables of some lengths that a file writes out; of a test's tables not the rows."""
    found = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
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


def words(value: Any) -> Iterator[str]:
    """Yields what stands in a file that writes a value out, as `files` reads it."""
    if isinstance(value, dict):
        yield from words([*value, *value.values()])
    elif isinstance(value, (tuple, list)):
        for one in value:
            yield from words(one)
    elif isinstance(value, str) and value.isprintable() and value.isascii() and not set(value) & set("\"'\\"):
        yield f'"{value.replace("_", "")}"'
    elif isinstance(value, float):
        yield repr(abs(value)).strip("0").rstrip(".")
    elif isinstance(value, int) and not isinstance(value, bool):
        yield str(abs(value))


def may_hold(text: str, value: Any) -> bool:
    """Returns whether all words of a value are near each other: else a file need not be parsed."""
    some = sorted(set(words(value)), key=len, reverse=True)
    if not all(word in text for word in some):
        return False
    reach = sum(len(word) + 100 for word in some)
    places = (found.start() for found in re.finditer(re.escape(some[0]), text)) if some else [0]
    return any(
        all(word in near for word in some)
        for near in (text[max(0, place - reach) : place + reach] for place in places)
    )


@functools.cache
def files() -> dict[str, str]:
    """Returns the text of each file, with one kind of quotes and no underscores."""
    return {
        file.relative_to(ROOT).as_posix(): file.read_text(encoding="utf-8").replace("_", "").replace("'", '"')
        for folder in FOLDERS
        for file in sorted((ROOT / folder).rglob("*.py"))
        if file.name != "card.py"
    }


@functools.cache
def written(file: str) -> set[Any]:
    """Returns what is written out in a file."""
    return set(literals(ROOT / file, {len(value) for _, _, value in facts()}))


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
    of_words = all(isinstance(one, str) for one in value)
    # Two benchmarks may have the same names of splits.
    again = [
        file
        for file, text in files().items()
        if (of_words or not file.startswith("tests/"))
        and may_hold(text, value)
        and key_of(value) in written(file)
    ]
    assert again == [], f"{name} of {card} is written again"


def test_no_number_of_a_paper_is_in_two_places() -> None:
    for benchmark in benchmarks.names():
        assert benchmarks.card(benchmark).reference, benchmark
        keys = [(one.table, one.model, one.metric) for one in benchmarks.card(benchmark).reference]
        assert len(set(keys)) == len(keys), benchmark


def test_a_value_is_looked_for_in_every_form() -> None:
    for value, text in (
        (("a_b", "c"), "['a_b', 'c']"),
        ((1000, 20), "{1_000, 20}"),
        ((0.5, 30.0), "(.50, 30)"),
        ({"a": -1, "b": 2}, "{'a': -1,  # of the first\n 'b': 2}"),
        (("a\\b", "c", "ä"), '["c"]'),
    ):
        assert may_hold(text.replace("_", "").replace("'", '"'), value), text
    assert not may_hold('"a", "b"', ("a", "b", "c"))
    assert not may_hold(f'"a"{" " * 1000}"b"', ("a", "b"))
