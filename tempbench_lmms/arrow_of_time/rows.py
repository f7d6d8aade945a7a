"""Turns the official questions into rows."""

import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from tempbench_lmms.arrow_of_time.card import ANSWERS
from tempbench_lmms.arrow_of_time.features import BENCHMARK
from tempbench_lmms.data import releases, roots, tables
from tempbench_lmms.data.tables import Row
from tempbench_lmms.data.user_tables import read_table
from tempbench_lmms.errors import TempbenchError

DATA = "neuro_paper_data.json"
METADATA = "AoT-PsyPhyBENCH_dataset_metadata.csv"
REVERSED = "_rev"
ADVICE = "give a clone of https://github.com/mattashiho233/AoT-PsyPhyBENCH"


def files_of(source: Path) -> tuple[Path, Path]:
    """Returns the official questions and the metadata of the clips below a folder."""
    data, metadata = (
        releases.find(source, lambda folder, name=name: releases.file(folder, name), name)  # type: ignore[misc]
        for name in (DATA, METADATA)
    )
    if not data or not metadata:
        raise TempbenchError(f"{source} has no {(metadata and DATA) or METADATA}; {ADVICE}")
    return data, metadata


def clips(metadata: Path) -> dict[str, Row]:
    """Returns the metadata of each clip, by its name without suffix."""
    return {PurePosixPath(row["id"]).stem: row for _, row in read_table(metadata, "id", ["motion_category"])}


def read_release(data: Path, known: Mapping[str, Row]) -> list[Row]:
    """Returns the rows of the official questions, the two of a clip one after the other."""
    try:
        content = tables.read_json(data)
        asked = {PurePosixPath(one["videos"][0]).stem: one["messages"][-1]["content"] for one in content}
        return [row(name, answer, known, data) for name, answer in sorted(asked.items())]
    except (OSError, ValueError, TypeError, KeyError, IndexError, AttributeError):
        raise TempbenchError(f"{data} is not as in the release; {ADVICE}") from None


def row(name: str, answer: Any, known: Mapping[str, Row], data: Path) -> Row:
    """Returns the row of a clip."""
    pair = name.removesuffix(REVERSED)
    if answer != ("B" if name.endswith(REVERSED) else "F"):
        raise TempbenchError(f"{data}: {name} is not played as its name says ({answer!r}); {ADVICE}")
    if pair not in known:
        raise TempbenchError(f"{data}: {name} is not in {METADATA}; {ADVICE}")
    return {
        "question_id": name,
        "pair_id": pair,
        "video": f"{roots.SCHEME}{BENCHMARK}/media/{name}.mp4",
        "categories": re.findall(r"\w+", known[pair].get("motion_category") or ""),
        "answer": answer,
        "target": answer,
        "choices": [*ANSWERS],
    }
