"""What can be told of a model that is far away: by its replies alone."""

import itertools

import pytest

from tempbench_lmms.check import procedure
from tempbench_lmms.check.procedure import Answer
from tempbench_lmms.runs import model_check
from tests.check import planted


@pytest.fixture(scope="module")
def sound(check):
    return check(shows=False, with_questions=True)


def states(found):
    return {verdict.line: verdict.state for verdict in found.verdicts}


@pytest.mark.slow
def test_who_sees_passes_and_what_is_inside_stays_unseen(sound):
    assert sound.state == "not judged"  # much is not seen, whatever the replies
    assert {state for line, state in states(sound).items() if line in planted.KINDS} == {"passed"}
    assert states(sound)["order"] == "cannot be seen from here"
    assert {verdict.text for verdict in sound.verdicts if verdict.line == "order"} == {"far away"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("images reversed", {"colour of image k", "first image", "last image", "before"}),
        ("images swapped", {"last image"}),
        ("blank images", {"colour of image k", "first image", "before"}),
        ("no times", {"second of the circle"}),
        ("wrong times", {"second of the circle"}),
        ("part of a video", {"ends of a video"}),
        ("video as one frame", {"ends of a video", "second of the circle"}),
    ],
)
def test_a_fault_shows_in_what_is_answered(check, name, kinds):
    found = states(check([planted.FAULTS[name]], shows=False, with_questions=True))
    assert {kind for kind in kinds if found[kind] == "failed"} == kinds


@pytest.mark.slow
def test_a_reply_that_is_too_long_or_drawn_is_seen_from_outside(check):
    assert "another reply" in planted.found(check([planted.FAULTS["sampling"]], shows=False))


def asked_of(drawn, replies, **more):
    """Returns the verdicts, by line, of one who replies so to one question after the other, over and over."""
    _, inside, outside = drawn(0, True)
    plan = procedure.Plan(blind="far away", kinds=planted.KINDS, **more)
    left = itertools.cycle(replies)
    found = procedure.checked(lambda probes: [next(left) for _ in probes], plan, inside, outside)
    return {verdict.line: verdict for verdict in found.verdicts}


@pytest.mark.slow
def test_one_who_says_nothing_fails(drawn):
    asked = asked_of(drawn, [Answer("")])["asked"]
    assert (asked.state, asked.faults) == ("failed", ("empty replies",))
    assert "35 of 35 replies are empty" in asked.text
    assert asked.hint


def test_a_few_empty_replies_are_told_and_more_are_a_failure(drawn):
    asked = asked_of(drawn, [*[Answer("red")] * 20, Answer(" ")])["asked"]
    assert (asked.state, asked.text) == ("passed", "1 of 35 replies are empty")
    asked = asked_of(drawn, [Answer("red"), Answer(" ")])["asked"]
    assert (asked.state, asked.faults) == ("failed", ("some replies empty",))


def test_what_came_in_place_of_an_answer_is_shown(drawn):
    said = "I'm sorry\n\x1b[31m\u202e" + "no " * 40
    kind = "how many images"
    failed = asked_of(drawn, [Answer(""), Answer(said)])[kind]
    assert failed.state == "failed"
    assert "4 of 8 empty; asked 'How many images are there" in failed.text
    assert "reply \"I'm sorry\\n\\x1b[31m\\u202eno no" in failed.text
    assert failed.text.isprintable()
    assert len(failed.text) < 400
    assert failed.text in failed.as_text()
    assert failed.as_json()["text"] == failed.text


def test_a_wrong_answer_is_shown_beside_the_right_one(drawn):
    failed = asked_of(drawn, [Answer("red")])["colour of image k"]
    assert "right 'red'" not in failed.text
    assert failed.text.endswith("reply 'red'")
    assert "empty" not in failed.text


@pytest.mark.parametrize(
    ("error", "hint"),
    [
        ("Connection refused", "base_url"),
        ("[LMMS_EVAL_REQUEST_FAILED] 'str' object has no attribute 'choices'", "not a chat completion"),
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


def test_where_requests_fail_for_different_causes_all_are_asked(drawn):
    fails = [Answer("", None, error) for error in ("refused", "too large")]
    assert "request failed: 8 of 8" in asked_of(drawn, fails)["first image"].text


def test_where_only_videos_fail_they_are(drawn):
    fails = [Answer("red")] * 4 + [Answer("", None, "IndexError")]
    assert "frames" in asked_of(drawn, fails)["short video"].hint
