"""How fast this package is beside what it replaces: the table of docs/performance.md.

Every ratio is of measurements that took turns in one process, by the processor's time, on the same input;
where both sides find numbers or frames, they are checked to be the same.
"""

import resource
import subprocess
import sys
from collections.abc import Iterator

import hooks
import timing
import video_frames


def _start(code: str) -> float:
    """Returns the processor's time of a fresh Python in milliseconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def rows(quick: bool) -> Iterator[timing.Row]:
    """Yields every row of the table."""
    times = [_start("import tempbench_lmms") - _start("pass") for _ in range(9)]
    yield timing.Row("`import tempbench_lmms`, less the bare interpreter", times, "ms", at_most=50)
    for module in (hooks, video_frames):
        yield from module.rows(quick)


if __name__ == "__main__":
    timing.main(__doc__, rows)
