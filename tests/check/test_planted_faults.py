"""Every fault that is planted is found and named, watched and by replies alone; and none where none is."""

from pathlib import Path

import pytest

from tempbench_lmms.check.faults import FAULTS, LINES, hint_of
from tempbench_lmms.runs import selftest
from tests.check import planted
from tests.each import sample

ROOT = Path(__file__).parents[2]
# What follows from a fault of its own.
FOLLOWS = {
    "sampling": {"another reply"},
    "images of another question": {"batch leaks", "frames of another question"},
    "images shrunk": {"frames shrunk"},
    "frames in another order": {"wrong times"},
    "text added": {"system prompt added"},
    "blank images": {"blank frames"},
    "echo of the question": {"max_new_tokens ignored"},
    **{name: {"frames dropped"} for name in ("few frames", "part of a video", "frames unevenly spread")},
    "frames repeated": {"frames dropped"},
    # Of a text without some of its signs or words the rest is not known.
    **{name: {"text added"} for name in ("text escaped", "digits lost", "signs lost")},
    # Of other parts of the text, and of frames that are small in tests, less is left.
    **{name: {*FAULTS} for name in ("words lost", "cropped", "covered")},
}
NOT_BY_REPLIES = {
    *("images joined", "images shrunk", "cropped", "bordered", "covered", "squashed", "blurred", "noisy"),
    *("text and images apart", "options cut", "text doubled", "system prompt added", "text added"),
    *("frames unevenly spread", "frames repeated", "sampling", "stop words added"),
}
BY_REPLIES = sorted({*selftest.PLANTED} - NOT_BY_REPLIES)


# What a seed changes is which cards are drawn.
@pytest.mark.parametrize(
    "seed",
    [0, *(pytest.param(seed, marks=[pytest.mark.slow, pytest.mark.exhaustive]) for seed in range(1, 8))],
)
@pytest.mark.parametrize("shows", [True, False])
def test_no_false_alarm(check, seed, shows):
    found = check(seed=seed, shows=shows, with_questions=True)
    assert planted.found(found) == set()
    assert found.state == ("passed" if shows else "not judged")


# A reply that is kept shows in small questions of the same text.
@pytest.mark.parametrize("name", [name for name in selftest.PLANTED if "earlier" not in name])
def test_a_fault_is_named(check, name):
    found = check(name)
    assert found.state == "failed"
    assert name in planted.found(found) <= {name, *FOLLOWS.get(name, ())}
    for verdict in found.verdicts:
        if verdict.faults:
            assert "given" in verdict.text
            assert "arrived" in verdict.text
            assert verdict.hint


@pytest.mark.slow
@pytest.mark.parametrize("name", sample(BY_REPLIES, str))
def test_a_fault_is_named_by_replies_alone(check, name):
    assert name in planted.found(check(name, shows=False, with_questions=True))


def test_every_fault_has_a_line_and_says_what_to_change():
    for name, line in FAULTS.items():
        assert LINES[line], name
        assert hint_of(name), name


def test_the_page_says_how_many_are_named():
    page = (ROOT / "docs/check_model.md").read_text(encoding="utf-8")
    assert f"injects {len(selftest.PLANTED)} faults" in page
    assert f"From replies alone, {len(BY_REPLIES)} are named" in " ".join(page.split())
