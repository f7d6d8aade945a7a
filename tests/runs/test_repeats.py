"""Repeats: what they are asked with, what is kept of them, and how their numbers spread."""

import json
import signal
import statistics
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from tempbench_lmms.cli import runs
from tempbench_lmms.data.outputs import STATE
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.metrics.resampling import variances
from tempbench_lmms.report import page, text
from tempbench_lmms.report.numbers import of_logs
from tempbench_lmms.report.tables import REPEATS as TITLE
from tempbench_lmms.runs import comparison, deciding, repeats
from tempbench_lmms.runs.logs import read_runs
from tests.command import complains, tempbench
from tests.runs.test_logs import TASK, write_run

N = 75
"""How many questions each run asks here."""
SAMPLED = ["--gen_kwargs", "temperature=1"]


def write_repeats(folder, seeds, task=TASK):
    for number, seed in enumerate(seeds, start=1):
        own = folder / f"repeat_{number}"
        write_run(own / "model", task=task, seed=seed, n=N)
        (own / STATE).write_text("{}")
    return folder


def with_settings(folder, *settings):
    write_repeats(folder, range(1, len(settings) + 1))
    for number, config in enumerate(settings, start=1):
        (file,) = (folder / f"repeat_{number}").rglob("*_results.json")
        results = json.loads(file.read_text())
        results["config"] |= config
        file.write_text(json.dumps(results))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_repeats(tmp_path_factory.mktemp("repeated"), [1, 2, 3])


def test_the_numbers_over_repeats(folder):
    (found,) = repeats.of(read_runs([folder]))
    metrics = {one.name: one for one in found.metrics}
    logs = [read_runs([folder / f"repeat_{number}"])[0] for number in (1, 2, 3)]
    for name in ("mt", "parse_rate", "gt_strict"):
        values = [log.values[name] for log in logs]
        assert metrics[name].values == tuple(values)
        assert metrics[name].mean == pytest.approx(statistics.fmean(values))
        assert metrics[name].deviation == pytest.approx(statistics.stdev(values))
        assert metrics[name].low <= metrics[name].mean <= metrics[name].high
    assert len(set(metrics["mt"].values)) > 1
    right = [{r["id"]: r["correct"] for r in log.records if r["role"] == "main"} for log in logs]
    scores = np.array([[one[id_] for one in right] for id_ in right[0]], float)
    assert metrics["mt"].variances == variances(scores)
    assert metrics["mt_given_gt_strict"].variances is None  # which questions count differs by repeat
    assert "n_failed" not in metrics
    assert 0 < found.n_same < found.n_questions == N
    assert not found.warnings


def test_what_takes_one_run_names_a_repeat(folder):
    with pytest.raises(TempbenchError, match="give one of the repeats, as"):
        deciding.contests(folder, [TASK])


@pytest.fixture(scope="module")
def other(tmp_path_factory):
    return write_repeats(tmp_path_factory.mktemp("other"), [4, 5])


def compared(a, b):
    pairs, remarks = comparison.paired_runs(a, b)
    return {one.metric: one for one in comparison.compare_tasks(pairs, 500)}, remarks


@pytest.mark.slow
def test_means_of_repeats_are_compared(folder, other):
    found, remarks = compared(folder, other)
    assert f"{TASK}: A has 3 and B 2 repeats; the first 2 are compared" in remarks
    values = [
        [read_runs([run / f"repeat_{number}"])[0].values for number in (1, 2)] for run in (folder, other)
    ]
    for name in ("mt", "parse_rate", "gt_strict"):
        a, b = (statistics.fmean(one[name] for one in run) for run in values)
        assert (found[name].difference.first, found[name].difference.second) == pytest.approx((a, b))
        assert found[name].mcnemar_p is None
    turned, _ = compared(other, folder)
    assert turned["mt"].difference.value == pytest.approx(-found["mt"].difference.value)
    assert turned["mt"].p == pytest.approx(found["mt"].p, abs=0.1)  # of 500 exchanges


@pytest.mark.slow
def test_compare_tells_of_the_repeats(folder, other, tmp_path):
    done = tempbench("compare", folder, other)
    assert f"A: tempbench_chance, 2 repeats in {folder}\n" in done.stdout, done.stderr
    assert f"{TASK}, {N} questions, the means of 2 repeats\n" in done.stdout
    said = json.loads(tempbench("compare", folder, other, "--json").stdout)
    assert [[card["repeat"] for card in said[side]] for side in ("a", "b")] == [[1, 2], [1, 2]]
    with_settings(tmp_path, {"torch_seed": 0}, {"torch_seed": 0})
    done = tempbench("compare", "--anyway", folder, tmp_path)
    assert f"{TASK}, B: repeats 1, 2 have the same seed" in done.stdout, done.stderr


@pytest.mark.slow
def test_rescore_and_report_take_the_folder(folder, tmp_path):
    done = tempbench("rescore", folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(f"{TASK}, tempbench_chance, {N} questions") == 3
    assert f"{TASK}, tempbench_chance, 3 repeats of {N} questions" in done.stdout
    sections = page.sections_of(list(of_logs(read_runs([folder]))))
    assert [row.run for row in sections[0].rows] == [f"tempbench_chance, repeat {i}" for i in (1, 2, 3)]
    assert text.as_markdown(sections, everything=True).count(TITLE) == 1
    done = tempbench("report", f"mine={folder}", "-o", tmp_path / "page.html", "--pictures", "0")
    assert "1 task of 3 runs" in done.stdout, done.stderr
    assert TITLE in (tmp_path / "page.html").read_text()
    assert "mine, repeat 3" in (tmp_path / "page.html").read_text()


@pytest.mark.slow
def test_reparse_tells_the_spread_of_the_replies_as_they_are_read_now(tmp_path):
    (before,) = repeats.of(read_runs([write_repeats(tmp_path, [1, 2])]))
    (log,) = (tmp_path / "repeat_1").rglob("*.jsonl")
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    for line in lines:
        line["record"]["correct"] = 0
    log.write_text("".join(json.dumps(line) + "\n" for line in lines))
    (edited,) = repeats.of(read_runs([tmp_path]))
    assert repeats.as_text(edited) != repeats.as_text(before)
    command = ("rescore", tmp_path, "--reparse", "--partial")
    assert repeats.as_text(before) in tempbench(*command).stdout
    first, second = json.loads(tempbench(*command, "--json").stdout)
    assert first["over_repeats"] == json.loads(json.dumps(repeats.as_json(before)))
    assert "over_repeats" not in second


@pytest.mark.parametrize(
    ("first", "second", "are_alike"),
    [
        ({"torch_seed": 0}, {"torch_seed": 0}, True),
        ({"gen_kwargs": {"seed": 1}}, {"gen_kwargs": {"seed": 2}}, False),
        ({"torch_seed": 0}, {"torch_seed": 1}, False),
    ],
)
def test_repeats_that_share_a_seed_are_said(first, second, are_alike, tmp_path):
    with_settings(tmp_path, first, second)
    (found,) = repeats.of(read_runs([tmp_path]))
    assert [*found.warnings] == are_alike * ["repeats 1, 2 have the same seed, and may have the same replies"]


def test_one_repeat_has_no_spread_and_other_runs_are_none(tmp_path):
    assert not repeats.of(read_runs([write_repeats(tmp_path / "a", [1])]))
    write_run(tmp_path / "b" / "repeat_1" / "model", n=N)
    write_run(tmp_path / "b" / "repeat_2" / "model", n=N)
    assert not repeats.of(read_runs([tmp_path / "b"]))  # folders of that name, by another program


def test_repeats_of_other_questions_are_refused(tmp_path):
    write_repeats(tmp_path, [1, 2])
    (log,) = (tmp_path / "repeat_2").rglob("*.jsonl")
    log.write_text("".join(log.read_text().splitlines(keepends=True)[1:]))
    with pytest.raises(TempbenchError, match="differ in"):
        repeats.of([*read_runs([tmp_path / "repeat_1"]), _sound(read_runs([tmp_path / "repeat_2"], True))])
    (found,) = repeats.of(read_runs([tmp_path], partial=True))  # a damaged log, taken all the same
    assert [one.variances for one in found.metrics if one.name == "parse_rate"] == [None]


def _sound(logs):
    from dataclasses import replace

    return replace(logs[0], problems=())


@pytest.mark.parametrize(
    ("further", "line"),
    [
        ([], "without sampling gives the same replies 3 times"),
        (["--gen_kwargs", "temperature=0"], "without sampling gives the same replies 3 times"),
        (
            ["--gen_kwargs", "temperature=0.7,do_sample=False"],
            "without sampling gives the same replies 3 times",
        ),
        (["--gen_kwargs", "temperature=warm"], "temperature=warm: give a number above 0"),
        (["--gen_kwargs", "temperature=0e0"], "without sampling"),
        (["--gen_kwargs", "temperature=1,seed=4"], "seed in --gen_kwargs is the same for all"),
        ([*SAMPLED, "--repeats", "2"], "--repeats is set by `tempbench run`"),
    ],
)
def test_repeats_that_say_nothing_are_refused(further, line, tmp_path):
    run = ("run", "--model", "tempbench_chance", "--tasks", TASK, "-o", tmp_path / "o")
    times = () if "--repeats" in further else ("--repeats", "3")
    complains(tempbench(*run, *times, "--", *further), line)
    assert not list(tmp_path.rglob("*_results.json"))


def test_what_does_not_go_with_repeats(tmp_path, monkeypatch):
    with pytest.raises(TempbenchError, match="or --until-decided"):
        runs.check_repeats(2, tmp_path, SAMPLED, until_decided=True)
    (tmp_path / STATE).write_text("{}")
    with pytest.raises(TempbenchError, match="holds a run without --repeats"):
        runs.check_repeats(2, tmp_path, SAMPLED, until_decided=False)
    monkeypatch.setenv("WORLD_SIZE", "2")
    with pytest.raises(TempbenchError, match=r"start each repeat with --output .*repeat_1"):
        runs.check_repeats(2, tmp_path / "o", SAMPLED, until_decided=False)


@pytest.mark.parametrize(
    ("seed", "found"), [((), "3"), (("--seed", "7"), "9"), (("--seed", "0,None,5,5"), "2,None,7,7")]
)
def test_a_repeat_has_its_own_seed_and_folder(seed, found, tmp_path):
    given = [
        "run",
        "--tasks",
        "x",
        "--repeats=3",
        "--check",
        "--",
        "--limit",
        "4",
        *SAMPLED,
        *seed,
    ]
    words = runs.repeat_words(given, 3, tmp_path, given[given.index("--") + 1 :])
    cut = words.index("--")
    own = ["--tasks", "x", "--repeats=3", f"--output={tmp_path}", "--repeats=1", "--no-report"]
    assert words[1:cut] == own  # of an option that is given twice the last one counts
    assert words[-4:] == ["--gen_kwargs", "temperature=1,do_sample=True", "--seed", found]


@pytest.mark.parametrize("status", [1, -signal.SIGKILL])
def test_a_repeat_that_fails_ends_the_others(status, tmp_path, monkeypatch):
    commands = []
    monkeypatch.setattr(sys, "argv", ["tempbench", "run"])
    monkeypatch.setattr(
        runs.subprocess,
        "run",
        lambda command, **_: (
            commands.append(command) or SimpleNamespace(returncode=[0, status][len(commands) - 1])
        ),
    )
    with pytest.raises(TempbenchError, match=f"repeat 2 of 3 ended with status {status}; do what the line"):
        runs.run_repeats(3, tmp_path, SAMPLED, report=False)
    assert [f"--output={tmp_path / f'repeat_{number}'}" in commands[number - 1] for number in (1, 2)] == [
        True
    ] * 2


@pytest.mark.slow
@pytest.mark.harness
def test_a_runner_that_takes_no_notice_of_the_temperature(harness, tmp_path, monkeypatch):
    # Each repeat is a process of its own: `python -m tempbench_lmms.cli run ...`.
    here = SimpleNamespace(run=lambda command, **_: tempbench(*command[3:]))
    monkeypatch.setattr(runs, "subprocess", here)
    run = ("run", "--model", "tempbench_chance", "--tasks", TASK, "-o", str(tmp_path), "--repeats", "2")
    done = tempbench(*run, "--", *SAMPLED, "--limit", "2")
    assert done.returncode == 0, done.stderr
    assert "2 repeats of 2 questions, 2 with the same reply in all" in done.stdout
    assert (tmp_path / "report.html").is_file()
    seeds = [
        json.loads(file.read_text())["config"]["torch_seed"] for file in tmp_path.rglob("*_results.json")
    ]
    assert sorted(seeds) == [1, 2]
