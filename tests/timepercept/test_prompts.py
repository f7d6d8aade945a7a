import pytest

from tempbench_lmms.data.roots import mini_root
from tempbench_lmms.data.tables import read_rows
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.timepercept import hooks, prompts
from tempbench_lmms.timepercept.card import CONTROLS, TESTS


def first(test):
    return read_rows(mini_root("timepercept") / test / "test.parquet")[0]


@pytest.mark.parametrize("style", prompts.STYLES)
@pytest.mark.parametrize("test", [*TESTS, *CONTROLS])
def test_labels_stand_before_their_images(test, style):
    doc = first(test)
    parts = hooks.doc_to_messages(doc, {"style": style})[0]["content"]
    assert [part["type"] for part in parts] == ["text", "image"] * len(doc["images"]) + ["text"]
    assert [part["text"] for part in parts[:-1:2]] == [f"{label}: " for label in prompts.labels(doc)]
    assert ("Answer:" in parts[-1]["text"]) == (style == "cot")


@pytest.mark.parametrize(
    ("test", "words"),
    [
        ("isr", "the earliest first and the latest last"),
        ("ipr", "the shortest time first and the longest last"),
        ("sov", "Image 1 being the earliest and Image 5 the latest"),
    ],
)
def test_directions_are_stated(test, words):
    assert words in prompts.build(first(test))


def test_ice_shows_the_five_classes():
    text = prompts.build(first("ice"))
    for line in ("A. 1-30 days", "B. 31-90 days", "C. 91-365 days", "D. 366-730 days", "E. 731 days or more"):
        assert line in text.splitlines()


def test_dates_are_never_shown():
    for test in TESTS:
        doc = first(test)
        shown = str(hooks.doc_to_messages(doc, {"style": "cot"}))
        assert not any(date[:4] in shown for date in doc["dates"])


def test_unknown_style():
    with pytest.raises(TempbenchError, match="choose one of direct, cot"):
        prompts.build(first("tal"), "loud")
