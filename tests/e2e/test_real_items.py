"""Four real TempVS items, built into tasks by our own code and run by the tiny model."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from PIL import Image

from hf_datasets.tempvs import rows as builder
from tempbench_lmms.data import roots, tables
from tempbench_lmms.tempvs import prompts
from tempbench_lmms.tempvs.features import SCHEMA
from tests.respondents import tiny_args

pytestmark = pytest.mark.harness
REPOSITORY = Path(__file__).parents[2]


def option_rows(item, row):
    """Completes an ordering row: the item's own answer among four rotations of it."""
    prefix = "Sentence" if row["tests"] == ["mt2_caption"] else "Image"
    right = item["answer_order"]
    orders = [right[k:] + right[:k] for k in range(5)]
    row |= {
        "options": [" -> ".join(f"{prefix} {letter}" for letter in order) for order in orders],
        "answer": "A",
        "events": list(range(5)),
    }


@pytest.fixture(scope="module")
def home(shared, tmp_path_factory):
    folder = shared / "real" / "tempvs_examples"
    if not folder.is_dir():
        pytest.skip(f"{folder} is missing")
    root = tmp_path_factory.mktemp("home") / "tempvs"
    (root / "media").mkdir(parents=True)
    made = {}
    for item in json.loads((folder / "examples.json").read_text(encoding="utf-8")):
        urls = []
        for name in item.get("images") or item["images_shuffled"]:
            shutil.copyfile(folder / name, root / "media" / name)
            urls.append(f"{roots.SCHEME}tempvs/media/{name}")
        sequence = builder.ImageSequence(item["source"], item["img_seq_id"], urls, [], [], "", [], [])
        test = item["task"]
        if test.startswith("mt1"):
            for name, polarity, letter in (("positive", "gt", "A"), ("negative", "nc", "B")):
                row = builder._row(sequence, test, 0, text=item[name], options=["True", "False"],
                                   answer=letter, events=[0, 1], polarity=polarity, distance=1,
                                   statement_type=item["relation"])  # fmt: skip
                row["question_id"] += polarity
                made.setdefault(test, []).append(row)
        else:
            row = builder._row(sequence, test, 0, answer="A", events=[], options=["x"])
            row |= {"sentences": item.get("shuffled_sentences", []), "text": " ".join(item.get("events", []))}
            option_rows(item, row)
            made[test] = [row | builder.replies(row)]
    for test, table in made.items():
        tables.write_rows(table, root / test / "test.parquet", SCHEMA)
    tables.write_json({"benchmark": "tempvs"}, root / roots.MANIFEST)
    return root, made


def test_tiny_model(home, tiny_vlm, tmp_path, run_harness):
    root, made = home
    tasks = [f"tempvs_{test}" for test in made]
    done = run_harness(
        "qwen2_5_vl",
        tasks,
        tmp_path,
        ["--gen_kwargs", "max_new_tokens=4"],
        tiny_args(tiny_vlm),
        environment={"TEMPBENCH_DATA": str(root.parent)},
    )
    for task, table in zip(tasks, made.values(), strict=True):
        assert done.value(task, "n_main") == len(table)
        # No groundings were asked, and the data has none: not grounded, and said so.
        assert done.value(task, "gt_strict") == 0


def test_show(home, tmp_path, warm_python):
    root, made = home
    for test, table in made.items():
        page = tmp_path / f"{test}.html"
        done = subprocess.run(
            [warm_python, "-m", "tempbench_lmms.cli", "show", f"tempvs_{test}", "-o", str(page)],
            env=os.environ | {"TEMPBENCH_DATA": str(root.parent), "PYTHONPATH": str(REPOSITORY)},
            capture_output=True,
            text=True,
            check=True,
        )
        assert prompts.build(table[0]) in done.stdout
        assert "data:image/png" in page.read_text()


def test_strip_of_a_real_sequence(home):
    from tempbench_lmms.tempvs import hooks

    root, made = home
    os.environ["TEMPBENCH_DATA"] = str(root.parent)
    try:
        (strip,) = hooks.doc_to_visual(made["mt2_caption"][0])
    finally:
        del os.environ["TEMPBENCH_DATA"]
    assert isinstance(strip, Image.Image)
    assert strip.size == (5 * 443 + 60, 290)
