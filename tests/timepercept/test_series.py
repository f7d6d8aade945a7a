"""Anybody's dated pictures: folders and manifests, pictures of eight bits and measurements."""

import csv
import json
import shutil
import zipfile

import numpy as np
import pytest
from PIL import Image

from hf_datasets.timepercept import prepare
from hf_datasets.timepercept.folders import read_series
from hf_datasets.timepercept.series import nothing_skipped, read_manifest
from tempbench_lmms.data.tables import read_rows
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.timepercept.rows import problems

from .releases import days, fields, noise

NAMES = ("dam", "harbour", "mine", "quarry")


def read(path, **settings):
    skipped = nothing_skipped()
    found = read_series(path, 10, skipped, **settings)
    return {one.place: [str(shot.day) for shot in one.shots] for one in found}, dict(skipped.counts)


LAYOUTS = {
    "a folder a place": "{place}/{day}.png",
    "deeper": "europe/{place}/view_{day:%Y_%m_%d}_b4.png",
    "names alone": "{place}_{day:%Y%m%d}.png",
    "a folder a date": "{day}/{place}.png",
    "with the time": "{place}/{day:%Y%m%d}T102030.png",
    "day first, one form possible": "{place}/{day:%Y.%m.%d}.png",
    "JPEG 2000": "{place}/{day:%Y%m%d}_TCI.jp2",
    "AVIF, in capitals": "{place}/{day}.AVIF",
}


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_folders_of_dated_pictures(tmp_path, layout):
    for i, place in enumerate(NAMES):
        for k, day in enumerate(days()):
            file = tmp_path / layout.format(place=place, day=day)
            file.parent.mkdir(parents=True, exist_ok=True)
            noise(10 * i + k).save(file)
    (tmp_path / "notes.txt").write_text("no picture")
    noise(1).save(tmp_path / "overview.png")
    found, skipped = read(tmp_path)
    assert {place.rpartition("/")[2]: taken for place, taken in found.items()} == {
        place: [str(day) for day in days()] for place in NAMES
    }
    assert skipped == {"no date in the name": 1, "no picture by its suffix": 1}


def test_dates_that_only_the_user_can_read(tmp_path):
    for day in days():
        noise(1).save(tmp_path / f"dam_{day:%d.%m.%Y}.png")
    with pytest.raises(TempbenchError, match=r"dam_.*day first or month first.*--date-format"):
        read(tmp_path)
    assert read(tmp_path, date_format="%d.%m.%Y")[0] == {"dam": [str(day) for day in days()]}
    with pytest.raises(TempbenchError, match=r"--date-format %Y"):
        read(tmp_path, date_format="%Y")


def test_one_folder_with_several_series_is_asked_about(tmp_path):
    (tmp_path / "coast").mkdir()
    for place in ("dam", "harbour"):
        for day in days():
            noise(1).save(tmp_path / "coast" / f"{place}_{day}.png")
    with pytest.raises(TempbenchError, match=r"\(dam, harbour\); choose with --place-from"):
        read(tmp_path)
    dated = [str(day) for day in days()]
    found, skipped = read(tmp_path, place_from="folder")
    assert found == {"coast": dated}
    assert skipped == {"same day as another picture of the place": 6}
    # Of several series by their names, each is a place.
    assert read(tmp_path, place_from="name")[0] == {"coast/dam": dated, "coast/harbour": dated}


def test_nothing_usable(tmp_path):
    with pytest.raises(TempbenchError, match="does not exist"):
        read(tmp_path / "none")
    noise(1).save(tmp_path / "a.png")
    with pytest.raises(TempbenchError, match=r"no date in the name: 1, as .*a\.png"):
        read(tmp_path)


def groups(folder, **more):
    """Writes pictures, and returns the groups of a manifest."""
    found = []
    for i, place in enumerate(NAMES):
        images = []
        for k, day in enumerate(days()):
            path = f"{place}/{k}.png"
            (folder / place).mkdir(parents=True, exist_ok=True)
            noise(10 * i + k).save(folder / path)
            images.append({"path": path, "timestamp": str(day)})
        found.append({"group_id": place, "category": "site", **more, "images": images})
    return found


def test_manifests_of_each_kind_say_the_same(tmp_path):
    found = groups(tmp_path, latitude=50.5, longitude=7.1)
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, found)))
    (tmp_path / "b.json").write_text(json.dumps(found, indent=1))
    with (tmp_path / "c.csv").open("w", newline="") as file:
        columns = ["group_id", "category", "latitude", "longitude", "path", "timestamp"]
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        for group in found:
            about = {key: value for key, value in group.items() if key in columns}
            writer.writerows(about | image for image in group["images"])
    read = [read_manifest(tmp_path / name, 10, nothing_skipped()) for name in ("a.jsonl", "b.json", "c.csv")]
    assert read[0] == read[1] == read[2]
    assert {one.category for one in read[0]} == {"site"}
    assert all(one.position for one in read[0])
    # A folder is read by the manifest in it.
    (tmp_path / "b.json").rename(tmp_path / "manifest.json")
    assert read_series(tmp_path, 10, nothing_skipped()) == read[0]
    with pytest.raises(TempbenchError, match="is a manifest"):
        read_series(tmp_path, 10, nothing_skipped(), bands=("1",))
    (tmp_path / "d.csv").write_text("place,path\n1,2\n")
    with pytest.raises(TempbenchError, match="has no column group_id"):
        read_manifest(tmp_path / "d.csv", 10, nothing_skipped())


def test_a_date_in_a_manifest_is_named_with_its_place(tmp_path):
    found = groups(tmp_path)
    found[1]["images"][2]["timestamp"] = "07.03.2019"
    file = tmp_path / "manifest.jsonl"
    file.write_text("\n".join(map(json.dumps, found)))
    with pytest.raises(
        TempbenchError, match=r"manifest\.jsonl, line 2, images\[2\]\.timestamp: '07\.03\.2019'"
    ):
        read_manifest(file, 10, nothing_skipped())
    found[1]["images"][2]["timestamp"] = "autumn"
    file.write_text("\n".join(map(json.dumps, found)))
    skipped = nothing_skipped()
    read_manifest(file, 10, skipped)
    (examples,) = skipped.examples.values()
    assert examples[0].startswith("line 2, images[2] (harbour): 'autumn' is not a date")
    found[0]["latitude"] = 95
    file.write_text("\n".join(map(json.dumps, found)))
    assert len(read_manifest(file, 10, nothing_skipped())) == 3


def built(root, source, monkeypatch, **settings):
    monkeypatch.setenv("TEMPBENCH_DATA", str(root))
    chosen = prepare.Settings(**{"test": 5, "train": 5, "test_share": 0.5, "size": 32} | settings)
    prepare.prepare_series(root / "timepercept", source, None, chosen, False, lambda line: None)
    assert list(problems(root / "timepercept")) == []
    return root / "timepercept"


def test_months_are_asked_about_order_alone(tmp_path, monkeypatch):
    found = groups(tmp_path)
    for group in found:
        for k, image in enumerate(group["images"]):
            image["timestamp"] = f"{2015 + k}-0{k + 1}"
    (tmp_path / "manifest.jsonl").write_text("\n".join(map(json.dumps, found)))
    root = built(tmp_path / "data", tmp_path, monkeypatch)
    assert not (root / "ice").exists()
    assert {date for row in read_rows(root / "isr/test.parquet") for date in row["dates"]} <= {
        f"{2015 + k}-0{k + 1}" for k in range(6)
    }
    with pytest.raises(TempbenchError, match="no test is left"):
        built(tmp_path / "other", tmp_path, monkeypatch, tests=("ice",))


@pytest.mark.slow
def test_measurements_of_many_bands_in_a_folder(tmp_path, monkeypatch):
    fields(tmp_path / "in")
    with pytest.raises(TempbenchError, match="5 bands; name one or three of them by number"):
        built(tmp_path / "none", tmp_path / "in", monkeypatch)
    settings = {"bands": ("3", "2", "1"), "tests": ("isr", "sov", "ice"), "test_share": 0.5}
    root = built(tmp_path / "data", tmp_path / "in", monkeypatch, **settings)
    part = json.loads((root / "manifest.json").read_text())["parts"]["series"]
    assert {tuple(one["bands"]) for one in part["stretch"].values()} == {(3, 2, 1)}
    assert part["sites"] == [["series/a", "series/b"]]
    test = {place for row in read_rows(root / "all/test.parquet") for place in row["places"]}
    assert test in ({"a", "b"}, {"c", "d"})
    for path in (root / "media").rglob("*.jpg"):
        shown = np.asarray(Image.open(path))
        assert shown.shape == (32, 32, 3)
        assert 60 < shown.mean() < 200  # neither dark nor white, as sixteen bits shown as eight would be
    # Without coordinates taken into account they are four places.
    apart = built(tmp_path / "apart", tmp_path / "in", monkeypatch, **settings | {"min_distance": 0.0})
    assert json.loads((apart / "manifest.json").read_text())["parts"]["series"]["sites"] == []


@pytest.mark.slow
def test_the_same_questions_from_folder_manifest_and_archive(tmp_path, monkeypatch):
    found = groups(tmp_path / "in")
    for group in found:
        group["category"] = ""
        for image, day in zip(group["images"], days(), strict=True):
            new = f"{group['group_id']}/{day}.png"
            (tmp_path / "in" / image["path"]).rename(tmp_path / "in" / new)
            image["path"] = new
    some = {"tests": ("isr", "tpl", "ice", "pic")}
    roots = [built(tmp_path / "folder", tmp_path / "in", monkeypatch, **some)]
    shutil.copytree(tmp_path / "in", tmp_path / "with")
    (tmp_path / "with/manifest.jsonl").write_text("\n".join(map(json.dumps, found)))
    roots.append(built(tmp_path / "manifest", tmp_path / "with", monkeypatch, **some))
    with zipfile.ZipFile(tmp_path / "in.zip", "w") as archive:
        for path in sorted((tmp_path / "in").rglob("*.png")):
            archive.write(path, path.relative_to(tmp_path / "in"))
    roots.append(built(tmp_path / "archive", tmp_path / "in.zip", monkeypatch, **some))
    tables = [read_rows(root / "all/test.parquet") for root in roots]
    assert tables[0] == tables[1] == tables[2]
    assert not list(tmp_path.rglob("*.unpacked"))
