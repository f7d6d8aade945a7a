"""Tasks that shared code makes of others: options in every order."""

import functools
import math
from collections import Counter
from unittest import mock

import datasets
import pytest

from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness import derived_hooks as rotated
from tempbench_lmms.harness import variants
from tempbench_lmms.harness.tasks import kwargs_of, load_task, task_files
from tempbench_lmms.harness.variants import base_of
from tests.bundled import MADE, asking, covering, docs, scoring

IN_EVERY_ORDER = MADE
MEDIA = ("video", "images", "n_frames")


def told(name, reply):
    """Returns what a task's scoring says of each question where it gets `reply(doc)`."""
    process = load_task(name)["process_results"]
    return [process(doc, [reply(doc)]) for doc in docs(name)]


@functools.cache
def told_right(name):
    return told(name, lambda doc: doc["target"])


def metrics(name, out):
    """Returns a task's metrics of what its scoring says of some questions."""
    return {
        entry["metric"]: entry["aggregation"]([one[entry["metric"]] for one in out])
        for entry in load_task(name)["metric_list"]
    }


@functools.cache
def _asking(name):
    config = load_task(name)
    kwargs = {**(kwargs_of(config) or {})}
    # The times of frames are not asked for: they would be decoded.
    kwargs |= (
        {"media": "video"} if kwargs.get("media") == "frames" and kwargs.get("style") != "official" else {}
    )
    return config["doc_to_text"], kwargs


def text(name, doc):
    doc_to_text, kwargs = _asking(name)
    return doc_to_text(doc, {**kwargs})


def test_there_are_some():
    assert IN_EVERY_ORDER
    assert {name.removesuffix("_mini") for name in MADE} <= set(task_files())


@pytest.mark.parametrize("name", covering(scoring, IN_EVERY_ORDER))
def test_known_scores(name):
    right = metrics(name, told_right(name))
    assert (right["circular_accuracy"], right["accuracy"], right["position_bias"]) == (1, 1, 0)
    assert (right["n_cut"], right["parse_rate"]) == (0, 1)
    assert right["n_circular"] == len({doc["rotation_of"] for doc in docs(name)})
    assert all(value is not None for value in right.values())
    assert set(right["details"]) == {"answers", "right_answers", "recall", "readings", "run"}

    first = metrics(name, told(name, lambda doc: doc["choices"][0]))
    n = max(len(doc["rotation_labels"]) for doc in docs(name))
    assert first["circular_accuracy"] == 0
    assert first["position_bias"] == pytest.approx(math.sqrt(n - 1) / n)
    assert first["details"]["answers"] == {"A": 1}

    nothing = metrics(name, told(name, lambda doc: ""))
    assert (nothing["circular_accuracy"], nothing["accuracy"], nothing["parse_rate"]) == (0, 0, 0)


@pytest.mark.parametrize("name", covering(asking, IN_EVERY_ORDER))
def test_every_order_once_and_nothing_else_differs(name):
    base = {doc["question_id"]: doc for doc in docs(base_of(name))}
    groups = {}
    for doc in docs(name):
        groups.setdefault(doc["rotation_of"], []).append(doc)
    assert list(groups) == [name for name in base if name in groups]  # in the order of the first task
    for name_of, own in groups.items():
        first = base[name_of]
        assert [doc["question_id"] for doc in own] == [f"{name_of}#r{by}" for by in range(len(own))]
        asked = [text(name, doc) for doc in own]
        # What is asked first is what the first task asks.
        assert asked[0] == text(base_of(name), first)
        assert {key: own[0][key] for key in ("answer", "target", "choices")} == {
            key: first[key] for key in ("answer", "target", "choices")
        }
        assert len({*asked}) == len(own)
        # The right one is right by its text, and stands once in every place.
        places = [doc["rotation_labels"].index(doc["answer"]) for doc in own]
        assert sorted(places) == list(range(len(own)))
        assert len({doc["rotation_texts"][place] for doc, place in zip(own, places, strict=True)}) == 1
        for doc, prompt in zip(own, asked, strict=True):
            assert {key: doc[key] for key in MEDIA if key in doc} == {
                key: first[key] for key in MEDIA if key in first
            }
            assert Counter(doc["rotation_texts"]) == Counter(own[0]["rotation_texts"])
            places = [prompt.rfind(one) for one in doc["rotation_texts"]]
            assert -1 not in places, doc["question_id"]


@pytest.mark.parametrize("name", covering(scoring, IN_EVERY_ORDER))
def test_a_question_cut_off_is_left_out_and_counted(name):
    rows = told_right(name)[:-1]
    found = metrics(name, rows)
    whole = len({doc["rotation_of"] for doc in docs(name)})
    assert (found["circular_accuracy"], found["n_circular"], found["n_cut"]) == (1, whole - 1, 1)
    assert found["n_questions"] == len(rows)


def test_a_group_has_the_members_of_its_base():
    for name in task_files():
        config, made = load_task(name), base_of(name)
        if "group" in config and made:
            stems = {base_of(member) for member in config["task"]}
            assert stems == set(load_task(made)["task"])


def test_a_table_that_names_no_task_is_refused():
    own = {"include": "_default.yaml"}
    for tasks, problem in (
        ({}, "no such task"),
        (dict.fromkeys(("b", "b_rotated"), own), "already exists"),
    ):
        with pytest.raises(TempbenchError, match=problem):
            variants.derived_of("b", {"multiple_choice": {"of": ["b"]}}, tasks, {})


def test_questions_without_options_are_no_rows_and_are_counted(caplog):
    alone = {"question_id": "1", "options": ["alone"], "answer": "A", "target": "A"}
    assert rotated.rotations(alone) == []
    rotated._warn.cache_clear()
    with mock.patch.object(rotated, "multiple_choice", return_value={}):
        made = rotated._rotated_docs("some_name", "")
    rows = datasets.Dataset.from_list([alone, alone | {"question_id": "2", "options": ["a", "b"]}])
    assert len(made(rows)) == len(made(rows)) == 2
    assert [one.getMessage().partition(" left")[0] for one in caplog.records] == [
        "some_name: 1 of 2 questions"
    ]
