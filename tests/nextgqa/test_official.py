"""The official scorers' numbers to the last digit, by recorded outputs and by the released annotations."""

import json
import shutil

import pytest

from tempbench_lmms.cli import examples
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.nextgqa import official, offline, rows, statistics
from tempbench_lmms.nextgqa.card import COUNTS, SEVERAL
from tests.command import complains, tempbench

CASES = ("oracle", "random", "whole", "instants", "reversed", "missing", "outside", "shares", "several",
         "no_answers")  # fmt: skip


@pytest.fixture
def case(request, official_cases):
    return next(one for one in official_cases["cases"] if one["name"] == request.param)


def test_every_recorded_case_is_compared(official_cases):
    assert tuple(one["name"] for one in official_cases["cases"]) == CASES


@pytest.fixture
def files(case, tmp_path):
    """The case as the official scorer's files; no file of answers where there are none."""
    spans, answers = tmp_path / "test_ground.json", tmp_path / "test-res.json"
    spans.write_text(json.dumps(case["spans"]))
    if case["answers"] is None:
        return spans, None
    answers.write_text(json.dumps(case["answers"]))
    return spans, answers


@pytest.mark.parametrize("case", CASES, indirect=True)
def test_recorded_outputs(case, files, annotations):
    found = offline.score_files(*files, annotations, "", shares=case["name"] == "shares")
    assert found.split == "test"
    # Equal, not close: every sum is made in the official order.
    assert list(found.official.values()) == case["raw"]
    assert official.printed(found.official).splitlines()[1].split() == case["printed"]
    if case["answers"] is not None:
        headings, values, total = case["accuracy"][1:]
        printed = {name: f"{value:.2f}" for name, value in found.accuracies.items()}
        assert [printed.pop("Acc")] == total.split()[1:]
        assert printed == dict(zip(headings.split(), values.split(), strict=True))


@pytest.mark.parametrize("case", ["shares"], indirect=True)
def test_shares_are_known_by_the_file_s_name(case, files, annotations):
    spans, answers = files
    (note, *_) = offline.score_files(spans, answers, annotations, "").notes
    assert note.startswith("all spans of test_ground.json lie within 0 and 1, and are read as seconds")
    found = offline.score_files(spans.rename(spans.with_stem("test_ground_gs")), answers, annotations, "")
    assert list(found.official.values()) == case["raw"]
    assert found.notes[0] == "spans are shares of the video, as the name test_ground_gs.json says"


@pytest.mark.parametrize("case", ["missing"], indirect=True)
def test_the_command(case, files, annotations):
    spans, answers = files
    done = tempbench("score", "nextgqa", "--predictions", spans, "--answers", answers, "--annotations",
                     annotations, "--json")  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert list(found["official"].values()) == case["raw"]
    # The quirk: a question without a span is no question officially, and wrong for us.
    n_missing = len(case["answers"]) - len(case["spans"])
    assert n_missing > 0
    assert f"{n_missing} of 15 questions have no span" in done.stderr
    share = len(case["spans"]) / 15
    assert found["metrics"]["n_questions"] == 15
    assert found["metrics"]["miop"] == pytest.approx(found["official"]["miop"] / 100 * share)
    assert found["metrics"]["acc_gqa"] == pytest.approx(found["official"]["acc_gqa"] / 100 * share)
    shown = tempbench("score", "nextgqa", "--predictions", spans, "--annotations", annotations)
    assert shown.returncode == 0
    assert case["printed"][1] in shown.stdout
    assert "Acc&GQA is 0" in shown.stderr
    words = ("score", "nextgqa", "--predictions", spans)
    complains(tempbench(*words, TEMPBENCH_DATA="/nowhere"), "a clone of ", "with --annotations")
    around = annotations.parents[2]
    for folder in (annotations.parents[1], around):  # the clone, and the folder that it lies in
        assert tempbench(*words, "--annotations", folder).stdout == shown.stdout


@pytest.mark.parametrize("case", ["missing"], indirect=True)
def test_the_help_s_own_example_works(case, files, annotations, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(annotations.parents[1], "NExT-GQA")
    done = tempbench("score", "nextgqa", *examples.EXAMPLES["score nextgqa"].split())
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("spans", "answers", "said"),
    [
        ("[]", None, "is no JSON object"),
        ("{", None, "cannot be read"),
        ('{"9000_0": [1]}', None, "write [start, end] in seconds"),
        ('{"9000_0": [1, NaN]}', None, "write [start, end] in seconds"),
        ('{"9000_0": ["1", "2"]}', None, "write [start, end] in seconds"),
        ('{"a": [1, 2], "a": [1, 3]}', None, "stands twice"),
        ('{"a_1": [1, 2]}', None, "no prediction is of a question of test"),
        ("ORACLE", '{"a_1": 3}', "write both"),
        ("ORACLE", '{"a_1": {"answer": 1, "prediction": 1}}', "the official scorer stops at it"),
    ],
)
def test_files_that_cannot_be_scored(spans, answers, said, official_cases, annotations, tmp_path):
    if spans == "ORACLE":
        spans = json.dumps(official_cases["cases"][0]["spans"])
    (tmp_path / "spans.json").write_text(spans)
    more = []
    if answers:
        (tmp_path / "answers.json").write_text(answers)
        more = ["--answers", tmp_path / "answers.json"]
    done = tempbench(
        "score", "nextgqa", "--predictions", tmp_path / "spans.json", "--annotations", annotations, *more
    )
    complains(done, said)


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
    measured = statistics.measure(found)
    assert measured["questions"] == COUNTS[split]
    assert measured["with_several_segments"] == SEVERAL[split]
    assert measured["whole_video"]["miou"] == whole
    # Segments that begin before the video or end after it: 36 in test, three in validation.
    outside = measured["segments_from_before_the_video"], measured["segments_beyond_the_video"]
    assert outside == {"test": (36, 0), "validation": (0, 3)}[split]
    assert measured["with_two_equal_options"] == {"test": 3, "validation": 1}[split]


@pytest.mark.parametrize("split", COUNTS)
def test_the_truth_is_perfect_on_the_release(release, split):
    found = list(rows.rows(release, split))
    truths = {row["question_id"]: row["windows"] for row in found}
    answers = {key: {"answer": 0, "prediction": 0} for key in truths}
    numbers = official.score(truths, {key: windows[-1] for key, windows in truths.items()}, answers)
    assert set(numbers.values()) == {100.0}


@pytest.mark.parametrize("case", ["oracle"], indirect=True)
def test_answers_of_another_release_are_named(case, files, annotations):
    # Officially the file's own answer says what is right: whoever writes both is always right.
    spans, answers = files
    given = {
        key: dict.fromkeys(("answer", "prediction"), (one["answer"] + 1) % 5)
        for key, one in case["answers"].items()
    }
    answers.write_text(json.dumps({**given, "elsewhere_1": {"answer": 1, "prediction": 1}}))
    found = offline.score_files(spans, answers, annotations, "")
    assert found.accuracies["Acc"] == 100
    assert found.metrics["acc"] == 0
    notes = "\n".join(found.notes)
    assert "15 of 15 answers name another right answer than the annotations" in notes
    assert "1 answers are of no question of the split" in notes
    answers.write_text(json.dumps(case["answers"]))
    assert not offline.score_files(spans, answers, annotations, "").notes


FORMS = {
    "texts": str,
    "floats": float,
    "letters": lambda number: "ABCDE"[number],
    "small": lambda number: "abcde"[number],
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("case", ["oracle"], indirect=True)
def test_answers_in_other_forms_are_the_same_answers(form, case, files, annotations):
    spans, answers = files
    before = offline.score_files(spans, answers, annotations, "")
    assert 0 < before.metrics["acc_gqa"] < 1
    answers.write_text(json.dumps(_written(case, FORMS[form], FORMS[form])))
    found = offline.score_files(spans, answers, annotations, "")
    assert (found.official, found.metrics, found.notes) == (before.official, before.metrics, [])


def _written(case, answer, prediction):
    return {
        key: {"answer": answer(one["answer"]), "prediction": prediction(one["prediction"])}
        for key, one in case["answers"].items()
    }


@pytest.mark.parametrize("case", ["oracle"], indirect=True)
def test_where_official_and_our_numbers_differ_a_note_says_why(case, files, annotations):
    spans, answers = files
    n_right = sum(one["answer"] == one["prediction"] for one in case["answers"].values())
    for answer, prediction, acc, share, said in (
        (int, str, 0, n_right / 15, f"{n_right} of 15 answers name the right option in another form"),
        (lambda n: f"x{n}", lambda n: f"x{n}", n_right / 15, 0, "prediction that names no option by its"),
        (int, lambda n: None, 0, 0, "15 of 15 answers have a field prediction that names no option"),
    ):
        answers.write_text(json.dumps(_written(case, answer, prediction)))
        found = offline.score_files(spans, answers, annotations, "")
        assert found.accuracies["Acc"] == pytest.approx(100 * acc)
        assert found.metrics["acc"] == pytest.approx(share)
        assert said in "\n".join(found.notes)


def test_what_names_two_options_names_none():
    doc = {"question_id": "v_1", "options": ["1", "0", "two", "three", "four"]}
    found = [
        offline.letter_of(doc, {"v_1": {"prediction": said}}) for said in (0, "0", "two", "2", True, [1])
    ]
    assert found == ["A", None, "C", "C", None, None]
