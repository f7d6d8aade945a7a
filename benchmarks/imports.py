"""How long the package takes to be imported and the command to start, less the bare interpreter."""

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import timing

COMMANDS = {
    "`import tempbench_lmms`": (("-c", "import tempbench_lmms"), 50),
    "`import tempbench_lmms.harness`, the entry point": (("-c", "import tempbench_lmms.harness"), None),
    "`import tempbench_lmms.parsing.fields`, the reader of replies": (
        ("-c", "import tempbench_lmms.parsing.fields"),
        None,
    ),
    "`tempbench path`": (("-m", "tempbench_lmms.cli", "path"), None),
    "`tempbench --help`": (("-m", "tempbench_lmms.cli", "--help"), None),
    "`tempbench tasks`": (("-m", "tempbench_lmms.cli", "tasks"), None),
    "for comparison: `import typer`": (("-c", "import typer"), None),
    "for comparison: `import numpy`": (("-c", "import numpy"), None),
}


def started(arguments: tuple[str, ...]) -> float:
    """Returns the processor's time of a fresh process in milliseconds."""
    # The package is on the path here as it is where it is installed.
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], env=environment, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def rows(quick: bool) -> Iterator[timing.Row]:
    times: dict[str, list[float]] = {name: [] for name in COMMANDS}
    bare = []
    for _ in range(3 if quick else 9):
        bare.append(started(("-c", "pass")))
        for name, (arguments, _) in COMMANDS.items():
            times[name].append(started(arguments) - bare[-1])
    yield timing.Row("the bare interpreter", bare, "ms")
    for name, (_, limit) in COMMANDS.items():
        yield timing.Row(f"{name}, less the interpreter", times[name], "ms", at_most=limit)


if __name__ == "__main__":
    timing.main(__doc__, rows)
