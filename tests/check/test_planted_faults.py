"""Every fault that is planted is found and named, watched and by replies alone; and none where none is."""

import itertools

import pytest

from tempbench_lmms.check.faults import FAULTS
from tests.check import planted
from tests.each import sample

SMALL = {"frames repeated", "unreadable images", "frames shrunk", "blank images", "blank frames"}
# What follows from a fault of its own.
FOLLOWS = {
    "sampling": {"another reply"},
    "images of another question": {"batch leaks", "frames of another question"},
    "times of another video": {"batch leaks", "wrong times"},
    "images shrunk": {"frames shrunk"},
    "frames reversed": {"wrong times"},
    "echo of the question": {"max_new_tokens ignored"},
    **{name: {"frames dropped"} for name in ("few frames", "part of a video", "frames unevenly spread")},
    "frames repeated": {"frames dropped"},
    # Of frames that are small in tests less is left.
    **dict.fromkeys(("cropped", "bordered"), SMALL),
}


def allowed(*names):
    return set(names).union(*(FOLLOWS.get(name, ()) for name in names))


# What a seed changes is which cards are drawn.
@pytest.mark.parametrize(
    "seed",
    [0, *(pytest.param(seed, marks=[pytest.mark.slow, pytest.mark.exhaustive]) for seed in range(1, 8))],
)
def test_no_false_alarm(check, seed):
    found = check(seed=seed)
    assert planted.found(found) == set()
    assert {verdict.state for verdict in found.verdicts} == {"passed"}
    assert found.state == "passed"


# A reply that is kept shows in small questions of the same text: test_questions_from_outside.py.
@pytest.mark.parametrize("name", sorted({*planted.FAULTS} - {"reply of an earlier question with its text"}))
def test_a_fault_is_named(check, name):
    plant = planted.PLANTS.get(name)
    found = check([planted.FAULTS[name]], of_replies=[plant.of_replies] if plant else ())
    assert found.state == "failed"
    assert name in planted.found(found) <= allowed(name)
    for verdict in found.verdicts:
        if verdict.faults:
            assert "given" in verdict.text
            assert "arrived" in verdict.text
            assert verdict.hint


def test_every_fault_has_a_line_and_says_what_to_change():
    for name, (line, change) in FAULTS.items():
        assert planted.LINES[line], name
        assert change, name


# Faults of different things, of which none leaves nothing of the other.
PAIRED = [
    *("images reversed", "images dropped", "channels swapped", "part of a video", "wrong times"),
    *("prompt cut", "system prompt added", "max_new_tokens ignored", "frames reversed"),
]
PAIRS = [*itertools.combinations(PAIRED, 2)]


@pytest.mark.slow
@pytest.mark.parametrize("pair", sample(PAIRS, lambda pair: pair), ids=" and ".join)
def test_both_faults_of_a_pair_are_named(check, pair):
    found = planted.found(check([planted.FAULTS[name] for name in pair]))
    assert set(pair) <= found <= allowed(*pair)
