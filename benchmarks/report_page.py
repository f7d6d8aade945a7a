"""The report of ten simulated runs of full-size TempVS in a browser: how fast it opens and filters.

The runs are of a random respondent on the bundled sample, repeated up to the paper's number of questions,
each time with other ids and other verdicts; intervals and pictures are left out. A headless Chromium says how
long its page's thread was busy, in processor time.
"""

import json
import random
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import timing

from tempbench_lmms import benchmarks
from tempbench_lmms.report import numbers
from tempbench_lmms.report.page import page
from tempbench_lmms.runs.logs import Sample, TaskLog, read_runs

N_RUNS = 10
TASK = benchmarks.card("tempvs").full[0]
N_QUESTIONS = 48_284
"""The questions of the tests and their groundings together."""

FILTERS = (
    ("a verdict of one run", "#verdict", "wrong"),
    ("a verdict of two runs", "#verdict2", "right"),
    ("a source", "#facets select[data-field=source]", "vist"),
    ("a word", "#search", "before"),
    ("words that no question has", "#search", "no question has these words"),
)

FILTERED = """(() => {
    const one = document.querySelector(%s);
    one.value = %s;
    one.dispatchEvent(new Event("input", {bubbles: true}));
    return document.querySelector("#list").getBoundingClientRect().top;
})()"""


def _repeated(log: TaskLog, run: int, n_questions: int) -> TaskLog:
    rng = random.Random(run)

    def one(number: int) -> Sample:
        sample = log.samples[number % len(log.samples)]
        changed = {"id": f"{number // len(log.samples)}/{sample.record['id']}", "parsed": rng.random() > 0.02}
        changed["correct"] = changed["parsed"] and rng.random() < 0.3 + 0.05 * run
        return replace(sample, record={**sample.record, **changed}, doc_id=number)

    samples = tuple(one(number) for number in range(n_questions))
    return replace(log, task=TASK, samples=samples, name=f"run {run}")


def _page(n_questions: int) -> str:
    from tests.runs.test_logs import write_run

    with tempfile.TemporaryDirectory() as folder:
        write_run(Path(folder), "chance", f"{TASK}_mini")
        (log,) = read_runs([Path(folder)])
    logs = [_repeated(log, run, n_questions) for run in range(N_RUNS)]
    return page(list(numbers.of_logs(logs, with_intervals=False)), n_pictured=0)


def _filtered(chromium: Any, selector: str, value: str) -> float:
    """Returns how many milliseconds of processor time a filter takes, from one that is cleared."""
    chromium.value("document.querySelector('#filters').reset()")
    chromium.value("document.querySelector('#count').textContent")
    start = chromium.busy()
    chromium.value(FILTERED % (json.dumps(selector), json.dumps(value)))
    return 1000 * (chromium.busy() - start)


def rows(quick: bool) -> Iterator[timing.Row]:
    """Yields the page's size, and the processor time of the page's thread for opening and for each filter."""
    from tests.chromium import Chromium

    n_questions = N_QUESTIONS // 10 if quick else N_QUESTIONS
    what = f"{N_RUNS} runs of {n_questions:,} questions"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "report.html"
        file.write_text(_page(n_questions), encoding="utf-8")
        yield timing.Row(f"{what}: the page", [file.stat().st_size / 1e6], "MB")
        opened: list[float] = []
        filtered: dict[str, list[float]] = {name: [] for name, _, _ in FILTERS}
        for _ in range(2 if quick else 3):
            with Chromium() as chromium:  # a page opened in a used browser may share its process
                chromium.busy()
                chromium.open(file.as_uri())
                opened.append(chromium.busy())
                for name, selector, value in FILTERS:
                    filtered[name].append(_filtered(chromium, selector, value))
        yield timing.Row(f"{what}: opening it", opened, "s", at_most=3)
        for name, values in filtered.items():
            yield timing.Row(f"{what}: filtering by {name}", values, "ms", at_most=300)


if __name__ == "__main__":
    timing.main(__doc__, rows)
