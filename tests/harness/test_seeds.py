"""What sampled replies are seeded with."""

import sys
from collections import Counter
from types import SimpleNamespace

import pytest

from tests.harness.test_identity import request

pytest.importorskip("lmms_eval")
from tempbench_lmms.harness import retries

TASK = "tempvs_mt1_two_mini"


class Runner:
    pass


class Engine:
    __module__ = "lmms_eval.models.chat.vllm"


@pytest.fixture
def sown(monkeypatch):
    found = []
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(manual_seed=found.append))
    return found


def sow(lm, kind, requests, seed, times=None):
    retries.sow(lm, kind, requests, seed, Counter() if times is None else times)


def asked(*numbers, **settings):
    return [request(TASK, number, "Which?", **({"temperature": 1} | settings)) for number in numbers]


def test_a_call_has_the_same_seed_whenever_it_is_made(sown):
    for seed, numbers in (("1", (0, 1)), ("1", (0, 1)), ("2", (0, 1)), ("1", (2, 3))):
        sow(Runner(), "generate_until", asked(*numbers), seed)
    assert sown[0] == sown[1]
    assert len(set(sown)) == 3


def test_what_is_not_sampled_is_left_alone(sown):
    requests = asked(0, temperature=0)
    sow(Engine(), "generate_until", requests, "1")
    assert not sown
    assert "seed" not in requests[0].args[2]


def test_an_engine_with_its_own_seed_gets_one_a_question(sown):
    (first, second), (again,) = asked(0, 1), asked(1)
    sow(Engine(), "generate_until", [first, second], "1")
    sow(Engine(), "generate_until", [again], "1")
    assert first.args[2]["seed"] != second.args[2]["seed"] == again.args[2]["seed"]
    (other,) = asked(1)
    sow(Engine(), "generate_until", [other], "2")
    assert other.args[2]["seed"] != again.args[2]["seed"]
    (own,) = asked(1, seed=5)
    sow(Engine(), "generate_until", [own], "1")
    assert own.args[2]["seed"] == 5


def test_a_question_asked_several_times_has_other_replies(sown):
    """The harness hands over the same request as often as its task says, in one call or in several."""
    (several,) = asked(0)
    several.repeats = 3
    sow(Engine(), "generate_until", [several] * 3, "1")
    assert "seed" not in several.args[2]  # which all three would have
    sown.clear()
    for _ in range(2):  # a run that is begun anew draws the same
        times = Counter()
        for _ in range(3):
            sow(Runner(), "generate_until", [several], "1", times)
    assert sown[:3] == sown[3:]
    assert len(set(sown)) == 3


def test_calls_that_share_a_question_asked_several_times_are_seeded_apart(sown):
    watched = retries.Asking(retries.Watch(seed="1"), 2)
    (several,) = asked(0)
    several.repeats = 2
    runner = SimpleNamespace(generate_until=lambda requests: ["A"] * len(requests))
    for _ in range(2):
        watched.replies(runner, "generate_until", [several])
    assert len(set(sown)) == 2
