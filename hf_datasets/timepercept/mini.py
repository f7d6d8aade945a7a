"""Writes the bundled sample: `python -m hf_datasets.timepercept.mini`."""

import random
import shutil
from datetime import datetime, timezone
from pathlib import Path

from PIL import Image

from tempbench_lmms.data import roots, tables
from tempbench_lmms.data.tables import Row
from tempbench_lmms.timepercept.card import TESTS
from tempbench_lmms.timepercept.features import BENCHMARK, SCHEMA

from . import everyday, questions, tiles
from .series import Series, Shot, slug

SEED = 2025
TEST_TOWNS, TRAIN_TOWNS = 44, 12
TEST_COUNT, TRAIN_COUNT = 40, 20
_SUBSET = f"{roots.MINI}/"


def _series(place: tiles.Town) -> Series:
    def shot(index: int) -> Shot:
        day = place.dates[index]
        order = datetime(day.year, day.month, day.day, tzinfo=timezone.utc).timestamp()
        media = f"towns/{place.number:02d}_{day.isoformat()}.png"
        return Shot(media, order, day.isoformat(), day)

    shots = tuple(shot(index) for index in range(len(place.dates)))
    return Series(f"town {place.number}", "bundled", place.category, shots)


def towns() -> dict[str, list[tiles.Town]]:
    """Returns the places of the test and of the training split."""
    everything = [tiles.town(number, SEED) for number in range(TEST_TOWNS + TRAIN_TOWNS)]
    return {"test": everything[:TEST_TOWNS], "train": everything[TEST_TOWNS:]}


def land_use_rows() -> list[Row]:
    """Returns the recognition check: 25 pictures of ten classes, five options each."""
    generator = random.Random(f"{SEED}/ucm")
    rows = []
    for number in range(TEST_COUNT):
        name = tiles.LAND_USE[number % len(tiles.LAND_USE)]
        shot = Shot(f"land/{slug(name)}_{number}.png", 0, "", None)
        rows.append(questions.choice_row(number, shot, name, tiles.LAND_USE, generator, "bundled", _SUBSET))
    return rows


def everyday_rows() -> dict[str, list[Row]]:
    """Returns the two transfer tests: every pair in both orders, next to each other, and all durations."""
    rows: dict[str, list[Row]] = {"transfer_order": [], "transfer_lapse": []}
    for version in range(len(everyday.SPANS)):
        for scene, (_, lapse) in everyday.SCENES.items():
            shots = [Shot(_scene_media(scene, version, after), after, "", None) for after in (False, True)]
            series = Series(f"{scene} {version}", "bundled", "", tuple(shots))
            number = len(rows["transfer_lapse"])
            values = {"answer": lapse, "choices": list("ABCDEF"), "kind": lapse, "dates": []}
            rows["transfer_lapse"].append(
                questions.make_row("transfer_lapse", number, "test", shots, [series], _SUBSET, **values)
            )
            for letter, shown in (("A", shots), ("B", shots[::-1])):
                number = len(rows["transfer_order"])
                values = {"answer": letter, "choices": ["A", "B"], "dates": []}
                rows["transfer_order"].append(
                    questions.make_row("transfer_order", number, "test", shown, [series], _SUBSET, **values)
                )
    return rows


def _scene_media(scene: str, version: int, after: bool) -> str:
    return f"everyday/{slug(scene)}_{version}_{'after' if after else 'before'}.png"


def write(root: Path) -> dict[str, int]:
    """Renders the pictures that questions show, and writes the tables under `root`.

    Returns:
        The number of rows of each table.
    """
    split_rows: dict[str, list[Row]] = {}
    pictures: dict[str, Image.Image] = {}
    for split, places in towns().items():
        series = [_series(place) for place in places]
        count = TEST_COUNT if split == "test" else TRAIN_COUNT
        rules = questions.Rules(count=count, seed=SEED, min_ratio=2.0)
        for test, rows in questions.build(series, series, split, rules, subset=_SUBSET).items():
            split_rows[test if split == "test" else f"train/{test}"] = rows
        for place, one in zip(places, series, strict=True):
            for index, shot in enumerate(one.shots):
                pictures[shot.media] = tiles.draw_town(place, index)
    split_rows |= {"ucm": land_use_rows()} | everyday_rows()
    for row in split_rows["ucm"]:
        media = row["places"][0]
        pictures[media] = tiles.draw_land_use(row["category"], int(row["question_id"].split("/")[-1]))
    for scene in everyday.SCENES:
        for version in range(len(everyday.SPANS)):
            for after in (False, True):
                pictures[_scene_media(scene, version, after)] = everyday.draw(scene, version, after)
    split_rows["all"] = [row for test in TESTS for row in split_rows[test]]
    used = {url.split("/media/")[1] for rows in split_rows.values() for row in rows for url in row["images"]}
    shutil.rmtree(root / "media", ignore_errors=True)
    for media in sorted(used):
        (root / "media" / media).parent.mkdir(parents=True, exist_ok=True)
        pictures[media].save(root / "media" / media, optimize=True)
    for name, rows in split_rows.items():
        file = "train.parquet" if name.startswith("train/") else "test.parquet"
        tables.write_rows(rows, root / name / file, SCHEMA)
    counts = {name: len(rows) for name, rows in split_rows.items()}
    n_places = {split: len(places) for split, places in towns().items()}
    tables.write_sample_manifest(root, BENCHMARK, counts, seed=SEED, places=n_places)
    return counts


if __name__ == "__main__":
    print(write(roots.mini_root(BENCHMARK)))
