"""Lint and types are tests, so that one command runs everything."""

import importlib.util
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]


@pytest.mark.parametrize(
    "command",
    [
        ["-m", "ruff", "check", "."],
        ["-m", "ruff", "format", "--check", "."],
        pytest.param(["-m", "mypy"], marks=pytest.mark.slow),
        ["-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"],
    ],
    ids=["lint", "format", "types", "layers"],
)
def test_check(command):
    done = subprocess.run(
        [sys.executable, *command], cwd=REPOSITORY, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]


@pytest.mark.slow
def test_wheel_brings_tasks_and_samples(tmp_path):
    # pip installs what builds a wheel before it builds one, from a registry.
    command = ["hatchling", "build", "-t", "wheel", "-d"]
    if not importlib.util.find_spec("hatchling"):
        command = ["pip", "wheel", "--quiet", "--no-deps", ".", "-w"]
    subprocess.run([sys.executable, "-m", *command, str(tmp_path)], cwd=REPOSITORY, check=True)
    names = set(zipfile.ZipFile(next(tmp_path.glob("*.whl"))).namelist())
    for folder in ("task_yamls", "hf_datasets"):
        for path in (REPOSITORY / folder).rglob("*"):
            inside = path.relative_to(REPOSITORY)
            if path.is_file() and "__pycache__" not in inside.parts:
                ships = inside.parts[1] != "samples"
                assert (f"tempbench_lmms/{inside.as_posix()}" in names) is ships, inside
    # Nothing else lands at the top of site-packages.
    assert {name.split("/")[0].partition("-")[0] for name in names} == {"tempbench_lmms"}
