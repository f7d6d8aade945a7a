"""`tempbench report` as its user meets it."""

import json

import pytest

from tests.command import complains, tempbench
from tests.report.conftest import finish
from tests.runs.test_logs import write_run

N = 30
"""Questions of each run."""


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Two short runs of two tasks."""
    folder = tmp_path_factory.mktemp("short_runs")
    for name, task in (("chance", "tempvs_mini"), ("oracle", "tempvs_mt1_two_mini")):
        finish(write_run(folder / name, name, task, n=N))
    return folder


@pytest.mark.parametrize(
    ("name", "start"),
    [("r.html", "<!doctype html>"), ("r.md", "# tempbench"), ("r.csv", "row,what,"), ("r.tex", "% needs")],
)
def test_format_by_ending(runs, tmp_path, name, start):
    done = tempbench("report", str(runs), "-o", str(tmp_path / name), "--pictures", "0")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / name).read_text(encoding="utf-8").startswith(start)
    assert "2 tasks of 2 runs, " in done.stdout


@pytest.mark.slow
def test_unknown_format_and_overwriting(runs, tmp_path):
    complains(tempbench("report", str(runs), "-o", tmp_path / "r.txt"), "unknown format")
    (tmp_path / "r.csv").write_text("mine")
    complains(tempbench("report", str(runs), "-o", tmp_path / "r.csv"), "exists", "--force")
    assert (tmp_path / "r.csv").read_text() == "mine"


def test_no_logs(tmp_path):
    complains(tempbench("report", str(tmp_path), "-o", str(tmp_path / "r.html")), "no results file")
    complains(tempbench("report", str(tmp_path), "-o", str(tmp_path / "x" / "r.html")), "does not exist")


@pytest.mark.slow
def test_a_log_of_another_run_is_marked(tmp_path):
    for name in ("oracle", "chance"):
        write_run(tmp_path / name, name, n=N)
    (ours,), (foreign,) = ((tmp_path / name).glob("*.jsonl") for name in ("chance", "oracle"))
    ours.write_bytes(foreign.read_bytes())
    command = ("submit", "hub", tmp_path / "chance", "--model", "some/model", "-o", tmp_path / "hub")
    complains(tempbench(*command), "gives other values of", "--partial")
    assert not (tmp_path / "hub").exists()
    for ending in ("html", "md", "csv", "tex"):
        page = tmp_path / f"r.{ending}"
        done = tempbench("report", f"a={tmp_path / 'chance'}", "-o", page, "--pictures", "0")
        assert done.returncode == 0, done.stderr
        assert "gives other values of" in done.stderr
        assert "gives other values of" in page.read_text()
        assert "a (with problems)" in page.read_text()


def test_a_run_that_is_given_twice_is_shown_once(tmp_path):
    for name in ("one", "other"):
        write_run(tmp_path / name, task="rextime_test_mini")
    out = ("-o", tmp_path / "r.csv", "--force")
    twice = tempbench("report", tmp_path / "one", tmp_path / "one", *out)
    assert "1 task of 1 run, " in twice.stdout
    assert "is given twice" in twice.stderr
    done = tempbench("report", tmp_path / "one", tmp_path / "other", *out)
    assert "1 task of 2 runs, " in done.stdout
    assert " 0.0 MB" not in done.stdout
    complains(
        tempbench("report", f"a={tmp_path / 'one'}", f"a={tmp_path / 'other'}", *out),
        "is also called a",
        "its own name",
    )


@pytest.mark.slow
def test_names_of_runs(runs, tmp_path):
    page = tmp_path / "r.html"
    named = (f"guess={runs / 'chance'}", f"all right={runs / 'oracle'}")
    done = tempbench("report", *named, "-o", str(page), "--pictures", "0", "--no-intervals")
    assert done.returncode == 0, done.stderr
    text = page.read_text(encoding="utf-8")
    assert '<th scope="row">guess</th>' in text
    assert '<th scope="row">all right</th>' in text
    complains(tempbench("report", f"={runs}", "-o", str(page), "--force"), "NAME=FOLDER")


def test_prices_give_the_cost_of_a_run(tmp_path):
    write_run(tmp_path / "run", n=10)
    (file,) = (tmp_path / "run").glob("*.jsonl")
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    counts = {"input_tokens": 200_000, "output_tokens": 1_000}
    file.write_text("".join(json.dumps({**one, "token_counts": [counts]}) + "\n" for one in lines))
    page = tmp_path / "r.md"
    words = ("report", f"a={tmp_path / 'run'}", "-o", page, "--force", "--price")
    assert tempbench(*words, "a=2,10").returncode == 0
    # 2 million tokens of prompts at 2, and 10,000 of replies at 10 a million
    assert "| a | 2,000,000 | 10,000 | unknown | 4.10 |" in page.read_text().replace("**", "")
    complains(tempbench(*words, "b=2,10"), "no run 'b'; the runs are a")
    complains(tempbench(*words, "a=2"), "write RUN=IN,OUT")
