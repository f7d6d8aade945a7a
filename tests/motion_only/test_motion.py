"""A single frame says nothing, and the motion says everything, after the codec too."""

import itertools

import av
import numpy as np
import pytest

from hf_datasets.motion_only.render import CELLS, DIRECTIONS, N_FRAMES, PIXELS, fields, mask_of, questions
from hf_datasets.samples import motion_only as sample
from tempbench_lmms.data.roots import mini_root, resolve
from tempbench_lmms.data.tables import read_rows
from tempbench_lmms.media.video import uniform_places
from tempbench_lmms.motion_only.card import BUDGETS, KINDS, SHAPES, WORDS

FIGURES = (*SHAPES, *WORDS)


def frames_of(seed, figure):
    return np.stack(list(fields(mask_of(figure), seed)))


def one_frame(seed, figure):
    """Returns one frame of a video, another one for each seed."""
    every = fields(mask_of(figure), seed)
    return next(itertools.islice(every, seed % N_FRAMES, None))


def near_half(sample_of_bits):
    """Whether so many bits are 1 as independent fair coins are in all but one of 15,000 trials."""
    bits = np.asarray(sample_of_bits, float).ravel()
    return abs(bits.mean() - 0.5) < 4 * 0.5 / np.sqrt(bits.size)


@pytest.mark.parametrize("figure", ["a ring", "BED"])
def test_cells_are_alike_within_the_figure_around_it_and_across_its_edge(figure):
    mask = mask_of(figure)
    shown = np.stack([one_frame(seed, figure) for seed in range(150)])
    assert near_half(shown[:, mask])
    assert near_half(shown[:, ~mask])
    for axis in (1, 2):
        equal = shown == np.roll(shown, 1, axis)
        both = np.roll(mask, 1, axis - 1)
        assert near_half(equal[:, mask & both])
        assert near_half(equal[:, ~mask & ~both])
        assert near_half(equal[:, mask != both])  # the edge does not show


@pytest.mark.slow
def test_a_classifier_of_single_frames_is_at_chance():
    """Nearest centroid on the cells, logistic regression on how often neighbours agree in each block."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.neighbors import NearestCentroid

    n = 50
    frames = np.stack([one_frame(seed, figure) for seed in range(n) for figure in SHAPES])
    labels = np.tile(np.arange(len(SHAPES)), n)
    agree = (frames == np.roll(frames, 1, 2)).reshape(-1, CELLS // 8, 8, CELLS // 8, 8).mean((2, 4))
    split = len(frames) * 2 // 3
    chance = 1 / len(SHAPES)
    models = ((NearestCentroid(), frames), (LogisticRegression(C=0.01), agree))
    for model, features in models:
        table = features.reshape(len(frames), -1).astype(float)
        right = model.fit(table[:split], labels[:split]).predict(table[split:]) == labels[split:]
        assert abs(right.mean() - chance) < 4 * np.sqrt(chance * (1 - chance) / right.size)


def agreement(frames, places, down, right):
    """Returns how often each cell is the one that moved there since the frame before."""
    found = []
    for number in range(1, len(places)):
        time = places[number] - places[number - 1]
        moved = np.roll(frames[number - 1], (time * down, time * right), (0, 1))
        found.append(frames[number] == moved)
    return np.mean(found, axis=0)


def smooth(values):
    return sum(np.roll(values, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1)) / 9


def solved(frames, places, options):
    """Returns the figure whose motion fits best; the solver knows when frames were taken, and no seed."""
    best = {}
    for down, right in DIRECTIONS:
        inside = smooth(agreement(frames, places, down, right))
        around = smooth(agreement(frames, places, -down, -right))
        difference = inside - around
        for option in options:
            mask = mask_of(option)
            fit = difference[mask].mean() - difference[~mask].mean()
            best[option] = max(fit, best.get(option, -1.0))
    return max(best, key=best.get)


def decoded(url):
    with av.open(str(resolve(url))) as container:
        frames = np.stack([frame.to_ndarray(format="gray") for frame in container.decode(video=0)])
    assert set(np.unique(frames)) == {0, 255}
    cells = frames[:, ::PIXELS, ::PIXELS] > 0
    # Every block of pixels is of one colour: the codec lost nothing.
    assert (np.kron(cells, np.ones((1, PIXELS, PIXELS), bool)) == (frames > 0)).all()
    return cells


@pytest.mark.slow
def test_the_motion_recovers_every_figure_of_the_sample_after_the_codec():
    asked = questions(sample.N_PAIRS, sample.SEED, "tempbench://motion_only/mini/media/")
    for row, figure, noise in asked:
        frames = decoded(row["video"])
        assert (frames == frames_of(noise, figure)).all()
        assert solved(frames, range(N_FRAMES), row["options"]) == figure, row["question_id"]


@pytest.mark.slow
def test_more_frames_show_more():
    """The same solver on frames as the tasks sample them: at chance with one, right with all."""
    scores = {}
    asked = questions(8, 7, "")
    for n in (*BUDGETS, N_FRAMES):
        places = uniform_places(N_FRAMES, n)
        right = 0
        for row, figure, noise in asked:
            frames = frames_of(noise, figure)[places]
            # With one frame there is no motion: every figure fits alike, and the first option is taken.
            guess = solved(frames, places, row["options"]) if n > 1 else row["options"][0]
            right += guess == figure
        scores[n] = right / len(asked)
    assert {n for n, score in scores.items() if score == 1} == {*BUDGETS, N_FRAMES} - {1}
    assert scores[1] < 0.6


def test_pairs_have_one_list_of_options_and_two_answers():
    rows = read_rows(mini_root("motion_only") / "test")
    assert len(rows) == 2 * sample.N_PAIRS
    for first, second in zip(rows[::2], rows[1::2], strict=True):
        assert first["options"] == second["options"]
        assert first["answer"] != second["answer"]
    assert {row["kind"] for row in rows} == set(KINDS)


def test_figures_differ():
    masks = {figure: mask_of(figure) for figure in FIGURES}
    for figure, mask in masks.items():
        assert 0.1 < mask.mean() < 0.6, figure
        assert not mask[[0, -1]].any()
        assert not mask[:, [0, -1]].any()
        for other, its in masks.items():
            if other != figure:
                assert (mask != its).mean() > 0.02, (figure, other)
