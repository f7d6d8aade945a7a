"""What the base installation does without torch, the harness and the rest, and what it says of the rest."""

import importlib.machinery
import importlib.metadata
import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tempbench_lmms.data.roots import mini_root
from tempbench_lmms.data.tables import read_rows
from tempbench_lmms.errors import EXTRAS, TempbenchError, lacking
from tempbench_lmms.harness import plugin

_WITHOUT = """
import sys
for name in {missing!r}:
    sys.modules[name] = None
from tempbench_lmms.cli.__main__ import main
main()
"""


def base(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    code = _WITHOUT.format(missing=[name for modules in EXTRAS.values() for name in modules])
    command = [sys.executable, "-c", code, *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Two runs of imported replies, made by the base installation itself."""
    folder = tmp_path_factory.mktemp("base")
    rows = read_rows(mini_root("timeblind") / "test")
    for name, wrong in (("a", 0), ("b", 9)):
        said = [row["choices"][0] if number < wrong else row["target"] for number, row in enumerate(rows)]
        ids = [row["question_id"] for row in rows]
        lines = [json.dumps({"question_id": id_, "reply": one}) for id_, one in zip(ids, said, strict=True)]
        (folder / f"{name}.jsonl").write_text("\n".join(lines))
        options = ("--task", "timeblind_mini", "-o", name, "--model", name)
        done = base(folder, "import", "replies", f"{name}.jsonl", *options)
        assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.parametrize(
    "words",
    [
        "tasks",
        "doctor",
        "read --task coherence_qa_8f_mini B",
        "show timeblind_mini",
        "table timeblind Main a",
        "stats rextime --mini",
        "verify timepercept --mini",
        "plan --tasks tempvs_mini",
        "score timeblind --mini --predictions a.jsonl",
        "rescore a",
        "compare a b",
        "report a b -o page.html --force",
    ],
)
def test_the_base_does_it(runs, words):
    done = base(runs, *words.split())
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_the_base_has_the_functions_for_notebooks(tmp_path):
    code = _WITHOUT.format(missing=[name for modules in EXTRAS.values() for name in modules])
    code = code.partition("from tempbench")[0] + "import doctest; from tempbench_lmms import api"
    code += "; raise SystemExit(doctest.testmod(api).failed)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert done.returncode == 0, done.stdout


def test_the_extra_that_is_lacking_is_named(tmp_path):
    words = ("--model", "tempbench_chance", "--tasks", "timeblind_mini")
    for command in (("run", *words, "--output", "nowhere"), ("check-model", *words), ("demo",), ("verify",)):
        done = base(tmp_path, *command)
        assert done.returncode == 1
        assert done.stderr.splitlines()[-1].endswith("run `pip install 'tempbench-lmms[run]'`")
    assert "[metrics]" in str(lacking(ModuleNotFoundError(name="bert_score.utils")))
    assert lacking(ModuleNotFoundError(name="somebody")) is None


def test_a_harness_that_its_filelock_stops_is_told(tmp_path, monkeypatch):
    (tmp_path / "evaluator.py").write_text("import filelock._api as _fl_api")
    spec = importlib.machinery.ModuleSpec("lmms_eval", None, is_package=True)
    spec.submodule_search_locations = [str(tmp_path)]
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: spec)
    monkeypatch.setattr(importlib.metadata, "version", {"lmms-eval": "0.7.3", "filelock": "4.0"}.get)
    with pytest.raises(
        TempbenchError, match=r"runs nothing with filelock 4.0; run `pip install 'filelock<4'`"
    ):
        plugin.harness_version()


def test_what_an_extra_brings_is_what_pip_installs():
    required = importlib.metadata.requires("tempbench-lmms") or []
    for extra, modules in EXTRAS.items():
        brought = [one for one in required if f"extra == '{extra}'" in one or f'extra == "{extra}"' in one]
        for module in modules:
            name = {"sklearn": "scikit-learn", "pandas": "datasets"}.get(module, module.replace("_", "-"))
            assert any(one.startswith(name) for one in brought)
            assert not any(one.startswith(name) and "extra" not in one for one in required)
