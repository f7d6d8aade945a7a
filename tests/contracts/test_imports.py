"""What is imported when: the package itself imports nothing, and no command what it does not use."""

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tempbench_lmms import benchmarks
from tempbench_lmms.cli import main

REPOSITORY = Path(main.__file__).parents[2]

# What takes a noticeable part of a second, or the memory of a GPU.
HEAVY = {
    *("torch", "transformers", "lmms_eval", "datasets", "pyarrow", "pandas", "sklearn", "bert_score"),
    *("numpy", "PIL", "av", "decord", "cv2", "yaml", "fsspec", "huggingface_hub", "rich"),
}


def heavy_after(code: str) -> set[str]:
    """Returns which of `HEAVY` a fresh process has imported after `code`."""
    says = "MODULES' + json.dumps(sorted({name.partition('.')[0] for name in sys.modules}))"
    program = f"import atexit, json, sys; atexit.register(lambda: print('{says}))\n{code}"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return HEAVY & set(json.loads(done.stdout.rpartition("MODULES")[2]))


def command(*words: str) -> str:
    return f"sys.argv = {['tempbench', *words]}; from tempbench_lmms.cli import main; main.main()"


def test_the_package_imports_nothing():
    assert heavy_after("import tempbench_lmms") == set()


def test_the_entry_point_imports_nothing():
    # The harness imports it on its way to every model, ours or not.
    assert heavy_after("import tempbench_lmms.harness.plugin") == set()


@pytest.mark.slow
@pytest.mark.parametrize(("words", "allowed"), [(("path",), {"yaml"}), (("--version",), set())])
def test_a_command_that_prints_a_line_imports_next_to_nothing(words, allowed):
    assert heavy_after(command(*words)) <= allowed


@pytest.mark.slow
@pytest.mark.parametrize("words", [("--help",), ("run", "--help"), ("compare", "--help")])
def test_help_imports_what_lays_it_out(words):
    assert heavy_after(command(*words)) <= {"rich"}


@pytest.mark.slow
def test_hooks_import_no_data_library():
    # The harness imports them while it reads the task list, in every process.
    code = "\n".join(f"import tempbench_lmms.{name}.hooks" for name in benchmarks.names())
    assert heavy_after(code) <= {"numpy"}


@pytest.mark.parametrize("verb", [verb for verb in main.VERBS if verb != "submit"])
def test_every_verb_has_a_benchmark(verb):
    # `--help` lists the verbs without looking.
    assert any(verb in main.commands_of(name) for name in benchmarks.names())


TASK = "tempvs_mt1_two_mini"
FIRST_TO_SPEAK = {
    "run": ("run", "--model", "tempbench_oracle", "--tasks", TASK, "--output", "out"),
    "verify": ("verify",),
    "verify data": ("verify", "tempvs", "--mini"),
    "demo": ("demo", "--output", "out"),
}
FIRST_LINE = """
    import builtins, sys
    from tempbench_lmms.cli import main
    real = builtins.print
    def first(line, *words, **more):
        heavy = {"torch", "lmms_eval", "datasets", "pyarrow", "numpy", "yaml", "rich"}
        real(line, sorted(heavy & set(sys.modules)))
        sys.exit()
    builtins.print = first
    main.main()
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", FIRST_TO_SPEAK)
def test_nothing_heavy_comes_before_the_first_line(name, tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(FIRST_LINE), *FIRST_TO_SPEAK[name]],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert done.stdout.startswith(("tempbench: ", "lmms-eval ", "checking ")), done.stderr
    assert done.stdout.endswith((" []\n", " ['yaml']\n"))  # which lists the options, in 20 ms
