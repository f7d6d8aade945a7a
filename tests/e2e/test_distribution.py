"""A run that is killed in three processes and continued in two gives the numbers and logs of one process."""

import json
import os
import subprocess
import sys
import textwrap

import pytest

from tempbench_lmms.harness.tasks import load_task

pytestmark = pytest.mark.harness

# An odd number of each task, which two processes cannot share equally.
MANY = 19
TASKS = [
    "timepercept_eii_mini",
    "nextgqa_answer_mini",
    *load_task("tempvs_mt2_mini")["task"],
]


@pytest.fixture(scope="module")
def one(harness):
    """Returns the tables and the samples of one process."""
    found = harness.evaluator.simple_evaluate(
        model="tempbench_chance", model_args="seed=3", tasks=TASKS, limit=MANY, log_samples=True
    )
    return json.loads(json.dumps({name: found[name] for name in ("results", "samples")}, default=str))


def by_id(rows):
    """Returns the log's records by question; everything in them, whatever order the processes came in."""
    found = {row["record"]["id"]: row["record"] for row in rows}
    assert len(found) == len(rows)
    return found


# Notes what each process asks, its task and what it shows. The last one is killed in the middle of its share;
# those that live wait for each other at every question, as runners do that share one model.
DYING = """
    import json, os, signal, sys, torch.distributed as dist
    from tempbench_lmms.cli import main
    from tempbench_lmms.data.checksums import urls_of
    from tempbench_lmms.harness.respondents import simple

    rank, folder, dies, n_asked = os.environ["RANK"], sys.argv[1], sys.argv[2] == "dies", 0
    chance = simple.REPLIES["chance"]
    def noted(doc, task, seed):
        global n_asked
        n_asked += 1
        if dies and rank == "2" and n_asked == 9:
            os.kill(os.getpid(), signal.SIGKILL)
        with open(f"{folder}/asked{rank}", "a") as file:
            print(json.dumps([task, doc["question_id"], sorted(urls_of(doc))]), file=file)
        if not dies:
            dist.barrier()
        return chance(doc, task, seed)
    simple.REPLIES["chance"] = noted
    sys.argv[1:] = ["run", "--output", f"{folder}/out", *sys.argv[3:]]
    main.main()
"""


def test_whole_groups_killed_in_three_processes_and_continued_in_two(one, tmp_path):
    """As the harness deals questions out one by one to one process, so are numbers and logs."""
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(DYING))
    told = ["--model", "tempbench_chance", "--model-args", "seed=3", "--tasks", ",".join(TASKS)]

    def run(n, *how):
        done = subprocess.run(
            [
                *(
                    sys.executable,
                    "-m",
                    "torch.distributed.run",
                    "--standalone",
                    f"--nproc_per_node={n}",
                    str(script),
                ),
                *(str(tmp_path), *how, *told, "--slice", "5", "--no-report", "--", "--limit", str(MANY)),
            ],
            env=os.environ | {"ACCELERATE_USE_CPU": "1"},
            capture_output=True,
            text=True,
            check=False,
            timeout=400,
        )
        files = [tmp_path / f"asked{rank}" for rank in range(3)]
        lines = [[json.loads(line) for line in file.read_text().splitlines()] for file in files]
        return done, lines

    done, before = run(3, "dies")
    assert done.returncode != 0
    assert not [*tmp_path.rglob("*_results.json")]
    groups = [{(task, *urls) for task, _, urls in asked} for asked in before]
    # Each process has a stretch of the questions: only at its ends is a group another one's, too.
    assert all(groups)
    assert sum(map(len, groups)) - len(set.union(*groups)) < 3
    done, after = run(2, "lives")
    assert done.returncode == 0, done.stderr[-3000:]
    again = sum(map(len, after)) - sum(len(one["samples"][task]) for task in TASKS)
    assert 0 <= again <= 3 * 5 + 1  # what the processes had not stored, and one to make up the number
    (file,) = tmp_path.rglob("*_results.json")
    results = json.loads(file.read_text())["results"]
    for task in TASKS:
        assert results[task] | {"alias": ""} == one["results"][task] | {"alias": ""}
        log = file.with_name(file.name.replace("results.json", f"samples_{task}.jsonl")).read_text()
        rows = [json.loads(line) for line in log.split("\n") if line]
        assert by_id(rows) == by_id(one["samples"][task])
