"""The two encoders that scores need: one for text (BERTScore), one for text and pictures (CLIPScore).

Each is loaded once, when a score first needs it, and on the GPU where there is one. Which ones:

    TEMPBENCH_BERTSCORE_MODEL    a name or a local folder; default roberta-large, as in the paper
    TEMPBENCH_BERTSCORE_LAYERS   the layer whose embeddings are compared; default the library's for the model,
                                 else the last
    TEMPBENCH_CLIP_MODEL         a name or a local folder; default openai/clip-vit-base-patch32, the paper's
"""

import contextlib
import hashlib
import logging
import os
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from tempbench_lmms.data import hub
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.metrics.ratio import Floats

BERTSCORE_MODEL = "TEMPBENCH_BERTSCORE_MODEL"
BERTSCORE_LAYERS = "TEMPBENCH_BERTSCORE_LAYERS"
CLIP_MODEL = "TEMPBENCH_CLIP_MODEL"
_DEFAULT_BERTSCORE = "roberta-large"
_DEFAULT_CLIP = "openai/clip-vit-base-patch32"
_BATCH = 64
_PREFIX = "A photo depicts "
_PAIRS_AT_ONCE = 256
_MAX_REMEMBERED = 500_000
_MAX_CAPTIONS = 20_000

T = TypeVar("T")
Pair = tuple[str, str]

_lock = threading.RLock()
_scores: dict[tuple[str, str, Pair], float] = {}
_captions: dict[tuple[str, str], Floats] = {}


class EncoderUnavailableError(TempbenchError):
    """An encoder cannot be loaded, so that the scores that need it are undefined."""


def _settings() -> tuple[str, str]:
    return os.environ.get(BERTSCORE_MODEL, _DEFAULT_BERTSCORE), os.environ.get(BERTSCORE_LAYERS, "")


def _load(what: str, model: str, variable: str, load: Callable[[], T]) -> T:
    try:
        if Path(model).is_absolute() and not Path(model).exists():
            raise FileNotFoundError("there is no such folder")  # before torch is imported for it
        with hub.tried_once(model), _silent_transformers():
            return load()
    except (
        Exception
    ) as error:  # of any kind: a model that cannot be loaded must not end the run's other metrics
        reason = str(error).strip().splitlines()[0][:200] if str(error).strip() else repr(error)
        message = f"{what} cannot be loaded ({reason}); connect once, or set {variable} to a local folder"
        logging.getLogger(__name__).warning("%s. Scores that need it are shown as undefined.", message)
        raise EncoderUnavailableError(message) from None


@contextlib.contextmanager
def _silent_transformers() -> Iterator[None]:
    """The loaders print bars, and remarks about unused weights, in the middle of the harness's table."""
    from transformers.utils import logging as transformers_logging

    level = transformers_logging.get_verbosity()
    transformers_logging.set_verbosity_error()
    transformers_logging.disable_progress_bar()
    try:
        yield
    finally:
        transformers_logging.set_verbosity(level)
        transformers_logging.enable_progress_bar()


class _Once:
    """Loads a thing once; where it could not be loaded, says so again without trying again."""

    def __init__(self, load: Callable[..., Any]) -> None:
        self._load = load
        self._held: dict[tuple[str, ...], Any] = {}

    def __call__(self, *settings: str) -> Any:
        with _lock:
            if settings not in self._held:
                try:
                    self._held[settings] = self._load(*settings)
                except EncoderUnavailableError as error:
                    self._held[settings] = error
            held = self._held[settings]
        if isinstance(held, EncoderUnavailableError):
            raise held
        return held

    def clear(self) -> None:
        """Forgets what was loaded."""
        self._held.clear()


def _missing(held: dict[T, Any], wanted: Sequence[T], most: int) -> list[T]:
    """Returns what is yet to be scored; forgets everything first where more than `most` would be held."""
    if len(held.keys() | set(wanted)) > most:
        held.clear()
    return [one for one in dict.fromkeys(wanted) if one not in held]


def _load_bertscore(model: str, layers: str) -> Any:
    def load() -> Any:
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

    return _load(f"the BERTScore encoder {model}", model, BERTSCORE_MODEL, load)


bertscorer = _Once(_load_bertscore)


def bertscore(pairs: Sequence[Pair]) -> list[float]:
    """Returns BERTScore F1 of (prediction, reference) pairs, as `bert_score.score` gives it pair by pair.

    Texts go through the encoder in batches, each once; what was scored before is remembered. Where either
    text is empty the score is 0, as in older releases of the library; with transformers 5 it crashes. Text
    beyond the model's length is cut off by its tokenizer.

    Raises:
        EncoderUnavailableError: The encoder cannot be loaded.
    """
    settings = _settings()
    with _lock:
        wanted = [(*settings, pair) for pair in pairs if all(map(str.strip, pair))]
        new = [pair for _, _, pair in _missing(_scores, wanted, _MAX_REMEMBERED)]
        for start in range(0, len(new), _PAIRS_AT_ONCE):
            chunk = new[start : start + _PAIRS_AT_ONCE]
            found = _score(bertscorer(*settings), chunk)
            _scores.update({(*settings, pair): score for pair, score in zip(chunk, found, strict=True)})
        return [_scores.get((*settings, pair), 0.0) for pair in pairs]


def _score(scorer: Any, pairs: Sequence[Pair]) -> list[float]:
    """Returns the F1 of pairs with the library's own parts: embeddings in batches, matching pair by pair.

    The library also matches in batches. There a token that is like none of the other text's scores 0 where
    the pair is padded, and less than 0 where it is not: a score that depends on its neighbours.
    """
    import torch
    from bert_score.utils import get_bert_embedding, greedy_cos_idf

    weights: dict[int, float] = defaultdict(lambda: 1.0)
    for token in (scorer._tokenizer.sep_token_id, scorer._tokenizer.cls_token_id):
        weights[token] = 0
    # Neighbours of one length need little padding.
    texts = sorted({text for pair in pairs for text in pair}, key=lambda text: (len(text), text))
    held: dict[str, tuple[Any, Any, Any]] = {}
    with torch.no_grad():
        for start in range(0, len(texts), _BATCH):
            batch = texts[start : start + _BATCH]
            embeddings, masks, idf = get_bert_embedding(
                batch, scorer._model, scorer._tokenizer, weights, batch_size=_BATCH, device=scorer.device
            )
            for text, embedding, mask, weight in zip(
                batch, embeddings.cpu(), masks.cpu(), idf.cpu(), strict=True
            ):
                n = int(mask.sum())
                held[text] = (embedding[None, :n], mask[None, :n], weight[None, :n])
        scores = []
        for prediction, reference in pairs:
            # It divides its arguments in place, so it gets copies.
            parts = [part.clone() for text in (reference, prediction) for part in held[text]]
            scores.append(float(greedy_cos_idf(*parts)[2]))
    return scores


def bertscore_hash() -> str:
    """Returns what BERTScore's authors ask to report: model, layer, versions.

    A local folder is named by its own name and the hash of its weights.

    Raises:
        EncoderUnavailableError: The encoder cannot be loaded.
    """
    model, layers = _settings()
    found = str(bertscorer(model, layers).hash)
    return found.replace(model, _named(model)) if Path(model).is_dir() else found


@cache
def _named(folder: str) -> str:
    digest = hashlib.sha256()
    weights = sorted([*Path(folder).glob("*.safetensors"), *Path(folder).glob("pytorch_model*.bin")])
    for file in weights:
        with file.open("rb") as stream:
            while block := stream.read(1 << 20):
                digest.update(block)
    return f"{Path(folder).resolve().name}@{digest.hexdigest()[:12]}"


def _load_clip(model: str) -> Any:
    def load() -> Any:
        import torch
        from transformers import CLIPImageProcessor, CLIPModel, CLIPTokenizerFast

        device = "cuda" if torch.cuda.is_available() else "cpu"
        return (
            CLIPModel.from_pretrained(model).eval().to(device),
            CLIPImageProcessor.from_pretrained(model),
            CLIPTokenizerFast.from_pretrained(model),
            device,
        )

    return _load(f"the CLIP model {model}", model, CLIP_MODEL, load)


clip = _Once(_load_clip)


def clip_model() -> str:
    """Returns the CLIP model in use: its name, or a folder's name and weights."""
    model = os.environ.get(CLIP_MODEL, _DEFAULT_CLIP)
    return _named(model) if Path(model).is_dir() else model


def _clip() -> Any:
    return clip(os.environ.get(CLIP_MODEL, _DEFAULT_CLIP))


def _batches(things: Iterable[T]) -> Iterator[list[T]]:
    batch: list[T] = []
    for thing in things:
        batch.append(thing)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _array(features: Any) -> Floats:
    # transformers 5 wraps the embedding; earlier releases return it bare.
    tensor = getattr(features, "pooler_output", features)
    embedding: Floats = tensor.float().cpu().numpy().astype(np.float64)
    return embedding


def clip_images(images: Iterable[Any]) -> Floats:
    """Returns the CLIP embeddings of RGB pictures, not normalised; shape (n, dim).

    Pictures are taken from the iterable a batch at a time.

    Raises:
        EncoderUnavailableError: The model cannot be loaded.
    """
    model, processor, _, device = _clip()
    import torch

    parts = []
    with _lock, torch.inference_mode():
        for batch in _batches(images):
            pixels = processor(images=batch, return_tensors="pt")["pixel_values"].to(device)
            parts.append(_array(model.get_image_features(pixel_values=pixels)))
    return np.concatenate(parts) if parts else np.empty((0, 0))


def clip_texts(captions: Sequence[str]) -> Floats:
    """Returns the CLIP embeddings of captions, each after "A photo depicts "; shape (n, dim).

    Each caption is encoded once; what was encoded before is remembered. Text beyond the model's length is cut
    off. Source: the official code, and CLIPScore before it.

    Raises:
        EncoderUnavailableError: The model cannot be loaded.
    """
    _clip()
    model = clip_model()
    with _lock:
        new = [one for _, one in _missing(_captions, [(model, one) for one in captions], _MAX_CAPTIONS)]
        for batch in _batches(new):
            _captions.update({(model, one): own for one, own in zip(batch, _encoded(batch), strict=True)})
        return np.stack([_captions[model, caption] for caption in captions]) if captions else np.empty((0, 0))


def _encoded(captions: Sequence[str]) -> Floats:
    model, _, tokenizer, device = _clip()
    import torch

    with torch.inference_mode():
        tokens = tokenizer(
            [_PREFIX + caption for caption in captions],
            padding=True,
            truncation=True,
            max_length=model.config.text_config.max_position_embeddings,
            return_tensors="pt",
        ).to(device)
        return _array(model.get_text_features(**tokens))
