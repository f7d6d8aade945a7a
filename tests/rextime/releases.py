"""A stand-in for ReXTime's release, of the bundled sample's videos, in its layouts."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tempbench_lmms.data.roots import mini_root, resolve
from tempbench_lmms.data.tables import Row, read_rows
from tempbench_lmms.rextime.card import SOURCES

Folders = dict[str, Path]
"""`source` with the annotations, `activitynet` and `qvhighlights` with the videos."""

ROWS = {
    "validation": read_rows(mini_root("rextime") / "validation")[:4],
    "test": read_rows(mini_root("rextime") / "test")[:2],
    "train": read_rows(mini_root("rextime") / "validation")[4:6],
}
FILES = {
    "validation": "rextime_val.json",
    "test": "rextime_test_release.json",
    "train": "rextime_train.json",
}
INSTANT = 3
"""The number of the validation question whose window has no length, as two of the release have."""


def record(row: Row, split: str, number: int) -> dict[str, Any]:
    """Returns a record as the release writes it; of the test split its answer and span are not the truth."""
    known = split != "test"
    span = row["windows"][0] if known else [0, 0]
    return {
        "qid": row["question_id"],
        "vid": row["video_id"],
        "duration": row["duration"],
        "question": row["question"],
        "answer": "From <s0> to <e0>, <option>.",
        "source": {"qvhighlights": "qvhighlights_val", "activitynet": "ActivityNet_val_2"}[row["source"]],
        "category": row["category"],
        "options": row["options"],
        "span": [span[0]] * 2 if (split, number) == ("validation", INSTANT) else span,
        "ans": row["answer"] if known else "A",
    }


def whole(folder: Path) -> Folders:
    """All three annotation files; every video under its id."""
    (folder / "annotations").mkdir(parents=True)
    for split, rows in ROWS.items():
        records = [record(row, split, number) for number, row in enumerate(rows)]
        (folder / "annotations" / FILES[split]).write_text(json.dumps(records))
        for row in rows:
            target = folder / row["source"] / f"{row['video_id']}.mp4"
            target.parent.mkdir(exist_ok=True)
            shutil.copy(resolve(row["video"]), target)
    return {"source": folder / "annotations", **{name: folder / name for name in SOURCES}}


def lines(folder: Path) -> Folders:
    """The validation split as JSON Lines, as the scorer's file is."""
    found = whole(folder)
    file = found["source"] / FILES["validation"]
    records = json.loads(file.read_text())
    file.unlink()
    file.with_suffix(".jsonl").write_text("\n".join(map(json.dumps, records)))
    return found


def in_folders(folder: Path) -> Folders:
    """ActivityNet's videos in folders by their split, and without the `v_` of their ids."""
    found = whole(folder)
    for number, video in enumerate(sorted(found["activitynet"].iterdir())):
        target = found["activitynet"] / f"v1-{number % 2}/val" / video.name.removeprefix("v_")
        target.parent.mkdir(parents=True, exist_ok=True)
        video.rename(target)
    return found


LAYOUTS: list[Callable[[Path], Folders]] = [lines, in_folders]


def options(found: Folders) -> list[str]:
    """Returns what `tempbench prepare rextime` is told."""
    videos = ("--anet-dir", str(found["activitynet"]), "--qvh-dir", str(found["qvhighlights"]))
    return ["--source", str(found["source"]), *videos, "--accept-license"]
