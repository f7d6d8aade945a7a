"""The signature of a result, and what `compare` says of two of them."""

import re

import pytest

from tempbench_lmms.runs import logs, run_card
from tests.command import tempbench
from tests.runs.test_logs import TASK, edited, write_run


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    write_run(folder, n=15)
    return folder


def line_of(folder):
    return next(run_card.signature_lines(map(run_card.signature_of, logs.read_runs([folder]))))


def test_the_command_prints_one_line_per_task(run):
    done = tempbench("signature", run)
    assert done.returncode == 0
    assert done.stdout == line_of(run) + "\n"
    pattern = (
        rf"{TASK}\|v1\|prompts:2-[0-9a-f]{{8}}\|reader:[0-9a-f]{{8}}\|n:15\|gen:[0-9a-f]{{8}}\|tempbench:.*"
    )
    assert re.fullmatch(pattern, done.stdout.strip())
    assert done.stdout.strip() in tempbench("rescore", run).stdout


@pytest.mark.parametrize(
    "change",
    [
        lambda results: results["configs"][TASK]["generation_kwargs"].update(temperature=0.7),
        lambda results: results["configs"][TASK]["generation_kwargs"].update(max_new_tokens=5),
        lambda results: results["config"].update(limit=15),
    ],
)
def test_a_setting_changes_gen_alone(run, tmp_path, change):
    def with_config(results):
        results.setdefault("config", {})
        results["configs"][TASK].setdefault("generation_kwargs", {})
        change(results)

    other = edited(run, tmp_path / "other", with_config)
    parts = [run_card.signature_of(log) for log in logs.read_runs([run, other])]
    assert run_card.differing_parts(*parts) == ["gen"]
    assert "|gen:*|" in next(run_card.signature_lines(parts))
    assert "the signatures differ in gen" in tempbench("compare", run, other, "--resamples", 100).stdout


def test_two_runs_alike_have_one_signature(run, tmp_path):
    write_run(tmp_path / "oracle", "oracle", n=15)
    said = tempbench("compare", run, tmp_path / "oracle", "--resamples", 100).stdout
    assert said.count(line_of(run)) == 1
    assert "signatures differ" not in said
