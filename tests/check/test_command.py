"""`tempbench check-model` and `tempbench run --check`, with the respondent that sees."""

import contextlib
import dataclasses
import json
import re
import subprocess
import sys
from unittest import mock

import pytest

from tempbench_lmms.check.verdict import Check, Verdict
from tempbench_lmms.cli import check, runs
from tempbench_lmms.data import outputs, provenance
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness import model_session
from tempbench_lmms.report.page import check_page
from tempbench_lmms.runs import model_check, selftest
from tempbench_lmms.runs.logs import read_runs
from tempbench_lmms.runs.model_check import needs_of, shape_of
from tempbench_lmms.runs.run_card import run_card
from tests.command import complains, tempbench

TASK = "tempvs_mt1_two_separate_mini"
WANTED = model_check.Wanted("tempbench_reader")


def made(state="passed"):
    verdict = Verdict(
        "order", "images in order", state, ("images swapped",), "given <b>1</b>; arrived 2", "a hint"
    )
    return Check((verdict,), 13, {}, {"model": "m", "packages": {"torch": "1"}})


def test_page_has_every_line_and_no_markup_of_others():
    text = check_page(made("failed"))
    assert "<em" in text
    assert "&lt;b&gt;1&lt;/b&gt;" in text
    assert "<b>1" not in text
    assert not re.search(r"(src|href)=\"(?!data:|#)", text)
    assert "a hint" in text


def test_a_failure_that_does_not_count_is_not_called_one():
    (verdict,) = made("failed").verdicts
    check = Check((dataclasses.replace(verdict, counts=False),), 15, n_small=2)
    text = check_page(check)
    assert "<em" not in text
    assert "not needed" in text
    said = model_check.as_text(check)
    assert "FAILED" not in said
    assert said.startswith("passed; 13 questions with coded pictures and videos and 2 small ones asked")
    assert "pictures: 1 not needed" in said


def test_what_is_kept_is_read_again(tmp_path):
    assert model_check.kept(tmp_path, "tempbench_reader", "") is None
    model_check.keep(made("failed"), WANTED, tmp_path)
    found = model_check.kept(tmp_path, "tempbench_reader", "")
    assert found["state"] == "failed"
    assert found["failed"] == ["images in order: given <b>1</b>; arrived 2"]
    with pytest.raises(TempbenchError, match="another model"):
        model_check.kept(tmp_path, "tempbench_reader", "frames=4")
    (tmp_path / outputs.CHECK).write_text("{", encoding="utf-8")
    with pytest.raises(TempbenchError, match="damaged"):
        model_check.kept(tmp_path, "tempbench_reader", "")


def test_what_is_noted_is_recorded_until_it_is_not():
    provenance.note_check({"state": "passed"})
    try:
        assert provenance.recorded("tempvs")["check"] == {"state": "passed"}
    finally:
        provenance.note_check(None)
    assert "check" not in provenance.recorded("tempvs")


def test_shape_of_tasks():
    assert model_check.shape_of_task(TASK).is_interleaved
    assert model_check.shape_of_task("tempvs_mt1_two_mini").pictures == 1
    assert model_check.shape_of_task("rextime_mini").has_video
    assert model_check.shape_of_task("coherence_qa_8f_video_mini").frames == 8


def test_as_many_are_tried_as_the_named_task_has():
    name = "coherence_qa_16f_video_mini"
    shape = model_check.shape_of_task(name)
    assert shape.frames == 16
    plan = model_check._plan(WANTED, {name: shape}, {name: needs_of(shape)})
    assert plan.n_frames == 16


@pytest.mark.harness
def test_a_model_that_sees(harness, tmp_path):
    words = ("check-model", "--model", "tempbench_reader", "--tasks", TASK)
    found = tempbench(*words, "-o", tmp_path / "a.html", "--keep", tmp_path / "out")
    assert found.returncode == 0, found.stdout + found.stderr
    assert "pictures: 10 passed" in found.stdout
    assert f"{TASK}: all" in found.stdout
    assert len(found.stdout.splitlines()) < 24
    assert "images arrive in the order given" in (tmp_path / "a.html").read_text(encoding="utf-8")
    again = tempbench("check-model", "--model", "tempbench_reader", "-o", tmp_path / "a.html")
    complains(again, "exists")
    # A run in the folder that the check was kept in says so, and is not checked again.
    run = ("run", "--model", "tempbench_reader", "--tasks", TASK, "-o", tmp_path / "out")
    done = tempbench(*run, "--check", "--", "--limit", "2")
    assert done.returncode == 0, done.stdout + done.stderr
    (log,) = read_runs([tmp_path / "out"])
    assert run_card(log)["check"] == {"state": "passed", "failed": [], "unseen": []}
    assert "not checked" not in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")


@pytest.mark.harness
def test_a_fault_between_runner_and_model_is_told_with_status_1():
    from tempbench_lmms.harness.respondent_models import Reader

    right = Reader._inputs
    reverse = selftest.OF_INPUTS["images reversed"]
    wanted = ["tempvs_separate_mini", "rextime_vqa_mini"]
    # What is no sample, is made of another task, or is a group, has no line of its own.
    others = ["rextime_vqa", "rextime_vqa_rotated_mini", "tempbench_mini"]
    with (
        mock.patch.object(Reader, "_inputs", lambda self, request: reverse([right(self, request)])[0]),
        mock.patch.object(model_check, "task_files", return_value=[*wanted, *others]),
        mock.patch.object(model_check, "_LOOKED_AT", 2),
    ):
        found = tempbench(
            "check-model", "--model", "tempbench_reader", "--json", "--no-questions", "--seed", 3
        )
    assert found.returncode == 1
    read = json.loads(found.stdout)
    assert read["state"] == "failed"
    assert {name for one in read["verdicts"] for name in one["faults"]} == {"images reversed"}
    states = {need["title"]: need["state"] for need in read["tasks"]["tempvs_separate"]}
    assert [state for title, state in states.items() if "apart and in order" in title] == ["failed"]
    assert read["tasks"].keys() == {"tempvs_separate", "rextime_vqa"}
    assert {need["state"] for need in read["tasks"]["rextime_vqa"] if "native" in need["title"]} == {"passed"}


@pytest.mark.harness
def test_a_model_that_is_not_there():
    complains(tempbench("check-model", "--model", "tempbench_nobody"), "no model 'tempbench_nobody'")


@pytest.mark.parametrize(
    ("arguments", "error", "is_told"),
    [
        ("pretrained=nowhere,device=cpu", "We couldn't connect to 'https://huggingface.co' to load", True),
        ("pretrained=tests,device=cpu", "We couldn't connect to 'https://huggingface.co' to load", False),
        ("pretrained=nowhere", "libcudart.so: cannot open shared object file", False),
        ("model=nowhere", "We couldn't connect to 'https://huggingface.co' to load", False),
    ],
)
def test_weights_that_lie_nowhere_are_named(arguments, error, is_told, tmp_path, monkeypatch):
    from lmms_eval import models

    (tmp_path / "tests").mkdir()
    monkeypatch.chdir(tmp_path)
    with (
        mock.patch.object(models, "get_model", side_effect=RuntimeError(error)),
        pytest.raises(TempbenchError) as found,
    ):
        model_session.runner("m", arguments)
    told = "pretrained=nowhere cannot be loaded from this machine or the Hub; "
    assert (told in str(found.value)) is is_told


def test_a_run_of_several_processes_asks_for_the_check_before(tmp_path):
    with mock.patch.dict("os.environ", WORLD_SIZE="2"), pytest.raises(TempbenchError, match="--keep"):
        runs._check_first("m", "", TASK, tmp_path, [])


@pytest.mark.parametrize(
    ("status", "anyway", "goes_on"), [(0, False, True), (1, False, False), (3, True, True)]
)
def test_a_run_goes_on_only_after_passed_unless_anyway(status, anyway, goes_on, tmp_path):
    def check(command, check):
        assert command[-3:] == ["--batch-size", "2", "--force-simple"]
        (tmp_path / outputs.CHECK).write_text("{}", encoding="utf-8")
        return mock.Mock(returncode=status)

    with (
        mock.patch.object(runs.subprocess, "run", check),
        contextlib.nullcontext() if goes_on else pytest.raises(TempbenchError, match="--anyway"),
    ):
        runs._check_first("m", "", TASK, tmp_path, ["--force_simple", "-b", "2"], anyway)
    assert (tmp_path / outputs.CHECK).is_file() is goes_on


def test_what_cannot_be_seen_is_not_judged():
    seen, unseen = (
        Verdict("order", "images in order", state) for state in ("passed", "cannot be seen from here")
    )
    check = Check((*[seen] * 8, unseen), 15)
    assert check.state == "not judged"
    assert model_check.as_text(check).startswith("not judged: 1 of 9 lines cannot be seen from here")
    assert Check((*[seen] * 9, unseen), 15).state == "passed"


def test_videos_of_another_container_are_a_need():
    def titles(url):
        content = [{"type": "video", "url": url}, {"type": "text", "text": "When?"}]
        return [need.title for need in needs_of(shape_of([[{"role": "user", "content": content}]]))]

    assert "a video that is not an .mp4" in titles("a.mkv")
    assert "a video that is not an .mp4" not in titles("a.MP4")


def test_what_other_processes_print_is_no_part_of_the_output(capfd):
    with check._output_kept_clean():
        print("of a library", flush=True)
        subprocess.run([sys.executable, "-c", "print('of an engine')"], check=True)
    print("the verdict", flush=True)
    said = capfd.readouterr()
    assert said.out == "the verdict\n"
    assert "of a library" in said.err
    assert "of an engine" in said.err
