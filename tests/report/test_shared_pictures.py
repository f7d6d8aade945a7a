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


def test_what_shows_the_same_is_drawn_once_and_damage_is_told_each_time(monkeypatch):
    found, drawn = visuals("tempvs_mini"), []
    some = [*enumerate(docs("tempvs_mini"))][:60]
    monkeypatch.setattr(found, "_drawn", lambda doc: drawn.append(doc["images"]) or ([], ""))
    shown(found, some)
    assert [*map(tuple, drawn)] == [*dict.fromkeys(tuple(doc["images"]) for _, doc in some)]
    assert len(drawn) < len(some)

    def damaged(doc):
        raise TempbenchError("the image is damaged")

    found = visuals("tempvs_mini")
    monkeypatch.setattr(found, "_drawn", damaged)
    assert shown(found, some[:2]) == [([], "no pictures: the image is damaged")] * 2


@pytest.mark.parametrize(
    ("look", "read"),
    [
        (lambda doc: {**doc}, "ab"),
        (lambda doc: doc | {"more": 1}, "ab"),
        (lambda doc: [*doc.values()], "ab"),
        (copy.deepcopy, "ab"),
        (lambda doc: doc == {}, "ab"),
        (lambda doc: (doc["a"], doc.get("c")), "ac"),
        (lambda doc: "b" in doc, "b"),
        (lambda doc: doc.pop("b", 0), "b"),
        (lambda doc: doc.setdefault("c", 0), "c"),
    ],
)
def test_the_fields_that_are_looked_at_are_noted(look, read):
    doc = questions._Noted({"a": 1, "b": 2})
    look(doc)
    assert doc.read == set(read)
