"""Documents come out the same with and without Arrow."""

import pytest

from tempbench_lmms.data import tables
from tempbench_lmms.data.documents import Documents
from tempbench_lmms.harness import tasks
from tests.bundled import MADE, MINI
from tests.each import for_each

# One task of each function that chooses documents.
OF_A_CHOICE = {
    (config["process_docs"], tasks.root_of(config)): name
    for name in (*MINI, *MADE)
    if "process_docs" in (config := tasks.load_task(name))
}.values()


@pytest.mark.slow
def test_every_choice_of_documents_is_that_of_datasets():
    import datasets

    datasets.disable_progress_bars()

    def check(name):
        config = tasks.load_task(name)
        rows = tables.read_rows(tasks._folder(config))
        expected = list(config["process_docs"](datasets.Dataset.from_list(rows)))
        found = tasks.docs_of(config)
        assert found == expected
        assert [[*one] for one in found] == [[*one] for one in expected]
        assert rows == tables.read_rows(tasks._folder(config))

    for_each(OF_A_CHOICE, check)


def test_what_is_not_here_is_asked_of_datasets():
    """A user's own `process_docs` may call whatever a data set of the harness has."""
    found = Documents([{"a": 1}, {"a": 2}])
    assert [row["a"] for row in found.map(lambda row: {"a": row["a"] + 1})] == [2, 3]
    assert found[:1] == {"a": [1]}
    assert found.filter(lambda row: row["a"] > 1)[0] == {"a": 2}


def test_nobody_changes_the_rows():
    rows = [{"a": 1}]
    found = Documents(rows)
    next(iter(found))["a"] = found[0]["a"] = 5
    assert found.add_column("b", [2]).remove_columns(["a"])[0] == {"b": 2}
    assert (rows, found["a"]) == ([{"a": 1}], [1])
