"""What a number of frames allows on ReXTime: the best mIoU of a model that names times of frames alone.

    python benchmarks/rextime_frames.py rextime_val.jsonl

The file is the scorer's, of the ReXTime repository. Of each question the best pair of frames is taken, so
that these are upper bounds. Qwen2-VL, Qwen2.5-VL and Qwen3-VL merge two frames of a video into one position
in time: "in pairs" takes the time half-way between the two.
"""

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tempbench_lmms.rextime.rows import load_records, row

Times = Callable[[float], NDArray[np.float64]]

LONG = 150.0
"""Seconds; the length of QVHighlights' videos."""


def evenly(n: int) -> Times:
    """Returns the times of n frames spread evenly, first and last included."""
    return lambda duration: np.linspace(0, duration, n)


def at_rate(rate: float) -> Times:
    """Returns the times of so many frames a second."""
    return lambda duration: np.arange(0, duration + 1e-9, 1 / rate)


def in_pairs(times: Times) -> Times:
    """Returns the times of every two frames that a model merges."""

    def merged(duration: float) -> NDArray[np.float64]:
        found = times(duration)
        return found[: len(found) // 2 * 2].reshape(-1, 2).mean(axis=1) if len(found) > 1 else found

    return merged


FORMS: dict[str, Times] = {
    "8 frames": evenly(8),
    "16 frames (rextime_frames)": evenly(16),
    "32 frames": evenly(32),
    "50 frames (rextime_frames_50)": evenly(50),
    "32 frames in pairs": in_pairs(evenly(32)),
    "1 a second": at_rate(1),
    "1 a second in pairs": in_pairs(at_rate(1)),
    "2 a second in pairs": in_pairs(at_rate(2)),
}


def best_iou(times: NDArray[np.float64], span: tuple[float, float]) -> float:
    """Returns the highest IoU of a span that begins and ends at one of `times`, which ascend."""
    # Further from an end of `span` than the next time on its side, a span only gets worse.
    ends = np.searchsorted(times, span)
    near = times[np.clip([*(ends - 1), *ends], 0, len(times) - 1)]
    low, high = np.meshgrid(near, near, indexing="ij")
    overlap = np.clip(np.minimum(high, span[1]) - np.maximum(low, span[0]), 0, None)
    union = np.maximum(high, span[1]) - np.minimum(low, span[0])
    return float(np.max(np.where((high >= low) & (union > 0), overlap / np.where(union > 0, union, 1), 0)))


def bests(rows: Sequence[Mapping[str, Any]], times: Times) -> NDArray[np.float64]:
    """Returns the best IoU of each question."""
    return np.array([best_iou(times(one["duration"]), tuple(one["windows"][0])) for one in rows])


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description="The best mIoU that a number of frames allows.")
    parser.add_argument("file", type=Path, help="The scorer's rextime_val.jsonl.")
    questions = [row(record) for record in load_records(parser.parse_args().file)]
    print(f"{len(questions)} questions; step: seconds between two times in a video of {LONG:g} seconds\n")
    print("| frames | step | mIoU at most | R@1 (IoU 0.5) at most |\n|---|---|---|---|")
    for name, times in FORMS.items():
        best = bests(questions, times)
        step = float(np.median(np.diff(times(LONG))))
        print(f"| {name} | {step:.1f} | {100 * best.mean():.1f} | {100 * (best >= 0.5).mean():.1f} |")


if __name__ == "__main__":
    main()
