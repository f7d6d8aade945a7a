"""`tempbench stats coherence`: what a data set holds, and what guessing gets."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from tempbench_lmms.coherence.card import SCENES, TYPES
from tempbench_lmms.coherence.parser import letters_of
from tempbench_lmms.data.tables import Row, read_rows
from tempbench_lmms.metrics.text import numeric_distance
from tempbench_lmms.parsing.mentions.numbers import value_of


def measure(root: Path) -> dict[str, Any]:
    """Returns the counts of the data under a folder; a part that is not prepared is empty."""
    found = {name: root / name / "test.parquet" for name in ("qa", "caption")}
    rows = {name: read_rows(file) if file.is_file() else [] for name, file in found.items()}
    return of(rows["qa"], rows["caption"])


def of(questions: Sequence[Row], captions: Sequence[Row]) -> dict[str, Any]:
    """Returns the counts of a data set as JSON values.

    Args:
        questions: The rows of the questions.
        captions: Those of the captions, two a video.

    Returns:
        `questions` by type and scene; `options`: questions by number of options; `answers`: right answers by
        letter; `variations`; `videos` and `captioned_videos`; `references`: captioned ones with a reference;
        `guessing`: the accuracy of drawing an option, and its numeric distance over counting questions,
        None where there are none.
    """
    spread = {kind: Counter(str(row["scene"]) for row in questions if row["type"] == kind) for kind in TYPES}
    return {
        "questions": {kind: {scene: found[scene] for scene in SCENES} for kind, found in spread.items()},
        "options": _sorted(len(row["options"]) for row in questions),
        "answers": _sorted(row["answer"] for row in questions),
        "variations": _sorted(name for row in questions for name in row["variation"]),
        "videos": len({row["video"] for row in questions}),
        "captioned_videos": len({row["video"] for row in captions}),
        "references": sum(bool(row["target"]) and row["view"] == "video" for row in captions),
        "guessing": {
            "accuracy": fmean(1 / len(row["options"]) for row in questions) if questions else None,
            "numeric_distance": _guessed_distance(questions),
        },
    }


def _sorted(values: Any) -> dict[str, int]:
    return {str(value): count for value, count in sorted(Counter(values).items())}


def _guessed_distance(questions: Sequence[Row]) -> float | None:
    """Returns the mean numeric distance of drawing an option of each counting question."""
    means = []
    for row in questions:
        numbers = [value_of(option) for option in row["options"]]
        gold = numbers[letters_of(row["options"]).index(row["answer"])]
        if row["type"] == "count" and gold is not None:
            means.append(fmean(numeric_distance(number, gold) for number in numbers))
    return fmean(means) if means else None
