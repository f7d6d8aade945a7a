"""Every run ends: whatever a model replies, and whatever a question does to the process that asks it."""

import ast
import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tempbench_lmms.runs import logs, supervision

# Letters and truths, numbers, captions.
TASKS = "tempvs_mt1_two_mini,coherence_qa_4f_mini,coherence_caption_mini"
LIMIT = 30  # of each task
N = 2 * LIMIT + 24
TASK = "tempvs_mt1_two_mini"

# What every script begins with: a respondent that notes what it is asked, and runs in this process.
BEGIN = f"""
    import json, os, signal, sys, time
    from pathlib import Path
    from tempbench_lmms.cli import runs
    from tempbench_lmms.errors import TempbenchError
    from tempbench_lmms.harness.respondents import simple
    from tempbench_lmms.data import run_files
    from tempbench_lmms.runs import logs, safe_run, supervision

    home, out = Path(sys.argv[1]), []
    chance = simple.REPLIES["chance"]

    def asked():
        file = home / "asked"
        return file.read_text().split() if file.exists() else []

    def note(doc):
        with (home / "asked").open("a") as file:
            file.write(doc["question_id"] + "\\n")

    def run(name, tasks="{TASK}", args="seed=3", limit="20", **more):
        (home / "asked").unlink(missing_ok=True)
        arguments = ["--limit", limit] if limit else []
        try:
            # The report of a run is made of its log: one of them is enough.
            more.setdefault("report", False)
            runs.run("tempbench_chance", tasks, home / name, args, 10, arguments=arguments, **more)
            out.append([0, "", len(asked())])
        except TempbenchError as error:
            out.append([1, str(error), len(asked())])
"""
END = """
    print("OUT" + json.dumps(out))
"""


def done(python, folder, script, *more):
    """Runs a script; returns what it printed as JSON, and its standard error."""
    text = textwrap.dedent(BEGIN) + textwrap.dedent(script) + textwrap.dedent(END)
    found = subprocess.run(
        [python, "-c", text, str(folder), *map(str, more)],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},  # a script may import `tests`
        check=False,
        timeout=300,
    )
    lines = [line for line in found.stdout.splitlines() if line.startswith("OUT")]
    assert lines, found.stdout[-1000:] + found.stderr[-3000:]
    return json.loads(lines[-1][3:]), found.stderr


@pytest.mark.harness
def test_hostile_replies_finish_a_run(tmp_path):
    script = """
        from tests.runs.hostile import replies
        tasks, limit, given, kept = sys.argv[2], sys.argv[4], iter(replies(int(sys.argv[3]))), {}
        def hostile(doc, task, seed):
            reply = next(given)
            kept[f"{task}:{doc['question_id']}"] = ascii(reply) if isinstance(reply, str) else None
            return reply
        simple.REPLIES["chance"] = hostile
        run("hostile", tasks, limit=limit, max_failures="100%", report=True)
        out.append(kept)
        run("hostile", tasks, limit=limit, max_failures="100%")
    """
    (first, kept, again), _ = done(sys.executable, tmp_path, script, TASKS, N, LIMIT)
    assert first[:2] == [0, ""]
    assert len(kept) == N
    # JSON would make one character of two surrogates.
    kept = {name: reply and ast.literal_eval(reply) for name, reply in kept.items()}
    asked = {reply for reply in kept.values() if reply is not None}
    assert any("\ud800" <= char <= "\udfff" for reply in asked for char in reply)
    found = {
        f"{log.task}:{sample.record['id']}": sample
        for log in logs.read_runs([tmp_path / "hostile"])
        for sample in log.samples
    }
    assert found.keys() == kept.keys()
    for name, reply in kept.items():
        if reply is None:
            assert found[name].record["failed"]
        else:
            assert found[name].as_it_came == reply
    # What was stored is what was replied: no question but the failed ones is asked again.
    assert again[:2] == [0, ""], again
    page = (tmp_path / "hostile" / "report.html").read_text(encoding="utf-8")
    assert "</html>" in page


@pytest.mark.harness
def test_a_question_that_always_raises(tmp_path):
    script = """
        from tempbench_lmms.harness.tasks import docs_of, load_task
        worst = docs_of(load_task("tempvs_mt1_two_mini"))[17]["question_id"]
        mended = False
        def poisoned(doc, task, seed):
            note(doc)
            if doc["question_id"] == worst and not mended:
                raise ValueError("no such token")
            return chance(doc, task, seed)
        simple.REPLIES["chance"] = poisoned
        run("whole", limit="120")
        out[-1].append(json.loads((home / "whole" / run_files.STATE).read_text())["failed"])
        run("short")
        run("none", max_failures="0")
        mended = True
        time.sleep(1.1)
        run("whole", limit="120")
        run("whole", limit="120")
    """
    (whole, short, none, mended, again), err = done(sys.executable, tmp_path, script)
    # One of 120 is borne, and the others of its slice are asked no more than a few times more.
    assert whole[:2] == [0, ""]
    assert 120 < whole[2] < 120 + 40
    ((task, question),) = whole[3]
    assert task == TASK
    assert f"failed: question {question} of {TASK}: ValueError: no such token" in err
    # One of 20 is more than one in a hundred: the run goes to its end, and has failed.
    for ended in (short, none):
        assert ended[0] == 1
        assert "1 of 20 requests failed; give the same command again" in ended[1]
    # The next start asks the failed question alone.
    assert mended == [0, "", 1]
    assert again == [0, "", 0]


@pytest.mark.harness
def test_a_model_that_always_raises_ends_the_run_early(tmp_path):
    script = """
        def broken(doc, task, seed):
            note(doc)
            raise RuntimeError("CUDA error: device-side assert triggered")
        simple.REPLIES["chance"] = broken
        run("broken", limit="120")
        simple.REPLIES["chance"] = lambda doc, task, seed: note(doc) or chance(doc, task, seed)
        run("broken", limit="120")
    """
    (broken, mended), _ = done(sys.executable, tmp_path, script)
    assert broken[0] == 1
    assert "\n" not in broken[1]
    assert "more than --max-failures allows" in broken[1]
    assert "device-side assert" in broken[1]
    assert broken[2] < 60
    assert mended == [0, "", 120]


SUPERVISED = """
    supervision.is_possible = lambda: True
    how = sys.argv[2]
    from tempbench_lmms.harness.tasks import docs_of, load_task
    worst = docs_of(load_task("tempvs_mt1_two_mini"))[13]["question_id"]
    def deadly(doc, task, seed):
        note(doc)
        if doc["question_id"] == worst:
            if how == "hang":
                time.sleep(1000)
            if how == "hold":  # native code that lets no other thread run
                import ctypes
                ctypes.PyDLL(None).sleep(1000)
            os.kill(os.getpid(), signal.SIGKILL)
        return chance(doc, task, seed)
    simple.REPLIES["chance"] = deadly
    parent = os.getpid()
    try:
        run("run", question_timeout=1.0, max_failures="5%")
        # The child alone comes here.
        assert os.getpid() != parent
        if out[-1][0]:
            print(out[-1][1], file=sys.stderr)
    except SystemExit as end:
        out.append([end.code, "", len(asked())])
"""


@pytest.mark.harness
@pytest.mark.parametrize(
    "how",
    # What can be ended although it lets no other thread run can be ended where it lets them.
    [pytest.param("hang", marks=pytest.mark.exhaustive), "hold", "killed"],
)
def test_a_question_that_ends_the_process_or_never_ends(how, tmp_path):
    (ended,), err = done(sys.executable, tmp_path, SUPERVISED, how)
    assert ended[0] == 0, err
    reason = "ended by SIGKILL" if how == "killed" else "no answer within 1 s"
    assert err.count("starting again") == 2
    assert f"of {TASK}: {reason}" in err.replace("the process was ", "")
    (log,) = logs.read_runs([tmp_path / "run"])
    assert sum(sample.record["failed"] for sample in log.samples) == 1
    assert len(log.samples) == 20
    # The next start asks it again, alone.
    assert list(supervision.read(tmp_path / "run").tries.values()) == [1]


AMONG_TWO = """
    import json, os, sys, time
    from pathlib import Path
    home = Path(sys.argv[1])
    from tempbench_lmms.runs import supervision
    supervision.is_possible = lambda: True
    from tempbench_lmms.cli import main
    from tempbench_lmms.harness.respondents import simple
    from tempbench_lmms.harness.tasks import docs_of, load_task
    worst = docs_of(load_task("tempvs_mt1_two_mini"))[3]["question_id"]
    chance = simple.REPLIES["chance"]
    def deadly(doc, task, seed):
        if doc["question_id"] == worst:
            time.sleep(1000)
        return chance(doc, task, seed)
    simple.REPLIES["chance"] = deadly
    sys.argv = ["tempbench", "run", "--model", "tempbench_chance", "--tasks", "tempvs_mt1_two_mini"]
    sys.argv += ["--output", str(home / "run"), "--no-report", "--question-timeout", "1"]
    sys.argv += ["--slice", "2", "--max-failures", "1", "--", "--limit", "12"]
    main.main()
"""


@pytest.mark.slow
@pytest.mark.harness
def test_a_question_that_hangs_in_one_of_two_processes(tmp_path):
    """The launcher's way: the first process to end takes the other along; the same command continues."""
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(AMONG_TWO))
    said = []
    for _ in range(3):
        launcher = ["-m", "torch.distributed.run", "--standalone", "--nproc_per_node=2"]
        found = subprocess.run(
            [sys.executable, *launcher, str(script), str(tmp_path)],
            env=os.environ | {"ACCELERATE_USE_CPU": "1"},
            capture_output=True,
            text=True,
            timeout=200,
            check=False,
        )
        lines = [line for line in found.stderr.splitlines() if line.startswith("tempbench: ")]
        said.append((found.returncode, "\n".join(lines)))
        if found.returncode == 0:
            break
        assert "no answer within " in said[-1][1]
        # The other one finds the first one gone, or is ended by the launcher before that.
        assert "another process of this run has ended" in said[-1][1] or "ended by SIGTERM" in said[-1][1]
        assert said[-1][1].count("give the same command again to continue") >= 2
        assert "all_gather" not in found.stderr
    # It was asked with others, then alone, and then counted.
    assert [status for status, _ in said] == [1, 1, 0], said
    (log,) = logs.read_runs([tmp_path / "run"])
    assert sum(sample.record["failed"] for sample in log.samples) == 1
    assert len(log.samples) == 12
