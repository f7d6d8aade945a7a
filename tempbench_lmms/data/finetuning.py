"""Training data for fine-tuning, and LoRA settings as configuration files that trainers take as they are.

One export is read by TRL (`trl sft --config trl_sft.yaml`), by LLaMA-Factory
(`llamafactory-cli train llamafactory_sft.yaml`) and by `datasets.load_dataset(FOLDER)`. Each example is a
prompt and a completion, so that both trainers learn the answer alone. The pictures are stored once, under a
name made from their content.
"""

import hashlib
import json
import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from tempbench_lmms.card import LoraSettings
from tempbench_lmms.data import outputs, remote
from tempbench_lmms.data.tables import write_json
from tempbench_lmms.errors import TempbenchError

MANIFEST = "export.json"
_PIXELS = 768 * 768
"""LLaMA-Factory's own bound for a picture; larger ones are resized."""
_TOKENS_A_PICTURE = _PIXELS // (28 * 28) + 3
"""As Qwen2.5-VL counts: one for 28 x 28 pixels, and two marks."""
_CHARACTERS_A_TOKEN = 2
"""Fewer than tokenizers take of English, so that no conversation is longer than reckoned."""
_TOKENS_AROUND = 64
_STEP = 1024
_README = """---
configs:
- config_name: default
  drop_labels: true
  data_files:
  - split: train
    path: train/**
---

# {name}: {count} conversations for fine-tuning

Written by tempbench-lmms. The columns are `id`, `prompt`, `completion` and `images`; `load_dataset` reads
this folder as it is. The loss is on the completion alone. Run these commands inside this folder.

    trl sft --config trl_sft.yaml --model_name_or_path MODEL
    llamafactory-cli train llamafactory_sft.yaml model_name_or_path=MODEL template=TEMPLATE

`peft_lora.json` holds the arguments of `peft.LoraConfig`. The settings are those of {source}.
"""


def _configs(lora: LoraSettings, name: str, cutoff: int) -> dict[str, dict[str, Any]]:
    """Returns the arguments of `peft.LoraConfig` and the trainers' configurations, by the names of files.

    Args:
        lora: The settings.
        name: The data set's name in LLaMA-Factory.
        cutoff: Tokens that the longest conversation may take in LLaMA-Factory; what is longer is cut, its
            pictures included.
    """
    modules = lora.target_modules if isinstance(lora.target_modules, str) else list(lora.target_modules)
    shape = {"lora_alpha": lora.alpha, "lora_dropout": lora.dropout}
    training = {
        "learning_rate": lora.learning_rate,
        "lr_scheduler_type": lora.scheduler,
        "num_train_epochs": float(lora.epochs),
        "per_device_train_batch_size": lora.batch_size,
        "gradient_accumulation_steps": lora.gradient_accumulation,
        "weight_decay": lora.weight_decay,
    }
    trl = {
        "dataset_name": "./train",
        "output_dir": "trl_output",
        "use_peft": True,
        "lora_r": lora.rank,
        **shape,
        "lora_target_modules": [modules] if isinstance(modules, str) else modules,
        "completion_only_loss": True,
        # A conversation cut off in the middle would lose image tokens, and with them the batch.
        "max_length": None,
    }
    factory = {
        "stage": "sft",
        "do_train": True,
        "finetuning_type": "lora",
        "dataset_dir": ".",
        "media_dir": "train",
        "dataset": name,
        "train_on_prompt": False,
        "cutoff_len": cutoff,
        "image_max_pixels": _PIXELS,
        "output_dir": "llamafactory_output",
        "lora_rank": lora.rank,
        **shape,
        "lora_target": "all" if modules == "all-linear" else ",".join(modules),
    }
    return {
        "peft_lora.json": {"r": lora.rank, **shape, "target_modules": modules, "task_type": "CAUSAL_LM"},
        "trl_sft.yaml": trl | training,
        "llamafactory_sft.yaml": factory | training,
    }


def write_conversations(
    examples: Iterable[Mapping[str, Any]],
    folder: Path,
    lora: LoraSettings,
    force: bool = False,
    name: str = "",
) -> dict[str, int]:
    """Writes conversations with pictures as a training set, and the settings beside it.

    Args:
        examples: Dicts with `id`; `messages`, a list of {"role", "content"} that ends with the assistant's
            reply, where content is a string or a list of {"type": "text", "text": ...} and
            {"type": "image"} parts; and `images`, the pictures in the order of the image parts: local paths,
            or the bytes of a JPEG file.
        folder: Where to write; made in one step at the end, so that no half-written export is left.
        lora: The settings.
        force: Replace an earlier export in `folder`.
        name: The data set's name in LLaMA-Factory; the folder's name where omitted.

    Returns:
        The numbers of `conversations` and of different `images`.
    """
    name = name or folder.resolve().name
    _check_target(folder, force)
    outputs.check_folder(folder)
    partial = outputs.beside(folder)
    try:
        counts = _write_export(examples, partial, lora, name)
        if not counts["conversations"]:
            raise TempbenchError(f"nothing to write to {folder}: the training split is empty")
        if folder.exists():
            shutil.rmtree(folder)
        os.replace(partial, folder)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise
    return counts


def _write_export(
    examples: Iterable[Mapping[str, Any]], partial: Path, lora: LoraSettings, name: str
) -> dict[str, int]:
    """Writes an export into a new folder and returns its counts; without conversations it is not whole."""
    (partial / "train" / "images").mkdir(parents=True)
    sharegpt, n_images = _write_examples(examples, partial / "train")
    counts = {"conversations": len(sharegpt), "images": n_images}
    if not sharegpt:
        return counts
    write_json(sharegpt, partial / "llamafactory_train.json")
    write_json({name: _LLAMAFACTORY}, partial / "dataset_info.json")
    for file, settings in _configs(lora, name, max(map(longest, sharegpt))).items():
        if file.endswith(".json"):
            write_json(settings, partial / file)
        else:
            text = yaml.safe_dump(settings, sort_keys=False)
            (partial / file).write_text(f"# Settings from {lora.source}.\n{text}", encoding="utf-8")
    readme = _README.format(name=name, count=len(sharegpt), source=lora.source)
    (partial / "README.md").write_text(readme, encoding="utf-8")
    write_json({"name": name, "counts": counts, "settings_from": lora.source}, partial / MANIFEST)
    return counts


def longest(conversation: Mapping[str, Any]) -> int:
    """Returns a bound for the tokens of a conversation, a multiple of 1024, as Qwen2.5-VL counts them.

    >>> longest({"messages": [{"content": "<image>" * 8 + "Which is first?"}], "images": ["x.png"] * 8})
    6144
    """
    characters = sum(len(message["content"]) for message in conversation["messages"])
    tokens = len(conversation["images"]) * _TOKENS_A_PICTURE + characters // _CHARACTERS_A_TOKEN
    return -(-(tokens + _TOKENS_AROUND) // _STEP) * _STEP


_LLAMAFACTORY = {
    "file_name": "llamafactory_train.json",
    "formatting": "sharegpt",
    "columns": {"messages": "messages", "images": "images"},
    "tags": {
        "role_tag": "role",
        "content_tag": "content",
        "user_tag": "user",
        "assistant_tag": "assistant",
        "system_tag": "system",
    },
}


def _write_examples(examples: Iterable[Mapping[str, Any]], folder: Path) -> tuple[list[dict[str, Any]], int]:
    """Writes what `datasets` reads; returns LLaMA-Factory's rows, and the number of pictures."""
    stored: dict[str, str] = {}
    sharegpt = []
    with (folder / "metadata.jsonl").open("w", encoding="utf-8") as stream:
        for example in examples:
            messages = _structured(example)
            images = [_store(path, folder, stored) for path in example["images"]]
            # `*_file_names` is what the image folders of `datasets` call a list of pictures.
            turns = {"prompt": messages[:-1], "completion": messages[-1:]}
            row = {"id": example["id"], "images_file_names": images, **turns}
            stream.write(json.dumps(row, ensure_ascii=False) + "\n")
            sharegpt.append({"id": example["id"], "messages": _flat(messages), "images": images})
    return sharegpt, len(set(stored.values()))


def _check_target(folder: Path, force: bool) -> None:
    if folder.is_file():
        raise TempbenchError(f"{folder} is a file; choose another name for the folder")
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    if not (folder / MANIFEST).is_file():
        raise TempbenchError(f"{folder} exists and is not an earlier export; choose another folder")
    if not force:
        raise TempbenchError(f"{folder} holds an export; choose another folder or add --force")


def _structured(example: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Returns the messages with every content as a list of parts, after checking them."""
    messages = []
    for message in example["messages"]:
        content = message["content"]
        parts = [
            {"type": "image"} if part["type"] == "image" else {"type": "text", "text": str(part["text"])}
            for part in ([{"type": "text", "text": content}] if isinstance(content, str) else content)
        ]
        messages.append({"role": message["role"], "content": parts})
    expected = sum(part["type"] == "image" for message in messages for part in message["content"])
    if expected != len(example["images"]):
        raise TempbenchError(
            f"{example['id']}: {len(example['images'])} images for {expected} image parts in the messages; "
            "prepare the data again"
        )
    if not messages or messages[-1]["role"] != "assistant":
        raise TempbenchError(f"{example['id']}: the conversation has no reply; prepare the data again")
    return messages


def _flat(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, str]]:
    """Returns the messages as LLaMA-Factory takes them: text with <image> where a picture stands."""

    def text(part: Mapping[str, str]) -> str:
        # The mark in somebody's text would ask for one picture too many.
        return "<image>" if part["type"] == "image" else part["text"].replace("<image>", "< image >")

    return [
        {"role": message["role"], "content": "".join(text(part) for part in message["content"])}
        for message in messages
    ]


def _store(picture: Path | str | bytes, folder: Path, stored: dict[str, str]) -> str:
    """Copies a picture into `folder` unless the same is there; returns its path below `folder`."""
    if not isinstance(picture, bytes) and str(picture) in stored:
        return stored[str(picture)]
    content, suffix = picture, ".jpg"
    if not isinstance(content, bytes):
        source = Path(content)
        remote.bring(source)
        try:
            content, suffix = source.read_bytes(), source.suffix.lower()
        except OSError:
            raise TempbenchError(f"{source}: the picture is missing; prepare the data again") from None
    name = f"images/{hashlib.sha256(content).hexdigest()[:20]}{suffix}"
    if not (folder / name).exists():
        (folder / name).write_bytes(content)
    stored[name if isinstance(picture, bytes) else str(picture)] = name
    return name
