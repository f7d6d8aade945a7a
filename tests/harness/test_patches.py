"""What is changed in the harness, and why it still has to be."""

import functools
import re
import subprocess
import sys
import textwrap
import types
from pathlib import Path

import pytest

from tempbench_lmms.harness import catalog, patches, plugin
from tempbench_lmms.harness.patches import headlines
from tempbench_lmms.harness.tasks import task_files
from tempbench_lmms.harness.variants import task_dir

TASK = "mateo_both_cot_mini"


def harness_folder() -> Path:
    import importlib.util

    return Path(importlib.util.find_spec("lmms_eval").origin).parent


@pytest.mark.parametrize(
    "patch", [*patches.PATCHES, *patches.RUN_PATCHES], ids=lambda patch: patch[-3].__name__
)
def test_the_harness_still_needs_it(patch):
    """If this fails, the harness has changed there: does it still lack what the patch brings?"""
    text = (harness_folder() / patch.file).read_text(encoding="utf-8")
    assert patch.upstream in text


def test_the_harness_has_no_extension_point_for_tasks():
    found = [path for path in harness_folder().glob("tasks/*.py") if "entry_points" in path.read_text()]
    assert not found, "an entry point for tasks would make `find_tasks` needless"


def test_an_openai_runner_still_leaves_its_client_without_its_time_limit():
    text = (harness_folder() / "models" / "simple" / "openai.py").read_text(encoding="utf-8")
    made = text[text.index("OpenAI(api_key") :].partition("\n")[0]
    assert "timeout" not in made, "`mend_client` may be needless"


def test_the_private_parts_that_our_cache_uses_are_there():
    theirs, ours = (
        {*re.findall(r"(?:self\.|def )(_[a-z]\w+)", file.read_text(encoding="utf-8"))}
        for file in (
            harness_folder() / "caching" / "response_cache.py",
            Path(patches.__file__).with_name("cache.py"),
        )
    )
    own = {"_answers", "_decided", "_has_answers", "_keys", "_media", "_rows", "_shown", "_shown_of_others"}
    assert ours - own - {"_until_decided"} <= theirs


def test_each_change_is_made_once():
    module = types.ModuleType("lmms_eval.protocol")
    module.encode_image_to_base64 = lambda image, cache=None: cache
    patches.encode_every_picture(module)
    once = module.encode_image_to_base64
    patches.encode_every_picture(module)
    assert module.encode_image_to_base64 is once
    assert once(object(), cache={"a": 1}) is None
    assert once("a path", cache={"a": 1}) == {"a": 1}


def test_a_function_that_the_harness_decorates_is_changed_and_a_missing_one_is_told(monkeypatch):
    warnings: list[str] = []
    monkeypatch.setattr(patches, "warn", warnings.append)
    tracker = types.ModuleType("lmms_eval.loggers.evaluation_tracker")
    tracker.EvaluationTracker = type("EvaluationTracker", (), {})
    tracker.GeneralConfigTracker = type(
        "GeneralConfigTracker",
        (),
        {"log_experiment_args": functools.wraps(print)(lambda self, source, arguments: arguments)},
    )
    patches.write_no_secrets(tracker)
    shown = tracker.GeneralConfigTracker().log_experiment_args(
        "openai", "model=m,api_key=sk-1234567890abcdef"
    )
    assert shown.startswith("model=m,api_key=")
    assert "1234567890" not in shown
    assert "EvaluationTracker has no save_results_aggregated" in warnings[0]


@pytest.mark.parametrize("kind", ["no parameter", "no class"])
def test_a_harness_that_is_built_differently_is_left_alone(kind, monkeypatch):
    class TaskManager:
        def __init__(self, verbosity="INFO"): ...

    warnings: list[str] = []
    monkeypatch.setattr(plugin, "warn", warnings.append)
    module = types.ModuleType("lmms_eval.tasks")
    if kind == "no parameter":
        module.TaskManager = TaskManager
    before = TaskManager.__init__
    plugin._change(module)
    assert TaskManager.__init__ is before
    assert "tempbench path" in warnings[0]


def manager_of(paths):
    """Returns a class like the harness's manager of tasks, which notes where it looks."""

    class TaskManager:
        def __init__(self, verbosity="INFO", include_path=None, include_defaults=True):
            self.looked = include_path
            self.task_index = paths

        def match_tasks(self, task_list):
            return task_list

    return TaskManager


def test_every_manager_looks_into_our_folder(monkeypatch):
    warnings: list[str] = []
    monkeypatch.setattr(patches, "warn", warnings.append)
    ours = str(task_dir())
    index = {
        "tempvs_mini": {"yaml_path": f"{ours}/tempvs/tempvs_mini.yaml"},
        "tempvs": {"yaml_path": "x.yaml"},
    }
    module = types.ModuleType("lmms_eval.tasks")
    module.TaskManager = manager_of(index)
    patches.find_tasks(module)
    assert module.TaskManager().looked == [ours]
    assert module.TaskManager("INFO", "theirs").looked == ["theirs", ours]
    assert module.TaskManager(include_path=["a", ours]).looked == ["a", ours]
    assert module.TaskManager(include_defaults=False).looked is None
    assert len(warnings) == 3
    assert "under our names tempvs;" in warnings[0]


def test_it_stops_before_a_model_is_loaded_where_data_is_missing(monkeypatch, tmp_path):
    monkeypatch.setenv("TEMPBENCH_DATA", str(tmp_path))
    module = types.ModuleType("lmms_eval.tasks")
    module.TaskManager = manager_of({})
    patches.check_data_first(module)
    assert module.TaskManager().match_tasks(["mmmu", "tempvs_mini"]) == ["mmmu", "tempvs_mini"]
    with pytest.raises(SystemExit, match="tempbench prepare tempvs"):
        module.TaskManager().match_tasks(["tempvs"])


def test_the_harness_has_none_of_our_names():
    assert plugin.shadowed_names() == []
    assert not task_files().keys() & catalog.in_folder(harness_folder() / "tasks")


def test_the_import_of_the_entry_point_imports_nothing_heavy_and_reads_no_command_line(tmp_path):
    code = """
        import sys
        sys.argv = ["lmms-eval", "--tasks", "tempvs", "--model_args", "api_key=x"]
        from tempbench_lmms.harness import plugin
        found = plugin.register()
        assert len(found) == 7, found
        assert not {"torch", "datasets", "lmms_eval.tasks"} & set(sys.modules)
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=True, cwd=tmp_path)


def results():
    values = {"alias": TASK, "samples": 4, "accuracy,none": 0.5, "accuracy_stderr,none": 0.1}
    values |= {"n_pairs,none": 2, "n_cut,none": 0, "other_rate,none": 0.25, "details,none": {"a": 1}}
    own = {"accuracy": True, "n_pairs": True, "n_cut": False, "other_rate": False}
    return {
        "results": {TASK: values, "mme": {"score,none": 3.0, "samples": 9}},
        "higher_is_better": {TASK: own, "mme": {"score": True}},
    }


def test_headlines_of_our_tasks_alone():
    given = results()
    shown, notes = headlines(given)
    assert given == results()
    assert list(shown["results"][TASK]) == ["alias", "accuracy,none", "accuracy_stderr,none", "n_pairs,none"]
    assert shown["results"]["mme"] == given["results"]["mme"]
    # A count has no direction.
    assert shown["higher_is_better"][TASK]["accuracy"] is True
    assert shown["higher_is_better"][TASK]["n_pairs"] is None
    assert notes == [f"{TASK}: 2 of 4 metrics; the results file (--output_path) has all"]


def test_the_harness_prints_them(monkeypatch):
    warnings: list[str] = []
    monkeypatch.setattr(patches, "warn", warnings.append)
    module = types.ModuleType("lmms_eval.utils")
    module.make_table = lambda result_dict, column="results": (
        f"{column} {sorted(result_dict.get(column, ()))}"
    )
    patches.print_headlines(module)
    assert module.make_table(results()).count("2 of 4 metrics") == 1
    assert module.make_table(results() | {"groups": {}}, "groups") == "groups []"
    assert module.make_table({}) == "results []"  # what cannot be shortened is printed whole
    assert "all metrics are printed" in warnings[0]
