"""What can be told of a model that is far away: by its replies alone."""

import itertools

import pytest

from tempbench_lmms.check import procedure
from tempbench_lmms.check.procedure import Answer
from tempbench_lmms.runs import model_check
from tests.check import planted


def asked_of(drawn, replies, **more):
    """Returns the verdicts, by line, of one who replies so to one question after the other, over and over."""
    _, inside, outside = drawn(0, True)
    plan = procedure.Plan(kinds=planted.KINDS, **more)
    left = itertools.cycle(replies)
    found = procedure.checked(lambda probes: [next(left) for _ in probes], plan, inside, outside)
    return {verdict.line: verdict for verdict in found.verdicts}


@pytest.mark.slow
def test_one_who_says_nothing_fails(drawn):
    asked = asked_of(drawn, [Answer("")])["asked"]
    assert (asked.state, asked.faults) == ("failed", ("empty replies",))
    assert "37 of 37 replies are empty" in asked.text
    assert asked.hint


def test_a_few_empty_replies_are_told_and_more_are_a_failure(drawn):
    asked = asked_of(drawn, [*[Answer("red")] * 20, Answer(" ")])["asked"]
    assert (asked.state, asked.text) == ("passed", "1 of 37 replies are empty")
    asked = asked_of(drawn, [Answer("red"), Answer(" ")])["asked"]
    assert (asked.state, asked.faults) == ("failed", ("some replies empty",))


def test_what_came_in_place_of_an_answer_is_shown(drawn):
    said = "I'm sorry\n\x1b[31m\u202e" + "no " * 40
    failed = asked_of(drawn, [Answer(""), Answer(said)])["fine lines"]
    assert failed.state == "failed"
    assert "2 of 4 empty; asked 'Fine black lines" in failed.text
    assert "reply \"I'm sorry\\n\\x1b[31m\\u202eno no" in failed.text
    assert failed.text.isprintable()
    assert len(failed.text) < 400
    assert failed.text in failed.as_text()


@pytest.mark.parametrize(
    ("error", "hint"),
    [
        ("Connection refused", "base_url"),
        ("[LMMS_EVAL_REQUEST_FAILED] 'str' object has no attribute 'choices'", "not a chat completion"),
        ("TypeError: 'Probe' object is not subscriptable", "check tempbench_reader"),
        ("RuntimeError: Found no NVIDIA driver on your system", "add device=cpu,device_map=cpu"),
    ],
)
def test_where_every_request_fails_alike_few_are_asked_and_the_cause_is_said_once(drawn, error, hint):
    numbers, asked = itertools.count(1), []

    def fail(probes):
        asked.extend(probes)
        return [Answer("", None, f"{error} (request {next(numbers)})") for _ in probes]

    _, inside, outside = drawn(0, True)
    found = procedure.checked(fail, procedure.Plan(kinds=planted.KINDS), inside, outside)
    assert len(asked) == found.n_calls == 3
    (said,) = [line for line in model_check.as_text(found).splitlines() if error in line]
    assert hint in said
    assert {one.line for one in found.verdicts if one.state == "failed"} == {"asked"}
    assert {"video", *planted.KINDS} <= {one.line for one in found.verdicts}


def test_replies_by_chance_are_judged_too(drawn):
    replies = map(Answer, ["red", "", "I see nothing", "blue, red", "7", "left, none"] * 20)
    _, inside, outside = drawn(0, True)
    plan = procedure.Plan(kinds=planted.KINDS)
    assert (
        procedure.checked(lambda probes: [next(replies) for _ in probes], plan, inside, outside).state
        == "failed"
    )


def test_where_requests_fail_for_different_causes_all_are_asked(drawn):
    fails = [Answer("", None, error) for error in ("refused", "too large")]
    assert "request failed: 8 of 8" in asked_of(drawn, fails)["colours of images"].text


def test_where_only_videos_fail_they_are(drawn):
    fails = [Answer("red")] * 4 + [Answer("", None, "IndexError")]
    assert "frames" in asked_of(drawn, fails)["short video"].hint
