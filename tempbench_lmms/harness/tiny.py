"""Builds a tiny, randomly initialised Qwen2.5-VL: the real architecture, without a download.

It answers nonsense, but uses everything that a real model uses: chat template, image processor, vision tower,
generation, and the harness's own runner.
"""

import json
import runpy
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

QWEN_TOKENS = (
    "<|endoftext|>",
    "<|im_start|>",
    "<|im_end|>",
    "<|vision_start|>",
    "<|vision_end|>",
    "<|vision_pad|>",
    "<|image_pad|>",
    "<|video_pad|>",
)

QWEN_TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n"
    "{% if message['content'] is string %}{{ message['content'] }}{% else %}"
    "{% for content in message['content'] %}"
    "{% if content['type'] == 'image' %}<|vision_start|><|image_pad|><|vision_end|>"
    "{% elif content['type'] == 'video' %}<|vision_start|><|video_pad|><|vision_end|>"
    "{% elif 'text' in content %}{{ content['text'] }}{% endif %}"
    "{% endfor %}{% endif %}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


Tokens = Mapping[str, int]  # the number of each token


def tokenizer(
    special: Sequence[str],
    template: str,
    named: Mapping[str, str] | None = None,
    end: str = "<|im_end|>",
    pad: str = "<|endoftext|>",
    bos: str | None = None,
) -> tuple[Any, Tokens]:
    """Returns a tokenizer with one token per byte, which can encode every text without training.

    Args:
        special: The special tokens.
        template: The chat template.
        named: Special tokens that the processor asks for by a name.
        end: The special token that ends a reply.
        pad: The one that fills up.
        bos: The one that begins a prompt, where there is one.

    Returns:
        The tokenizer, and the number of each of its tokens.
    """
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    tokens = [*sorted(pre_tokenizers.ByteLevel.alphabet()), *special]
    vocabulary = {token: i for i, token in enumerate(tokens)}
    made = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    return (
        PreTrainedTokenizerFast(
            tokenizer_object=made,
            eos_token=end,
            pad_token=pad,
            extra_special_tokens=[token for token in special if token not in (pad, *(named or {}).values())],
            model_specific_special_tokens=dict(named or {}),
            chat_template=template,
            model_max_length=32768,
            **({} if bos is None else {"bos_token": bos}),
        ),
        vocabulary,
    )


def _config(ids: Tokens) -> Any:
    from transformers import Qwen2_5_VLConfig

    return Qwen2_5_VLConfig(
        text_config={
            "vocab_size": len(ids),
            "initializer_range": 0.2,
            "hidden_size": 32,
            "intermediate_size": 64,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "num_key_value_heads": 2,
            "max_position_embeddings": 32768,
            # Half of a head's dimensions turn: a quarter with time, the others with height and width.
            "rope_scaling": {"type": "mrope", "mrope_section": [1, 1, 2]},
            "bos_token_id": ids["<|im_start|>"],
            "eos_token_id": ids["<|im_end|>"],
            "pad_token_id": ids["<|endoftext|>"],
        },
        vision_config={
            "depth": 2,
            "initializer_range": 0.2,
            "hidden_size": 32,
            "intermediate_size": 64,
            "num_heads": 2,
            "out_hidden_size": 32,
            "fullatt_block_indexes": [1],
            "window_size": 112,
        },
        image_token_id=ids["<|image_pad|>"],
        video_token_id=ids["<|video_pad|>"],
        vision_start_token_id=ids["<|vision_start|>"],
        vision_end_token_id=ids["<|vision_end|>"],
        tie_word_embeddings=False,
    )


def build(folder: Path, seed: int = 0) -> Path:
    """Writes the model with its processor to `folder`, once.

    Args:
        folder: Where to write; an existing finished model is used.
        seed: Of the random weights.

    Returns:
        The folder, to be given to a runner as `pretrained`.
    """
    done = folder / "tempbench_tiny.json"
    if done.is_file():
        return folder
    import torch
    from transformers import (
        Qwen2_5_VLForConditionalGeneration,
        Qwen2_5_VLProcessor,
        Qwen2VLImageProcessor,
        Qwen2VLVideoProcessor,
    )

    folder.mkdir(parents=True, exist_ok=True)
    made, ids = tokenizer(QWEN_TOKENS, QWEN_TEMPLATE)
    size = {"shortest_edge": 56 * 56, "longest_edge": 28 * 28 * 64}
    processor = Qwen2_5_VLProcessor(
        image_processor=Qwen2VLImageProcessor(size=size),
        tokenizer=made,
        video_processor=Qwen2VLVideoProcessor(size=size),
        chat_template=QWEN_TEMPLATE,
    )
    config = _config(ids)
    torch.manual_seed(seed)
    model = Qwen2_5_VLForConditionalGeneration(config)
    model.generation_config.eos_token_id = ids["<|im_end|>"]
    model.generation_config.pad_token_id = ids["<|endoftext|>"]
    model.save_pretrained(folder)
    processor.save_pretrained(folder)
    done.write_text(json.dumps({"seed": seed}), encoding="utf-8")
    return folder


def main() -> None:
    """Builds the model in the first argument's folder, then runs `lmms-eval` with the other arguments.

    Both import torch, which takes longer than building the model.
    """
    folder, *arguments = sys.argv[1:]
    build(Path(folder))
    sys.argv = ["lmms-eval", *arguments]
    runpy.run_module("lmms_eval", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
