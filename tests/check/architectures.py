"""Tiny random models of further architectures, built on the spot: real processors and layers, no download.

Sizes of pictures, chat templates and special tokens follow the published models, smaller where it is stated;
the weights are random and the layers few and narrow.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tempbench_lmms.check import probes
from tempbench_lmms.check.verdict import Check
from tempbench_lmms.harness import model_session, tiny

_SMALL = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1}
_HEADS = {"num_attention_heads": 2, "num_key_value_heads": 1}
_TEXT = {**_SMALL, **_HEADS, "max_position_embeddings": 32768, "initializer_range": 0.2}
_VISION = {**_SMALL, "num_attention_heads": 1}
_SIZE = {"shortest_edge": 56 * 56, "longest_edge": 28 * 28 * 64}
_INTERNVL = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' }}"
    "{% if message['content'] is string %}{{ message['content'] }}{% else %}"
    "{% for content in message['content'] %}"
    "{% if content['type'] == 'image' %}{{ '<IMG_CONTEXT>\n' }}"
    "{% elif content['type'] == 'video' %}{{ '<video>\n' }}"
    "{% elif content['type'] == 'text' %}{{ content['text'] }}{% endif %}"
    "{% endfor %}{% endif %}{{ '<|im_end|>\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
# It shows all images first, then all videos, then all texts, whatever the order given.
# A system prompt stands at the beginning of the user's turn.
_GEMMA3 = (
    "{{ bos_token }}"
    "{% if messages[0]['role'] == 'system' %}"
    "{% if messages[0]['content'] is string %}{% set head = messages[0]['content'] + '\n\n' %}"
    "{% else %}{% set head = messages[0]['content'][0]['text'] + '\n\n' %}{% endif %}"
    "{% set turns = messages[1:] %}{% else %}{% set head = '' %}{% set turns = messages %}{% endif %}"
    "{% for message in turns %}"
    "{{ '<start_of_turn>' + message['role'] + '\n' + (head if loop.first else '') }}"
    "{% if message['content'] is string %}{{ message['content'] | trim }}{% else %}"
    "{% for content in message['content'] %}"
    "{% if content['type'] == 'image' %}{{ '<start_of_image>' }}"
    "{% elif content['type'] == 'text' %}{{ content['text'] | trim }}{% endif %}"
    "{% endfor %}{% endif %}{{ '<end_of_turn>\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<start_of_turn>model\n' }}{% endif %}"
)


def _saved(folder: Path, model: Any, processor: Any, end: int, pad: int) -> Path:
    model.generation_config.eos_token_id, model.generation_config.pad_token_id = end, pad
    model.save_pretrained(folder)
    processor.save_pretrained(folder)
    return folder


def _qwen_text(tokens: tiny.Tokens) -> dict[str, Any]:
    signs = {"bos": "<|im_start|>", "eos": "<|im_end|>", "pad": "<|endoftext|>"}
    ids = {f"{name}_token_id": tokens[sign] for name, sign in signs.items()}
    return {**_TEXT, "vocab_size": len(tokens), **ids}


def qwen3_vl(folder: Path) -> Path:
    """Writes a Qwen3-VL."""
    from transformers import (
        Qwen2VLImageProcessor,
        Qwen3VLConfig,
        Qwen3VLForConditionalGeneration,
        Qwen3VLProcessor,
        Qwen3VLVideoProcessor,
    )

    tokenizer, tokens = tiny.tokenizer(tiny.QWEN_TOKENS, tiny.QWEN_TEMPLATE)
    vision = {**_SMALL, "depth": 1, "num_heads": 1, "out_hidden_size": 16, "deepstack_visual_indexes": [0]}
    rope = {"rope_type": "default", "mrope_section": [2, 1, 1], "mrope_interleaved": True, "rope_theta": 1e6}
    config = Qwen3VLConfig(
        text_config={**_qwen_text(tokens), "head_dim": 8, "rope_parameters": rope},
        vision_config={**vision, "initializer_range": 0.2},
        image_token_id=tokens["<|image_pad|>"],
        video_token_id=tokens["<|video_pad|>"],
        vision_start_token_id=tokens["<|vision_start|>"],
        vision_end_token_id=tokens["<|vision_end|>"],
    )
    half = [0.5, 0.5, 0.5]
    made = {"patch_size": 16, "image_mean": half, "image_std": half}
    processor = Qwen3VLProcessor(
        image_processor=Qwen2VLImageProcessor(size=_SIZE, **made),
        tokenizer=tokenizer,
        video_processor=Qwen3VLVideoProcessor(**made),
        chat_template=tiny.QWEN_TEMPLATE,
    )
    model = Qwen3VLForConditionalGeneration(config)
    return _saved(folder, model, processor, tokens["<|im_end|>"], tokens["<|endoftext|>"])


def internvl(folder: Path) -> Path:
    """Writes an InternVL 3 in the form of `transformers`, with 64 tokens a tile in place of 256."""
    from transformers import (
        GotOcr2ImageProcessor,
        InternVLConfig,
        InternVLForConditionalGeneration,
        InternVLProcessor,
        InternVLVideoProcessor,
    )

    named = {
        "start_image_token": "<img>",
        "end_image_token": "</img>",
        "context_image_token": "<IMG_CONTEXT>",
        "video_token": "<video>",
    }
    start = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
    tokenizer, tokens = tiny.tokenizer((*start, *named.values()), _INTERNVL, named)
    config = InternVLConfig(
        text_config={"model_type": "qwen2", **_qwen_text(tokens)},
        vision_config={
            **_VISION,
            "image_size": [448, 448],
            "patch_size": [28, 28],
            "initializer_range": 0.2,
        },
        image_token_id=tokens["<IMG_CONTEXT>"],
        image_seq_length=64,
        tie_word_embeddings=False,
    )
    side = {"height": 448, "width": 448}
    mean = {"image_mean": [0.485, 0.456, 0.406], "image_std": [0.229, 0.224, 0.225]}
    processor = InternVLProcessor(
        image_processor=GotOcr2ImageProcessor(size=side, crop_to_patches=True, **mean),
        tokenizer=tokenizer,
        video_processor=InternVLVideoProcessor(size=side, **mean),
        image_seq_length=64,
        chat_template=_INTERNVL,
    )
    model = InternVLForConditionalGeneration(config)
    return _saved(folder, model, processor, tokens["<|im_end|>"], tokens["<|endoftext|>"])


def gemma3(folder: Path) -> Path:
    """Writes a Gemma 3 that sees 224 pixels a side in place of 896, in 16 tokens in place of 256."""
    from transformers import (
        Gemma3Config,
        Gemma3ForConditionalGeneration,
        Gemma3ImageProcessor,
        Gemma3Processor,
    )

    named = {
        "boi_token": "<start_of_image>",
        "eoi_token": "<end_of_image>",
        "image_token": "<image_soft_token>",
    }
    start = ("<pad>", "<bos>", "<eos>", "<start_of_turn>", "<end_of_turn>")
    tokenizer, tokens = tiny.tokenizer(
        (*start, *named.values()), _GEMMA3, named, end="<end_of_turn>", pad="<pad>", bos="<bos>"
    )
    ids = {
        "vocab_size": len(tokens),
        "pad_token_id": tokens["<pad>"],
        "bos_token_id": tokens["<bos>"],
        "eos_token_id": tokens["<end_of_turn>"],
    }
    config = Gemma3Config(
        text_config={**_TEXT, **ids, "head_dim": 8, "query_pre_attn_scalar": 8},
        vision_config={
            **_VISION,
            "model_type": "siglip_vision_model",
            "vision_use_head": False,
            "image_size": 224,
            "patch_size": 28,
        },
        mm_tokens_per_image=16,
        boi_token_index=tokens["<start_of_image>"],
        eoi_token_index=tokens["<end_of_image>"],
        image_token_index=tokens["<image_soft_token>"],
    )
    half = {"image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5]}
    processor = Gemma3Processor(
        image_processor=Gemma3ImageProcessor(size={"height": 224, "width": 224}, **half),
        tokenizer=tokenizer,
        image_seq_length=16,
        chat_template=_GEMMA3,
    )
    model = Gemma3ForConditionalGeneration(config)
    return _saved(folder, model, processor, tokens["<end_of_turn>"], tokens["<pad>"])


@dataclass(frozen=True)
class Case:
    """An architecture with a runner of the harness.

    Attributes:
        build: Writes the model.
        runner: As for `--model`.
        arguments: Further arguments, with which the runner does what it can.
        known: What it then still does wrong, of itself: line and name of the fault.
    """

    build: Callable[[Path], Path]
    runner: str
    arguments: str = ""
    known: frozenset[tuple[str, str]] = frozenset()

    def load(self, folder: Path) -> Any:
        """Returns the runner with the model loaded, which is built in a folder."""
        import torch

        torch.manual_seed(0)
        self.build(folder)
        arguments = f"pretrained={folder},device=cpu,device_map=cpu{self.arguments}"
        return in_float32(model_session.runner(self.runner, arguments))


_UNTIMED = {("times", "no times"), ("short video", "no times")}
_APART = ("interleaved", "text and images apart")
_NO_DECODER = {(line, "request failed") for line in ("video", "short video", "mkv video")}


def _has_torchcodec() -> bool:
    from transformers.utils import import_utils

    usable = getattr(import_utils, "is_torchcodec_usable", None)  # younger than some versions we run with
    return bool(usable(decode="video")) if usable else import_utils.is_torchcodec_available()


def cases() -> dict[str, Case]:
    """Returns every pair of runner and architecture that is tried, by its name."""
    internvl_known = _UNTIMED if _has_torchcodec() else _NO_DECODER
    bare = ",system_prompt="
    # Pictures as large as our frames: larger ones take most of the time.
    small = ",min_pixels=50176,max_pixels=50176"
    return {
        "qwen3_vl": Case(qwen3_vl, "qwen3_vl", f"{bare},fps=2{small}"),
        "internvl_hf": Case(internvl, "internvl_hf", ",num_frames=8", frozenset(internvl_known)),
        "gemma3": Case(gemma3, "gemma3", bare, frozenset({_APART, *_UNTIMED})),
    }


def in_float32(lm: Any) -> Any:
    """Returns a runner whose model has numbers of 32 bits: on a CPU those of 16 take thirty times as long."""
    lm.model.float()
    return lm


def brief(asked: Sequence[probes.Probe]) -> list[probes.Probe]:
    """Returns probes that ask for three tokens in place of twelve, each of which is a run of the model."""
    return [replace(probe, settings=replace(probe.settings, max_new_tokens=3)) for probe in asked]


def found(check: Check) -> set[tuple[str, str]]:
    """Returns line and name of every fault that a check found."""
    return {(one.line, name) for one in check.verdicts for name in one.faults}
