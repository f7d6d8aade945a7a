"""The encoders: the reference implementation's numbers, each model loaded once, nothing that stops a run."""

import itertools
import logging
import math
import warnings
from pathlib import Path

import numpy as np
import pytest

from tempbench_lmms.coherence import encoders
from tempbench_lmms.data.roots import mini_root
from tempbench_lmms.data.tables import read_rows
from tempbench_lmms.metrics.text import clip_score, event_order

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _fresh() -> None:
    encoders._scores.clear()
    encoders._held.cache_clear()


def sentences(n: int) -> list[tuple[str, str]]:
    """Replies and references as a run has them: each question at four budgets, answered in a few forms."""
    forms = (
        "A",
        "Answer: B",
        "C: the red ball rotates {} times",
        "the wheel slows down {} times, then a train",
    )
    return [(forms[i % 4].format(i % 7), f"a train plays {i // 4} times") for i in range(n)]


def test_equals_the_library_pair_by_pair(text_encoder: Path) -> None:
    import bert_score

    pairs = sentences(60)
    scorer = bert_score.BERTScorer(model_type=str(text_encoder), num_layers=6, batch_size=1)
    one_by_one = [scorer.score([given], [wanted])[2].item() for given, wanted in pairs]
    assert np.abs(np.array(encoders.bertscore(pairs)) - one_by_one).max() <= 1e-6


def test_the_encoder_is_loaded_once(text_encoder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import bert_score

    loads, scored = [], []
    load, score = bert_score.BERTScorer, bert_score.BERTScorer.score
    monkeypatch.setattr(load, "score", lambda self, a, b: scored.extend(a) or score(self, a, b))
    monkeypatch.setattr(bert_score, "BERTScorer", lambda *a, **k: loads.append(1) or load(*a, **k))
    pairs = sentences(40)
    encoders.bertscore(pairs)
    encoders.bertscore(pairs[:7])
    encoders.bertscore([*pairs, ("a new one", "another")])
    encoders.bertscore_hash()
    assert len(loads) == 1
    assert sorted(scored) == sorted([*(given for given, _ in dict.fromkeys(pairs)), "a new one"])


def test_nothing_is_loaded_before_it_is_needed(text_encoder: Path) -> None:
    assert encoders.bertscore([("", "a reference"), ("  \n", "x"), ("a", " ")]) == [0.0, 0.0, 0.0]
    assert not encoders._held.cache_info().misses


def test_identical_empty_and_very_long(text_encoder: Path) -> None:
    long = "the ball moves to the left " * 2_000
    scores = encoders.bertscore(
        [("A ball moves.", "A ball moves."), ("", "A ball."), (long, "A ball moves.")]
    )
    assert scores[0] == pytest.approx(1, abs=1e-6)
    assert scores[1] == 0
    assert 0 < scores[2] < 1


def test_symmetric_under_swapping(text_encoder: Path) -> None:
    pairs = sentences(20)
    there, back = encoders.bertscore(pairs), encoders.bertscore([(b, a) for a, b in pairs])
    assert there == pytest.approx(back, abs=1e-6)


def test_the_hash_names_model_layer_and_versions(text_encoder: Path) -> None:
    found = encoders.bertscore_hash()
    assert found.startswith("model@")
    assert "_L6_no-idf_version=" in found
    assert str(text_encoder.parent) not in found


def test_the_default_is_the_paper_s(monkeypatch: pytest.MonkeyPatch) -> None:
    from bert_score.utils import model2layers

    monkeypatch.delenv(encoders.BERTSCORE_MODEL, raising=False)
    assert encoders._settings()[0] == "roberta-large"
    assert model2layers["roberta-large"] == 17


@pytest.mark.parametrize("model", ["/nowhere", "nobody/nothing"])
def test_what_cannot_be_had_is_one_warning_and_undefined(
    model: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from tempbench_lmms.coherence import scoring

    monkeypatch.setenv(encoders.BERTSCORE_MODEL, model)
    record = {"id": "a", "video": "v", "reply": "x", "final": "x", "reference": "y"}
    record |= {"type": "count", "scene": "human"}
    with caplog.at_level(logging.WARNING), warnings.catch_warnings():
        for name in ("bertscore", "bertscore_count", "bertscore_human"):
            value = scoring.METRICS[name]([record])
            assert np.isnan(value.value)  # type: ignore[union-attr]
    logged = [message for message in caplog.messages if "cannot be loaded" in message]
    assert len(logged) == 1
    assert encoders.BERTSCORE_MODEL in logged[0]


def test_event_order_drops_on_every_bundled_caption_and_bertscore_hardly(text_encoder: Path) -> None:
    drops, pairs = [], []
    for row in read_rows(mini_root("coherence") / "caption")[::2]:
        clauses, caption = row["events"], row["target"]
        assert event_order(caption, clauses) == (math.comb(len(clauses), 2),) * 2
        for order in list(itertools.permutations(clauses))[1:]:
            wrong = " ".join(f"Then {clause}." for clause in order)
            right, all_pairs = event_order(wrong, clauses)
            assert right < all_pairs
            drops.append(1 - right / all_pairs)
            pairs.append((wrong, caption))
    assert np.mean(drops) > 0.5 > 2 * (1 - np.mean(encoders.bertscore(pairs)))


def test_clip_embeds_in_batches_as_one_by_one(clip_encoder: Path) -> None:
    from PIL import Image

    generator = np.random.default_rng(0)
    images = [Image.fromarray(generator.integers(0, 255, (60, 80, 3), dtype=np.uint8)) for _ in range(7)]
    together = encoders.clip_images(iter(images))
    apart = np.concatenate([encoders.clip_images([image]) for image in images[:3]])
    assert together.shape == (7, 16)
    assert np.abs(together[:3] - apart).max() < 1e-5
    captions = ["a ball", "a longer caption of a ball that rolls " * 40, "a ball"]
    texts = encoders.clip_texts(captions)
    assert texts.shape == (3, 16)
    assert clip_score(texts[0], texts[2]) == pytest.approx(1)


def test_clip_texts_have_the_official_prefix(clip_encoder: Path) -> None:
    import torch

    model, _, tokenizer, _ = encoders._clip_parts(str(clip_encoder))
    with torch.inference_mode():
        direct = model.get_text_features(**tokenizer(["A photo depicts a ball"], return_tensors="pt"))
    direct = getattr(direct, "pooler_output", direct).numpy()
    assert np.abs(encoders.clip_texts(["a ball"]) - direct).max() < 1e-5
