"""CLIP, DETR and BERTScore, and what keeps their results: with tiny random models and one real encoder."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from hf_datasets.tempvs import encoders
from tempbench_lmms.errors import MediaError

from .build_helpers import tiny_detr

pytestmark = pytest.mark.slow

TEXTS = [
    "A boy jumps over a wall.",
    "A boy leaps over the wall.",
    "It snows.",
    "The cat, at last, slept!",
]


def load(item: str) -> Image.Image:
    """A picture whose colours depend on the item; some cannot be read."""
    if item == "broken":
        raise MediaError("broken")
    rng = np.random.default_rng(len(item))
    return Image.fromarray(rng.integers(0, 255, (20, 30, 3), dtype=np.uint8))


def test_clip_embeds_each_alone_as_in_a_batch(tiny_clip: Path) -> None:
    items = ["a", "bb", "broken", "cccc"]
    many = np.stack(list(encoders.Clip(str(tiny_clip), "cpu", 4).images(items, load)))
    one = np.stack(list(encoders.Clip(str(tiny_clip), "cpu", 1).images(items, load)))
    np.testing.assert_allclose(many, one, atol=1e-5)
    assert np.isnan(many[2]).all()
    np.testing.assert_allclose(np.linalg.norm(many[[0, 1, 3]], axis=1), 1, atol=1e-5)
    # The second text is longer than the forty tokens that this CLIP reads.
    texts = ["A dog.", "A dog runs after a cat that runs after a mouse.", "Snow."]
    many = np.stack(list(encoders.Clip(str(tiny_clip), "cpu", 3).texts(texts)))
    one = np.stack(list(encoders.Clip(str(tiny_clip), "cpu", 1).texts(texts)))
    np.testing.assert_allclose(many, one, atol=1e-5)
    assert many.shape == (3, 8)


def test_clip_is_transformers_own(tiny_clip: Path) -> None:
    import torch
    from transformers import CLIPImageProcessor, CLIPModel

    model = CLIPModel.from_pretrained(tiny_clip).eval()
    pixels = CLIPImageProcessor.from_pretrained(tiny_clip)([load("a")], return_tensors="pt")["pixel_values"]
    with torch.no_grad():
        expected = model.visual_projection(model.vision_model(pixels).pooler_output)[0]
    (found,) = encoders.Clip(str(tiny_clip), "cpu", 1).images(["a"], load)
    np.testing.assert_allclose(found, (expected / expected.norm()).numpy(), atol=1e-5)


def test_the_detector_tells_how_sure_it_is_of_a_person(tmp_path: Path) -> None:
    detector = encoders.PersonDetector(str(tiny_detr(tmp_path, "person")), "cpu", 2)
    scores = [float(score[0]) for score in detector.scores(["a", "broken", "bb"], load)]
    assert 0 < scores[0] < 1
    assert 0 < scores[2] < 1
    assert np.isnan(scores[1])


@pytest.mark.parametrize("layers", [6, 3])
def test_bertscore_is_that_of_the_package(minilm: str, layers: int) -> None:
    from bert_score import score

    pairs = [(a, b) for a in TEXTS for b in TEXTS]
    scorer = encoders.BertScore(minilm, layers, "cpu", 3)
    found = np.stack(list(scorer.scores(pairs)))
    expected = score(
        [a for a, _ in pairs], [b for _, b in pairs], model_type=minilm, num_layers=layers, device="cpu"
    )
    np.testing.assert_allclose(found, np.stack([part.numpy() for part in expected], 1), atol=1e-5)


def test_a_store_keeps_what_an_interruption_leaves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoders, "SHARD", 2)
    made: list[str] = []

    def vectors(keys: list[str], last: int) -> Iterator[list[float]]:
        for number, key in enumerate(keys):
            if number == last:
                raise KeyboardInterrupt
            made.append(key)
            yield [float(ord(key)), 1.0]

    store = encoders.Store(tmp_path)
    missing = store.missing("abcdeab")
    assert missing == ["a", "b", "c", "d", "e"]
    with pytest.raises(KeyboardInterrupt):
        store.add(missing, vectors(missing, 3), "")
    again = encoders.Store(tmp_path)
    assert again.missing("abcde") == ["d", "e"]
    again.add(["d", "e"], vectors(["d", "e"], 9), "")
    assert made == ["a", "b", "c", "d", "e"]
    np.testing.assert_array_equal(encoders.Store(tmp_path).matrix(["e", "a"]), [[101, 1], [97, 1]])


def test_a_model_is_known_by_what_lies_in_its_folder(tmp_path: Path) -> None:
    assert encoders.fingerprint("openai/clip") != encoders.fingerprint("openai/clip2")
    (tmp_path / "w").write_text("1")
    first = encoders.fingerprint(str(tmp_path))
    assert first == encoders.fingerprint(str(tmp_path))
    (tmp_path / "w").write_text("12")
    assert first != encoders.fingerprint(str(tmp_path))
