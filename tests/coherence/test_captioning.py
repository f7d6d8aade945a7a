"""CLIPGain from records, with a tiny random CLIP; the expected values from its embeddings by plain numpy."""

import numpy as np
import pytest

from tempbench_lmms.coherence import captioning, encoders
from tempbench_lmms.data import roots, tables
from tempbench_lmms.media.video import sample_frames
from tempbench_lmms.record import evaluate

pytestmark = pytest.mark.slow


def records(n: int = 3, **captions: str) -> list[dict]:
    rows = tables.read_rows(roots.mini_root("coherence") / "caption")[: 2 * n]
    return [
        captioning.record(row, captions.get(row["question_id"].replace("/", "_"), row["target"]))
        for row in rows
    ]


def cosine(a: np.ndarray, b: np.ndarray) -> float:
    return max(0.0, float(a @ b / np.linalg.norm(a) / np.linalg.norm(b)))


def test_gain_equals_plain_numpy(clip_encoder: object) -> None:
    given = records()
    gains, official = [], []
    texts = encoders.clip_texts([item["caption"] for item in given])
    for place in range(0, 6, 2):
        images = sample_frames(roots.resolve(given[place]["video"]), 8).images
        frames = encoders.clip_images(images)
        gains.append(cosine(frames.mean(0), texts[place]) / cosine(frames[4], texts[place + 1]) - 1)
        swapped = _swapped(images)
        whole, middle = swapped.mean(0), swapped[4]
        captions = texts[::2] / np.sqrt((texts[::2] ** 2).sum())
        singles = texts[1::2] / np.sqrt((texts[1::2] ** 2).sum())
        video = max(0.0, float((whole / np.linalg.norm(whole) * captions).sum()))
        frame = max(0.0, float((middle / np.linalg.norm(middle) * singles).sum()))
        official.append(video / frame - 1)
    assert evaluate(captioning.METRICS["clipgain"], given) == pytest.approx(np.mean(gains), abs=1e-6)
    assert evaluate(captioning.METRICS["clipgain_official"], given) == pytest.approx(
        np.mean(official), abs=1e-6
    )
    assert evaluate(captioning.METRICS["n_skipped"], given) == 0


def _swapped(images: tuple) -> np.ndarray:
    from PIL import Image

    return encoders.clip_images([Image.fromarray(np.asarray(image)[..., ::-1]) for image in images])


def test_an_empty_frame_caption_has_no_gain(clip_encoder: object) -> None:
    given = records(story_00_frame="")
    assert evaluate(captioning.METRICS["n_skipped"], given) == 1
    assert evaluate(captioning.METRICS["caption_parse_rate"], given) == pytest.approx(5 / 6)
    only = records(n=1, story_00_video="")
    assert evaluate(captioning.METRICS["clipgain"], only) == -1


def test_half_a_pair_is_cut(clip_encoder: object) -> None:
    given = records()[:5]
    assert evaluate(captioning.METRICS["n_videos"], given) == 3
    assert evaluate(captioning.METRICS["n_cut"], given) == 1
    failed = captioning.record(
        {**tables.read_rows(roots.mini_root("coherence") / "caption")[5]}, "x", failed=True
    )
    assert evaluate(captioning.METRICS["n_cut"], [*given, failed]) == 1
    assert evaluate(captioning.METRICS["n_failed_captions"], [*given, failed]) == 1


def test_space_in_a_caption_is_nothing_to_walk_over() -> None:
    # The patterns that look for "after" and "then" would try every way through a run of spaces.
    row = {"question_id": "q", "video": "v", "view": "video", "n_frames": 4, "target": "a b", "events": []}
    assert captioning.record(row, "a" + " " * 5000 + "b")["caption"] == "a b"


def test_a_missing_video_is_skipped(clip_encoder: object) -> None:
    given = records()
    for item in given[:2]:
        item["video"] = "tempbench://coherence/mini/media/captions/none.mp4"
    assert evaluate(captioning.METRICS["n_skipped"], given) == 1
    assert np.isfinite(evaluate(captioning.METRICS["clipgain"], given))


def test_frames_and_captions_are_embedded_once(clip_encoder: object, monkeypatch: pytest.MonkeyPatch) -> None:
    embedded = []
    real = encoders._array
    monkeypatch.setattr(encoders, "_array", lambda found: (embedded.append(1), real(found))[1])
    given = records()
    for metric in captioning.METRICS.values():
        metric(given)
    assert len(embedded) == 3 * 2 + 1  # each video's frames in both orders of colours; all captions


def test_without_a_model_clip_metrics_are_undefined(
    monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    monkeypatch.setenv(encoders.CLIP_MODEL, f"{tmp_path}/nowhere")
    given = records()
    for name in ("clipgain", "clipgain_official", "clipscore_video"):
        assert np.isnan(evaluate(captioning.METRICS[name], given))
    assert evaluate(captioning.METRICS["event_order"], given) == 1
