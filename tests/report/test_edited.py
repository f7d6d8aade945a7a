"""Reports of logs edited by hand, and of huge replies: a page or a line, never a traceback."""

import copy
import json
import random

import pytest

from tests.command import complains, tempbench
from tests.report.conftest import finish
from tests.runs.test_logs import write_run

ODD = [None, [], {}, "", "x", -1, 10**400, 1e300, True, [None], {"a": None}, [[[]]], "\ud800", "nan"]
RESULTS = "20260101_000000_results.json"


@pytest.fixture
def run(tmp_path):
    """A run of six questions with an answer each: its folder, the results, and the lines of its log."""
    log = write_run(tmp_path, "oracle", "rextime_test_mini")
    finish(log)
    return log, json.loads((tmp_path / RESULTS).read_text()), list(map(json.loads, log.open()))


def edits(value, seed, n=20):
    """Yields a value with one entry changed or removed: each upper one, and some of those below."""
    generator = random.Random(seed)
    upper = [(key,) for key in value]
    lower = [(key, one) for key in value if isinstance(value[key], dict) for one in value[key]]
    for path in [*upper, *lower, *generator.choices(upper + lower, k=n)]:
        inner = changed = copy.deepcopy(value)
        for key in path[:-1]:
            inner = inner[key]
        if (new := generator.choice([*ODD, KeyError])) is KeyError:
            del inner[path[-1]]
        else:
            inner[path[-1]] = new
        yield changed


def reported(folder, *options):
    """Returns the page; "" where one line says why there is none."""
    out = folder / "page.html"
    done = tempbench("report", folder, "-o", out, "--force", "--no-intervals", *options)
    assert "Traceback" not in done.stderr, done.stderr[-2000:]
    if done.returncode:
        complains(done)
        return ""
    text = out.read_text(encoding="utf-8")
    assert "</html>" in text
    return text


@pytest.mark.slow
@pytest.mark.parametrize("what", ["results", "samples"])
def test_edited_files(run, tmp_path, what):
    log, results, lines = run
    (task,) = results["results"]
    results["results"][task] = dict(list(results["results"][task].items())[:8])
    opened = 0
    for value in edits(results if what == "results" else lines[0], what):
        if what == "results":
            (tmp_path / RESULTS).write_text(json.dumps(value))
        else:
            log.write_text("\n".join(map(json.dumps, [value, *lines[1:]])) + "\n")
        opened += bool(reported(tmp_path, "--pictures", "0"))
    assert opened > 5


@pytest.mark.slow
def test_a_page_of_huge_replies_is_of_bounded_size(run, tmp_path):
    log, _, lines = run
    for number, line in enumerate(lines):
        line["filtered_resps"] = "<&\u0000北" * 20_000 + f"end {number}"
        line["record"]["note"] = ["x" * 40_000]
    log.write_text("\n".join(map(json.dumps, lines)) + "\n")
    text = reported(tmp_path, "--pictures", "0", "--size-budget", "0.1")
    assert len(text.encode()) < 300_000
    assert f"whole in {log.name}, doc_id " in text
