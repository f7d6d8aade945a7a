"""Renders the bundled motion-only sample, as `tempbench prepare motion_only` renders a larger one."""

from pathlib import Path

from hf_datasets.motion_only.render import questions, render
from tempbench_lmms.data import tables
from tempbench_lmms.motion_only.rows import BENCHMARK, SCHEMA

from .kit import Sample, media_url

SEED = 0
N_PAIRS = 12


def write(root: Path) -> tables.Row:
    """Renders the videos and writes the table under `root`; returns the manifest."""
    sample, asked = Sample(BENCHMARK, root), questions(N_PAIRS, SEED, media_url(BENCHMARK, ""))
    for row, figure, noise in asked:
        render(figure, noise, sample.file(row["video"]))
    sample.table("test", [row for row, _, _ in asked], SCHEMA)
    return sample.finish()
