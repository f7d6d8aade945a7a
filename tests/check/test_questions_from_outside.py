"""What can be told of a model that is far away: by its replies alone."""

import pytest

from tests.check import planted


@pytest.fixture(scope="module")
def sound(check):
    return check(shows=False, with_questions=True)


def states(found):
    return {verdict.line: verdict.state for verdict in found.verdicts}


def test_who_sees_passes_and_what_is_inside_stays_unseen(sound):
    assert sound.state == "passed"
    assert {state for line, state in states(sound).items() if line in planted.KINDS} == {"passed"}
    assert states(sound)["order"] == "cannot be seen from here"
    assert {verdict.text for verdict in sound.verdicts if verdict.line == "order"} == {"far away"}


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("images reversed", {"colour of image k", "first image", "last image", "before"}),
        ("images swapped", {"last image"}),
        ("blank images", {"colour of image k", "first image", "which image shows the circle", "before"}),
        ("no times", {"second of the circle"}),
        ("wrong times", {"second of the circle"}),
        ("part of a video", {"ends of a video"}),
        ("video as one frame", {"ends of a video", "second of the circle"}),
    ],
)
def test_a_fault_shows_in_what_is_answered(check, name, kinds):
    found = states(check([planted.FAULTS[name]], shows=False, with_questions=True))
    assert {kind for kind in kinds if found[kind] == "failed"} == kinds


def test_a_reply_that_is_too_long_or_drawn_is_seen_from_outside(check):
    assert "another reply" in planted.found(check([planted.FAULTS["sampling"]], shows=False))
