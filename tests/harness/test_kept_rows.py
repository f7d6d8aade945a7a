"""Rows that are kept: the same documents and logs as those that are read from Arrow each time."""

import copy
import datetime
import json
import subprocess
import textwrap

import pytest

from tempbench_lmms.data import tables
from tempbench_lmms.harness import kept_rows, tasks
from tempbench_lmms.harness.kept_rows import KeptRows, kept
from tests.bundled import ONE_OF_EACH
from tests.each import for_each

ROWS = [
    {
        "id": str(i),
        "number": i,
        "time": i / 7,
        "none": None,
        "spans": [[float(i), 0.1]],
        "words": ["é", "\u2028"],
    }
    for i in range(5)
]


@pytest.fixture
def pair(monkeypatch):
    """A data set, and the same with its rows kept, two read at once."""
    import datasets

    monkeypatch.setattr(kept_rows, "_AT_ONCE", 2)
    dataset = datasets.Dataset.from_list(ROWS)
    return dataset, kept(dataset)


@pytest.mark.slow
def test_every_table_of_the_sample_comes_out_the_same():
    import datasets

    datasets.disable_progress_bars()

    def check(name):
        config = tasks.load_task(name)
        dataset = datasets.Dataset.from_list(tables.read_rows(tasks._folder(config))[:50])
        if process := config.get("process_docs"):
            dataset = process(dataset)
        found = kept(dataset)
        assert type(found) is KeptRows
        assert json.dumps(list(found)) == json.dumps(list(dataset))
        assert json.dumps([found[i] for i in range(len(found))]) == json.dumps(list(dataset))

    for_each(sorted(ONE_OF_EACH), check)


def test_rows_slices_and_columns_are_those_of_the_data_set(pair):
    dataset, found = pair
    assert [found[i] for i in (4, 0, 3)] == [dataset[i] for i in (4, 0, 3)]
    assert list(found) == list(dataset) == ROWS
    assert [[*row] for row in found] == [[*row] for row in dataset]
    assert len(found) == len(dataset)
    assert found[-1] == dataset[-1]
    assert found[1:4] == dataset[1:4]
    assert found[[0, 2]] == dataset[[0, 2]]
    assert list(found["time"]) == list(dataset["time"])
    assert found.features == dataset.features
    assert list(found.select([3, 1]).remove_columns("none")) == list(
        dataset.select([3, 1]).remove_columns("none")
    )
    for key in (5, -6):
        with pytest.raises(IndexError):
            found[key]
    with pytest.raises(TypeError):
        found[True]


def test_a_row_that_is_changed_is_nobody_elses(pair):
    _, found = pair
    row = found[1]
    row["words"].append("more")
    row["spans"][0][0] = -1.0
    del row["number"]
    assert found[1] == ROWS[1]


def test_a_block_is_read_once(pair, monkeypatch):
    _, found = pair
    list(found)
    monkeypatch.setattr(found, "_dataset", None)
    assert list(found) == ROWS


def test_copies_hold_the_same_rows(pair):
    _, found = pair
    for other in (copy.deepcopy(found), copy.copy(found)):
        assert list(other) == ROWS


def test_rows_that_are_more_than_json_are_left_alone():
    import datasets

    picture = datasets.Features({"a": datasets.Value("string"), "b": datasets.Sequence(datasets.Image())})
    others = [
        datasets.Dataset.from_dict({"a": ["x"], "b": [[]]}, features=picture),
        datasets.Dataset.from_dict({"a": [datetime.datetime(2020, 1, 1)]}),
        datasets.Dataset.from_dict({"a": [{"b": [b"bytes"]}]}),
        datasets.Dataset.from_dict({"a": [1]}).with_format("numpy"),
        [{"a": 1}],
    ]
    for dataset in others:
        assert kept(dataset) is dataset
    assert type(kept(datasets.Dataset.from_dict({"a": [{"b": [1.5, None]}]}))) is KeptRows


SCRIPT = """
    import json
    from lmms_eval.evaluator import simple_evaluate
    from lmms_eval.tasks import TaskManager
    from tempbench_lmms.harness import kept_rows
    from tempbench_lmms.harness.respondents import chat

    TASKS = ["rextime_mini", "rextime_rotated_mini", "nextgqa_lite_mini", "tempcompass_pairs_mini"]
    manager, keep, out = TaskManager(), kept_rows.kept, []
    for kept in (keep, lambda dataset: dataset):
        kept_rows.kept = kept
        lm = chat.Constant(media=True)
        found = simple_evaluate(model=lm, tasks=TASKS, limit=9, task_manager=manager, log_samples=True)
        of = [type(one).__name__ for splits in lm.task_dict.values() for one in splits.values()]
        out.append([of, *(json.dumps(found[key], default=str) for key in ("samples", "results"))])
    print("RESULT" + json.dumps(out))
"""


@pytest.mark.harness
def test_documents_and_hashes_in_the_log_are_the_same(tmp_path, warm_python):
    done = subprocess.run(
        [warm_python, "-c", textwrap.dedent(SCRIPT)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("RESULT")]
    assert lines, done.stderr[-3000:]
    (kinds, samples, results), (kinds_without, *without) = json.loads(lines[0].removeprefix("RESULT"))
    assert kinds == ["KeptRows"] * 4
    assert kinds_without == ["Dataset"] * 4
    assert samples.count('"doc_hash"') == 36
    assert [samples, results] == without
