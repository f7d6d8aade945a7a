"""Lines of sample logs: as the harness writes them, and as they are.

Of the first question of each task of the bundled samples, answered with "A"; without prompt and reply, which
are the same in both.
"""

import json
from collections.abc import Iterator
from typing import Any

import picture_reuse
import timing

from tempbench_lmms import benchmarks
from tempbench_lmms.harness import log_lines
from tempbench_lmms.harness.tasks import docs_of, load_task


def sizes(task: str) -> tuple[int, int]:
    """Returns the characters of a task's first line, long and short."""
    config = load_task(task)
    sample: dict[str, Any] = config["process_results"](docs_of(config, media=False)[0], ["A"])

    def written() -> int:
        return len(json.dumps(sample, default=str, ensure_ascii=False))

    long = written()
    with log_lines.shortened(log_lines.names_in(config), [sample]):
        return long, written()


def rows(quick: bool) -> Iterator[timing.Row]:
    """Yields both sizes for each benchmark; of several tasks from the shortest line to the longest."""
    for name in benchmarks.names():
        long, short = zip(*map(sizes, picture_reuse.leaves(f"{name}_mini")), strict=True)
        yield timing.Row(f"{name}: a line as the harness writes it", long, "characters")
        yield timing.Row(f"{name}: a line", short, "characters")
        yield timing.Row(f"{name}: the one / the other", timing.over(long, short), "x")


if __name__ == "__main__":
    timing.main(__doc__, rows)
