"""Reports of logs edited by hand, and of huge replies: a page or a line, never a traceback."""

import copy
import json
import random

import pytest

from tempbench_lmms.report import questions, vendor
from tests.command import complains, tempbench
from tests.report.conftest import finish
from tests.runs.test_logs import write_run

ODD = [None, [], {}, "", "x", -1, 10**400, 1e300, True, [None], {"a": None}, [[[]]], "\ud800", "nan"]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run of six questions with an answer each."""
    folder = tmp_path_factory.mktemp("run")
    log = write_run(folder, "oracle", "rextime_test_mini")
    finish(log)
    return folder, log.name


def places(value, path=()):
    """Yields where values stand in a JSON value."""
    if path:
        yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in items:
        yield from places(one, (*path, key))


def changed(value, path, new):
    value = copy.deepcopy(value)
    inner = value
    for key in path[:-1]:
        inner = inner[key]
    if new is KeyError:
        del inner[path[-1]]
    else:
        inner[path[-1]] = new
    return value


def edits(value, count, seed):
    """Returns a few values with one of their places changed, every upper place at least once."""
    generator = random.Random(seed)
    found = list(places(value))
    upper = [path for path in found if len(path) <= 2]
    chosen = [*upper, *generator.choices(found, k=count)]
    return [changed(value, path, generator.choice([*ODD, KeyError])) for path in chosen]


def reported(folder, tmp_path, *options):
    out = tmp_path / "page.html"
    done = tempbench("report", folder, "-o", out, "--force", "--partial", "--no-intervals", *options)
    assert "Traceback" not in done.stderr, done.stderr[-2000:]
    if done.returncode:
        complains(done)
    else:
        assert "</html>" in out.read_text(encoding="utf-8")
    return done


@pytest.mark.slow
def test_edited_results(run, tmp_path):
    folder, name = run
    results = json.loads((folder / "20260101_000000_results.json").read_text())
    (tmp_path / name).write_text((folder / name).read_text())
    (task,) = results["results"]
    tables = results["results"].pop(task)
    results["results"][task] = dict(list(tables.items())[:8])
    opened = 0
    for value in edits(results, 20, "results"):
        (tmp_path / "20260101_000000_results.json").write_text(json.dumps(value))
        opened += reported(tmp_path, tmp_path, "--pictures", "0").returncode == 0
    assert opened > 5


@pytest.mark.slow
def test_edited_samples(run, tmp_path):
    folder, name = run
    results = "20260101_000000_results.json"
    (tmp_path / results).write_text((folder / results).read_text())
    lines = [json.loads(line) for line in (folder / name).read_text().splitlines()]
    opened = 0
    for value in edits(lines[0], 20, "samples"):
        text = "\n".join(json.dumps(line) for line in [value, *lines[1:]])
        (tmp_path / name).write_text(text + "\n")
        opened += reported(tmp_path, tmp_path, "--pictures", "0").returncode == 0
    assert opened > 5


@pytest.mark.slow
def test_a_page_of_huge_replies_is_of_bounded_size(run, tmp_path):
    folder, name = run
    results = "20260101_000000_results.json"
    (tmp_path / results).write_text((folder / results).read_text())
    lines = [json.loads(line) for line in (folder / name).read_text().splitlines()]
    for number, line in enumerate(lines):
        line["filtered_resps"] = "<&\u0000北" * 20_000 + f"end {number}"
        line["record"]["note"] = ["x" * 40_000]
    (tmp_path / name).write_text("\n".join(map(json.dumps, lines)) + "\n")
    reported(tmp_path, tmp_path, "--pictures", "0", "--size-budget", "0.1")
    page = tmp_path / "page.html"
    assert page.stat().st_size < 300_000 + sum(len(library.text()) for library in vendor.LIBRARIES)
    text = page.read_text(encoding="utf-8")
    assert f"long texts of {len(lines)} questions are cut" in text
    assert f"{name}, doc_id 3" in text
    assert reported(tmp_path, tmp_path, "--pictures", "0", "--size-budget", "500").returncode == 0
    assert "end 3" in page.read_text(encoding="utf-8")
    assert "questions are cut" not in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("sizes", "most", "expected"),
    [([], 10, 0), ([1, 2, 3], 10, 3), ([1, 2, 30], 13, 10), ([10, 10], 10, 5), ([5, 5], 0, 0)],
)
def test_fitting(sizes, most, expected):
    assert questions.fitting(sizes, most) == expected
    assert sum(min(size, expected) for size in sizes) <= most or not most
