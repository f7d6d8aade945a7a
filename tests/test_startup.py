"""What a command imports before it says something."""

import subprocess
import sys
import textwrap

import pytest

TASK = "tempvs_mt1_two_mini"
COMMANDS = {
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
@pytest.mark.parametrize("name", COMMANDS)
def test_nothing_heavy_comes_before_the_first_line(name, tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(FIRST_LINE), *COMMANDS[name]],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert done.stdout.startswith(("tempbench: ", "lmms-eval ", "checking ")), done.stderr
    assert done.stdout.endswith(" []\n")
