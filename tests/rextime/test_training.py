"""The training questions as conversations: asked as in the evaluation, answered in the prompt's form."""

import json

import pytest

from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.rextime import commands, hooks, parser, training


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    folder = tmp_path_factory.mktemp("export") / "rextime"
    commands.export_train(folder, frames=4, limit=3, mini=True)
    lines = (folder / "train/metadata.jsonl").read_text(encoding="utf-8").splitlines()
    return folder, [json.loads(line) for line in lines]


def test_it_is_asked_as_in_the_evaluation_and_answered_rightly(exported, docs):
    folder, rows = exported
    known = {doc["question_id"]: doc for doc in docs}
    assert len(rows) == 3
    for row in rows:
        doc = known[row["id"]]
        (asked,) = hooks.doc_to_messages(doc, {"media": "frames", "frames": 4})
        expected = [part.get("text") for part in asked["content"]]
        (user,), (assistant,) = row["prompt"], row["completion"]
        assert [part.get("text") for part in user["content"]] == expected
        found = parser.read(assistant["content"][0]["text"], doc["options"], doc["duration"])
        assert found["letter"].value == doc["answer"]
        assert list(found["span"].value) == doc["windows"][0]
        assert len(row["images_file_names"]) == 4
        assert all(
            (folder / "train" / name).read_bytes()[:2] == b"\xff\xd8" for name in row["images_file_names"]
        )


def test_what_is_missing_is_said(tmp_path, monkeypatch, docs):
    lost = docs[0] | {"video": "tempbench://rextime/mini/media/qvhighlights/gone.mp4"}
    with pytest.raises(TempbenchError, match=r"1 of 2 videos are missing, the first is gone\.mp4"):
        training.with_videos([docs[0], lost])
    monkeypatch.setenv("TEMPBENCH_MISSING_MEDIA", "skip")
    assert [row["question_id"] for row, _ in training.with_videos([docs[0], lost])] == [
        docs[0]["question_id"]
    ]
    (tmp_path / "rextime").mkdir()
    (tmp_path / "rextime/manifest.json").write_text("{}")
    monkeypatch.setenv("TEMPBENCH_DATA", str(tmp_path))
    with pytest.raises(TempbenchError, match=r"prepare the data with rextime_train\.json"):
        commands.export_train(tmp_path / "e")
