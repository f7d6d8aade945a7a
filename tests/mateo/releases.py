"""Stand-ins for MATEO's release and for plans of one's own."""

import base64
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from PIL import Image

Row = dict[str, Any]

WORKED: list[list[int]] = [[1], [3], [3], [4], []]
"""The edges of a plan of five steps: six pairs are asked about."""


def png(colour: str = "red") -> bytes:
    """Returns a small picture of one colour."""
    stream = io.BytesIO()
    Image.new("RGB", (6, 4), colour).save(stream, "PNG")
    return stream.getvalue()


def row(
    row_id: int,
    out_nodes: Sequence[Any],
    images: Mapping[int, str | None] | None = None,
    graph: Mapping[str, Any] | None = None,
    ids: Sequence[int] | None = None,
) -> Row:
    """Returns a row of the release, as its published card describes it.

    Args:
        row_id: The plan's.
        out_nodes: The edges, a list a step.
        images: Of the steps whose picture is not the usual one.
        graph: The edges once more, where they differ.
        ids: Of the steps, where they are not their numbers.
    """
    n = len(out_nodes)
    ids = list(range(n)) if ids is None else ids
    encoded = base64.b64encode(png()).decode()
    images = {} if images is None else images
    steps = [
        {
            "id": ids[i],
            "image": images.get(i, encoded),
            "out_nodes": out_nodes[i],
            "text_eng": f"Step {i} of {row_id}.",
            "text_it": f"Passo {i} di {row_id}.",
        }
        for i in range(n)
    ]
    edges_of = {str(i): out_nodes[i] for i in range(n)} if graph is None else graph
    return {
        "id": row_id,
        "title_eng": f"Recipe {row_id}",
        "title_it": f"Ricetta {row_id}",
        "steps": steps,
        # All rows have all keys; those beyond the last step hold nothing.
        "graph": {str(i): edges_of.get(str(i)) for i in range(21)},
    }


def write(folder: Path, splits: Mapping[str, Sequence[Row]]) -> Path:
    """Writes rows as a release and returns its folder."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    step = pa.struct(
        [
            ("id", pa.int64()),
            ("image", pa.string()),
            ("out_nodes", pa.list_(pa.int64())),
            ("text_eng", pa.string()),
            ("text_it", pa.string()),
        ]
    )
    graph = pa.struct([(str(i), pa.list_(pa.int64())) for i in range(20)] + [("20", pa.list_(pa.null()))])
    schema = pa.schema(
        [
            ("id", pa.int64()),
            ("title_eng", pa.string()),
            ("title_it", pa.string()),
            ("steps", pa.list_(step)),
            ("graph", graph),
        ]
    )
    (folder / "data").mkdir(parents=True)
    for split, rows in splits.items():
        table = pa.Table.from_pylist(list(rows), schema=schema)
        pq.write_table(table, folder / "data" / f"{split}-00000-of-00001.parquet")
    return folder


def whole(folder: Path) -> Path:
    """Writes a release with every split, ids that start anew in each, and up to 21 steps."""
    longest = [[i + 1] for i in range(20)] + [[]]
    return write(
        folder,
        {
            "test": [row(0, WORKED), row(1, longest)],
            "validation": [row(0, [[1], [], []])],
            "train": [row(0, [[2], [2], []])],
        },
    )


def own(folder: Path) -> Path:
    """Writes two plans of one's own, with pictures."""
    for name in ("tea", "soup"):
        steps = [{"id": one, "text": f"{one} the {name}", "image": f"{one}.png"} for one in ("boil", "stir")]
        (folder / name).mkdir(parents=True)
        for step, colour in zip(steps, ("red", "blue"), strict=True):
            (folder / name / step["image"]).write_bytes(png(colour))
        plan = {"title": name, "steps": steps, "edges": [["boil", "stir"]]}
        (folder / name / "plan.json").write_text(json.dumps(plan))
    return folder
