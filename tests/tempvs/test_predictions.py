"""`tempbench score tempvs`: prediction files in the official layout."""

import json
from pathlib import Path

import pytest

from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.runs import importing
from tempbench_lmms.tempvs import official

REPOSITORY = Path(__file__).parents[2]
TASK = "paired_event_discrimination"
MODEL = "Qwen2-VL-7B-Instruct"


def write(folder, model, source, task, rows, suffix="full"):
    path = folder / model / f"{source}_{task}_preds_{suffix}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(rows))


@pytest.fixture
def folder(tmp_path):
    """Two sequences: the first grounded, the second without grounding rows; one answer of a chatty model."""
    main = [
        {"img_seq_id": "s1", "event_pair_tuple": [0, 1], "gt_option": "A", "preds": "Option A"},
        {"img_seq_id": "s1", "event_pair_tuple": [0, 1], "gt_option": "B", "preds": "A man ... Option B"},
        {"img_seq_id": "s2", "event_pair_tuple": [0, 1], "gt_option": "A", "preds": "A"},
    ]
    grounding = [
        {"img_seq_id": "s1", "gt_option": "image 1", "preds": "Image 1"},
        {"img_seq_id": "s1", "gt_option": "image 2", "preds": "2"},
    ]
    write(tmp_path / "combined", MODEL, "vist", TASK, main)
    write(tmp_path / "combined", MODEL, "vist", "single_grounding_paired", grounding)
    return tmp_path


def add_text_models(folder, right):
    path = folder / "combined" / MODEL / f"vist_{TASK}_preds_full.json"
    rows = json.loads(path.read_text())
    for model in official.TEXT_MODELS:
        answers = [row["gt_option"] if i == right else "?" for i, row in enumerate(rows)]
        answered = [row | {"preds": answer} for row, answer in zip(rows, answers, strict=True)]
        write(folder / "blind", model, "vist", TASK, answered, "8bit" if "72B" in model else "full")


def official_of(folder, model=MODEL):
    """Returns the official numbers of a model's files; its questions are not those of any data here."""
    return importing.score("tempvs", folder / "combined" / model)


@pytest.fixture(autouse=True)
def no_data(monkeypatch, tmp_path):
    monkeypatch.setenv("TEMPBENCH_DATA", str(tmp_path / "none"))


def test_official_numbers(folder):
    found = official_of(folder)
    # The article is read as A, and s2, which has no grounding rows, counts as grounded.
    assert found.official[TASK]["main_task_success"] == 2
    assert found.official[TASK]["all_grounding_success"] == 3
    assert any("text-only" in note for note in found.notes)
    assert any("prepare the data" in note for note in found.notes)


def test_blind_filter(folder):
    add_text_models(folder, right=0)
    columns = official_of(folder).official[TASK]
    assert (columns["total_cases"], columns["n_unfiltered"]) == (2, 3)


def test_text_models_of_another_release_are_refused(folder):
    add_text_models(folder, right=0)
    path = folder / "blind" / "Llama-3.1-8B" / f"vist_{TASK}_preds_full.json"
    path.write_text(json.dumps(json.loads(path.read_text())[:1]))
    with pytest.raises(TempbenchError, match="belong to different releases"):
        official_of(folder)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (
            lambda folder: write(
                folder / "combined",
                MODEL,
                "vist",
                TASK,
                [{"img_seq_id": "s", "gt_option": "A", "preds": ["A"]}],
            ),
            "row 0: preds is of type list, not a text",
        ),
        (lambda folder: (folder / "combined").rename(folder / "elsewhere"), "does not exist"),
        (
            lambda folder: write(folder / "combined", MODEL, "vist", TASK, [{"img_seq_id": "s"}]),
            "row 0: gt_option, preds missing",
        ),
        (
            lambda folder: (folder / "combined" / MODEL / f"vist_{TASK}_preds_full.json").write_text("{"),
            "cannot be read",
        ),
    ],
)
def test_errors(folder, spoil, message):
    spoil(folder)
    with pytest.raises(TempbenchError, match=message):
        official_of(folder)
