"""What NExT-GQA's annotations are, and what one gets who sees nothing."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tempbench_lmms.data.tables import Row, read_rows
from tempbench_lmms.nextgqa import official
from tempbench_lmms.nextgqa.card import SPLITS, TYPES
from tempbench_lmms.nextgqa.prompts import LETTERS


def measure(root: Path) -> dict[str, Any]:
    """Returns the measures of each split that is there."""
    return {split: of(read_rows(root / split)) for split in SPLITS if (root / split).is_dir()}


def of(rows: Sequence[Row]) -> dict[str, Any]:
    """Returns counts, and in percent what fixed parts of the video get as the span."""
    lengths = [end - start for row in rows for start, end in row["windows"]]
    letters = Counter(row["answer"] for row in rows)
    return {
        "questions": len(rows),
        "videos": len({row["video_id"] for row in rows}),
        "with_several_segments": sum(len(row["windows"]) > 1 for row in rows),
        "by_type": {kind: sum(row["type"] == kind for row in rows) for kind in TYPES},
        "answers": {letter: letters[letter] for letter in LETTERS},
        "with_two_equal_options": sum(len(set(row["options"])) < len(row["options"]) for row in rows),
        "segments_from_before_the_video": _outside(rows, lambda row, window: window[0] < 0),
        "segments_beyond_the_video": _outside(rows, lambda row, window: window[1] > row["duration"]),
        "mean_segment_seconds": sum(lengths) / len(lengths),
        "mean_video_seconds": sum(row["duration"] for row in rows) / len(rows),
        "whole_video": _baseline(rows, 0, 1),
        "middle_third": _baseline(rows, 1 / 3, 2 / 3),
        "middle_instant": _baseline(rows, 1 / 2, 1 / 2),
    }


def _outside(rows: Sequence[Row], test: Any) -> int:
    return sum(test(row, window) for row in rows for window in row["windows"])


def _baseline(rows: Sequence[Row], start: float, end: float) -> dict[str, float]:
    """Returns the official numbers of a fixed part of the video; without answers there is no Acc@GQA."""
    spans = {row["question_id"]: (start * row["duration"], end * row["duration"]) for row in rows}
    numbers = official.score({row["question_id"]: row["windows"] for row in rows}, spans)
    return {name: round(number, 2) for name, number in numbers.items() if name != "acc_gqa"}
