"""A run that breaks off in one process and is continued in two gives the numbers and logs of a whole one."""

import itertools
import json
import os
import subprocess
import sys
import textwrap

import pytest

from tempbench_lmms.harness.tasks import load_task
from tempbench_lmms.runs import supervision
from tests.runs.conftest import CHANCE

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


# Notes what each process asks. They wait for each other at every question, as
# runners do that share one model.
NOTING = """
    import os, sys, torch.distributed as dist
    from tempbench_lmms.cli import main
    from tempbench_lmms.harness import respondents

    folder, chance = sys.argv.pop(1), respondents.REPLIES["chance"]
    def noted(doc, task, seed):
        with open(f"{folder}/asked{os.environ['RANK']}", "a") as file:
            print(task, doc["question_id"], file=file)
        dist.barrier()
        return chance(doc, task, seed)
    respondents.REPLIES["chance"] = noted
    main.main()
"""


def test_whole_groups_ended_in_one_process_and_continued_in_two(one, start, tmp_path):
    """As the harness deals questions out one by one to one process, so are numbers and logs."""
    n_asked, tasks = itertools.count(), ",".join(TASKS)

    def dying(doc, task, seed):
        if next(n_asked) >= 35:
            raise RuntimeError("out of memory")
        return CHANCE(doc, task, seed)

    assert start("out", dying, MANY, tasks).status == 1
    kept = supervision.kept(tmp_path / "out")
    assert kept == 30
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(NOTING))
    launcher = ("-m", "torch.distributed.run", "--standalone", "--nproc_per_node=2", script, tmp_path)
    words = ("run", "--model", "tempbench_chance", "--model-args", "seed=3", "--tasks", tasks, "--no-report")
    done = subprocess.run(
        [
            sys.executable,
            *launcher,
            *words,
            "-o",
            tmp_path / "out",
            "--no-report",
            "--",
            "--limit",
            str(MANY),
        ],
        env=os.environ | {"ACCELERATE_USE_CPU": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=400,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    asked = [(tmp_path / f"asked{rank}").read_text().splitlines() for rank in (0, 1)]
    assert len(asked[0]) == len(asked[1])
    # What was stored is not asked again; each task may lack one to make up the number.
    n_left = len(TASKS) * MANY - kept
    assert n_left <= sum(map(len, asked)) <= n_left + len(TASKS)
    (file,) = (tmp_path / "out").rglob("*_results.json")
    results = json.loads(file.read_text())["results"]
    for task in TASKS:
        assert results[task] | {"alias": ""} == one["results"][task] | {"alias": ""}
        log = file.with_name(file.name.replace("results.json", f"samples_{task}.jsonl")).read_text()
        rows = [json.loads(line) for line in log.split("\n") if line]
        assert by_id(rows) == by_id(one["samples"][task])
