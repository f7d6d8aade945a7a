"""Questions that show the same have pictures that are drawn once, and are the same as if each were drawn."""

import copy
from types import SimpleNamespace

import pytest

from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness.tasks import kwargs_of, load_task
from tempbench_lmms.report import questions
from tests.bundled import ONE_OF_EACH, docs
from tests.each import sample


def visuals(task):
    return questions._Visuals(SimpleNamespace(log=SimpleNamespace(task=task)))


def shown(found, docs_):
    return [found.of(number, str(doc["question_id"])) for number, doc in docs_]


def _shows(task):
    """The function that shows a question, and as what."""
    config = load_task(task)
    kwargs = kwargs_of(config) or {}
    return [(config["doc_to_visual"], kwargs.get("media"), kwargs.get("images"))]


@pytest.mark.slow
@pytest.mark.parametrize("task", sample(sorted(ONE_OF_EACH), _shows))
def test_pictures_are_those_of_each_question_alone(task):
    some = [*enumerate(docs(task))][:9]
    assert shown(visuals(task), some) == [shown(visuals(task), [one])[0] for one in some]


def test_what_shows_the_same_is_drawn_once(monkeypatch):
    task = "tempvs_mini"
    found = visuals(task)
    drawn = []
    monkeypatch.setattr(found, "_drawn", lambda doc: drawn.append(doc["images"]) or ([], ""))
    some = [*enumerate(docs(task))][:60]
    shown(found, some)
    assert [*map(tuple, drawn)] == [*dict.fromkeys(tuple(doc["images"]) for _, doc in some)]
    assert len(drawn) < len(some)


def test_a_picture_that_is_damaged_is_looked_at_for_each_question(monkeypatch):
    found = visuals("tempvs_mini")
    calls = []

    def damaged(doc):
        calls.append(doc)
        raise TempbenchError("the image is damaged")

    monkeypatch.setattr(found, "_drawn", damaged)
    some = [*enumerate(found.docs)][:2]
    assert shown(found, some) == [([], "no pictures: the image is damaged")] * 2
    assert len(calls) == 2


@pytest.mark.parametrize(
    "look",
    [
        lambda doc: {**doc},
        lambda doc: doc | {"more": 1},
        lambda doc: dict(doc),
        lambda doc: [*doc.values()],
        copy.deepcopy,
        lambda doc: doc.copy(),
        lambda doc: doc == {},
        lambda doc: doc != {},
    ],
)
def test_a_look_at_the_whole_document_reads_every_field(look):
    doc = questions._Noted({"a": 1, "b": 2})
    look(doc)
    assert doc.read == {"a", "b"}


def test_what_is_read_is_noted():
    doc = questions._Noted({"a": 1, "b": 2})
    assert (doc["a"], doc.get("c")) == (1, None)
    assert doc.read == {"a", "c"}


@pytest.mark.parametrize(
    "look", [lambda doc: "b" in doc, lambda doc: doc.pop("b", 0), lambda doc: doc.setdefault("b", 0)]
)
@pytest.mark.parametrize("document", [{"a": 1, "b": 2}, {"a": 1}])
def test_a_look_for_a_field_reads_it(look, document):
    doc = questions._Noted(document)
    look(doc)
    assert doc.read == {"b"}


def test_a_field_that_is_not_there_is_not_an_empty_one():
    assert questions._values({"a": None}, ["a"]) != questions._values({}, ["a"])
