"""Scores, counts and training data from the command line."""

import json
import math

import pytest

from tempbench_lmms.data.roots import mini_root
from tempbench_lmms.data.tables import read_rows
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.mateo import commands, prompts, statistics, training
from tempbench_lmms.runs import offline
from tests.command import tempbench

ROWS = read_rows(mini_root("mateo") / "pairs")


def write(tmp_path, lines):
    file = tmp_path / "replies.jsonl"
    file.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    return file


def score(file, task, **given):
    return offline.score("mateo", offline.Given(file, task=task, mini=True, **given)).as_json()


@pytest.mark.slow
def test_score(tmp_path):
    # The original order answered rightly, the swapped one as if it were the original.
    lines = [
        {
            "question_id": row["question_id"],
            "reply": prompts.triple({"after": "before"}.get(row["label"], row["label"])),
        }
        for row in ROWS
    ]
    found = score(write(tmp_path, lines), "mateo_both_instructions")
    assert found["metrics"]["accuracy_dependent"] == 0
    assert found["metrics"]["accuracy_independent"] == 1
    assert found["metrics"]["accuracy"] == 0.5
    assert found["metrics"]["f1_before"] == 1
    assert found["details"]["confusion"]["swapped"]["after"] == {
        "before": 52,
        "after": 0,
        "independent": 0,
        "other": 0,
    }
    assert "reflection_kept" not in found["metrics"]
    assert "reflection_kept" in score(write(tmp_path, lines), "mateo_text_reflection")["metrics"]


def test_replies_that_are_missing_cut_their_pair(tmp_path):
    file = write(tmp_path, [{"question_id": row["question_id"], "reply": row["target"]} for row in ROWS[:3]])
    with pytest.raises(
        TempbenchError, match=f"{len(ROWS) - 3} of {len(ROWS)} questions have no reply.*--partial"
    ):
        score(file, "mateo_both_cot")
    metrics = score(file, "mateo_both_cot", partial=True)["metrics"]
    assert (metrics["n_pairs"], metrics["n_cut"], metrics["accuracy"]) == (1, 1, 1)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([{"question_id": "nobody", "reply": ""}], "1 reply to unknown questions"),
        ([{"question_id": "a"}], "line 1 has no reply"),
        ([{"question_id": "a", "reply": 3}], "line 1: reply is of type int"),
        (["a"], "line 1 is no object with question_id and reply"),
        ([[]], "holds no reply"),
        ([{"question_id": "a", "reply": "x"}, {"question_id": "a", "reply": "y"}], "line 2: answers a again"),
        ([], "holds no reply"),
    ],
)
def test_bad_replies(tmp_path, lines, said):
    with pytest.raises(TempbenchError, match=said):
        score(write(tmp_path, lines), "mateo_both_cot")


@pytest.mark.slow
def test_trivial_answers():
    found = statistics.trivial(ROWS)
    assert found["always independent"]["accuracy"] == 0.5
    assert found["always independent"]["accuracy_dependent"] == 0
    assert found["always independent"]["f1_independent"] == pytest.approx(2 / 3)
    assert found["always before"]["accuracy"] == found["always after"]["accuracy"] == 0
    assert found["uniform"]["accuracy"] == pytest.approx(1 / 9)


def test_trivial_answers_on_the_paper_s_numbers(answered):
    # With 993 dependent and 1573 independent pairs: 1573/2566 = .613, F1 2*1573/(2*1573+993) = .760.
    from tempbench_lmms.mateo import scoring

    pairs = {f"d{i}": ("before", "other", "other") for i in range(993)}
    pairs |= {f"i{i}": ("independent", "other", "other") for i in range(1573)}
    records = answered(pairs)
    assert scoring.always_independent(records).value == pytest.approx(0.613, abs=5e-4)
    assert scoring.always_independent_f1(records).value == pytest.approx(0.760, abs=5e-4)


@pytest.mark.slow
def test_stats():
    found = json.loads(tempbench("stats", "mateo", "--mini", "--json").stdout)
    assert found["counts"]["test"]["plans"] == 13
    assert set(found["trivial"]) == {"always before", "always after", "always independent", "uniform"}
    assert "always independent" in tempbench("stats", "mateo", "--mini").stdout


def test_training_data(tmp_path, capsys):
    folder = tmp_path / "training"
    commands.export_train(folder, mini=True)
    shown = capsys.readouterr().out
    # 52 dependent pairs in both orders, 52 independent ones in the original order alone (section 5.4).
    assert "after: 52" in shown
    assert "before: 52" in shown
    assert "independent: 52" in shown
    lines = (folder / "train/metadata.jsonl").read_text(encoding="utf-8").splitlines()
    examples = [json.loads(line) for line in lines]
    assert len(examples) == 3 * 52
    assert not any(
        row["question_id"] == example["id"]
        for example in examples
        for row in ROWS
        if row["version"] == "swapped" and row["label"] == "independent"
    )
    (user,), (assistant,) = examples[0]["prompt"], examples[0]["completion"]
    assert [part["type"] for part in user["content"]] == ["text", "image", "text", "image", "text"]
    assert assistant["content"][0]["text"].startswith("Q1: The answer is: ")
    assert len(examples[0]["images_file_names"]) == 2
    with pytest.raises(TempbenchError, match="holds an export"):
        commands.export_train(folder, mini=True)
    commands.export_train(folder, modality="text", mini=True, force=True)
    first = json.loads((folder / "train/metadata.jsonl").read_text(encoding="utf-8").splitlines()[0])
    assert first["images_file_names"] == []


def test_the_papers_settings(tmp_path):
    # Appendix A.1: rank 16, alpha 32, learning rate 1e-5, weight decay 0.01, 1 epoch, batch size 1.
    import yaml

    commands.export_train(tmp_path / "training", modality="text", mini=True)
    lora = json.loads((tmp_path / "training/peft_lora.json").read_text(encoding="utf-8"))
    assert (lora["r"], lora["lora_alpha"]) == (16, 32)
    assert lora["target_modules"] == ["q_proj", "k_proj", "v_proj", "o_proj"]
    for file in ("trl_sft.yaml", "llamafactory_sft.yaml"):
        settings = yaml.safe_load((tmp_path / "training" / file).read_text(encoding="utf-8"))
        assert settings["learning_rate"] == pytest.approx(1e-5)
        assert settings["weight_decay"] == 0.01
        assert (settings["num_train_epochs"], settings["per_device_train_batch_size"]) == (1, 1)


def test_there_is_no_reasoning_to_train_on(tmp_path):
    with pytest.raises(TempbenchError, match="choose instructions"):
        commands.export_train(tmp_path / "training", setting="cot", mini=True)
    with pytest.raises(TempbenchError, match="unknown split 'dev'"):
        commands.export_train(tmp_path / "training", split="dev", mini=False)
    assert not (tmp_path / "training").exists()


def test_training_questions_have_balanced_labels():
    labels = [row["label"] for row in training.trained_on(ROWS)]
    assert len({labels.count(label) for label in set(labels)}) == 1
    assert math.isclose(len(labels), 0.75 * len(ROWS))
