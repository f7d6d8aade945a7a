"""The two encoders that scores need: one for text (BERTScore), one for text and pictures (CLIPScore).

Each is loaded once, when a score first needs it, and on the GPU where there is one. Which ones:

    TEMPBENCH_BERTSCORE_MODEL    a name or a local folder; default roberta-large, as in the paper
    TEMPBENCH_BERTSCORE_LAYERS   the layer whose embeddings are compared; default the library's for the model,
                                 else the last
    TEMPBENCH_CLIP_MODEL         a name or a local folder; default openai/clip-vit-base-patch32, the paper's
"""

import logging
import os
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from tempbench_lmms.data import hub
from tempbench_lmms.data.tables import first_line, sha256_of
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.metrics.ratio import Floats

BERTSCORE_MODEL = "TEMPBENCH_BERTSCORE_MODEL"
BERTSCORE_LAYERS = "TEMPBENCH_BERTSCORE_LAYERS"
CLIP_MODEL = "TEMPBENCH_CLIP_MODEL"
_BATCH = 64
# Bounds how many texts' embeddings the library holds at a time.
_PAIRS_AT_ONCE = 256
_PREFIX = "A photo depicts "

Pair = tuple[str, str]

_scores: dict[tuple[tuple[str, str], Pair], float] = {}
_captions: dict[tuple[str, str], Floats] = {}


class EncoderUnavailableError(TempbenchError):
    """An encoder cannot be loaded, so that the scores that need it are undefined."""


@cache
def _held(load: Callable[..., Any], variable: str, model: str, *settings: str) -> Any:
    """Returns what `load` makes of a model, or the error that says why it cannot; each is tried once."""
    try:
        if Path(model).is_absolute() and not Path(model).exists():
            raise FileNotFoundError("there is no such folder")  # before torch is imported for it
        with hub.tried_once(model):
            return load(model, *settings)
    except Exception as error:  # of any kind: it must not end the run's other metrics
        message = (
            f"the encoder {model} cannot be loaded ({first_line(error)[:200]}); connect once, or set "
            f"{variable} to a local folder"
        )
        logging.getLogger(__name__).warning("%s. Scores that need it are shown as undefined.", message)
        return EncoderUnavailableError(message)


def _loaded(load: Callable[..., Any], variable: str, *settings: str) -> Any:
    held = _held(load, variable, *settings)
    if isinstance(held, EncoderUnavailableError):
        raise held
    return held


def _settings() -> tuple[str, str]:
    return os.environ.get(BERTSCORE_MODEL, "roberta-large"), os.environ.get(BERTSCORE_LAYERS, "")


def _bertscorer(model: str, layers: str) -> Any:
    import bert_score
    from bert_score.utils import model2layers
    from transformers import AutoConfig

    number = int(layers) if layers else model2layers.get(model)
    if number is None:
        number = AutoConfig.from_pretrained(model).num_hidden_layers
    scorer = bert_score.BERTScorer(model_type=model, num_layers=number, batch_size=_BATCH, idf=False)
    # A tokenizer may name no limit: a reply longer than the model's positions would then stop the run.
    config = scorer._model.config
    offset = 2 if config.model_type in ("roberta", "xlm-roberta", "camembert") else 0
    limit = getattr(config, "max_position_embeddings", 514) - offset
    scorer._tokenizer.model_max_length = min(scorer._tokenizer.model_max_length, limit)
    return scorer


def bertscore(pairs: Sequence[Pair]) -> list[float]:
    """Returns BERTScore F1 of (prediction, reference) pairs; earlier scores are cached.

    If either text is empty the score is 0, because with transformers 5 the library crashes. Text beyond the
    model's length is cut off by its tokenizer.

    Raises:
        EncoderUnavailableError: The encoder cannot be loaded.
    """
    settings = _settings()
    wanted = (pair for pair in dict.fromkeys(pairs) if all(map(str.strip, pair)))
    new = [pair for pair in wanted if (settings, pair) not in _scores]
    for start in range(0, len(new), _PAIRS_AT_ONCE):
        chunk = new[start : start + _PAIRS_AT_ONCE]
        score = _loaded(_bertscorer, BERTSCORE_MODEL, *settings).score
        found = score([one for one, _ in chunk], [other for _, other in chunk])[2].tolist()
        _scores.update({(settings, pair): score for pair, score in zip(chunk, found, strict=True)})
    return [_scores.get((settings, pair), 0.0) for pair in pairs]


def bertscore_hash() -> str:
    """Returns what BERTScore's authors ask to report: model, layer, versions.

    A local folder is named by its own name and the hash of its weights.

    Raises:
        EncoderUnavailableError: The encoder cannot be loaded.
    """
    model, layers = _settings()
    return str(_loaded(_bertscorer, BERTSCORE_MODEL, model, layers).hash).replace(model, _named(model))


@cache
def _named(model: str) -> str:
    """Returns a model's name in results: its name, or a folder's name and weights."""
    folder = Path(model)
    if not folder.is_dir():
        return model
    weights = sorted([*folder.glob("*.safetensors"), *folder.glob("pytorch_model*.bin")])
    return f"{folder.resolve().name}@{sha256_of(weights)[:12]}"


def _clip_parts(model: str) -> Any:
    import torch
    from transformers import CLIPImageProcessor, CLIPModel, CLIPTokenizerFast

    device = "cuda" if torch.cuda.is_available() else "cpu"
    clip = CLIPModel.from_pretrained(model).eval().to(device)
    return clip, CLIPImageProcessor.from_pretrained(model), CLIPTokenizerFast.from_pretrained(model), device


def _clip_name() -> str:
    return os.environ.get(CLIP_MODEL, "openai/clip-vit-base-patch32")


def clip_model() -> str:
    """Returns the CLIP model in use: its name, or a folder's name and weights."""
    return _named(_clip_name())


def _array(features: Any) -> Floats:
    # transformers 5 wraps the embedding; earlier releases return it bare.
    return np.asarray(getattr(features, "pooler_output", features).float().cpu().numpy(), np.float64)


def clip_images(images: Iterable[Any]) -> Floats:
    """Returns the CLIP embeddings of RGB pictures, not normalised; shape (n, dim).

    Raises:
        EncoderUnavailableError: The model cannot be loaded.
    """
    model, processor, _, device = _loaded(_clip_parts, CLIP_MODEL, _clip_name())
    import torch

    with torch.inference_mode():
        pixels = processor(images=list(images), return_tensors="pt")["pixel_values"].to(device)
        return _array(model.get_image_features(pixel_values=pixels))


def clip_texts(captions: Sequence[str]) -> Floats:
    """Returns the CLIP embeddings of captions, each after "A photo depicts "; shape (n, dim).

    Each caption is encoded once; what was encoded before is remembered. Text beyond the model's length is cut
    off. Source: the official code, and CLIPScore before it.

    Raises:
        EncoderUnavailableError: The model cannot be loaded.
    """
    model, _, tokenizer, device = _loaded(_clip_parts, CLIP_MODEL, name := _clip_name())
    import torch

    new = [caption for caption in dict.fromkeys(captions) if (name, caption) not in _captions]
    for start in range(0, len(new), _BATCH):
        batch = new[start : start + _BATCH]
        with torch.inference_mode():
            tokens = tokenizer(
                [_PREFIX + caption for caption in batch],
                padding=True,
                truncation=True,
                max_length=model.config.text_config.max_position_embeddings,
                return_tensors="pt",
            ).to(device)
            vectors = _array(model.get_text_features(**tokens))
        _captions.update({(name, caption): own for caption, own in zip(batch, vectors, strict=True)})
    return np.stack([_captions[name, caption] for caption in captions]) if captions else np.empty((0, 0))
