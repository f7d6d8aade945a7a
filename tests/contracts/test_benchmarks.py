"""The benchmarks: what the table says of a target, and that one command runs them all."""

import ast
from pathlib import Path

import pytest

from benchmarks import timing

FOLDER = Path(__file__).parents[2] / "benchmarks"


def functions(path):
    return {node.name for node in ast.parse(path.read_text()).body if isinstance(node, ast.FunctionDef)}


@pytest.mark.slow
def test_one_command_runs_all():
    tree = ast.parse((FOLDER / "run.py").read_text())
    (names,) = (
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "MODULES"
    )
    there = {path.stem for path in FOLDER.glob("*.py")} - {"run", "timing"}
    assert there <= set(names)
    for name in there:
        path = FOLDER / f"{name}.py"
        assert {"rows"} <= functions(path), name
        assert ast.get_docstring(ast.parse(path.read_text())), name


@pytest.mark.parametrize(
    ("values", "target", "verdict"),
    [
        ([5, 6, 7], {"at_least": 5}, "met"),
        ([4.9, 6, 7], {"at_least": 5}, "met, within the noise"),
        ([4.7, 4.8, 4.9], {"at_least": 5}, "missed"),
        ([4, 4, 6], {"at_least": 5}, "missed, within the noise"),
        ([1, 1.2, 1.3], {"at_most": 1.3}, "met"),
        ([1.31], {"at_most": 1.3}, "missed"),
        ([1, 1.4, 1.5], {"at_most": 1.3}, "missed, within the noise"),
        ([0], {"at_most": 0}, "met"),
        ([1], {"at_most": 0}, "missed"),
        ([1], {}, ""),
    ],
)
def test_a_target_is_met_only_where_the_median_meets_it(values, target, verdict):
    row = timing.Row("what", values, "x", **target)
    assert row.verdict == verdict
    assert list(timing.table([row]))[2].endswith(f"| {verdict} |")


def test_ratios_are_of_one_repetition(monkeypatch):
    monkeypatch.setattr("gc.collect", lambda: 0)  # of all that the tests hold
    times = timing.side_by_side({"a": lambda: None, "b": lambda: sum(range(10_000))}, 3)
    assert {len(one) for one in times.values()} == {3}
    assert timing.over([2, 9], [1, 3]) == [2, 3]
