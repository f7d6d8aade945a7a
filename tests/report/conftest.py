"""Runs to report on, and a browser."""

import json

import pytest

from tests.chromium import Chromium
from tests.runs.test_logs import write_run

ATTACK = (
    "</script><script>window.pwned = 1</script><!-- <img src=x onerror='window.pwned = 2'> \u2028 & \"A\""
)


def finish(log, n_questions=None):
    """Adds to a written run what the harness says of it besides: how many questions, when, how.

    Args:
        log: The sample log.
        n_questions: How many the task has, where the run asked fewer.
    """
    file = next(log.parent.glob("*_results.json"))
    results = json.loads(file.read_text())
    n = len(log.read_text().splitlines())
    (task,) = results["results"]
    results |= {
        "n-samples": {task: {"original": n_questions or n, "effective": n}},
        "date": "20260101_120000",
    }
    results["config"] |= {
        "limit": None,
        "random_seed": 0,
    }
    results["configs"][task]["lmms_eval_specific_kwargs"] = {
        "default": {"images": "strip"},
        "images": "strip",
    }
    file.write_text(json.dumps(results))
    return file


def edit(log, change):
    """Rewrites every line of a sample log."""
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    for number, line in enumerate(lines):
        change(number, line)
    log.write_text("\n".join(json.dumps(line) for line in lines) + "\n")


def attack(number, line):
    """Makes the first reply of a log an attack on the page that shows it."""
    if number == 0:
        line["filtered_resps"] = line["input"] = line["target"] = ATTACK
        line["record"]["source"] = "<img src=x onerror=pwned=3>"


@pytest.fixture(scope="session")
def runs(tmp_path_factory):
    """Chance over the suite, with an attack in it, and an oracle over one test."""
    folder = tmp_path_factory.mktemp("runs")
    log = write_run(folder / "chance", "chance", "tempvs_mini")
    edit(log, attack)
    finish(log)
    finish(write_run(folder / "oracle", "oracle", "tempvs_mt1_two_mini"))
    return folder


@pytest.fixture(scope="session")
def chromium():
    with Chromium() as browser:
        yield browser
