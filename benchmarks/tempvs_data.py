"""How large converted TempVS data is, and how long building it takes: `python benchmarks/tempvs_data.py`.

A synthetic release of the paper's size (2,085 sequences, 9,803 distinct images, every question row), with
texts of random words and images of 128x128 pixels as JPEG, the smallest that the sources have.
"""

import io
import random
import tempfile
import time
from pathlib import Path

import numpy as np
from PIL import Image
from tempbench_lmms.hf_datasets.tempvs import rows
from tempbench_lmms.hf_datasets.tempvs.features import SCHEMA

from tempbench_lmms.data import tables

N_SEQUENCES, N_IMAGES, N_PAIRS, N_TRIPLES = 2085, 9803, 7560 // 2, 2126 // 2


def sentence(generator: random.Random) -> str:
    """Returns nine random words."""
    words = ("".join(generator.choices("abcdefghijklmnopqrstuvwxyz", k=6)) for _ in range(9))
    return f"The {' '.join(words)}."


def main() -> None:
    """Prints the table."""
    generator = random.Random(0)
    names = [f"tempbench://tempvs/media/vist/images/{i:08d}.jpg" for i in range(N_IMAGES)]
    sequences = []
    for number in range(N_SEQUENCES):
        # Neighbouring sequences share images: 2,085 times five are more than 9,803.
        start = number * (N_IMAGES - 5) // (N_SEQUENCES - 1)
        n_pairs = N_PAIRS // N_SEQUENCES + (number < N_PAIRS % N_SEQUENCES)
        n_triples = N_TRIPLES // N_SEQUENCES + (number < N_TRIPLES % N_SEQUENCES)
        sequences.append(
            rows.ImageSequence(
                source="vist",
                sequence_id=str(number),
                images=names[start : start + 5],
                events=[sentence(generator) for _ in range(5)],
                captions=[sentence(generator) for _ in range(5)],
                characters="",
                pairs=rows.sample_groups(5, 2, n_pairs, number),  # type: ignore[arg-type]
                triples=rows.sample_groups(5, 3, n_triples, number),  # type: ignore[arg-type]
            )
        )
    start_time = time.perf_counter()
    made = rows.build(sequences, lambda event: False)
    built = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        for name, table in made.items():
            tables.write_rows(table, Path(folder) / name / "test.parquet", SCHEMA)
        written = time.perf_counter()
        size = sum(path.stat().st_size for path in Path(folder).rglob("*.parquet"))
    noise = np.random.default_rng(0)
    sizes = []
    for _ in range(50):
        # Smooth noise compresses about as photographs do.
        picture = Image.fromarray(noise.integers(0, 256, (32, 32, 3), dtype=np.uint8)).resize((128, 128))
        buffer = io.BytesIO()
        picture.save(buffer, "JPEG", quality=90)
        sizes.append(len(buffer.getvalue()))
    images = float(np.mean(sizes)) * N_IMAGES
    n_rows = sum(len(table) for table in made.values())
    print(f"questions in the suite             {len(made['all']):>10,}")
    print(f"rows written                       {n_rows:>10,}")
    print(f"building, rows a second            {n_rows / (built - start_time):>10,.0f}")
    print(f"writing, rows a second             {n_rows / (written - built):>10,.0f}")
    print(f"tables, MB                         {size / 1e6:>10.1f}")
    print(f"images, MB                         {images / 1e6:>10.1f}")
    print(f"tables and images, over the images {1 + size / images:>10.3f}")


if __name__ == "__main__":
    main()
