"""Any number of processes gives the same numbers and asks every question once."""

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

pytestmark = pytest.mark.harness

# 223 documents, no multiple of 2 or 4, and 80.
TASKS = ("tempvs_mt1_two_mini", "tempvs_mt3_caption_mini")

# Each of the runs of one launch: (tasks, limit). With one document, all processes but one get none.
SCRIPT = """
    import json, sys, torch.distributed
    from accelerate import Accelerator
    Accelerator()
    from lmms_eval.evaluator import simple_evaluate
    from lmms_eval.tasks import TaskManager

    manager, out = TaskManager(), []
    for limit in (None, 1):
        result = simple_evaluate(
            model="tempbench_chance", model_args="seed=3", tasks=json.loads(sys.argv[1]), limit=limit,
            task_manager=manager, log_samples=True,
        )
        if result:
            samples = {
                task: sorted([row["record"]["id"], row["filtered_resps"][0]] for row in rows)
                for task, rows in result["samples"].items()
            }
            out.append([result["results"], samples])
    if out:
        with open(sys.argv[2], "w") as file:
            json.dump(out, file, default=str)
"""


def launch(launcher, folder):
    """Returns [results, samples] of each run of one launch."""
    script, out = folder / "script.py", folder / "out.json"
    script.write_text(textwrap.dedent(SCRIPT))
    environment = os.environ | {"ACCELERATE_USE_CPU": "1", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [*launcher, str(script), json.dumps(TASKS), str(out)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert out.is_file(), done.stderr[-3000:]
    return json.loads(out.read_text())


@pytest.fixture(scope="module")
def one(tmp_path_factory):
    return launch([sys.executable], tmp_path_factory.mktemp("one"))


BIN = Path(sys.executable).parent
TORCHRUN = (sys.executable, "-m", "torch.distributed.run", "--standalone")
LAUNCHERS = {  # two processes under torchrun: see test_harness.py
    "torchrun 4": (*TORCHRUN, "--nproc_per_node=4"),
    "accelerate 2": (str(BIN / "accelerate"), "launch", "--multi_gpu", "--num_processes", "2"),
}


@pytest.mark.parametrize("name", LAUNCHERS)
def test_same_numbers_and_questions(name, one, tmp_path):
    several = launch(LAUNCHERS[name], tmp_path)
    for (numbers, samples), (expected, asked) in zip(several, one, strict=True):
        assert samples == asked
        assert {task: _ours(table) for task, table in numbers.items()} == {
            task: _ours(table) for task, table in expected.items()
        }
    assert [len(rows) for rows in several[1][1].values()] == [1, 1]
    assert len(several[0][1][TASKS[0]]) == 223


def _ours(table):
    # The harness's own error of our errors is no number of ours.
    return {name: value for name, value in table.items() if "stderr_" not in name}
