"""CLIP, a person detector and BERTScore over many stories: every image and text is encoded once.

A `Store` per model in the work folder keeps the results, so an interrupted run continues where it stopped,
and a changed threshold needs no new computation.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tempbench_lmms.data import outputs, terminal
from tempbench_lmms.errors import MediaError, TempbenchError

SHARD = 2048
"""Results that are written at a time; what an interruption can lose."""


def fingerprint(model: str) -> str:
    """Returns a short key of a model, from its name or from the content of its folder."""
    folder = Path(model).expanduser()
    files = sorted(file for file in folder.rglob("*") if file.is_file()) if folder.is_dir() else []
    stats = [f"{file.name} {file.stat().st_size} {file.stat().st_mtime_ns}" for file in files]
    return hashlib.sha256("\n".join([model, *stats]).encode()).hexdigest()[:16]


def progress(items: Iterable[Any], total: int, what: str) -> Iterable[Any]:
    """Shows how many of `items` were taken, where somebody can see it."""
    from rich.progress import track

    console = terminal.console(stderr=True)
    if not console.is_terminal:
        return items
    return track(items, what, total=total, transient=True, console=console)


def _digest(key: str) -> bytes:
    # All of one length: numpy stores an array of strings as wide as its longest.
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:32].encode()


class Store:
    """Vectors by key, in a folder of `.npz` files that only grows.

    Args:
        folder: Made where it is missing. One store for each model and kind of vector.
    """

    def __init__(self, folder: Path) -> None:
        import numpy as np

        self.folder = folder
        self._vectors: dict[bytes, Any] = {}
        folder.mkdir(parents=True, exist_ok=True)
        for file in sorted(folder.glob("*.npz")):
            with np.load(file, allow_pickle=False) as shard:
                self._vectors.update(zip(shard["keys"].tolist(), shard["values"], strict=True))

    def missing(self, keys: Iterable[str]) -> list[str]:
        """Returns the keys that have no vector yet, each once."""
        return [key for key in dict.fromkeys(keys) if _digest(key) not in self._vectors]

    def add(self, keys: Sequence[str], vectors: Iterable[Any], what: str) -> None:
        """Keeps a vector for each key; what an interruption leaves is kept, too."""
        import numpy as np

        fresh: dict[bytes, Any] = {}

        def write() -> None:
            if fresh:
                file = self.folder / f"{len(self._vectors):09d}.npz"
                with outputs.replacing(file) as partial, partial.open("wb") as stream:
                    np.savez(stream, keys=np.array(list(fresh)), values=np.stack(list(fresh.values())))
                self._vectors.update(fresh)
                fresh.clear()

        try:
            for key, vector in progress(zip(keys, vectors, strict=True), len(keys), what):
                fresh[_digest(key)] = np.asarray(vector, dtype=np.float32)
                if len(fresh) == SHARD:
                    write()
        finally:
            write()

    def matrix(self, keys: Sequence[str]) -> Any:
        """Returns the vectors of `keys` as a float32 array [n, d]."""
        import numpy as np

        return np.stack([self._vectors[_digest(key)] for key in keys])


def device_of(wanted: str) -> str:
    """Returns `wanted`, or for "auto" a GPU where there is one."""
    import torch

    return ("cuda" if torch.cuda.is_available() else "cpu") if wanted == "auto" else wanted


def _loaded(loader: Any, name: str, **options: Any) -> Any:
    """Returns a model or processor by name or local folder; no code of its own is run.

    Weights are read as safetensors where there are any, else by torch's loader for tensors only.
    """
    try:
        return loader.from_pretrained(name, **options)
    except (OSError, ValueError, ImportError) as error:
        raise _cannot_load(name, error) from None


def _cannot_load(name: str, error: Exception) -> TempbenchError:
    return TempbenchError(
        f"{name} cannot be loaded ({str(error).splitlines()[0]}); give the name of a checkpoint on the "
        "Hugging Face Hub, or a local folder"
    )


def _batches(items: Sequence[Any], size: int) -> Iterator[Sequence[Any]]:
    return (items[i : i + size] for i in range(0, len(items), size))


class Clip:
    """CLIP embeddings of images and texts, as unit vectors.

    Images go through the checkpoint's own processor. The official script squashes an image to a square for
    comparisons with texts, and crops it for comparisons with images. Here it is cropped for both, so one
    embedding is enough.
    """

    def __init__(self, name: str, device: str, batch: int) -> None:
        from transformers import AutoTokenizer, CLIPImageProcessor, CLIPModel

        self.device, self.batch = device_of(device), batch
        self.model = _loaded(CLIPModel, name).to(self.device).eval()
        self.processor = _loaded(CLIPImageProcessor, name)
        self.tokenizer = _loaded(AutoTokenizer, name)

    def images(self, items: Sequence[Any], load: Callable[[Any], Any]) -> Iterator[Any]:
        """Yields an embedding for each item that `load` turns into an image; NaN where it cannot be read."""
        import numpy as np
        import torch

        unreadable = np.full(self.model.config.projection_dim, np.nan, dtype=np.float32)
        for pictures, pixels in _pixels(self, items, load):
            with torch.no_grad():
                vectors = _unit(self.model.get_image_features(**pixels.to(self.device)))
            for picture, vector in zip(pictures, vectors, strict=True):
                yield unreadable if picture is None else vector

    def texts(self, texts: Sequence[str]) -> Iterator[Any]:
        """Yields an embedding for each text; what is longer than CLIP reads is cut off."""
        import torch

        limit = self.model.config.text_config.max_position_embeddings
        for batch in _batches(texts, self.batch):
            tokens = self.tokenizer(
                list(batch), padding=True, truncation=True, max_length=limit, return_tensors="pt"
            )
            tokens = {name: tokens[name].to(self.device) for name in ("input_ids", "attention_mask")}
            with torch.no_grad():
                vectors = _unit(self.model.get_text_features(**tokens))
            yield from vectors


def _unit(features: Any) -> Any:
    # A plain tensor before transformers 5.
    vectors = getattr(features, "pooler_output", features).float()
    return (vectors / vectors.norm(dim=-1, keepdim=True)).cpu().numpy()


def _pixels(model: Any, items: Sequence[Any], load: Callable[[Any], Any]) -> Iterator[tuple[list[Any], Any]]:
    """Yields pictures in batches, None for one that cannot be read, and what the processor makes of them."""
    from PIL import Image

    def readable(item: Any) -> Any:
        try:
            return load(item)
        except MediaError:
            return None

    for batch in _batches(items, model.batch):
        pictures = [readable(item) for item in batch]
        shown = [picture or Image.new("RGB", (32, 32)) for picture in pictures]
        yield pictures, model.processor(shown, return_tensors="pt")


class PersonDetector:
    """How sure an object detector is that a person is in an image.

    The paper used Detectron2's Faster R-CNN (R50-FPN, score 0.98 or more), which transformers does not have;
    here it is DETR or any other checkpoint for object detection whose labels know "person".
    """

    def __init__(self, name: str, device: str, batch: int) -> None:
        from transformers import AutoImageProcessor, AutoModelForObjectDetection

        self.device, self.batch = device_of(device), batch
        self.model = _loaded(AutoModelForObjectDetection, name).to(self.device).eval()
        self.processor = _loaded(AutoImageProcessor, name)
        labels = {label.lower(): int(i) for i, label in self.model.config.id2label.items()}
        if "person" not in labels:
            raise TempbenchError(f"{name} detects no person; give a detector that was trained on COCO")
        self.person = labels["person"]

    def scores(self, items: Sequence[Any], load: Callable[[Any], Any]) -> Iterator[Any]:
        """Yields for each item a vector of one number from 0 to 1; NaN where the image cannot be read."""
        import torch

        for pictures, inputs in _pixels(self, items, load):
            with torch.no_grad():
                logits = self.model(**inputs.to(self.device)).logits.float()
            best = logits.softmax(-1)[..., self.person].max(-1).values.tolist()
            for picture, score in zip(pictures, best, strict=True):
                yield [score if picture is not None else float("nan")]


class BertScore:
    """BERTScore of many pairs of texts by the package `bert-score`: no idf weights, no rescaling.

    Args:
        name: An encoder on the Hub, or a local folder.
        layers: Which layer's output is compared; None: the one that `bert-score` recommends for `name`.
        device: Of torch; "auto" takes a GPU where there is one.
        batch: Texts, or pairs, at a time.
    """

    def __init__(self, name: str, layers: int | None, device: str, batch: int) -> None:
        from bert_score import BERTScorer
        from bert_score.utils import model2layers

        if (layers := layers or model2layers.get(name)) is None:
            raise TempbenchError(f"the BERTScore layer of {name} is not known; give it with --bert-layers")
        options = {"batch_size": batch, "device": device_of(device)}
        try:
            self._scorer = BERTScorer(model_type=name, num_layers=layers, **options)
        except AssertionError as error:  # how it says that there is no such layer
            raise TempbenchError(f"{name}: {error}; correct --bert-layers") from None
        except (OSError, ValueError, ImportError) as error:
            raise _cannot_load(name, error) from None

    def scores(self, pairs: Sequence[tuple[str, str]]) -> Iterator[Any]:
        """Yields precision, recall and F1 of each pair (candidate, reference), as an array of three."""
        import torch

        for part in _batches(pairs, SHARD):  # a text of several pairs is encoded once in each part
            candidates, references = ([*texts] for texts in zip(*part, strict=True))
            yield from torch.stack(self._scorer.score(candidates, references), 1).numpy()
