"""The training data, and a real fine-tuning of the tiny model on it."""

import json

import pytest
import yaml

from tempbench_lmms.card import LoraSettings
from tempbench_lmms.data.finetuning import write_conversations
from tempbench_lmms.data.roots import mini_root
from tempbench_lmms.data.tables import read_rows
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.timepercept import training
from tempbench_lmms.timepercept.card import TESTS
from tests.respondents import tiny_args

ROOT = mini_root("timepercept")


@pytest.fixture(scope="module")
def export(tmp_path_factory):
    folder = tmp_path_factory.mktemp("export") / "timepercept"
    training.export(folder, ROOT, (), force=False)
    return folder


@pytest.mark.slow
def test_what_datasets_and_so_trl_read(export):
    import datasets

    found = datasets.load_dataset(str(export), split="train")
    expected = {
        row["question_id"]: row
        for test in TESTS
        for row in read_rows(ROOT / "train" / test / "train.parquet")
    }
    assert sorted(found["id"]) == sorted(expected)
    assert set(found.column_names) == {"id", "prompt", "completion", "images"}
    for one in found.select(range(5)):
        row = expected[one["id"]]
        (user,), (assistant,) = one["prompt"], one["completion"]
        assert [user["role"], assistant["role"]] == ["user", "assistant"]
        assert assistant["content"][0]["text"] == row["target"]
        assert (
            len(one["images"])
            == len(row["images"])
            == sum(part["type"] == "image" for part in user["content"])
        )
        assert one["images"][0].size == (112, 112)


def test_what_llama_factory_reads(export):
    described = json.loads((export / "dataset_info.json").read_text())["timepercept"]
    assert described["formatting"] == "sharegpt"
    conversations = json.loads((export / described["file_name"]).read_text())
    settings = yaml.safe_load((export / "llamafactory_sft.yaml").read_text())
    for one in conversations:
        assert [message["role"] for message in one["messages"]] == ["user", "assistant"]
        assert one["messages"][0]["content"].count("<image>") == len(one["images"])
        assert all((export / settings["media_dir"] / image).is_file() for image in one["images"])
    # Eight pictures as large as LLaMA-Factory leaves them fit, and the prompt is not learnt.
    assert max(len(one["images"]) for one in conversations) == 8
    assert settings["cutoff_len"] >= 8 * (settings["image_max_pixels"] // 28**2 + 2) + 256
    assert settings["train_on_prompt"] is False


def test_each_picture_is_stored_once(export):
    shown = [
        url
        for test in TESTS
        for row in read_rows(ROOT / "train" / test / "train.parquet")
        for url in row["images"]
    ]
    assert len(list((export / "train/images").iterdir())) == len(set(shown)) < len(shown)


def test_settings_are_the_papers(export):
    # Section V.1: rank 8, alpha 16, dropout 0.1, learning rate 5e-5 with a cosine schedule, batches of 2, 8
    # steps accumulated, three epochs.
    trl = yaml.safe_load((export / "trl_sft.yaml").read_text())
    factory = yaml.safe_load((export / "llamafactory_sft.yaml").read_text())
    for one in (trl, factory):
        assert one["learning_rate"] == 5e-5
        assert one["lr_scheduler_type"] == "cosine"
        assert one["num_train_epochs"] == 3
        assert one["per_device_train_batch_size"] == 2
        assert one["gradient_accumulation_steps"] == 8
    assert (trl["lora_r"], trl["lora_alpha"], trl["lora_dropout"]) == (8, 16, 0.1)
    assert (factory["lora_rank"], factory["lora_alpha"], factory["lora_dropout"]) == (8, 16, 0.1)


LORA = LoraSettings(8, 16, 0.1, 5e-5, 3, 2, "a test")


def test_nothing_is_overwritten_unasked(tmp_path, export):
    with pytest.raises(TempbenchError, match="--force"):
        training.export(export, ROOT, (), force=False)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("x")
    for force in (False, True):
        with pytest.raises(TempbenchError, match="not an earlier export"):
            training.export(tmp_path / "mine", ROOT, (), force=force)
    training.export(tmp_path / "e", ROOT, ("isr",), force=False)
    assert training.export(tmp_path / "e", ROOT, ("sov",), force=True)["conversations"] == 20


def test_malformed_examples_are_refused(tmp_path):
    (tmp_path / "e.partial").mkdir()  # the user's own
    user = {"role": "user", "content": [{"type": "image"}, {"type": "text", "text": "?"}]}
    reply = {"role": "assistant", "content": "B"}
    for example, reason in (
        ({"id": "1", "messages": [user, reply], "images": []}, "0 images for 1 image parts"),
        ({"id": "1", "messages": [user], "images": ["x.png"]}, "no reply"),
        ({"id": "1", "messages": [user, reply], "images": ["x.png"]}, "missing"),
    ):
        with pytest.raises(TempbenchError, match=reason):
            write_conversations([example], tmp_path / "e", LORA)
    with pytest.raises(TempbenchError, match="nothing to write"):
        write_conversations([], tmp_path / "e", LORA)
    with pytest.raises(TempbenchError, match="unknown test loud"):
        training.export(tmp_path / "e", ROOT, ("loud",), force=False)
    assert list(tmp_path.iterdir()) == [tmp_path / "e.partial"]


def test_the_mark_of_a_picture_in_a_text_is_no_picture(tmp_path):
    example = {
        "id": "1",
        "messages": [
            {"role": "user", "content": "What is <image>?"},
            {"role": "assistant", "content": "A mark."},
        ],
        "images": [],
    }
    write_conversations([example], tmp_path / "e", LORA, name="marks")
    flat = json.loads((tmp_path / "e/llamafactory_train.json").read_text())
    assert "<image>" not in flat[0]["messages"][0]["content"]


@pytest.mark.harness
def test_trl_learns_the_answer_alone(export, tiny_vlm):
    pytest.importorskip("trl", reason="trl is missing; install it to test what it learns from an export")
    import datasets
    from transformers import AutoProcessor
    from trl.trainer.sft_trainer import DataCollatorForVisionLanguageModeling

    processor = AutoProcessor.from_pretrained(tiny_vlm)
    found = datasets.load_dataset(str(export), split="train")
    (eight,) = found.filter(lambda id_: id_.startswith("eii/"), input_columns=["id"]).select(range(1))
    assert len(eight["images"]) == 8
    settings = yaml.safe_load((export / "trl_sft.yaml").read_text())
    collate = DataCollatorForVisionLanguageModeling(
        processor,
        max_length=settings["max_length"],
        completion_only_loss=settings["completion_only_loss"],
    )
    (labels,) = collate([dict(eight)])["labels"].tolist()
    learnt = processor.tokenizer.decode([label for label in labels if label != -100])
    assert learnt.removesuffix("\n") == f"{eight['completion'][0]['content'][0]['text']}<|im_end|>"


@pytest.mark.harness
def test_the_tiny_model_learns_and_is_evaluated_with_its_adapter(export, tiny_vlm, tmp_path, run_harness):
    peft = pytest.importorskip("peft", reason="peft is missing; install it to test fine-tuning")
    import datasets
    import torch
    from transformers import AutoProcessor, Qwen2_5_VLForConditionalGeneration

    def load(folder):
        return Qwen2_5_VLForConditionalGeneration.from_pretrained(folder).eval()

    processor = AutoProcessor.from_pretrained(tiny_vlm)
    settings = json.loads((export / "peft_lora.json").read_text())
    torch.manual_seed(0)
    model = peft.get_peft_model(load(tiny_vlm), peft.LoraConfig(**settings))
    found = datasets.load_dataset(str(export), split="train")
    found = found.filter(lambda id_: id_.startswith("pov/"), input_columns=["id"]).select(range(2))

    def batch(one):
        text = processor.apply_chat_template(one["prompt"] + one["completion"])
        inputs = processor(text=[text], images=[one["images"]], return_tensors="pt")
        labels = inputs["input_ids"].clone()
        # Only the reply is learnt: a token a byte, the end of the turn, and a line break.
        labels[:, : -len(one["completion"][0]["content"][0]["text"]) - 2] = -100
        return {**inputs, "labels": labels}

    batches = [batch(one) for one in found]
    # The paper's learning rate is for models with real weights; this one must move within a few steps.
    optimiser = torch.optim.AdamW([one for one in model.parameters() if one.requires_grad], lr=5e-2)
    losses = []
    for _ in range(4):
        total = 0.0
        for inputs in batches:
            loss = model(**inputs).loss
            loss.backward()
            total += float(loss.detach())
        optimiser.step()
        optimiser.zero_grad()
        losses.append(total / len(batches))
    # Its frozen random embeddings are short, so that no adapter can take much more than this off the loss.
    assert losses[-1] < losses[0] - 0.05
    adapter = tmp_path / "adapter"
    model.save_pretrained(adapter)
    processor.save_pretrained(adapter)

    # The harness's runner loads the adapter's folder in the same way, base model and all.
    with torch.no_grad():
        base, tuned = (float(load(folder)(**batches[0]).loss) for folder in (tiny_vlm, adapter))
    assert tuned < base - 0.05
    for folder in (tiny_vlm, adapter):
        run = run_harness(
            "qwen2_5_vl",
            ["timepercept_pov_mini"],
            tmp_path / folder.name,
            ["--limit", "2", "--gen_kwargs", "max_new_tokens=6"],
            tiny_args(folder),
        )
        assert run.value("timepercept_pov_mini", "n") == 2
        assert run.value("timepercept_pov_mini", "n_failed") == 0
        assert f"pretrained={folder}" in str(run.results["config"]["model_args"])
