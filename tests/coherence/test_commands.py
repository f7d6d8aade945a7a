"""prepare, build and score, as a user runs them."""

import json
import shutil
from pathlib import Path

import pytest

from hf_datasets.coherence import commands as making
from hf_datasets.coherence import prepare as preparing
from hf_datasets.coherence import references, tomato
from tempbench_lmms.coherence import imports, scoring
from tempbench_lmms.coherence.card import COUNTS, SCENES
from tempbench_lmms.coherence.rows import problems as problems_of
from tempbench_lmms.data import roots, tables
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.runs import importing
from tests.second_reader import Stub

MINI = roots.mini_root("coherence")
CLIP = MINI / "media" / "captions" / "story_00.mp4"


def item(**values: object) -> dict:
    return {
        "question": "How many?",
        "options": ["1", "2", "3"],
        "answer": 2,
        "key": "0209-03",
        "motion_type": "count",
        "variation": {"zoom": 1, "composite": 0},
        "demonstration_type": "human",
        **values,
    }


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TEMPBENCH_DATA", str(tmp_path / "data"))
    folder = tmp_path / "TOMATO"
    (folder / "data").mkdir(parents=True)
    (folder / "videos" / "human").mkdir(parents=True)
    shutil.copy(CLIP, folder / "videos" / "human" / "0209-03.mp4")
    (folder / "videos" / "human" / "damaged.mp4").write_bytes(b"x" * 100)
    outside = tmp_path / "private.mp4"
    shutil.copy(CLIP, outside)
    (folder / "videos" / "human" / "link.mp4").symlink_to(outside)
    questions = {
        "0": item(),
        "1": item(key="0210-00"),
        "2": item(key="damaged"),
        "3": item(key="../../../private"),
        "4": item(key="link"),
        "5": item(answer=7),
        "6": item(options=["1", "1"]),
        "7": "no question",
        "8": item(demonstration_type="/etc"),
    }
    (folder / "data" / "count.json").write_text(json.dumps(questions))
    (folder / "data" / "visual_cues.json").write_text(
        json.dumps({"0": item(options=["Left.", "Right.", "No."])})
    )
    return folder


def test_prepare_takes_what_is_sound_and_says_why_not_the_rest(source: Path, by_the_numbers: None) -> None:
    making.prepare(source=source)
    root = roots.prepared_root("coherence")
    rows = tables.read_rows(root / "qa")
    assert [row["question_id"] for row in rows] == ["count/0", "visual_cues/0"]
    assert rows[0]["variation"] == ["zoom"]
    assert rows[0]["answer"] == "C"
    part = json.loads((root / "manifest.json").read_text())["parts"]["tomato"]
    why = {entry["id"]: entry["why"] for entry in part["skipped"]}
    words = ("missing", "damaged", "file name", "outside", "form", "same")
    assert {key: next(word for word in words if word in text) for key, text in why.items()} == {
        "count/1": "missing",
        "count/2": "damaged",
        "count/3": "file name",
        "count/4": "outside",
        "count/5": "form",
        "count/6": "form",
        "count/7": "form",
        "count/8": "form",
    }
    # What was left out is no sound data: verify says so, by reason, and how much there is.
    short, *problems = problems_of(root)
    assert short.startswith("incomplete: 2 of 1,484 questions (count 1 of 292, direction 0 of 403, ")
    assert "(missing), the first is count/1" in "\n".join(problems)
    assert len(problems) == len(part["skipped_by_reason"])


def test_videos_to_caption_are_a_part_of_their_own(source: Path, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    shutil.copy(CLIP, folder / "a.mp4")
    shutil.copy(CLIP, folder / "b.mp4")
    (folder / "captions.json").write_text(
        json.dumps({"b.mp4": {"caption": "It rises.", "events": ["it rises"]}})
    )
    making.prepare(source=source)
    making.prepare(captions=folder)
    root = roots.prepared_root("coherence")
    rows = tables.read_rows(root / "caption")
    assert [row["question_id"] for row in rows] == [
        "a.mp4/video",
        "a.mp4/frame",
        "b.mp4/video",
        "b.mp4/frame",
    ]
    assert [row["target"] for row in rows[::2]] == ["", "It rises."]
    assert len(tables.read_rows(root / "qa")) == 2
    assert all(line.startswith("tomato: ") for line in problems_of(root))


def test_real_questions_are_all_read(shared: Path) -> None:
    skipped: list = []
    rows = [row for row, _ in preparing.tomato_rows(tomato.find(shared / "real" / "tomato"), skipped)]
    assert skipped == []
    counts = {kind: sum(row["type"] == kind for row in rows) for kind in COUNTS}
    assert counts == COUNTS
    assert len(rows) == len({row["question_id"] for row in rows}) == 1484
    scenes = [row["scene"] for row in rows]
    assert [scenes.count(name) for name in SCENES] == [595, 656, 233]


def test_reference_sentences(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    making.prepare(source=source)
    monkeypatch.setenv("MY_KEY", "secret")
    asked = {"references": True, "model": "some-model", "key_variable": "MY_KEY", "workers": 2}
    root = roots.prepared_root("coherence")
    with Stub(lambda text: " The person draws\nthree circles. ") as endpoint:
        making.build(endpoint=endpoint.url, **asked)
        rows = tables.read_rows(root / "qa")
        assert {row["reference"] for row in rows} == {"The person draws three circles."}
        assert {row["reference_source"] for row in rows} == {"some-model"}
        first = next(one for one in endpoint.bodies if "(number): 3" in one["messages"][0]["content"])
        assert set(endpoint.keys) == {"Bearer secret"}
        assert (first["model"], first["temperature"], first["max_tokens"]) == ("some-model", 0, 128)
        assert "Question: How many?\nCorrect answer (number): 3\n" in first["messages"][0]["content"]
        assert json.loads((root / "manifest.json").read_text())["references"] == {"some-model": 2}
        assert "secret" not in (root / "manifest.json").read_text()
        # A second run asks nothing; another model's sentences replace these.
        n = len(endpoint.bodies)
        making.build(endpoint=endpoint.url, **asked)
        assert len(endpoint.bodies) == n
    assert all(line.startswith("tomato: ") for line in problems_of(root))


def test_a_failing_endpoint_is_asked_again_and_loses_nothing(
    source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    making.prepare(source=source)
    root = roots.prepared_root("coherence")
    broken = (503, {}, {"error": {"message": "busy"}})
    with Stub(lambda text: broken if len(endpoint.texts) <= 2 else "Three.") as endpoint:
        assert references.build(root, endpoint.url, "m", "", 1) == 2
        endpoint.answer = lambda text: broken
        with pytest.raises(TempbenchError, match="status 503"):
            references.build(root, endpoint.url, "other", "", 1)
    assert {row["reference_source"] for row in tables.read_rows(root / "qa")} == {"m"}


def write(path: Path, lines: list[dict]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def scored(path: Path, **given: object) -> dict:
    return importing.score("coherence", path, mini=True, **given).as_json()


@pytest.mark.slow
def test_own_predictions_at_all_budgets(tmp_path: Path, text_encoder: object) -> None:
    rows = tables.read_rows(MINI / "qa")
    lines = [
        {
            "question_id": row["question_id"],
            "condition": condition,
            "reply": row["answer"] if number % 2 else "?",
        }
        for number, row in enumerate(rows)
        for condition in scoring.BUDGET_CONDITIONS
    ]
    found = scored(write(tmp_path / "mine.jsonl", lines))["metrics"]
    assert found["accuracy_4f"] == pytest.approx(0.5)
    assert found["accuracy_slope"] == 0


@pytest.mark.slow
def test_tomato_result_files(tmp_path: Path, text_encoder: object) -> None:
    first = next(row for row in tables.read_rows(MINI / "qa") if row["type"] == "count")
    for frames, response in (("4", first["answer"]), ("-1", "?")):
        folder = tmp_path / "results" / "count+human" / frames
        folder.mkdir(parents=True)
        write(folder / "model.jsonl", [{"id": first["question_id"], "response": response}])
    scores = importing.score("coherence", tmp_path / "results", "coherence_qa_4f", mini=True, partial=True)
    assert (scores.metrics["accuracy"][0], scores.metrics["n_questions"][0]) == (1, 1)
    assert "left out are 1 files that were asked as video" in "\n".join(scores.notes)


def test_tomato_s_folders_are_told_apart(tmp_path: Path) -> None:
    folders = ("count+human/1", "count+human/-1", "shuffle_count+human/16", "shuffle_count+human/8")
    ways = [imports.asked_as_folder(tmp_path / folder / "model.jsonl") for folder in folders]
    assert ways == ["1f", "video", "shuffled", "shuffled_8f"]
    for folder in ("count+human/many", "count+human/٣"):
        with pytest.raises(TempbenchError, match="do not say how it was asked"):
            imports.asked_as_folder(tmp_path / folder / "model.jsonl")


def test_a_prediction_that_is_null_is_a_failed_request(tmp_path: Path) -> None:
    lines = [{"question_id": row["question_id"], "reply": None} for row in tables.read_rows(MINI / "qa")]
    found = scored(write(tmp_path / "p.jsonl", lines), task="coherence_qa_8f")["metrics"]
    assert found["n_failed"] == found["n_questions"] == len(lines)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('{"question_id": "none", "reply": "A"}', "unknown questions"),
        ('{"question_id": "count_00", "reply": 3}', "reply is of type int, not a text"),
        ('{"question_id": "count_00", "reply": "A", "condition": "5f"}', "unknown questions"),
        ('{"question_id": "count_00", "reply": "A", "condition": "4f"}', "questions have no reply"),
    ],
)
def test_bad_predictions_are_named(tmp_path: Path, line: str, says: str) -> None:
    (tmp_path / "bad.jsonl").write_text(line + "\n")
    with pytest.raises(TempbenchError, match=says):
        scored(tmp_path / "bad.jsonl")
