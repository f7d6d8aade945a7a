"""Every fault that is planted is found and named, alone and with any other; and none where none is."""

import itertools

import pytest

from tests.check import planted
from tests.each import sample

# What follows from a fault of its own: a reply that is drawn is another one, a leak changes what is shown.
FOLLOWS = {
    "sampling": {"another reply"},
    "batch leaks": {"images of another question"},
    "times of another video": {"batch leaks"},
}


def allowed(*names):
    return set(names).union(*(FOLLOWS.get(name, ()) for name in names))


# Every fault and every pair below is a check of its own; what a seed changes is which cards are drawn.
@pytest.mark.parametrize(
    "seed",
    [0, *(pytest.param(seed, marks=[pytest.mark.slow, pytest.mark.exhaustive]) for seed in range(1, 8))],
)
def test_no_false_alarm(check, seed):
    found = check(seed=seed)
    assert planted.found(found) == set()
    assert {verdict.state for verdict in found.verdicts} == {"passed"}
    assert found.state == "passed"


@pytest.mark.parametrize("name", planted.FAULTS)
def test_a_fault_is_named(check, name):
    found = check([planted.FAULTS[name]])
    assert found.state == "failed"
    assert name in planted.found(found) <= allowed(name)
    for verdict in found.verdicts:
        if verdict.faults:
            assert "given" in verdict.text
            assert "arrived" in verdict.text


PAIRS = [
    pair
    for pair in itertools.combinations(planted.FAULTS, 2)
    if not planted.hides(*pair) and not planted.hides(*pair[::-1])
]


def of(fault):
    """Returns of what a fault is."""
    if "image" in fault or fault == "batch leaks":
        return "pictures"
    if "video" in fault or "times" in fault:
        return "videos"
    return "text" if fault in ("prompt cut", "options cut", "system prompt added") else "settings"


def classes(pair):
    """Returns what a pair is an example of: two faults of one thing can hide each other, and stand alone.

    With each fault goes one of every other thing.
    """
    (one, other), things = pair, [of(fault) for fault in pair]
    return (pair,) if things[0] == things[1] else (f"{one}, {things[1]}", f"{things[0]}, {other}")


@pytest.mark.slow
@pytest.mark.parametrize("pair", sample(PAIRS, classes), ids=" and ".join)
def test_both_faults_of_a_pair_are_named(check, pair):
    found = planted.found(check([planted.FAULTS[name] for name in pair]))
    assert set(pair) <= found <= allowed(*pair)


def test_most_pairs_are_tried():
    n = len(planted.FAULTS)
    assert n == 18
    assert len(PAIRS) >= n * (n - 1) / 2 - 13
