"""What the tests must know of each benchmark is there, and what is missing is asked for by its name."""

import re
from pathlib import Path
from types import ModuleType

import pytest

from tempbench_lmms import benchmarks
from tests import contract

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", contract.REQUIRED)
@pytest.mark.parametrize("benchmark", benchmarks.names())
def test_what_is_required_is_there(benchmark, name):
    contract.get(benchmark, name)


@pytest.mark.parametrize("name", contract.REQUIRED)
def test_what_is_missing_is_asked_for(name, monkeypatch):
    monkeypatch.setattr(contract, "of", lambda benchmark: ModuleType(benchmark))
    with pytest.raises(
        LookupError, match=re.escape(f"write in tests/new/contract.py {contract.REQUIRED[name]}")
    ):
        contract.get("new", name)
    with pytest.raises(KeyError):
        contract.get("new", "MISSPELT")


def test_a_missing_file_is_asked_for():
    with pytest.raises(LookupError, match=r"write tests/new_one/contract.py, with PAPER, OFFERED, SOURCE"):
        contract.of("new_one")


def test_the_page_explains_every_name():
    page = (ROOT / "docs/adding_a_benchmark.md").read_text(encoding="utf-8")
    for name in (*contract.REQUIRED, *contract.OPTIONAL):
        assert f"`{name}`" in page, name


def test_no_list_of_imports_names_a_benchmark():
    """But for exceptions: what one benchmark alone may import."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8").partition("[tool.importlinter]")[2]
    lines = [line for line in text.splitlines() if "->" not in line]
    named = re.compile(rf"\b({'|'.join(benchmarks.names())})\b")
    assert [line for line in lines if named.search(line)] == []
