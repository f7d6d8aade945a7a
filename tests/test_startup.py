"""How soon a command says something, and how often the harness's task files are read."""

import json
import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from tempbench_lmms.harness import index, plugin
from tests import warm

TASK = "tempvs_mt1_two_mini"


def first_line(words, environment=None):
    """Returns the first line that a program prints, the seconds until then, and ends it."""
    began = time.monotonic()
    with subprocess.Popen(
        [sys.executable, *words],
        env=os.environ | (environment or {}),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        line = process.stdout.readline()
        seconds = time.monotonic() - began
        process.kill()
    return line, seconds


def bound():
    """Fifty starts of Python and a second, as this machine is now: torch and the harness take far longer."""
    began = time.monotonic()
    for _ in range(5):
        subprocess.run([sys.executable, "-c", "pass"], check=True)
    return 1 + 10 * (time.monotonic() - began)


def command(*words):
    return ["-m", "tempbench_lmms.cli", *words]


COMMANDS = {
    "run": ("run", "--model", "tempbench_oracle", "--tasks", TASK, "--output", "out"),
    "verify": ("verify",),
    "verify data": ("verify", "tempvs", "--mini"),
    "demo": ("demo", "--output", "out"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_the_first_line_comes_at_once(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    line, seconds = first_line(command(*COMMANDS[name]))
    assert line.startswith(("tempbench: ", "lmms-eval "))
    assert "Error" not in line
    assert seconds < bound()


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_nothing_heavy_comes_before_the_first_line(name, tmp_path):
    """What no clock can tell on a busy machine."""
    code = f"""
        import builtins, sys
        from tempbench_lmms.cli import main
        heavy = {{"torch", "lmms_eval", "datasets", "pyarrow", "numpy", "yaml", "rich"}}
        real = builtins.print
        def first(*words, **more):
            real(sorted(heavy & set(sys.modules)))
            sys.exit()
        builtins.print = first
        sys.argv = ["tempbench", *{COMMANDS[name]!r}]
        main.main()
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert done.stdout == "[]\n", done.stderr


def test_a_name_of_ours_in_a_task_file_of_the_harness_is_seen(tmp_path, monkeypatch):
    folder = tmp_path / "lmms_eval" / "tasks" / "new"
    folder.mkdir(parents=True)
    (folder / "_default_template_yaml").write_text("task: tempvs_mini # theirs\n")
    (folder / "a.yaml").write_text("task: tempvs_miniature\ngroup: [rextime, x]\n")
    spec = type("Spec", (), {"submodule_search_locations": [str(tmp_path / "lmms_eval")]})()
    monkeypatch.setattr(index.importlib.util, "find_spec", lambda name: spec)
    index.mentioned.cache_clear()
    try:
        assert index.mentioned() == {"tempvs_mini", "rextime"}
    finally:
        index.mentioned.cache_clear()


def test_the_harness_has_none_of_our_names():
    assert index.mentioned() == frozenset()
    assert plugin.shadowed_names() == []


@pytest.mark.parametrize(
    ("words", "tasks"),
    [
        (["/x/bin/lmms-eval", "--model", "m", "--tasks", "a,b"], ["a", "b"]),
        (["/x/lmms_eval/__main__.py", "--tasks=a", "--limit", "1"], ["a"]),
        (["/x/bin/lmms-eval", "--tasks", "a", "--tasks", "b"], ["b"]),
        (["/x/bin/lmms-eval", "--tasks"], []),
        (["/x/bin/pytest", "--tasks", "a"], []),
        (["-c", "--tasks", "a"], []),
        ([], []),
    ],
)
def test_the_tasks_on_a_command_line(words, tasks):
    assert plugin._asked_for(words) == tasks


SCRIPT = """
    import json, sys
    from collections import Counter
    from pathlib import Path
    from tempbench_lmms.harness import index, names, plugin
    plugin.install()
    import lmms_eval.tasks as tasks
    from tests import warm
    warm.read_yaml_quickly()
    warm.forget_index()
    from lmms_eval import utils
    from loguru import logger
    logger.disable("lmms_eval")

    theirs, read, files = str(Path(tasks.__file__).parent), Counter(), {}
    load = utils.load_yaml_config
    def file_of(args, kwargs):
        return str(kwargs.get("yaml_path") or (args[0] if args else "")), kwargs.get("mode")
    def counted(*args, **kwargs):
        path, mode = file_of(args, kwargs)
        read[path] += mode == "simple" and path.startswith(theirs)
        found = files[path, mode] = load(*args, **kwargs)
        return found
    utils.load_yaml_config = counted
    def reads():
        found = [sum(read.values()), max(read.values(), default=0)]
        read.clear()
        return found

    out = {}
    manager = tasks.TaskManager()
    manager.match_tasks(["tempvs_mt1_two_mini", "rextime_mini"])
    loaded = manager.load_task_or_group(["tempvs_mt2_mini"])
    out["ours"] = reads()
    out["members"] = sorted(name for group in loaded.values() for name in group)
    out["mixed"] = manager.match_tasks(["tempvs_mt1_two_mini", "mmmu_val"])
    out["mixed_reads"] = reads()
    out["names"] = len(manager.all_tasks)
    out["again"] = reads()

    out["pattern"] = manager.match_tasks(["tempvs_mt2_?????_mini", "rextime_min?"])
    out["pattern_reads"] = reads()
    # What the harness itself makes of both folders. What stands in its own files has been read once.
    utils.load_yaml_config = lambda *args, **kwargs: files.get(file_of(args, kwargs)) or load(*args, **kwargs)
    scan = tasks.TaskManager._get_task_and_group.__wrapped__
    ours = scan(manager, str(index.task_dir()))
    whole = {**ours, **scan(manager, theirs + "/")}
    out["entries"] = ours == index.entries()
    out["whole"] = whole == manager.task_index
    out["lists"] = manager.all_tasks == sorted(whole) and manager.all_groups == sorted(
        name for name in whole if whole[name]["type"] == "group")
    # `--tasks` is checked without the index, by the names as they are spelt in the files.
    ours_alone = {name for name in whole if str(whole[name]["yaml_path"]).startswith(str(index.task_dir()))}
    out["unspelt"] = sorted({*whole} - ours_alone - names.in_folder(Path(theirs)))
    out["unknown"] = tasks.TaskManager().match_tasks(["tempvs_nosuch"])
    print("RESULT" + json.dumps(out))
"""


@pytest.fixture(scope="module")
def indexed(warm_python):
    done = subprocess.run(
        [warm_python, "-c", textwrap.dedent(SCRIPT)],
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "RESULT" in done.stdout, done.stderr[-3000:]
    return json.loads(done.stdout.partition("RESULT")[2])


@pytest.mark.harness
def test_our_tasks_need_no_file_of_the_harness(indexed):
    assert indexed["ours"] == [0, 0]
    assert indexed["members"] == ["tempvs_mt2_caption_mini", "tempvs_mt2_event_mini"]


@pytest.mark.harness
def test_every_file_of_the_harness_is_read_once(indexed):
    """A file that others include is not counted again: only a second index would read one twice."""
    assert indexed["mixed_reads"][0] > 1000
    assert indexed["again"] == indexed["pattern_reads"] == [0, 0]


@pytest.mark.harness
def test_names_are_resolved_as_ever(indexed):
    assert indexed["mixed"] == ["mmmu_val", "tempvs_mt1_two_mini"]
    assert indexed["pattern"] == ["rextime_mini", "tempvs_mt2_event_mini"]
    assert indexed["unknown"] == []


@pytest.mark.harness
def test_the_index_is_the_harness_s_own(indexed):
    assert indexed["entries"]
    assert indexed["whole"]
    assert indexed["lists"]
    assert indexed["names"] > 1000
    assert indexed["unspelt"] == []


COUNT = """
    from lmms_eval.tasks import TaskManager
    made, scans = [], []
    init, scan = TaskManager.__init__, TaskManager._get_task_and_group
    def noted(self, *args, **kwargs):
        made.append(1)
        return init(self, *args, **kwargs)
    def counted(self, folder):
        found = scan(self, folder)
        scans.append("lmms_eval" in str(folder))
        return found
    TaskManager.__init__, TaskManager._get_task_and_group = noted, counted
    from tempbench_lmms.cli import main
    try:
        main.main()
    finally:
        print("COUNTS", len(made), sum(scans))
"""


@pytest.mark.harness
@pytest.mark.parametrize(("tasks", "scans"), [(TASK, 0), (f"{TASK},tempvs_mt3_caption_m*i", 1)])
def test_a_run_builds_one_index(tasks, scans, tmp_path, warm_python):
    done = subprocess.run(
        [
            *(warm_python, "-c", textwrap.dedent(COUNT), "run", "--model", "tempbench_oracle"),
            *("--tasks", tasks, "--output", str(tmp_path / "out"), "--no-report", "--", "--limit", "2"),
        ],
        env=os.environ | {"TEMPBENCH_DATA": str(tmp_path / "none")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert f"COUNTS 1 {scans}" in done.stdout, done.stderr[-2000:]
    assert done.returncode == 0, done.stderr[-2000:]


IMPORTED = """
    import atexit, runpy, sys
    atexit.register(lambda: print(*sorted(name for name in sys.modules if name.startswith("lmms_eval"))))
    del sys.argv[0]
    runpy.run_path(sys.argv[0], run_name="__main__")
"""


@pytest.mark.harness
def test_missing_data_is_told_before_any_index(tmp_path, warm_python):
    script = Path(sys.executable).with_name("lmms-eval")
    done = subprocess.run(
        [
            *(warm_python, "-c", textwrap.dedent(IMPORTED), str(script)),
            *("--model", "tempbench_oracle", "--tasks", "tempvs"),
        ],
        env=os.environ | {"TEMPBENCH_DATA": str(tmp_path / "none"), warm.FORGET: "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "tempbench prepare tempvs" in done.stderr.splitlines()[-1]
    imported = done.stdout.splitlines()[-1].split()
    assert "lmms_eval.models.registry_v2" in imported
    assert "lmms_eval.tasks" not in imported
