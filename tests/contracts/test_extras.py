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

# Commands, one after the other, where what extras bring cannot be imported.
_WITHOUT = """
import contextlib, io, json, sys
for name in {missing!r}:
    sys.modules[name] = None
from tempbench_lmms.cli.main import main
for words in json.loads(sys.argv[1]):
    sys.argv, out, err, status = ["tempbench", *words], io.StringIO(), io.StringIO(), 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main()
        except SystemExit as end:
            status = end.code or 0
    print(json.dumps([status, out.getvalue(), err.getvalue()]))
"""
COMMANDS = (
    "import replies a.jsonl --task timeblind_mini -o a --model a",
    "import replies b.jsonl --task timeblind_mini -o b --model b",
    "tasks",
    "doctor",
    "read --task coherence_qa_8f_mini B",
    "show timeblind_mini",
    "table timeblind Main a",
    "verify timepercept --mini",
    "plan --tasks tempvs_mini",
    "score timeblind --mini --predictions a.jsonl",
    "rescore a",
    "compare a b",
    "report a b -o page.html --force",
)
_TASK = "--model tempbench_chance --tasks timeblind_mini"
LACKING = (f"run {_TASK} --output nowhere", f"check-model {_TASK}", "demo", "verify")


def base(folder: Path, *commands: str) -> list[tuple[int, str, str]]:
    """Returns status, output and errors of each command."""
    code = _WITHOUT.format(missing=[name for modules in EXTRAS.values() for name in modules])
    command = [sys.executable, "-c", code, json.dumps([words.split() for words in commands])]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_the_base_does_it(tmp_path):
    """Two runs of imported replies, made by the base installation itself, and what it does with them."""
    rows = read_rows(mini_root("timeblind") / "test")
    for name, wrong in (("a", 0), ("b", 9)):
        said = [row["choices"][0] if number < wrong else row["target"] for number, row in enumerate(rows)]
        ids = [row["question_id"] for row in rows]
        lines = [json.dumps({"question_id": id_, "reply": one}) for id_, one in zip(ids, said, strict=True)]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines))
    for words, (status, out, err) in zip(COMMANDS, base(tmp_path, *COMMANDS), strict=True):
        assert status == 0, (words, err)
        assert out.strip(), words


def test_the_base_has_the_functions_for_notebooks(tmp_path):
    code = _WITHOUT.format(missing=[name for modules in EXTRAS.values() for name in modules])
    code = code.partition("from tempbench")[0] + "import doctest; from tempbench_lmms import api"
    code += "; raise SystemExit(doctest.testmod(api).failed)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert done.returncode == 0, done.stdout


def test_the_extra_that_is_lacking_is_named(tmp_path):
    for status, _, err in base(tmp_path, *LACKING):
        assert status == 1
        assert err.splitlines()[-1].endswith("run `pip install 'tempbench-lmms[run]'`")
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
