"""The columns of a question, what must hold of them, and the official questions as rows."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import pyarrow as pa

from tempbench_lmms.arrow_of_time import parser
from tempbench_lmms.arrow_of_time.card import ANSWERS, CATEGORIES, N_CLIPS
from tempbench_lmms.data import checks, manifests, releases, roots, tables
from tempbench_lmms.data.manifests import Size
from tempbench_lmms.data.tables import Row
from tempbench_lmms.data.user_files import read_table
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.media import verifying

BENCHMARK = "arrow_of_time"

SCHEMA = pa.schema(
    [
        ("question_id", pa.string()),  # the clip's name: 00297, or 00297_rev
        ("pair_id", pa.string()),  # one clip both ways
        ("video", pa.string()),  # tempbench:// URL
        ("categories", pa.list_(pa.string())),  # of card.CATEGORIES
        ("answer", pa.string()),  # F or B
        ("target", pa.string()),  # a reply that is right
        ("choices", pa.list_(pa.string())),  # both answers
    ]
)


def sizes(manifest: manifests.Manifest) -> Iterator[Size]:
    """Yields the number of prepared questions."""
    yield Size("test", manifest["rows"]["test"], 2 * N_CLIPS, 2 * N_CLIPS)


def row_problems(row: Row) -> Iterator[str]:
    """Yields the problems of one row, as "field: what"."""
    yield from checks.text_problems(row, "pair_id", categories=CATEGORIES)
    yield from checks.reply_problems(row, lambda reply: parser.read(reply).value)


tables_of, problems = verifying.of(
    checks.Table(BENCHMARK, Path("test/test.parquet"), SCHEMA, row_problems, ("video",)), sizes=sizes
)

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
        asked = {
            PurePosixPath(one["videos"][0]).stem: one["messages"][-1]["content"]
            for one in tables.read_json(data)
        }
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
