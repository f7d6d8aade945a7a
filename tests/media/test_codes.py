"""Coded pictures are read again after what processors and codecs do to them."""

import io

import numpy as np
import pytest
from PIL import Image

from tempbench_lmms.media import codes, video


def cards(n, seed=0):
    random = np.random.default_rng(seed)
    return [
        codes.Card(int(number), list(codes.COLOURS)[i % 6], codes.SHAPES[i % 3])
        for i, number in enumerate(random.choice(codes.MAX_NUMBER, n, replace=False))
    ]


@pytest.mark.slow
@pytest.mark.parametrize("side", [24, 28, 56, 100, 224, 336, 384, 500])
def test_a_card_is_read_at_any_size(side):
    for card in cards(12, side):
        assert codes.read(codes.resized(codes.drawn(card), side, side)) == card


@pytest.mark.parametrize("quality", [30, 85])
def test_a_card_is_read_after_jpeg(quality):
    for card in cards(12):
        buffer = io.BytesIO()
        Image.fromarray(codes.drawn(card)).save(buffer, "JPEG", quality=quality)
        assert codes.read(codes.from_bytes(buffer.getvalue())) == card


def test_a_card_is_read_from_sides_that_differ():
    card = cards(1)[0]
    assert codes.read(codes.resized(codes.drawn(card), 200, 300)) == card


@pytest.mark.slow
def test_nothing_is_read_where_there_is_nothing():
    random = np.random.default_rng(0)
    noise = random.integers(0, 255, (500, 32, 32, 3), dtype=np.uint8)
    assert sum(codes.read(picture) is not None for picture in noise) <= 1
    assert codes.read(np.full((64, 64, 3), 90, np.uint8)) is None
    assert codes.read(np.zeros((8, 8, 3), np.uint8)) is None
    assert codes.from_bytes(b"no picture") is None


def test_a_card_that_was_turned_or_mirrored_is_not_read_as_another():
    for card in cards(30):
        picture = codes.drawn(card, 64)
        for changed in (picture[:, ::-1], picture[::-1], np.rot90(picture), np.rot90(picture, 2)):
            assert codes.read(changed) != card


@pytest.mark.parametrize("axis", [0, 1])
def test_a_strip_is_read_card_by_card(axis):
    several = cards(6)
    strip = np.concatenate([codes.drawn(card, 96) for card in several], axis=axis)
    assert codes.read_strip(strip) == tuple(several)
    assert codes.read_turned(codes.drawn(several[0])) == (several[0], "")
    assert codes.read_strip(np.zeros((50, 50, 3), np.uint8)) == ()


def test_a_video_shows_each_card_at_its_time(tmp_path):
    several = cards(24)
    path = codes.write_video(tmp_path / "a.mp4", [codes.drawn(card, 224) for card in several], 4)
    frames = video.sample_frames(path, 24)
    assert [codes.read(codes.as_pixels(image)) for image in frames.images] == several
    assert frames.times == pytest.approx([i / 4 for i in range(24)])
