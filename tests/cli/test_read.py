"""`tempbench read`: how one reply is read, and why."""

import io
import sys

import pytest

from tests.command import complains, tempbench
from tests.contracts.test_imports import command, heavy_after

TASK = "tempvs_mt1_two_mini"


def read(reply, *options, **environment):
    done = tempbench("read", "--task", *options, "--", reply, **environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_reading_with_its_document():
    out = read("<think>Image 3?</think> The best match is image 1.", TASK, "--doc", "0")
    assert out.startswith("tempvs_mt1_two_mini, document 0 of 223\n")
    assert "The event is: Lila fed the ducks." in out
    assert "read:     answer 1\n" in out
    assert "rule:     whole (" in out or "rule:     answer (" in out or "rule:     conclusion (" in out
    assert "'image 1'" in out
    assert "right:    Image 1\n" in out
    assert out.endswith("counts:   as right\n")
    assert read("Image 2", TASK, "--doc", "0").endswith("counts:   as wrong\n")


def test_a_reading_without_a_document():
    out = read("I'm sorry, but I cannot see the images.", TASK)
    assert out.startswith("as a reply to tempvs_mt1_two_mini, document 0 of 223\nread:     nothing\n")
    assert "reason:   refused (" in out
    assert "right" not in out


def test_two_answers_of_one_reply():
    out = read('{"answer": "B", "span": "none"}', "rextime_mini", "--doc", "1")
    assert "answer rule:     json (" in out
    assert "span reason:   nothing (" in out
    assert "counts:   as right; IoU 0\n" in out


def test_an_unread_order_is_no_prediction():
    out = read("", "mateo_text_cot_mini")
    assert "read:     nothing\n" in out
    assert "reason:   empty (" in out


def test_a_reply_from_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("I would say:\nImage 4\n"))
    assert "read:     answer 4\n" in read("-", TASK)


def test_a_notice_of_a_failed_request_is_no_reply():
    assert "not a reply" in read("[LMMS_EVAL_REQUEST_FAILED after 5 retries] A", TASK)


def test_answers_that_are_not_public():
    assert "counts:   - (" in read("B", "rextime_test_mini", "--doc", "0")


def test_what_is_wrong_is_one_line(tmp_path):
    complains(tempbench("read", "--task", "nope", "A"), "no task named 'nope'")
    complains(tempbench("read", "--task", "mateo", "A"), "mateo is a group", "mateo_text_instructions")
    complains(tempbench("read", "--task", TASK, "--doc", "999", "A"), "no document 999", "from 0 to 222")
    complains(tempbench("read", "--task", TASK, "--doc", "-1", "A"), "no document -1")
    home = {"TEMPBENCH_DATA": str(tmp_path)}
    complains(tempbench("read", "--task", "tempvs_mt1_two", "--doc", "0", "A", **home), "tempbench prepare")
    # Without a document the bundled sample says as well what kind of answer is expected.
    assert read("B", "rextime_vqa", **home).startswith("as a reply to rextime_vqa_mini, document 0 of ")


@pytest.mark.slow
def test_the_harness_is_not_imported():
    heavy = heavy_after(command("read", "--task", TASK, "--doc", "0", "Image 1"))
    assert not heavy & {"lmms_eval", "torch", "transformers", "datasets"}
