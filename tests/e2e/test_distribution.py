"""Any number of processes gives the same numbers and asks every question once, in every task."""

import copy
import json
import os
import pickle
import socket
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tempbench_lmms.harness.respondents import REPLIES
from tempbench_lmms.harness.tasks import load_task
from tests.bundled import ONE_OF_EACH, docs
from tests.command import call
from tests.each import for_each

pytestmark = pytest.mark.harness

SUITE = "tempbench_mini"


def leaves(name):
    """Returns the tasks of a group, or of a task itself."""
    config = load_task(name)
    return [one for member in config["task"] for one in leaves(member)] if "group" in config else [name]


# An odd number of each task, which two processes cannot share equally; and one, of which one of two gets
# none. How documents are shared does not depend on the task, nor does what a process without any sends, and
# what comes of the rows does not depend on their order (harness/test_adapter.py). That every task's rows can
# come from any process is looked at below, in one. The harness sends each metric by itself, so tasks with few
# of them are asked, and a group.
MANY = 19
GROUP = "tempvs_mt2_mini"
LIGHT = ("timepercept_eii_mini", "motion_only_mini", "coherence_caption_mini", "nextgqa_answer_mini")
EACH = (*LIGHT, *leaves(GROUP))
FEW = LIGHT[:3]
WANTED = ((MANY, (*LIGHT, GROUP)), (1, FEW))


def _rows_are_their_questions_alone():
    def check(task):
        score = load_task(task)["process_results"]
        found = {}
        for rows in (docs(task)[:MANY], docs(task)[:MANY][::-2]):
            for doc in rows:
                items = score(doc, [REPLIES["chance"](doc, task, 3)])
                record = json.dumps(items["record"])
                # The second time the question that came before it was another one.
                assert found.setdefault(doc["question_id"], record) == record
                for name, item in items.items():
                    sent = getattr(item, "record", item)
                    arrived = pickle.loads(pickle.dumps(item))  # noqa: S301
                    assert getattr(arrived, "record", arrived) == sent, name

    for_each(sorted(ONE_OF_EACH), check)


def test_a_row_depends_on_its_question_alone_and_arrives_as_it_was_sent(warm_python):
    call(warm_python, _rows_are_their_questions_alone)


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


@pytest.mark.exhaustive
def test_same_numbers_and_questions_of_every_task(tmp_path, warm_python):
    wanted = [(25, [SUITE])]
    (alone,) = launch(warm_python, [[]], tmp_path, wanted)
    assert alone[1].keys() == {*leaves(SUITE)}
    (two,) = launch(warm_python, accelerate(), tmp_path, wanted)
    same(two, alone)


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


def test_tempbench_run_in_two_processes(one, tmp_path, warm_python):
    """The same through the command line, the cache and the files; one process checks, writes and tells.

    Numbers and files of every benchmark are compared above, in a run by the same command.
    """

    def run():
        return subprocess.run(
            [
                *(warm_python, *TORCHRUN, "--standalone", "--nproc_per_node=2"),
                *("-m", "tempbench_lmms.cli", "run"),
                *("--model", "tempbench_chance", "--model-args", "seed=3", "--tasks", ",".join(FEW)),
                *("--output", str(tmp_path), "--", "--limit", "1"),
            ],
            env=os.environ | {"PYTHON_EXEC": warm_python},
            capture_output=True,
            text=True,
            check=False,
            timeout=400,
        )

    done = run()
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stderr.count("tempbench: finished") == 1
    (file,) = tmp_path.rglob("*_results.json")
    tables, samples = one[1]
    found = json.loads(file.read_text())
    assert found["results"].keys() == {*FEW}
    assert of(FEW, {"results": found["results"]}) == of(FEW, {"results": tables["results"]})
    for task in FEW:
        log = file.with_name(file.name.replace("results.json", f"samples_{task}.jsonl")).read_text()
        records = [json.loads(line)["record"] for line in log.splitlines()]
        assert sorted(records, key=str) == sorted((row["record"] for row in samples[task]), key=str)
    # A finished run is left alone by all processes.
    again = run()
    assert again.returncode == 0, again.stderr[-3000:]
    assert again.stdout.count("finished already") == 1
