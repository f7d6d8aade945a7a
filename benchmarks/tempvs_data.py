"""Converted TempVS data: its size, and how fast it is built.

A synthetic release of the paper's size (2,085 sequences, 9,803 distinct images, every question row), with
texts of random words and images of 128x128 pixels as JPEG, the smallest that the sources have.
"""

import io
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import timing
from PIL import Image

from hf_datasets.tempvs import rows as building
from tempbench_lmms.data import tables
from tempbench_lmms.tempvs.features import SCHEMA

N_SEQUENCES, N_IMAGES, N_PAIRS, N_TRIPLES = 2085, 9803, 7560 // 2, 2126 // 2


def sentence(generator: random.Random) -> str:
    """Returns nine random words."""
    words = ("".join(generator.choices("abcdefghijklmnopqrstuvwxyz", k=6)) for _ in range(9))
    return f"The {' '.join(words)}."


def sequences_of_release() -> list[building.ImageSequence]:
    """Returns the sequences of a release of the paper's size."""
    generator = random.Random(0)
    names = [f"tempbench://tempvs/media/vist/images/{i:08d}.jpg" for i in range(N_IMAGES)]
    sequences = []
    for number in range(N_SEQUENCES):
        # Neighbouring sequences share images: 2,085 times five are more than 9,803.
        start = number * (N_IMAGES - 5) // (N_SEQUENCES - 1)
        n_pairs = N_PAIRS // N_SEQUENCES + (number < N_PAIRS % N_SEQUENCES)
        n_triples = N_TRIPLES // N_SEQUENCES + (number < N_TRIPLES % N_SEQUENCES)
        sequences.append(
            building.ImageSequence(
                source="vist",
                sequence_id=str(number),
                images=names[start : start + 5],
                events=[sentence(generator) for _ in range(5)],
                captions=[sentence(generator) for _ in range(5)],
                characters="",
                pairs=building.sample_groups(5, 2, n_pairs, number),  # type: ignore[arg-type]
                triples=building.sample_groups(5, 3, n_triples, number),  # type: ignore[arg-type]
            )
        )
    return sequences


def rows(quick: bool) -> Iterator[timing.Row]:
    """Yields speed and size."""
    sequences = sequences_of_release()[:: 20 if quick else 1]
    made: dict[str, list[dict[str, Any]]] = {}

    def build() -> None:
        made.update(building.build(sequences, lambda event: False))

    with tempfile.TemporaryDirectory() as folder:

        def write() -> None:
            for name, table in made.items():
                tables.write_rows(table, Path(folder) / name / "test.parquet", SCHEMA)

        times = timing.side_by_side({"build": build, "write": write}, 3)
        size = sum(path.stat().st_size for path in Path(folder).rglob("*.parquet"))
    noise = np.random.default_rng(0)
    sizes = []
    for _ in range(50):
        # Smooth noise compresses about as photographs do.
        picture = Image.fromarray(noise.integers(0, 256, (32, 32, 3), dtype=np.uint8)).resize((128, 128))
        buffer = io.BytesIO()
        picture.save(buffer, "JPEG", quality=90)
        sizes.append(len(buffer.getvalue()))
    images = float(np.mean(sizes)) * N_IMAGES * len(sequences) / N_SEQUENCES
    n_rows = sum(len(table) for table in made.values())
    yield timing.Row(f"rows built, of {n_rows:,}", timing.rates(n_rows, times["build"]), "/s")
    yield timing.Row(f"rows written, of {n_rows:,}", timing.rates(n_rows, times["write"]), "/s")
    yield timing.Row(f"tables of {len(made['all']):,} questions and each test apart", [size / 1e6], "MB")
    yield timing.Row("tables and images over the images", [1 + size / images], "x")


if __name__ == "__main__":
    timing.main(__doc__, rows)
