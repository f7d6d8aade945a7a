"""The tasks' YAMLs that are made from the tables of tasks."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness import variants

PARTS = {
    "_default.yaml": {
        "test_split": "test",
        "lmms_eval_specific_kwargs": {"default": {"style": "direct", "images": "strip"}},
        "generation_kwargs": {"max_new_tokens": 8, "until": []},
    },
    "_test.yaml": {"include": "_default.yaml", "process_results": "hooks.scored"},
    "_rotated.yaml": {"process_docs": "hooks.rotated"},
}
TABLE = {
    "tasks": {
        "b_one": {"include": "_test.yaml", "table": "one"},
        "b_two": {"include": "_test.yaml", "table": "two"},
    },
    "variants": {
        "cot": {"of": ["b_one"], "kwargs": {"style": "cot"}, "generation_kwargs": {"max_new_tokens": 99}},
        "rotated": {"of": ["b_one", "b_two", "b"], "include": "_rotated.yaml", "kwargs": {"turn": 1}},
    },
    "groups": {"b": {"task": ["b_one", "b_two"], "metadata": {"version": 1}}},
}


def tasks(**changes):
    return variants.tasks_of("b", TABLE | changes, PARTS)


def test_names():
    plain = ["b_one", "b_two", "b", "b_one_cot", "b_one_rotated", "b_two_rotated", "b_rotated"]
    assert sorted(tasks()) == sorted([*plain, *(f"{name}_mini" for name in plain)])


def test_a_task_and_its_twin():
    made = tasks()
    assert made["b_one"] == {
        "include": "_test.yaml",
        "task": "b_one",
        "dataset_kwargs": {"data_files": {"test": "tempbench://b/one/*.parquet"}},
    }
    assert made["b_one_mini"]["dataset_kwargs"] == {
        "data_files": {"test": "tempbench://b/mini/one/*.parquet"}
    }


def test_a_table_of_the_sample_alone():
    split = {"of": ["b_one"], "table": "one_validation", "table_mini": "one"}
    made = tasks(variants={"validation": split})
    files = {
        name: made[name]["dataset_kwargs"]["data_files"]["test"] for name in made if "validation" in name
    }
    assert files == {
        "b_one_validation": "tempbench://b/one_validation/*.parquet",
        "b_one_validation_mini": "tempbench://b/mini/one/*.parquet",
    }


def test_a_variant_is_one_entry_and_replaces_its_own_keys_alone():
    made = tasks()
    assert made["b_one_cot"]["lmms_eval_specific_kwargs"] == {"default": {"style": "cot", "images": "strip"}}
    assert made["b_one_cot"]["generation_kwargs"] == {"max_new_tokens": 99, "until": []}
    # A part with a tag, which the leaf itself must not have, comes before the task's own.
    assert made["b_two_rotated"]["include"] == ["_rotated.yaml", "_test.yaml"]
    whole = variants.resolved(made["b_two_rotated"], PARTS)
    assert (whole["process_docs"], whole["process_results"]) == ("hooks.rotated", "hooks.scored")
    assert made["b_rotated_mini"]["task"] == ["b_one_rotated_mini", "b_two_rotated_mini"]


def test_wrong_tables_are_named():
    with pytest.raises(TempbenchError, match="b_one_cot is defined twice"):
        tasks(tasks=TABLE["tasks"] | {"b_one_cot": TABLE["tasks"]["b_one"]})
    with pytest.raises(TempbenchError, match="variant cot belongs to b_none"):
        tasks(variants={"cot": {"of": ["b_none"]}})
    with pytest.raises(TempbenchError, match="b has no task b_none"):
        tasks(groups={"b": {"task": ["b_none"]}}, variants={})


@pytest.mark.slow
def test_files_are_plain_yaml_and_bear_their_name():
    for name, text in variants.made().items():
        if not Path(name).name.startswith("_"):
            config = yaml.safe_load(text)
            assert config.get("group", config["task"]) == Path(name).stem


def test_written_whole_and_once(tmp_path):
    folder = variants.write(tmp_path / "home" / "1-0", {"a/x.yaml": "task: x\n"})
    assert variants.write(folder, {"a/x.yaml": "task: y\n"}) == folder
    assert (folder / "a/x.yaml").read_text() == "task: x\n"
    assert [path.name for path in folder.parent.iterdir()] == ["1-0"]


CODE = "from tempbench_lmms.harness.variants import task_dir; print(task_dir())"


def start(environment):
    return subprocess.Popen(
        [sys.executable, "-c", CODE], env=os.environ | environment, stdout=subprocess.PIPE, text=True
    )


@pytest.mark.slow
def test_processes_that_start_at_once_agree(tmp_path):
    started = [start({"HF_HOME": str(tmp_path)}) for _ in range(4)]
    (folder,) = {process.communicate()[0].strip() for process in started}
    assert {path.relative_to(folder).as_posix() for path in Path(folder).rglob("*.yaml")} == {
        *variants.made()
    }
    assert [path.name for path in Path(folder).parent.iterdir()] == [Path(folder).name]


@pytest.mark.slow
def test_a_cache_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    (tmp_path / "tmp").mkdir()
    environment = {"HF_HOME": str(tmp_path / "file"), "TMPDIR": str(tmp_path / "tmp")}
    folder = Path(start(environment).communicate()[0].strip())
    assert folder.is_relative_to(tmp_path / "tmp")
    assert not folder.exists()  # it ended with its process
