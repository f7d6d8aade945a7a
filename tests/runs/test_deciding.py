"""`tempbench run --until-decided`: what decides, what is refused, and what later commands make of it."""

import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from dataclasses import replace

import pytest

from tempbench_lmms.data.outputs import STATE
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness import stopping
from tempbench_lmms.harness.respondents import REPLIES
from tempbench_lmms.harness.tasks import docs_of, load_task
from tempbench_lmms.report.numbers import of_logs
from tempbench_lmms.runs import comparison, deciding, logs, run_card, starting, supervision
from tempbench_lmms.runs.logs import read_runs
from tests.command import complains, tempbench
from tests.runs.test_logs import TASK, write_run

RESULTS = "20260101_000000_results.json"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("runs")
    write_run(made / "chance")
    return made


@pytest.fixture(scope="module")
def against_chance(folder):
    (found,) = deciding.contests(folder / "chance", [TASK])
    return found


@pytest.fixture(scope="module")
def docs():
    return docs_of(load_task(TASK))


def asked(contest, docs, respondent, seed=0, size=20):
    """Asks a respondent as the harness's cache does; returns what decided and the questions that count."""
    fresh = replace(contest, answered=[])
    stop = deciding.stopping_of([fresh])
    n_groups = None
    for portion in stopping.portions(fresh.groups, size):
        replies = {n: REPLIES[respondent](docs[n], TASK, seed) for n in portion}
        if (n_groups := stop.decide(TASK, replies)) is not None:
            break
    return stop.said()[TASK], {number for group in fresh.groups[:n_groups] for number in group}


def test_who_knows_all_is_soon_told_from_who_guesses(folder, against_chance, docs):
    said, answered = asked(against_chance, docs, "oracle")
    assert (said["metric"], said["verdict"], said["level"]) == ("mt", "better", 0.05)
    assert said["groups_answered"] < said["groups"] == 30
    assert len(answered) == sum(map(len, against_chance.groups[: said["groups_answered"]])) < len(docs) / 2
    assert 0 < said["at_least"] < 0.5  # chance gets a half
    assert "stopped after" in run_card.sentence(said)
    assert f"better in mt than tempbench_chance in {folder / 'chance'}, by at least 0.0" in run_card.sentence(
        said
    )


def test_who_is_worse_is_told_too(folder, docs, tmp_path):
    write_run(tmp_path, "oracle")
    (contest,) = deciding.contests(tmp_path, [TASK])
    said, _ = asked(contest, docs, "chance")
    assert said["verdict"] == "worse"
    assert said["at_least"] > 0


# Were it as likely as 5 %, five in 40 came once in 20 tries, two in 12 once in 8 (binomial); it is far less.
@pytest.mark.parametrize(
    ("n", "too_many"), [(12, 2), pytest.param(40, 5, marks=[pytest.mark.exhaustive, pytest.mark.slow])]
)
def test_who_guesses_is_not_told_from_who_guesses(n, too_many, against_chance, docs):
    found = [asked(against_chance, docs, "chance", seed)[0] for seed in range(1, n + 1)]
    assert sum(one["verdict"] != "undecided" for one in found) < too_many
    undecided = next(one for one in found if one["verdict"] == "undecided")
    assert undecided["groups_answered"] == 30
    assert "undecided after 30 of 30 groups" in run_card.sentence(undecided)


@pytest.mark.parametrize(
    ("task", "metric", "line"),
    [
        ("timepercept_isr_mini", "pnr", "it is not a share"),
        ("nextgqa_mini", "acc_gqa_official", "it is not a share"),
        ("mateo_text_instructions_mini", "f1_after", "its denominator depends on the replies"),
        (TASK, "mt_given_gt_strict", "its denominator depends on the replies"),
        ("timeblind_mini", "i_acc", ""),
    ],
)
@pytest.mark.slow
def test_only_a_plain_share_can_decide(task, metric, line, tmp_path):
    write_run(tmp_path, "chance", task)
    if line:
        with pytest.raises(TempbenchError, match=line):
            deciding.contests(tmp_path, [task], metric)
        return
    assert deciding.contests(tmp_path, [task], metric)


def test_the_size_of_slices_decides_nothing(against_chance, docs):
    assert [asked(against_chance, docs, "oracle", size=size) for size in (1, 50, 1000)] == [
        asked(against_chance, docs, "oracle")
    ] * 3


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("--limit", "8"), "leave out --limit and --offset"),
        (("--offset", "8"), "leave out --limit and --offset"),
        (("--decide-by", "nosuch"), "no metric 'nosuch'"),
        (("--tasks", "mme", "--model", "tempbench_empty"), "tempvs_mt1_two_mini, not mme;"),
        (("--tasks", "mateo_mini"), "tempvs_mt1_two_mini, not mateo"),
    ],
)
def test_the_command_refuses_in_one_line(folder, tmp_path, words, line):
    run = ["run", "--model", "tempbench_oracle", "--tasks", TASK, "-o", tmp_path, "--until-decided"]
    complains(tempbench(*run, folder / "chance", *words), line)
    assert not (tmp_path / "tempbench_run.json").exists()


def test_a_metric_alone_decides_nothing(tmp_path):
    run = ["run", "--model", "tempbench_oracle", "--tasks", TASK, "-o", tmp_path]
    complains(tempbench(*run, "--decide-by", "mt"), "--decide-by needs --until-decided")


def test_an_earlier_run_that_is_not_there_is_refused_before_the_harness_starts(tmp_path, monkeypatch):
    monkeypatch.setattr(starting, "identify", lambda *given: pytest.fail("the harness was started"))
    run = ["run", "--model", "tempbench_oracle", "--tasks", TASK, "-o", tmp_path / "new"]
    complains(
        tempbench(*run, "--until-decided", tmp_path / "typo"), f"in {tmp_path / 'typo'}; give the run's"
    )
    assert not (tmp_path / "new" / STATE).exists()


def test_a_run_of_other_data_is_refused(folder, tmp_path):
    log = write_run(tmp_path)
    results = json.loads((tmp_path / RESULTS).read_text())
    results["results"][TASK]["details,none"]["run"]["data"]["mini"]["sha256"] = "0"
    (tmp_path / RESULTS).write_text(json.dumps(results))
    with pytest.raises(TempbenchError, match="the local data is not the data of the run"):
        deciding.contests(tmp_path, [TASK])
    lines = log.read_text().splitlines(keepends=True)
    log.write_text("".join(lines[:100]))
    results["n-samples"][TASK]["effective"] = 100
    (tmp_path / RESULTS).write_text(json.dumps(results))
    with pytest.raises(TempbenchError, match="has no answer to 123 of 223 questions"):
        deciding.contests(tmp_path, [TASK])


def test_a_run_of_other_media_is_refused(tmp_path, monkeypatch):
    write_run(tmp_path)
    results = json.loads((tmp_path / RESULTS).read_text())
    results["results"][TASK]["details,none"]["run"]["data"]["mini"]["media"] = {"sha256": "0"}
    (tmp_path / RESULTS).write_text(json.dumps(results))
    deciding.contests(tmp_path, [TASK])  # samples know no checksum of their media
    monkeypatch.setattr(deciding, "data_at_hand", lambda log: {"media": {"sha256": "1"}})
    with pytest.raises(TempbenchError, match="used other media than the local data"):
        deciding.contests(tmp_path, [TASK])


def test_a_run_that_is_damaged_or_holds_a_task_twice_is_refused(tmp_path):
    log = write_run(tmp_path / "chance")
    log.write_text("".join(log.read_text().splitlines(keepends=True)[:-1]))
    with pytest.raises(TempbenchError, match="222 lines for the run's 223 questions; give another") as cut:
        deciding.contests(tmp_path / "chance", [TASK])
    assert "--partial" not in str(cut.value)
    write_run(tmp_path / "again")
    with pytest.raises(TempbenchError, match=f"holds {TASK} twice"):
        deciding.contests(tmp_path, [TASK])


def test_what_decides_first_decides_for_good(folder, against_chance, tmp_path):
    first = deciding.deciders(tmp_path, {}, [against_chance])
    state = {"identity": {}, "finished": None, **json.loads(json.dumps(first))}
    shutil.copytree(folder / "chance", tmp_path / "moved")
    (moved,) = deciding.contests(tmp_path / "moved", [TASK])
    for wanted in ([against_chance], [moved], []):  # without the option it stays known
        assert deciding.deciders(tmp_path, state, wanted) == first
    (by_another,) = deciding.contests(folder / "chance", [TASK], "gt_strict")
    write_run(tmp_path / "moved", seed=1)
    (changed,) = deciding.contests(tmp_path / "moved", [TASK])
    for wanted, by in ((by_another, "gt_strict"), (changed, "mt")):
        with pytest.raises(TempbenchError, match=rf"{TASK} to be decided by mt or another log, not by {by}"):
            deciding.deciders(tmp_path, state, [wanted])


@pytest.fixture(scope="module")
def stopped(folder, against_chance, docs):
    """A run of the oracle that was stopped, as the harness would have written it."""
    said, answered = asked(against_chance, docs, "oracle")
    log = write_run(folder / "stopped", "oracle")
    lines = [
        line for line in log.read_text().splitlines(keepends=True) if json.loads(line)["doc_id"] in answered
    ]
    log.write_text("".join(lines))
    results = json.loads((folder / "stopped" / RESULTS).read_text())
    stop = deciding.stopping_of([against_chance])
    stop.answered[TASK] = answered
    noted = replace(stop, said=lambda: {TASK: said}).note(results)
    (folder / "stopped" / RESULTS).write_text(json.dumps(noted))
    (log,) = read_runs([folder / "stopped"])
    for name, value in logs.rescore(log).now.items():
        noted["results"][TASK][f"{name},none"] = value
    (folder / "stopped" / RESULTS).write_text(json.dumps(noted))
    return folder / "stopped"


def test_a_comparison_takes_over_the_decision_and_gives_no_other(folder, stopped):
    pairs, remarks = comparison.paired_runs(stopped, folder / "chance")
    assert any("questions: A was stopped after" in line for line in remarks)
    found = {one.metric: one for one in comparison.compare_tasks(pairs, 500)}
    assert {name: one.verdict for name, one in found.items() if one.verdict != "undecided"} == {
        "mt": "better"
    }
    assert found["gt"].p_holm < 0.05  # which counts for nothing where the other metric stopped the run
    mirrored, _ = comparison.paired_runs(folder / "chance", stopped)
    assert {one.metric: one.verdict for one in comparison.compare_tasks(mirrored, 500)}["mt"] == "worse"


def test_a_comparison_with_a_third_run_has_no_verdict(stopped, tmp_path):
    write_run(tmp_path, "empty")
    pairs, _ = comparison.paired_runs(stopped, tmp_path)
    assert {one.verdict for one in comparison.compare_tasks(pairs, 500)} == {"undecided"}


def test_reports_and_rescoring_are_of_the_questions_that_were_answered(stopped):
    (log,) = read_runs([stopped])
    (task,) = of_logs([log])
    n, of = task.run_card.asked
    assert (n, of, task.run_card.is_complete) == (len(log.samples), 223, False)
    assert task.run_card.limiting_options == "--until-decided"
    assert task.run_card.decision.startswith("stopped after")
    card = run_card.run_card(log)
    assert (card["complete"], card["until_decided"]["order"]) == (False, deciding.ORDER)
    assert logs.rescore(log).now["mt"] == 1.0


@pytest.mark.harness
def test_a_run_stops_says_so_and_two_processes_decide_the_same_after_a_kill(
    harness, folder, against_chance, docs, tmp_path
):
    def run(output, *words):
        asked = ("run", "--model", "tempbench_oracle", "--tasks", TASK, "-o", output, "--no-report")
        return tempbench(*asked, "--slice", "20", *words)

    decide = ("--until-decided", folder / "chance")
    a, b = tmp_path / "a", tmp_path / "b"
    first = run(a, *decide)
    assert "stopped after" in first.stderr, first.stderr
    (log,) = read_runs([a])
    said, answered = asked(against_chance, docs, "oracle")
    assert run_card.said_of(log) == said
    assert {sample.doc_id for sample in log.samples} == answered
    assert 0 < len(log.samples) < 223 / 2
    _keep_some(a, b, 30)  # as a start leaves them that was killed
    second = _in_two_processes(b, *decide)
    assert second.returncode == 0, second.stderr[-3000:]
    assert "stopped after" in second.stderr
    (again,) = read_runs([b])
    assert run_card.said_of(again) == run_card.said_of(log)
    assert sorted(one.record["id"] for one in again.samples) == sorted(
        one.record["id"] for one in log.samples
    )
    assert all(one.record["correct"] for one in again.samples)
    assert len(log.samples) <= supervision.kept(b) <= len(log.samples) + 2 * 7
    third = run(a, *decide)
    assert third.returncode == 0
    assert "without --until-decided to have the other questions answered too" in third.stdout
    _refuses_another_decision(run, a, decide)
    fourth = run(a)
    assert "finished, 223 answers" in fourth.stderr, fourth.stderr
    (whole,) = (one for one in read_runs([a]) if run_card.said_of(one) is None)
    assert len(whole.samples) == 223
    _refuses_another_decision(run, a, decide)


def _refuses_another_decision(run, output, decide):
    before = (output / STATE).read_text()
    done = run(output, *decide, "--decide-by", "gt_strict")
    complains(done, f"{output} began with {TASK} to be decided by mt or another log, not by gt_strict")
    assert (output / STATE).read_text() == before


def _in_two_processes(output, *words):
    launcher = ("-m", "torch.distributed.run", "--standalone", "--nproc_per_node=2", "-m")
    run = ("run", "--model", "tempbench_oracle", "--tasks", TASK, "--no-report", "--slice", "7", "-o", output)
    return subprocess.run(
        [sys.executable, *launcher, "tempbench_lmms.cli", *run, *words],
        env=os.environ | {"ACCELERATE_USE_CPU": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=400,
    )


def _keep_some(source, target, n):
    """Copies the folder of a run with no more than some of its answers."""
    (target / "cache").mkdir(parents=True)
    shutil.copy(source / "cache" / "cache.db", target / "cache")
    with contextlib.closing(sqlite3.connect(target / "cache" / "cache.db")) as database, database:
        database.execute(
            "DELETE FROM responses WHERE cache_key NOT IN (SELECT cache_key FROM responses LIMIT ?)", (n,)
        )
