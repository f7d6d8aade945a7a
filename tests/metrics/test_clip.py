"""CLIPScore and CLIPGain: the specification's worked example, strict and official."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tempbench_lmms.metrics import text

FRAMES = [[1, 0, 0], [0, 2, 0], [3, 0, 0], [0, 0, 0], [2, 2, 0], *[[0, 0, 0]] * 3]


def test_worked_example() -> None:
    # Mean of the frames: (1 + 3 + 2, 2 + 2, 0) / 8 = (.75, .5, 0). Against (1, 0, 0): .75 / sqrt(.8125).
    # Middle frame (2, 2, 0) against (.6, .8, 0): 2.8 / sqrt(8).
    assert text.pooled(FRAMES).tolist() == [0.75, 0.5, 0]
    video = text.clip_score(text.pooled(FRAMES), [1, 0, 0])
    frame = text.clip_score(FRAMES[4], [0.6, 0.8, 0])
    assert video == pytest.approx(0.8320502943378437)
    assert frame == pytest.approx(0.9899494936611665)
    assert text.clip_gain(video, frame) == pytest.approx(-0.15950227797921124)


def test_worked_example_official() -> None:
    # The captions of a second video change this one's score, and the sign of its gain.
    video = text.official_clip_score(text.pooled(FRAMES), [[1, 0, 0], [0, 1, 0]])
    frame = text.official_clip_score(FRAMES[4], [[0.6, 0.8, 0], [0, 0, 1]])
    assert video == pytest.approx(0.9805806756909201)
    assert frame == pytest.approx(0.7)
    assert text.clip_gain(video, frame) == pytest.approx(0.4008295367013146)


sizes = st.floats(-5, 5).filter(lambda one: one == 0 or abs(one) > 1e-3)
vectors = st.lists(sizes, min_size=3, max_size=3)


@given(vectors, vectors, st.floats(0.1, 10))
def test_bounds_scale_and_one_caption(picture: list[float], caption: list[float], scale: float) -> None:
    score = text.clip_score(picture, caption)
    assert 0 <= score <= 1 + 1e-9
    assert text.official_clip_score(picture, [caption]) == pytest.approx(score, abs=1e-9)
    assert text.clip_score(np.array(picture) * scale, caption) == pytest.approx(score, abs=1e-6)


def test_no_gain_over_nothing() -> None:
    assert np.isnan(text.clip_gain(0.3, 0.0))
    assert text.clip_score([0, 0], [1, 0]) == 0
    assert text.clip_gain(0.3, 0.3) == 0
