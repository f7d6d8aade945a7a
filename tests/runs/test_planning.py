"""`tempbench plan`."""

import json
import math
from types import SimpleNamespace

import numpy as np
import pytest

from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness.progress import Pace
from tempbench_lmms.harness.tasks import docs_of, load_task
from tempbench_lmms.runs import comparison, planning
from tempbench_lmms.runs.logs import read_runs
from tests.command import complains, tempbench
from tests.runs.test_logs import TASK, write_run


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("runs")
    write_run(made / "chance")
    write_run(made / "other", seed=1)
    return made


def metrics(plan):
    return {one.name: one for one in plan.metrics}


def test_the_spread_of_a_run_is_what_a_comparison_finds(folder):
    """Two runs of chance are independent: their differences have the error that is planned for them."""
    planned = planning.plan(TASK, read_runs([folder / "chance"]), assumed=planning.Assumed(correlation=0))
    pairs, _ = comparison.paired_runs(folder / "chance", folder / "other")
    found = {one.metric: one.difference for one in comparison.compare_tasks(pairs, 2000)}
    for name in ("mt", "gt"):  # chance passes hardly any gate
        one = metrics(planned)[name]
        assert one.error * math.sqrt(2) == pytest.approx(found[name].standard_error, rel=0.25)
        assert one.detectable == pytest.approx(one.error * math.sqrt(2) * (2.045 + 0.854), rel=0.01)


def test_a_plan_from_the_numbers_of_questions_alone():
    plan = planning.plan(TASK, difference=0.05, speed=0.5)
    assert (plan.questions, plan.groups, plan.largest, plan.seconds) == (223, 30, 8, 111.5)
    (one,) = plan.metrics
    # Groups of 7.43 questions: 0.25 / 223 times 1 + 6.43 * 0.2, a little more as they are not all alike.
    assert one.error == pytest.approx(math.sqrt(0.25 / 223 * 2.29), rel=0.02)
    assert one.groups_needed > plan.groups
    assert one.questions_needed == math.ceil(one.groups_needed * 223 / 30)


def test_what_is_assumed_is_what_random_answers_give():
    generator = np.random.default_rng(0)
    sizes, assumed = [1, 3, 8, 8] * 10, planning.Assumed(right=0.3, within=0.4)
    total = 1 / assumed.within - 1
    shares = generator.beta(total * 0.3, total * 0.7, (4000, len(sizes)))
    right = generator.binomial(sizes, shares).sum(axis=1) / sum(sizes)
    assert planning.spread_of(sizes, assumed).error == pytest.approx(right.std(), rel=0.05)


def test_no_difference_is_told_that_a_share_cannot_have():
    words = ("plan", "--tasks", "tempvs_mt1_two_lite_mini", "--right", "0.6")
    out = tempbench(*words, "--within", "0.99", "--correlation", "0").stdout
    assert next(line for line in out.splitlines() if planning.RIGHT in line).split()[4] == "none"


def test_a_part_plans_for_the_whole(folder):
    """A run of the first half of the groups plans as if there were twice as many."""
    (log,) = read_runs([folder / "chance"])
    docs = docs_of(load_task(TASK))
    clusters = planning.clusters_of(TASK, docs)
    half = sorted({*clusters})[:15]
    kept = {doc["question_id"] for doc, own in zip(docs, clusters, strict=True) if own in half}
    samples = tuple(one for one in log.samples if one.record["id"] in kept)
    part = planning.TaskLog(**{**vars(log), "samples": samples})
    whole, of_part = (metrics(planning.plan(TASK, [one]))["gt"] for one in (log, part))
    assert of_part.error == pytest.approx(whole.error, rel=0.4)
    assert of_part.groups_needed == pytest.approx(whole.groups_needed, rel=0.7)


def test_numbers_that_the_user_gives_scale_the_spread_by_groups(folder):
    """With twice the groups of the run, the error is the run's over sqrt(2), with any number of questions."""
    logs = read_runs([folder / "chance"])
    own, twice = (planning.plan(TASK, logs, numbers=numbers) for numbers in (None, (1000, 60)))
    for name, one in metrics(own).items():
        assert metrics(twice)[name].error == pytest.approx(one.error / math.sqrt(2))


def test_the_command(folder):
    found = json.loads(tempbench("plan", "--tasks", TASK, "--against", folder / "chance", "--json").stdout)
    assert (found["difference"], found["tasks"][0]["questions"]) == (0.03, 223)
    out = tempbench("plan", "--tasks", TASK, "--speed", "60").stdout
    assert "223 questions in 30 groups, up to 8 in one; 3 h 43 min" in out
    assert "(more than there are)" in out


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--difference", "2", "no metric of tempvs_mt1_two_mini exceeds 1; give a share such as 0.03"),
    ],
)
def test_numbers_that_no_plan_has_are_refused(option, value, said):
    complains(tempbench("plan", "--tasks", "tempvs_mt1_two_mini", option, value), said)


@pytest.mark.slow
def test_a_run_of_a_tenth_plans_for_the_whole(folder):
    (log,) = read_runs([folder / "chance"])
    tenth = planning.TaskLog(**{**vars(log), "task": TASK.replace("_mini", "_lite_mini")})
    assert metrics(planning.plan(TASK, [tenth])) == metrics(planning.plan(TASK, [log]))
    # Of both the task itself is taken.
    empty = planning.TaskLog(**{**vars(tenth), "samples": ()})
    assert planning.plan(TASK, [empty, log]).against == str(log.file)


def test_a_run_of_other_tasks_is_refused(folder):
    with pytest.raises(TempbenchError, match="has tempvs_mt1_two_mini, not tempvs_mini"):
        planning.plan("tempvs_mini", read_runs([folder / "chance"]))


def test_a_run_says_how_fast_it_was(capsys):
    pace = Pace()
    progress = SimpleNamespace(done=8, total=8, asked=4, seconds=2.0, unkept=0)
    pace(progress)
    pace.tell()
    assert "0.5 seconds per question (4 asked now)" in capsys.readouterr().err
    shared = Pace(processes=4)
    shared(progress)
    shared.tell()
    told = "0.125 seconds per question (4 asked now by the first of 4 processes)"
    assert told in capsys.readouterr().err
