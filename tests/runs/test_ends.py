"""Every run ends: whatever a model replies, and whatever a question does to the process that asks it."""

import json
import os
import subprocess
import sys
import textwrap
import time

import pytest

from tempbench_lmms.data import outputs
from tempbench_lmms.data.user_files import storable
from tempbench_lmms.harness.tasks import docs_of, load_task
from tempbench_lmms.runs import logs, supervision
from tests.runs.conftest import CHANCE
from tests.runs.hostile import replies

# Letters and truths, numbers, captions.
TASKS = "tempvs_mt1_two_mini,coherence_qa_4f_mini,coherence_caption_mini"
LIMIT = 30  # of each task
N = 2 * LIMIT + 24
TASK = "tempvs_mt1_two_mini"


@pytest.mark.harness
def test_hostile_replies_finish_a_run(start, tmp_path):
    given, kept = iter(replies(N)), {}

    def hostile(doc, task, seed):
        reply = next(given)
        kept[f"{task}:{doc['question_id']}"] = reply
        return reply

    assert start("hostile", hostile, LIMIT, TASKS, max_failures="100%", report=True).status == 0
    assert len(kept) == N
    assert any("\ud800" <= char <= "\udfff" for reply in kept.values() for char in str(reply))
    found = {
        f"{log.task}:{sample.record['id']}": sample
        for log in logs.read_runs([tmp_path / "hostile"])
        for sample in log.samples
    }
    assert found.keys() == kept.keys()
    for name, reply in kept.items():
        if isinstance(reply, str):
            assert found[name].as_it_came == storable(reply)
        else:
            assert found[name].record["failed"]
    page = (tmp_path / "hostile" / "report.html").read_text(encoding="utf-8")
    assert "</html>" in page
    # What was stored is what was replied: no question but the failed ones is asked again.
    again = start("hostile", limit=LIMIT, tasks=TASKS)
    failed = [name.partition(":")[2] for name, reply in kept.items() if not isinstance(reply, str)]
    assert sorted(again.asked) == sorted(failed)


@pytest.mark.harness
def test_a_question_that_always_raises(start, tmp_path, capsys):
    worst = docs_of(load_task(TASK))[17]["question_id"]

    def poisoned(doc, task, seed):
        if doc["question_id"] == worst:
            raise ValueError("no such token")
        return CHANCE(doc, task, seed)

    # One of 120 is borne, and the others of its slice are asked no more than a few times more.
    whole = start("whole", poisoned, 120)
    assert whole.status == 0
    assert 120 < len(whole.asked) < 120 + 40
    assert json.loads((tmp_path / "whole" / outputs.STATE).read_text())["failed"] == [[TASK, worst]]
    assert f"failed: question {worst} of {TASK}: ValueError: no such token" in capsys.readouterr().err
    # One of 20 is more than one in a hundred: the run goes to its end, and has failed.
    for ended in (start("short", poisoned), start("none", poisoned, max_failures="0")):
        assert ended.status == 1
        assert "1 of 20 requests failed; give the same command again" in ended.said
    # The next start asks the failed question alone.
    time.sleep(1.1)
    mended, again = start("whole", limit=120), start("whole", limit=120)
    assert (mended.status, mended.asked) == (0, [worst])
    assert (again.status, again.asked) == (0, [])


@pytest.mark.harness
def test_a_model_that_always_raises_ends_the_run_early(start):
    def broken(doc, task, seed):
        raise RuntimeError("CUDA error: device-side assert triggered")

    ended = start("broken", broken, 120)
    assert ended.status == 1
    assert "\n" not in ended.said
    assert "more than --max-failures allows" in ended.said
    assert "device-side assert" in ended.said
    assert len(ended.asked) < 60
    mended = start("broken", limit=120)
    assert (mended.status, len(mended.asked)) == (0, 120)


# Runs that are watched, one after the other; the harness is imported once, before the first fork.
DEADLY = """
    import ctypes, os, signal, sys, time
    import lmms_eval.evaluator
    from tempbench_lmms.cli import main
    from tempbench_lmms.harness import respondents
    from tempbench_lmms.harness.tasks import docs_of, load_task
    from tempbench_lmms.runs import supervision

    home, *ways = sys.argv[1:]
    supervision.is_possible = lambda: True
    worst = docs_of(load_task("tempvs_mt1_two_mini"))[3]["question_id"]
    chance, parent = respondents.REPLIES["chance"], os.getpid()
    deaths = {
        "hang": lambda: time.sleep(1000),
        "hold": lambda: ctypes.PyDLL(None).sleep(1000),  # native code that lets no other thread run
        "killed": lambda: os.kill(os.getpid(), signal.SIGKILL),
    }
    for way in ways:
        def deadly(doc, task, seed):
            if doc["question_id"] == worst:
                deaths[way]()
            return chance(doc, task, seed)
        respondents.REPLIES["chance"] = deadly
        sys.argv = ["tempbench", "run", "--model", "tempbench_chance", "--tasks", "tempvs_mt1_two_mini"]
        sys.argv += ["--output", f"{home}/{way}", "--no-report", "--question-timeout", "1"]
        sys.argv += ["--slice", "2", "--max-failures", "1", "--", "--limit", "12"]
        status = 0
        try:
            main.main()
        except SystemExit as end:
            status = end.code
        if os.getpid() != parent or status:
            sys.exit(status)
        print(way, file=sys.stderr, flush=True)
"""


def started(folder, *ways, launcher=()):
    """Starts runs with a question that ends the process in some ways, or never ends."""
    script = folder / "script.py"
    script.write_text(textwrap.dedent(DEADLY))
    return subprocess.run(
        [sys.executable, *launcher, str(script), str(folder), *ways],
        env=os.environ | {"ACCELERATE_USE_CPU": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def one_failed(folder):
    (log,) = logs.read_runs([folder])
    assert sum(sample.record["failed"] for sample in log.samples) == 1
    assert len(log.samples) == 12


@pytest.mark.harness
def test_a_question_that_ends_the_process_or_never_ends(tmp_path):
    done = started(tmp_path, "hold", "killed")
    assert done.returncode == 0, done.stderr
    held, killed = done.stderr.removesuffix("killed\n").split("hold\n")
    for said, reason, name in (
        (held, "no answer within 1 s", "hold"),
        (killed, "the process was ended by SIGKILL", "killed"),
    ):
        assert said.count("restarting") == 2
        assert f"of {TASK}: {reason}" in said
        one_failed(tmp_path / name)
        # The next start asks it again, alone.
        assert [*map(len, supervision.ended_questions(tmp_path / name).values())] == [1]


@pytest.mark.slow
@pytest.mark.harness
def test_a_question_that_hangs_in_one_of_two_processes(start, tmp_path):
    """The launcher's way: the first process to end takes the other along; the same command continues."""
    known = tmp_path / "hang" / supervision.FOLDER / "rank_0.json"
    known.parent.mkdir(parents=True)
    known.write_text(json.dumps({f"{TASK}:3": ["killed"]}))  # by an earlier start
    hung = started(
        tmp_path, "hang", launcher=("-m", "torch.distributed.run", "--standalone", "--nproc_per_node=2")
    )
    assert hung.returncode == 1
    said = "\n".join(line for line in hung.stderr.splitlines() if line.startswith("tempbench: "))
    assert "no answer within " in said
    # The other one finds the first one gone, or is ended by the launcher before that.
    assert "another process of this run has ended" in said or "ended by SIGTERM" in said
    assert said.count("give the same command again to continue") >= 2
    assert "all_gather" not in hung.stderr
    # It was asked alone, and is counted now.
    again = start("hang", limit=12, model_args="", max_failures="1")
    assert again.status == 0, again.said
    one_failed(tmp_path / "hang")
