"""Documents come out the same with and without Arrow."""

import functools
import re

import numpy as np
import pytest

from tempbench_lmms.data import tables
from tempbench_lmms.data.documents import Documents
from tempbench_lmms.harness import tasks
from tests.bundled import MADE, MINI
from tests.each import sample

# One task of each function that chooses documents.
OF_A_CHOICE = {
    (config["process_docs"], tasks.root_of(config)): name
    for name in (*MINI, *MADE)
    if "process_docs" in (config := tasks.load_task(name))
}.values()


def _class(name):
    """What chooses a task's documents, whatever the number of frames: shared code where one is made of it."""
    made = re.search("rotated|paraphrase", name)
    return f"{name.partition('_')[0]} {made[0]}" if made else re.sub(r"\d", "", name)


@functools.cache
def _as_data_set(folder):
    import datasets

    return datasets.Dataset.from_list(tables.read_rows(folder))


@pytest.mark.slow
@pytest.mark.parametrize("name", sample(OF_A_CHOICE, lambda name: [_class(name)]))
def test_every_choice_of_documents_is_that_of_datasets(name, monkeypatch):
    import datasets

    datasets.disable_progress_bars()
    # What a data set is told apart by in a cache, which is not asked here; to find it takes most of the time.
    monkeypatch.setattr(datasets.arrow_dataset, "generate_fingerprint", lambda data, *_: f"{id(data)}")
    config = tasks.load_task(name)
    rows = tables.read_rows(tasks._folder(config))
    expected = list(config["process_docs"](_as_data_set(tasks._folder(config))))
    found = tasks.docs_of(config)
    assert found == expected
    assert [[*one] for one in found] == [[*one] for one in expected]
    assert rows == tables.read_rows(tasks._folder(config))


def test_what_is_not_here_is_asked_of_datasets():
    """A user's own `process_docs` may call whatever a data set of the harness has."""
    found = Documents([{"a": 1}, {"a": 2}])
    assert [row["a"] for row in found.map(lambda row: {"a": row["a"] + 1})] == [2, 3]
    assert found[:1] == {"a": [1]}
    assert found.filter(lambda row: row["a"] > 1)[0] == {"a": 2}


@pytest.mark.slow
@pytest.mark.parametrize(
    "choice",
    [
        lambda data: data.remove_columns("video_id"),
        lambda data: data.remove_columns(column_names=["id"]),
        lambda data: data.filter(lambda video: video == 1, input_columns="video"),
        lambda data: data.filter(lambda row, number: number == 1, with_indices=True),
        lambda data: data.filter(lambda row: row["video"] == 2, num_proc=1),
        lambda data: data.filter(function=lambda row: row["video"] == 2),
        lambda data: data.filter(lambda row: False),
        lambda data: data.select([]).add_column("new", []),
        lambda data: data.select([]).remove_columns("id").map(dict),
        lambda data: data.select(indices=[1], keep_in_memory=True),
        lambda data: data.add_column("new", np.array([1, 2])),
    ],
)
def test_a_users_own_choice_is_that_of_datasets(choice):
    import datasets

    rows = [{"video": 1, "id": 2, "video_id": 3}, {"video": 2, "id": 4, "video_id": 6}]
    expected, found = choice(datasets.Dataset.from_list(rows)), choice(Documents.from_list(rows))
    assert found.column_names == expected.column_names
    assert repr([*found]) == repr([*expected])


@pytest.mark.slow
@pytest.mark.parametrize(
    "choice",
    [
        lambda data: data.remove_columns("b"),
        lambda data: data.filter(lambda b: True, input_columns="b"),
        lambda data: data.add_column("a", [1]),
        lambda data: data.add_column("b", [1, 2]),
    ],
)
def test_a_column_that_is_not_there_or_is_twice_is_an_error(choice):
    with pytest.raises(ValueError, match=r"column|axis"):
        choice(Documents([{"a": 1}]))


def test_nobody_changes_the_rows():
    rows = [{"a": 1}]
    found = Documents(rows)
    next(iter(found))["a"] = found[0]["a"] = 5
    assert found.add_column("b", [2]).remove_columns(["a"])[0] == {"b": 2}
    assert (rows, found["a"]) == ([{"a": 1}], [1])
