"""Makes records and releases for the tests of MATEO."""

import base64
import io

import pytest

from tempbench_lmms.mateo import prompts, scoring


@pytest.fixture(scope="session")
def steps():
    """The two steps of a question."""
    return {"text_a": "Chop it.", "text_b": "Fry it.", "image_a": "a.png", "image_b": "b.png"}


@pytest.fixture
def answered(steps):
    """Returns records for pairs given as {name: (gold, prediction in original, prediction when swapped)}."""

    def make(pairs, plan="plan", form="triple"):
        records = []
        for name, (gold, *predictions) in pairs.items():
            for version, prediction in zip(scoring.VERSIONS, predictions, strict=True):
                label = gold if version == "original" else scoring.SWAPPED[gold]
                doc = steps | {
                    "question_id": f"{name}/{version}",
                    "pair_id": name,
                    "plan_id": plan,
                    "version": version,
                    "label": label,
                    "n_steps": 5,
                    "distance": 1,
                }
                reply = "" if prediction == "other" else prompts.full_reply(prediction)
                records.append(scoring.record(doc, reply, form))
        return records

    return make


@pytest.fixture(scope="session")
def png():
    """Returns the bytes of a small picture of one colour."""
    from PIL import Image

    def make(colour="red"):
        stream = io.BytesIO()
        Image.new("RGB", (6, 4), colour).save(stream, "PNG")
        return stream.getvalue()

    return make


@pytest.fixture
def release_row(png):
    """Returns a row of the release for a graph given as out_nodes, as the published card describes it."""

    def make(row_id, out_nodes, images=None, graph=None, ids=None):
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

    return make


@pytest.fixture
def write_release(tmp_path):
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

    def write(splits, name="release"):
        folder = tmp_path / name
        (folder / "data").mkdir(parents=True)
        for split, rows in splits.items():
            table = pa.Table.from_pylist(rows, schema=schema)
            pq.write_table(table, folder / "data" / f"{split}-00000-of-00001.parquet")
        return folder

    return write
