"""Renders videos whose single frames are noise, so that only motion shows a figure.

Two fields of random black and white cells move in opposite directions, one cell per frame: one is visible
inside the figure, the other around it. All cells of a field are drawn independently, so a single frame does
not show where a figure is, or whether there is one. The video is stored without loss, because a lossy codec
would leave traces along the figure's edge.
"""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tempbench_lmms.data.tables import Row
from tempbench_lmms.media.encoding import LOSSLESS, encode
from tempbench_lmms.motion_only.card import N_OPTIONS, SHAPES, WORDS

if TYPE_CHECKING:
    from PIL import Image

Mask = NDArray[np.bool_]
Field = NDArray[np.bool_]

CELLS = 40
"""Cells of noise across and down."""
PIXELS = 4
"""Pixels a cell."""
N_FRAMES, FPS = 24, 12

DIRECTIONS = ((0, 1), (0, -1), (1, 0), (-1, 0))
"""The motion of the cells inside the figure, down and to the right; the others move the opposite way."""

_FONT = {
    "A": "01110 10001 10001 11111 10001 10001 10001",
    "B": "11110 10001 10001 11110 10001 10001 11110",
    "C": "01111 10000 10000 10000 10000 10000 01111",
    "D": "11110 10001 10001 10001 10001 10001 11110",
    "E": "11111 10000 10000 11110 10000 10000 11111",
    "H": "10001 10001 10001 11111 10001 10001 10001",
    "N": "10001 11001 11001 10101 10011 10011 10001",
    "O": "01110 10001 10001 10001 10001 10001 01110",
    "P": "11110 10001 10001 11110 10000 10000 10000",
    "S": "01111 10000 10000 01110 00001 00001 11110",
    "T": "11111 00100 00100 00100 00100 00100 00100",
    "U": "10001 10001 10001 10001 10001 10001 01110",
}
_STROKE = 2
"""Cells per point of a letter, horizontally; vertically twice as many."""


def mask_of(figure: str) -> Mask:
    """Returns the cells of a shape or a word, both in the middle of the picture.

    Returns:
        Shape (`CELLS`, `CELLS`).
    """
    if figure in WORDS:
        return _word(figure)
    down, right = np.mgrid[:CELLS, :CELLS] / (CELLS - 1) * 2 - 1
    distance = np.hypot(down, right)
    found: Mask = {
        "a circle": distance < 0.6,
        "a ring": (distance < 0.75) & (distance > 0.4),
        "a square": np.maximum(abs(down), abs(right)) < 0.55,
        "a triangle": (down < 0.6) & (down > -0.7) & (abs(right) < (down + 0.7) * 0.55),
        "a cross": (np.minimum(abs(down), abs(right)) < 0.2) & (np.maximum(abs(down), abs(right)) < 0.75),
        "two bars": (abs(abs(right) - 0.45) < 0.2) & (abs(down) < 0.75),
    }[figure]
    return found


def _word(word: str) -> Mask:
    lines = zip(*(_FONT[letter].split() for letter in word), strict=True)
    rows = [[*map(int, "0".join(parts))] for parts in lines]
    letters = np.kron(np.array(rows, bool), np.ones((2 * _STROKE, _STROKE), bool))
    found = np.zeros((CELLS, CELLS), bool)
    top, left = ((CELLS - size) // 2 for size in letters.shape)
    found[top : top + letters.shape[0], left : left + letters.shape[1]] = letters
    return found


def fields(mask: Mask, seed: int) -> Iterator[Field]:
    """Yields the cells of each frame, shape (`CELLS`, `CELLS`)."""
    generator = np.random.default_rng(seed)
    inside, outside = generator.integers(0, 2, (2, CELLS, CELLS)).astype(bool)
    down, right = DIRECTIONS[generator.integers(len(DIRECTIONS))]
    for time in range(N_FRAMES):
        moved = np.roll(inside, (time * down, time * right), (0, 1))
        yield np.where(mask, moved, np.roll(outside, (-time * down, -time * right), (0, 1)))


def _picture(field: Field) -> "Image.Image":
    from PIL import Image

    return Image.fromarray(np.kron(field, np.ones((PIXELS, PIXELS))).astype(np.uint8) * 255).convert("RGB")


def render(figure: str, seed: int, path: Path) -> None:
    """Writes the video of a figure."""
    encode(map(_picture, fields(mask_of(figure), seed)), path, FPS, LOSSLESS, fflags="+bitexact")


def questions(n_pairs: int, seed: int, url: str) -> list[tuple[Row, str, int]]:
    """Returns questions in pairs, each with its figure and the seed of its noise.

    The two questions of a pair have the same options in the same order, but different answers.
    """
    generator = random.Random(seed)
    found = []
    for pair in range(n_pairs):
        kind, figures = (("shape", SHAPES), ("word", WORDS))[pair % 2]
        options = generator.sample(figures, N_OPTIONS)
        for which, place in enumerate(generator.sample(range(N_OPTIONS), 2)):
            name = f"{seed}_{pair:04d}_{which}"
            letters = [*"ABCD"[:N_OPTIONS]]
            row = {
                "question_id": name,
                "pair_id": f"{seed}_{pair:04d}",
                "kind": kind,
                "video": f"{url}{name}.mp4",
                "options": options,
                "answer": letters[place],
                "target": letters[place],
                "choices": letters,
            }
            found.append((row, options[place], generator.randrange(2**31)))
    return found
