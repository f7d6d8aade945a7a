"""How soon a command says something."""

import os
import subprocess
import sys
import textwrap
import time

import pytest

TASK = "tempvs_mt1_two_mini"


def first_line(words, environment=None):
    """Returns the first line that a program prints, the seconds until then, and ends it."""
    began = time.monotonic()
    with subprocess.Popen(
        [sys.executable, *words],
        env=os.environ | (environment or {}),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        line = process.stdout.readline()
        seconds = time.monotonic() - began
        process.kill()
    return line, seconds


def bound():
    """Fifty starts of Python and a second, as this machine is now: torch and the harness take far longer."""
    began = time.monotonic()
    for _ in range(5):
        subprocess.run([sys.executable, "-c", "pass"], check=True)
    return 1 + 10 * (time.monotonic() - began)


def command(*words):
    return ["-m", "tempbench_lmms.cli", *words]


COMMANDS = {
    "run": ("run", "--model", "tempbench_oracle", "--tasks", TASK, "--output", "out"),
    "verify": ("verify",),
    "verify data": ("verify", "tempvs", "--mini"),
    "demo": ("demo", "--output", "out"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_the_first_line_comes_at_once(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    line, seconds = first_line(command(*COMMANDS[name]))
    assert line.startswith(("tempbench: ", "lmms-eval "))
    assert "Error" not in line
    assert seconds < bound()


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_nothing_heavy_comes_before_the_first_line(name, tmp_path):
    """What no clock can tell on a busy machine."""
    code = f"""
        import builtins, sys
        from tempbench_lmms.cli import main
        heavy = {{"torch", "lmms_eval", "datasets", "pyarrow", "numpy", "yaml", "rich"}}
        real = builtins.print
        def first(*words, **more):
            real(sorted(heavy & set(sys.modules)))
            sys.exit()
        builtins.print = first
        sys.argv = ["tempbench", *{COMMANDS[name]!r}]
        main.main()
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert done.stdout == "[]\n", done.stderr
