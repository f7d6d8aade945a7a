"""`tempbench run` asks the harness's own tasks, and a user's, as it asks ours."""

import json
import math
import os
import re
import statistics

import pytest

from tests.any_task import foreign_tasks
from tests.command import complains, tempbench

pytestmark = [pytest.mark.harness, pytest.mark.slow]
ASKED = ("videomme", "muirbench", "own_f1", "own_rounds")


@pytest.fixture(scope="module", autouse=True)
def place(tmp_path_factory, harness):
    """A folder in which the harness finds data, videos and the user's tasks; tests are run in it."""
    from lmms_eval.models import MODEL_REGISTRY_V2

    from tests.any_task import made_up

    MODEL_REGISTRY_V2.register_manifest(made_up.manifest(), overwrite=True)
    folder = foreign_tasks.build(tmp_path_factory.mktemp("foreign"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_HOME", str(folder / "home"))
        patch.chdir(folder / "data")
        yield folder


def run(place, output, *more, tasks=ASKED, model="made_up", **environment):
    words = ["run", "--model", model, "--tasks", ",".join(tasks), "--output", output, "--no-report", *more]
    return tempbench(*words, "--", "--include_path", place / "own", **environment)


def logged(folder):
    found = {}
    for file in folder.rglob("*_samples_*.jsonl"):
        rows = [json.loads(line) for line in file.open(encoding="utf-8")]
        found[file.stem.partition("_samples_")[2]] = rows
    return found


def test_a_run_that_was_ended_goes_on_and_is_what_the_harness_makes_of_it(place, tmp_path, run_harness):
    ended = run(place, tmp_path / "ours", "--slice=30", MADE_UP_BREAKS_AT="70")
    assert ended.returncode == 130, ended.stderr[-3000:]
    state = tempbench("report", tmp_path / "ours", "-o", tmp_path / "page.html")
    complains(state, "the run is unfinished, 60 answers are stored; give the same command again")
    rows = (place / "own" / "rows.jsonl").read_text()
    done = run(place, tmp_path / "ours")
    assert done.returncode == 0, done.stderr[-3000:]
    assert "(125 asked now)" in done.stderr  # of 60 + 45 + 40, and of 40 in several rounds
    plain = run_harness("made_up", ASKED, tmp_path / "plain", ["--include_path", str(place / "own")])
    assert logged(tmp_path / "ours") == logged(tmp_path / "plain")
    [results] = (tmp_path / "ours").glob("*_results.json")
    assert json.loads(results.read_text())["results"] == plain.results["results"]
    opinion = tempbench("reread", "--all", tmp_path / "ours").stdout
    n = sum(row["target"] == row["filtered_resps"] for row in logged(tmp_path / "ours")["muirbench"])
    assert f"muirbench, made_up: {100 * n / 45:.1f} % right by the task" in opinion
    # The task takes no letter in brackets.
    assert re.search(r"wrong by the task; the answer is (.), our reader reads \1: '\(\1\)'", opinion)
    again = run(place, tmp_path / "ours")
    assert "finished already" in again.stdout
    (place / "own" / "rows.jsonl").write_text(rows.replace("the red", "a red"))
    yaml = place / "own" / "own_f1.yaml"
    yaml.write_text(yaml.read_text().replace("max_new_tokens: 32", "max_new_tokens: 8"))
    complains(run(place, tmp_path / "ours"), "is finished, and the prompts of own_f1 have changed since")


def test_answers_to_documents_that_changed_are_asked_again(place, tmp_path):
    assert run(place, tmp_path, "--slice=10", tasks=["own_mean"], MADE_UP_BREAKS_AT="31").returncode == 130
    rows = place / "own" / "rows.jsonl"
    before = rows.read_text()
    rows.write_text(before.replace('"film 2", "right": "', '"film 2", "right": "surely '))
    os.utime(rows, (1, 1))
    done = run(place, tmp_path, tasks=["own_mean"])
    rows.write_text(before)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "(14 asked now)" in done.stderr  # the last ten of forty, and the four of that film


def test_requests_that_failed_are_counted_and_asked_again(place, tmp_path):
    video = place / "home" / "videomme" / "data" / "v003.mp4"
    video.rename(place / "away")
    failed = run(place, tmp_path, tasks=["videomme"])
    (place / "away").rename(video)
    assert "question 10 of videomme: SystemExit: video path" in failed.stderr  # the task's own hook ends so
    complains(failed, "3 of 60 requests failed; give the same command again")
    done = run(place, tmp_path, tasks=["videomme"])
    assert "(3 asked now)" in done.stderr
    assert "finished, 60 answers" in done.stderr


def test_a_run_ends_when_it_is_decided(place, tmp_path):
    tasks = ["videomme", "own_mean", "own_f1", "own_rounds"]
    assert run(place, tmp_path / "b", "--model-args=share=0.2,odd=0", tasks=tasks).returncode == 0
    better = ("--model-args=share=1,odd=0", "--slice=3", f"--until-decided={tmp_path / 'b'}")
    done = run(place, tmp_path / "a", *better, tasks=tasks[:2])
    assert done.returncode == 0, done.stderr[-3000:]
    said = dict(re.findall(r"tempbench: (\S+): stopped after (\d+ of \d+) groups: better in", done.stderr))
    assert {task: text.split(" of ")[1] for task, text in said.items()} == {
        "videomme": "20",
        "own_mean": "40",
    }
    n = {task: int(text.split(" of ")[0]) for task, text in said.items()}
    found = logged(tmp_path / "a")
    assert [len(found["videomme"]), len(found["own_mean"])] == [3 * n["videomme"], n["own_mean"]]
    films = [row["videomme_perception_score"]["videoID"] for row in found["videomme"]]
    assert all(films.count(one) == 3 for one in films)
    compared = tempbench("compare", tmp_path / "a", tmp_path / "b", "--include-path", place / "own")
    assert "that decision is the verdict" in compared.stdout
    rest = run(place, tmp_path / "a", *better[:1], tasks=tasks[:2])
    left = 100 - len(found["videomme"]) - n["own_mean"]
    assert left - 2 <= int(re.search(r"\((\d+) asked now\)", rest.stderr)[1]) <= left  # asked in threes
    for task, more, words in (
        ("own_f1", (), "own_f1: no metric is a share of right answers"),
        (
            "own_f1",
            ("--decide-by=micro_f1",),
            "own_f1: micro_f1 cannot be decided group by group: it is not a share",
        ),
        ("own_rounds", (), "own_rounds: --until-decided takes no task with rounds"),
    ):
        complains(run(place, tmp_path / "c", *better, *more, tasks=[task]), words)


def test_a_plan_from_a_log_and_from_numbers(place, tmp_path):
    assert run(place, tmp_path, "--max-failures=5", tasks=["videomme", "own_mean"]).returncode == 0
    plan = ("plan", "--tasks", "videomme,own_mean", "--json", "--include-path", place / "own")
    done = tempbench(*plan, "--against", tmp_path)
    one, other = json.loads(done.stdout)["tasks"]
    assert (one["questions"], one["groups"], one["largest"]) == (60, 20, 3)
    (score,) = one["metrics"]
    scores = [row["videomme_perception_score"]["score"] for row in logged(tmp_path)["videomme"]]
    assert score["value"] == pytest.approx(sum(scores) / 60)  # the task has it in percent
    means = [sum(scores[i : i + 3]) / 3 for i in range(0, 60, 3)]
    assert score["error"] == pytest.approx(statistics.stdev(means) / math.sqrt(20))  # of twenty equal groups
    assert [metric["name"] for metric in other["metrics"]] == ["overlap"]
    one, other = json.loads(tempbench(*plan).stdout)["tasks"]  # from the data at hand
    assert (one["questions"], one["groups"], other["groups"]) == (60, 20, 40)
    by_film = tempbench("plan", "--tasks", "own_mean", *plan[3:], "--group-by", "film")
    assert json.loads(by_film.stdout)["tasks"][0]["groups"] == 10
    done = tempbench(*plan, "--questions", "2700", "--groups", "900")
    assert [one["largest"] for one in json.loads(done.stdout)["tasks"]] == [3, 3]


def test_the_needs_of_a_task_follow_from_its_first_documents(place):
    check = ("check-model", "--model", "tempbench_reader", "--no-questions", "--include-path", place / "own")
    done = tempbench(*check, "--tasks", "videomme,muirbench,own_mean", "--json")
    assert done.returncode == 0, done.stderr[-2000:]
    needs = {task: [one["title"] for one in own] for task, own in json.loads(done.stdout)["tasks"].items()}
    always = "the whole text, and replies as asked for"
    assert needs["own_mean"] == [always]
    assert needs["muirbench"] == [always, "several images, apart and in order", "seeing images in order"]
    assert needs["videomme"] == [
        *(always, "a native video", "a video's times", "seeing a video in time"),
    ]


@pytest.mark.parametrize(
    ("model", "tasks", "more", "words"),
    [
        ("made_up", ["seedbench_ppl"], (), "seedbench_ppl asks for likelihoods"),
        ("made_up", ["mateo_mini", "mmlu"], (), "mmlu_abstract_algebra asks for likelihoods"),
        ("tempbench_chance", ["videomme"], (), "tempbench_chance knows no answers of videomme"),
    ],
)
def test_what_cannot_be_asked_is_refused_before_a_model_is_loaded(place, tmp_path, model, tasks, more, words):
    complains(run(place, tmp_path / "out", *more, tasks=tasks, model=model), words)
