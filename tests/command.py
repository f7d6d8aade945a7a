"""The command `tempbench` as its user meets it, in this process: its imports are made once."""

import contextlib
import importlib
import io
import os
import subprocess
import sys
import traceback
from pathlib import Path
from unittest import mock

from huggingface_hub import constants

from docs.website.commands import every
from tempbench_lmms.cli import main

REPOSITORY = Path(__file__).parents[1]


def commands():
    """Returns every command by its name, those below the verbs too."""
    found = {}
    for name, one in every().items():
        below = getattr(one, "commands", None)
        found |= {name: one} if below is None else {f"{name} {word}": sub for word, sub in below.items()}
    return found


def tempbench(*arguments, **environment):
    """Returns status and output, as `tempbench_process` does.

    Not for what is read from the environment at import, or depends on what is imported when; the variables of
    the Hub's library are read anew.
    """
    hub = any(name.startswith("HF_") for name in environment)
    out, err, status = io.StringIO(), io.StringIO(), 0
    with (
        mock.patch.dict(os.environ, environment),
        mock.patch.object(sys, "argv", ["tempbench", *map(str, arguments)]),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        hub_variables() if hub else contextlib.nullcontext(),
    ):
        try:
            main.main()
        except SystemExit as end:
            status = end.code or 0
        except Exception:
            traceback.print_exc()
            status = 1
    return subprocess.CompletedProcess(arguments, status, out.getvalue(), err.getvalue())


@contextlib.contextmanager
def hub_variables():
    """The Hub's library takes them from `constants`, and is left with what the session's environment says."""
    before = dict(vars(constants))
    importlib.reload(constants)
    try:
        yield
    finally:
        vars(constants).update(before)


def tempbench_process(*arguments, python=sys.executable, **environment):
    """The same in a process of its own."""
    return subprocess.run(
        [python, "-m", "tempbench_lmms.cli", *arguments],
        env=os.environ | {"PYTHONPATH": str(REPOSITORY)} | environment,
        capture_output=True,
        text=True,
        check=False,
    )


# Where tests run in the background, the signal of Ctrl-C is ignored.
_STARTED = """
import os, signal, sys
from tempbench_lmms.cli import main
signal.signal(signal.SIGINT, signal.default_int_handler)
with open(sys.argv.pop(1), "w") as file:
    file.write(str(os.getpid()))
main.main()
"""


def started(python, file, *arguments, environment=(), **how):
    """Starts the command in a process of its own, which notes its number in a file.

    Returns:
        The process, and what sends the command a signal.
    """
    process = subprocess.Popen(
        [python, "-c", _STARTED, str(file), *map(str, arguments)],
        env=os.environ | {"PYTHONPATH": str(REPOSITORY)} | dict(environment),
        **how,
    )
    return process, lambda number: os.kill(int(file.read_text()), number)


def call(python, function, *arguments):
    """Calls a function of a test module in a process of its own, which says what it raised.

    To import torch here takes some ten seconds.
    """
    code = "import importlib, sys; module, name, *given = sys.argv[1:]; "
    code += "getattr(importlib.import_module(module), name)(*given)"
    done = subprocess.run(
        [python, "-c", code, function.__module__, function.__name__, *map(str, arguments)],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]


def complains(done, *words):
    """Asserts that a command ended with one line that says what is wrong."""
    assert done.returncode == 1, done.stdout + done.stderr
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("tempbench: ")
    assert "Traceback" not in done.stderr
    for word in words:
        assert word in last
