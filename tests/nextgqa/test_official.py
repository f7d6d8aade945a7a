"""The official scorers' numbers to the last digit, by recorded outputs and by the released annotations."""

import json

import pytest

from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.nextgqa import imports, official, rows
from tempbench_lmms.nextgqa.card import COUNTS
from tempbench_lmms.runs import importing
from tests.command import complains, tempbench

CASES = ("oracle", "random", "whole", "instants", "reversed", "missing", "outside", "shares", "several",
         "no_answers")  # fmt: skip


@pytest.fixture
def case(request, official_cases):
    return next(one for one in official_cases["cases"] if one["name"] == request.param)


def test_every_recorded_case_is_compared(official_cases):
    assert tuple(one["name"] for one in official_cases["cases"]) == CASES


@pytest.fixture
def folder(case, tmp_path):
    """The case as the official scorer's files; no file of answers where there are none."""
    name = "test_ground_gs.json" if case["name"] == "shares" else "test_ground.json"
    (tmp_path / name).write_text(json.dumps(case["spans"]))
    if case["answers"] is not None:
        (tmp_path / "test-res.json").write_text(json.dumps(case["answers"]))
    return tmp_path


def scored(folder, annotations, **given):
    return importing.score("nextgqa", folder, data=annotations, partial=True, **given)


@pytest.mark.parametrize("case", CASES, indirect=True)
def test_recorded_outputs(case, folder, annotations):
    found = scored(folder, annotations).official
    # Equal, not close: every sum is made in the official order.
    assert list(found["eval_ground"].values()) == case["raw"]
    assert [f"{value:.1f}" for value in found["eval_ground"].values()] == case["printed"]
    if case["answers"] is not None:
        headings, values, total = case["accuracy"][1:]
        printed = {name: f"{value:.2f}" for name, value in found["eval_next"].items()}
        assert [printed.pop("Acc")] == total.split()[1:]
        assert printed == dict(zip(headings.split(), values.split(), strict=True))


@pytest.mark.parametrize("case", ["shares"], indirect=True)
def test_shares_are_known_by_the_file_s_name(folder, annotations):
    assert scored(folder, annotations).notes[0] == (
        "spans are shares of the video, as the name test_ground_gs.json says"
    )
    (folder / "test_ground_gs.json").rename(folder / "test_ground.json")
    note, *_ = scored(folder, annotations).notes
    assert note.startswith("all spans of test_ground.json lie within 0 and 1, and are read as seconds")


@pytest.mark.parametrize("case", ["missing"], indirect=True)
def test_the_command(case, folder, annotations):
    words = ("score", "nextgqa", "--predictions", folder, "--data", annotations)
    done = tempbench(*words, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert list(found["official"]["eval_ground"].values()) == case["raw"]
    # The quirk: a question without a span is no question officially, and wrong for us.
    n_missing = len(case["answers"]) - len(case["spans"])
    assert n_missing > 0
    assert f"{n_missing} of 15 questions have no span" in done.stderr
    share = len(case["spans"]) / 15
    assert found["metrics"]["n_questions"] == 15
    official_ = found["official"]["eval_ground"]
    assert found["metrics"]["miop"] == pytest.approx(official_["miop"] / 100 * share)
    assert found["metrics"]["acc_gqa"] == pytest.approx(official_["acc_gqa"] / 100 * share)
    shown = tempbench(*words)
    assert f"{official_['miop']:.4f}" in shown.stdout
    complains(tempbench(*words[:4], TEMPBENCH_DATA="/nowhere"), "with --data")
    for around in (
        annotations.parents[1],
        annotations.parents[2],
    ):  # the clone, and the folder that it lies in
        assert tempbench(*words[:5], around).stdout == shown.stdout


@pytest.mark.parametrize(
    ("spans", "answers", "said"),
    [
        ("[]", None, "is not a JSON object"),
        ("{", None, "cannot be read"),
        ('{"9000_0": [1]}', None, "write [start, end] in seconds"),
        ('{"9000_0": [1, NaN]}', None, "write [start, end] in seconds"),
        ('{"9000_0": ["1", "2"]}', None, "write [start, end] in seconds"),
        ('{"a": [1, 2], "a": [1, 3]}', None, "appears twice"),
        ('{"a_1": [1, 2]}', None, "no prediction belongs to a question"),
        ("ORACLE", '{"a_1": 3}', "write both"),
        ("ORACLE", '{"a_1": {"answer": 1, "prediction": 1}}', "the official scorer stops at it"),
    ],
)
def test_files_that_cannot_be_scored(spans, answers, said, official_cases, annotations, tmp_path):
    if spans == "ORACLE":
        spans = json.dumps(official_cases["cases"][0]["spans"])
    (tmp_path / "test_ground.json").write_text(spans)
    if answers:
        (tmp_path / "test-res.json").write_text(answers)
    complains(tempbench("score", "nextgqa", "--predictions", tmp_path, "--data", annotations), said)


def test_accuracies_need_every_answer():
    with pytest.raises(TempbenchError, match="v_2 has no answer"):
        official.accuracies({"v_1": "CW", "v_2": "TP"}, {"v_1": {"answer": 1, "prediction": 1}})
    everyone = {key: {"answer": 1, "prediction": 1} for key in ("v_1", "v_2")}
    assert official.accuracies({"v_1": "CW", "v_2": "TP"}, everyone) == {
        "Why": 100, "Bef&Aft": 100, "Acc_C": 100, "Acc_T": 100, "Acc": 100,
    }  # fmt: skip


@pytest.mark.parametrize(("split", "whole"), [("test", 21.14), ("validation", 21.34)])
def test_the_release(release, split, whole):
    found = list(rows.rows(release, split))
    assert len(found) == COUNTS[split]
    assert sum(len(row["windows"]) > 1 for row in found) == {"test": 591, "validation": 339}[split]
    spans = {row["question_id"]: (0, row["duration"]) for row in found}
    truths = {row["question_id"]: row["windows"] for row in found}
    assert round(official.score(truths, spans)["miou"], 2) == whole


@pytest.mark.parametrize("split", COUNTS)
def test_the_truth_is_perfect_on_the_release(release, split):
    found = list(rows.rows(release, split))
    truths = {row["question_id"]: row["windows"] for row in found}
    answers = {key: {"answer": 0, "prediction": 0} for key in truths}
    numbers = official.score(truths, {key: windows[-1] for key, windows in truths.items()}, answers)
    assert set(numbers.values()) == {100.0}


FORMS = {
    "texts": str,
    "floats": float,
    "letters": lambda number: "ABCDE"[number],
    "small": lambda number: "abcde"[number],
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("case", ["oracle"], indirect=True)
def test_answers_in_other_forms_are_the_same_answers(form, case, folder, annotations):
    before = scored(folder, annotations)
    assert 0 < before.metrics["acc_gqa"][0] < 1
    change = FORMS[form]
    changed = {
        key: {name: change(number) for name, number in one.items()} for key, one in case["answers"].items()
    }
    (folder / "test-res.json").write_text(json.dumps(changed))
    found = scored(folder, annotations)
    assert (found.official, found.as_json()) == (before.official, before.as_json())


def test_what_names_two_options_names_none():
    doc = {"options": ["1", "0", "two", "three", "four"]}
    found = [imports.letter_of(doc, said) for said in (0, "0", "two", "2", True, [1])]
    assert found == ["A", None, "C", "C", None, None]
