"""Any number of processes gives the same numbers and asks every question once, in every task."""

import copy
import json
import os
import socket
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tempbench_lmms.harness.tasks import load_task

pytestmark = pytest.mark.harness

SUITE = "tempbench_mini"


def leaves(name):
    """Returns the tasks of a group, or of a task itself."""
    config = load_task(name)
    return [one for member in config["task"] for one in leaves(member)] if "group" in config else [name]


# An odd number of each task, which two processes cannot share equally; and one, of which one of two gets
# none. How documents are shared does not depend on the task, and what comes of the rows does not depend on
# their order (harness/test_adapter.py). The harness sends each metric by itself, so tasks with few of them
# are asked, and a group.
MANY = 19
GROUP = "tempvs_mt2_mini"
LIGHT = ("timepercept_eii_mini", "motion_only_mini", "coherence_caption_mini", "nextgqa_answer_mini")
EACH = (*LIGHT, *leaves(GROUP))
FEW = LIGHT[:3]
WANTED = ((MANY, (*LIGHT, GROUP)), (1, FEW))


SCRIPT = """
    import json, sys, torch.distributed
    from accelerate import Accelerator
    Accelerator()
    from lmms_eval.evaluator import simple_evaluate
    from lmms_eval.tasks import TaskManager

    manager, out = TaskManager(), []
    for limit, tasks in json.loads(sys.argv[1]):
        result = simple_evaluate(
            model="tempbench_chance", model_args="seed=3", tasks=tasks, limit=limit,
            task_manager=manager, log_samples=True,
        )
        if result:
            tables = ("results", "group_subtasks", "versions", "n-shot", "n-samples", "higher_is_better")
            out.append([{name: result[name] for name in tables}, result["samples"]])
    if out:
        with open(sys.argv[2], "w") as file:
            file.write(json.dumps(out, default=str))
"""


def launch(python, launchers, folder, wanted=WANTED):
    """Returns the tables and the samples by task of each evaluation of one launch, by one command a node."""
    script, out = folder / "script.py", folder / "out.json"
    script.write_text(textwrap.dedent(SCRIPT))
    nodes = [
        subprocess.Popen(
            [python, *launcher, str(script), json.dumps(wanted), str(out)],
            env=os.environ | {"ACCELERATE_USE_CPU": "1", "PYTHON_EXEC": python},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for launcher in launchers
    ]
    printed = [node.communicate()[0] for node in nodes]
    assert out.is_file(), "\n".join(text[-3000:] for text in printed)
    return json.loads(out.read_text())


TORCHRUN = ("-m", "torch.distributed.run")
ACCELERATE = (str(Path(sys.executable).with_name("accelerate")), "launch")


def two_nodes():
    """Each with one process: both are the first of their node."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    return [
        [*TORCHRUN, "--nnodes=2", f"--node_rank={rank}", f"--master_port={port}", "--nproc_per_node=1"]
        for rank in range(2)
    ]


def accelerate():
    return [[*ACCELERATE, "--multi_gpu", "--num_processes", "2"]]


LAUNCHERS = {  # two processes on one node by torchrun: see below
    "torchrun, one on each of two nodes": (two_nodes, 1),
    "accelerate 2": (accelerate, 0),
}


@pytest.fixture(scope="module")
def one(tmp_path_factory, warm_python):
    return launch(warm_python, [[]], tmp_path_factory.mktemp("one"))


def by_id(rows):
    """Returns the log's lines by question; everything in them, whatever order the processes came in."""
    found = {row["record"]["id"]: row for row in rows}
    assert len(found) == len(rows)
    return found


def of(tasks, tables):
    """Returns what is said of these tasks; as what they are printed depends on the group."""
    names = tables.keys() - {"group_subtasks"}
    found = {name: {task: copy.copy(tables[name][task]) for task in tasks} for name in names}
    for table in found["results"].values():
        del table["alias"]
    return found


@pytest.mark.parametrize("name", LAUNCHERS)
def test_same_numbers_and_questions(name, one, tmp_path, warm_python):
    """Every value of every table, standard errors and `details` with them, and every line of the logs."""
    launchers, which = LAUNCHERS[name]
    (two,) = launch(warm_python, launchers(), tmp_path, [WANTED[which]])
    same(two, one[which])


def same(found, wanted):
    (tables, samples), (expected, asked) = found, wanted
    assert tables == expected
    assert samples.keys() == asked.keys()
    for task, rows in samples.items():
        assert by_id(rows) == by_id(asked[task])


def test_what_is_compared_is_there(one):
    (tables, samples), (_, few) = one
    assert samples.keys() == {*EACH}
    assert {len(rows) for rows in samples.values()} == {MANY}
    assert few.keys() == {*FEW}
    assert {len(rows) for rows in few.values()} == {1}
    for task in samples:
        found = tables["results"][task]
        assert found["details,none"], task
        errors = [name for name, value in found.items() if "_stderr," in name and isinstance(value, float)]
        assert errors, task


# Notes what each process asks, its task and what it shows; the last one is killed in the middle of its share.
DYING = """
    import json, os, signal, sys
    from tempbench_lmms.cli import main
    from tempbench_lmms.data.checksums import urls_of
    from tempbench_lmms.harness.respondents import simple

    rank, folder, dies, n_asked = os.environ["RANK"], sys.argv[1], sys.argv[2] == "dies", 0
    chance = simple.REPLIES["chance"]
    def noted(doc, task, seed):
        global n_asked
        n_asked += 1
        if dies and rank == "3" and n_asked == 9:
            os.kill(os.getpid(), signal.SIGKILL)
        with open(f"{folder}/asked{rank}", "a") as file:
            print(json.dumps([task, doc["question_id"], sorted(urls_of(doc))]), file=file)
        return chance(doc, task, seed)
    simple.REPLIES["chance"] = noted
    sys.argv[1:] = ["run", "--output", f"{folder}/out", *sys.argv[3:]]
    main.main()
"""


def test_whole_groups_killed_in_four_processes_and_continued_in_two(one, tmp_path, warm_python):
    """As the harness deals questions out one by one to one process, so are numbers and logs."""
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(DYING))
    tasks = EACH[-4:]
    told = ["--model", "tempbench_chance", "--model-args", "seed=3", "--tasks", ",".join(tasks)]

    def run(n, *how):
        done = subprocess.run(
            [
                *(warm_python, *TORCHRUN, "--standalone", f"--nproc_per_node={n}", str(script)),
                *(str(tmp_path), *how, *told, "--slice", "5", "--no-report", "--", "--limit", str(MANY)),
            ],
            env=os.environ | {"PYTHON_EXEC": warm_python, "ACCELERATE_USE_CPU": "1"},
            capture_output=True,
            text=True,
            check=False,
            timeout=400,
        )
        files = [tmp_path / f"asked{rank}" for rank in range(4)]
        lines = [[json.loads(line) for line in file.read_text().splitlines()] for file in files]
        return done, lines

    done, before = run(4, "dies")
    assert done.returncode != 0
    assert not [*tmp_path.rglob("*_results.json")]
    groups = [{(task, *urls) for task, _, urls in asked} for asked in before]
    # Each process has a stretch of the questions: only at its ends is a group another one's, too.
    assert all(groups)
    assert sum(map(len, groups)) - len(set.union(*groups)) < 4
    done, after = run(2, "lives")
    assert done.returncode == 0, done.stderr[-3000:]
    again = sum(map(len, after)) - sum(len(samples) for samples in (one[0][1][task] for task in tasks))
    assert 0 <= again <= 4 * 5 + 1  # what the processes had not stored, and one to make up the number
    (file,) = tmp_path.rglob("*_results.json")
    tables, samples = one[0]
    assert of(tasks, {"results": json.loads(file.read_text())["results"]}) == of(
        tasks, {"results": tables["results"]}
    )
    for task in tasks:
        log = file.with_name(file.name.replace("results.json", f"samples_{task}.jsonl")).read_text()
        rows = [json.loads(line) for line in log.split("\n") if line]
        assert {name: row["record"] for name, row in by_id(rows).items()} == {
            name: row["record"] for name, row in by_id(samples[task]).items()
        }
