"""From raw sources to questions: fMoW as it is distributed, manifests, and the controls."""

import io
import json
import shutil
import zipfile

import pytest
from PIL import Image

from hf_datasets.timepercept import controls, prepare
from hf_datasets.timepercept.fmow import read_fmow
from hf_datasets.timepercept.series import nothing_skipped, read_manifest
from tempbench_lmms.data.tables import read_rows
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.timepercept import scoring
from tempbench_lmms.timepercept.card import TESTS, TIU, TOU
from tempbench_lmms.timepercept.rows import problems

from .releases import DAYS, acquisition, fmow_test_part, fmow_tree, noise, png, temporalvqa

SMALL = prepare.Settings(test=10, train=10, test_share=0.5, size=32)


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """fMoW with some of what is left out of it; not to be changed."""
    root = fmow_tree(tmp_path_factory.mktemp("fmow") / "source")
    folder = root / "fmow-rgb/train/airport_hangar/airport_hangar_0"
    acquisition(folder, "airport_hangar_0_6", "2013-01-01T00:00:00Z", cloud=55)
    acquisition(folder, "airport_hangar_0_7", "2012-04-02T10:32:22Z")  # the first acquisition once more
    acquisition(folder, "airport_hangar_0_8", "2014-05-05T00:00:00Z")
    (folder / "airport_hangar_0_8_rgb.json").write_text("{broken")
    acquisition(folder, "airport_hangar_0_9", "2015-05-05T00:00:00Z")
    (folder / "airport_hangar_0_9_rgb.json").unlink()
    (folder / "notes.jpg").write_bytes(b"")
    return root


@pytest.fixture(scope="module")
def sound(source, tmp_path_factory):
    """What is prepared from it; not to be changed."""
    with pytest.MonkeyPatch.context() as patch:
        return prepared(tmp_path_factory.mktemp("sound"), patch, fmow=source)[0]


@pytest.fixture
def fmow(source, tmp_path):
    """A copy of it, to be changed."""
    return shutil.copytree(source, tmp_path / "source")


def test_fmow_is_read_by_time_and_says_what_it_left_out(source):
    skipped = nothing_skipped()
    found = {series.place: series for series in read_fmow(source, 10, skipped)}
    assert len(found) == 12
    place = found["train/airport_hangar_0"]
    assert place.category == "airport_hangar"
    assert [(shot.day - place.shots[0].day).days for shot in place.shots] == list(DAYS)
    # The numbers in the names run against time: the earliest picture is number 5.
    assert place.shots[0].file.name == "airport_hangar_0_5_rgb.jpg"
    assert all("_msrgb" not in str(shot.file) for series in found.values() for shot in series.shots)
    assert dict(skipped.counts) == {
        "_msrgb version of an acquisition": 12 * 6 + 4,
        "cloud cover": 1,
        "same day as another picture of the place": 1,
        "unreadable metadata": 1,
        "no metadata": 1,
        "file name not of fMoW": 1,
    }


def test_cloud_filter_and_categories_are_settings(source):
    cloudy = {one.place: one for one in read_fmow(source, 60, nothing_skipped())}
    assert len(cloudy["train/airport_hangar_0"].shots) == 7
    few = read_fmow(source, 10, nothing_skipped(), categories=["factory_or_powerplant"])
    assert {one.category for one in few} == {"factory_or_powerplant"}
    with pytest.raises(TempbenchError, match="no place of fMoW-rgb"):
        read_fmow(source, 10, nothing_skipped(), splits=["val"])


def prepared(root, monkeypatch, **sources):
    monkeypatch.setenv("TEMPBENCH_DATA", str(root))
    notes = []
    prepare.prepare_series(
        root / "timepercept",
        sources.get("series"),
        sources.get("fmow"),
        sources.get("settings", SMALL),
        sources.get("force", False),
        notes.append,
    )
    return root / "timepercept", notes


@pytest.mark.slow
def test_fmow_becomes_all_nine_tests(fmow, tmp_path, monkeypatch):
    damaged = fmow / "fmow-rgb/train/airport_hangar/airport_hangar_1/airport_hangar_1_3_rgb.jpg"
    damaged.write_bytes(damaged.read_bytes()[:300])
    root, notes = prepared(tmp_path / "data", monkeypatch, fmow=fmow)
    (problem,) = problems(root)
    assert "1 left out when the data was prepared (damaged picture)" in problem
    assert str(damaged) in problem
    assert f"skipped, damaged picture: 1 ({damaged})" in notes
    part = json.loads((root / "manifest.json").read_text())["parts"]["series"]
    places = {"test": set(), "train": set()}
    for test in TESTS:
        for split, table in (
            ("test", root / test / "test.parquet"),
            ("train", root / "train" / test / "train.parquet"),
        ):
            rows = read_rows(table)
            assert rows, (test, split)
            places[split] |= {place for row in rows for place in row["places"]}
            # The damaged picture (60 days after the first one) is asked about nowhere.
            urls = [url for row in rows for url in row["images"]]
            assert not any("airport_hangar_1_" in url and "2012-06-02" in url for url in urls)
    assert not places["test"] & places["train"]
    assert part["skipped"]["damaged picture"]["examples"] == [str(damaged)]
    assert part["balance"]["ice"] == dict.fromkeys("ABCDE", 2)
    assert part["balance"]["sov"] == {"False": 5, "True": 5, "ordered": 5, "shuffled": 5}
    assert part["places"] == {"fmow/test": 6, "fmow/train": 6}
    url = read_rows(root / "isr" / "test.parquet")[0]["images"][0]
    with Image.open(root / url.removeprefix("tempbench://timepercept/")) as picture:
        assert picture.size == (32, 32)
    assert stored(root) == shown(root)
    assert all(scoring.record(row, row["target"])["correct"] for row in read_rows(root / "all/test.parquet"))


def stored(root):
    """The pictures of a data set."""
    return {path.relative_to(root).as_posix() for path in (root / "media").rglob("*") if path.is_file()}


def shown(root):
    """The pictures that questions show."""
    urls = {url for path in root.rglob("*.parquet") for row in read_rows(path) for url in row["images"]}
    return {url.removeprefix("tempbench://timepercept/") for url in urls}


@pytest.mark.slow
@pytest.mark.parametrize("split", ["test", pytest.param("seq", marks=pytest.mark.exhaustive)])
def test_the_noisy_parts_of_fmow_are_joined_with_their_ground_truth(split, tmp_path, monkeypatch):
    source = fmow_test_part(tmp_path / "source", split)
    settings = prepare.Settings(**{**SMALL.__dict__, "fmow_splits": (split,)})
    root, _ = prepared(tmp_path / "data", monkeypatch, fmow=source, settings=settings)
    assert list(problems(root)) == []
    rows = read_rows(root / "isr/test.parquet") + read_rows(root / "train/isr/train.parquet")
    # The time of the ground truth, not the noise beside the pictures; and the names that it gives.
    assert {date[:4] for row in rows for date in row["dates"]} == {"2012", "2013", "2016"}
    assert {row["category"] for row in rows} == {"airport_hangar", "airport_terminal"}
    # Hangar and terminal of one number are one airport, and in one split.
    numbers = {
        name: {place.rpartition("_")[2] for row in read_rows(table) for place in row["places"]}
        for name, table in (("test", root / "all/test.parquet"), ("train", root / "train/isr/train.parquet"))
    }
    assert not numbers["test"] & numbers["train"]
    part = json.loads((root / "manifest.json").read_text())
    assert part["parts"]["series"]["sites"]


def test_fmow_without_ground_truth_or_with_a_damaged_mapping(tmp_path):
    source = fmow_test_part(tmp_path / "source")
    mapping = source / "fmow-rgb/test_gt_mapping.json"
    entries = json.loads(mapping.read_text())
    entries += [entries[0], {"input": "test_gt/../x", "output": "test/0007001"}, 3]
    entries.append({"input": "test_gt/dam/dam_1", "output": "test/0009999"})
    mapping.write_text(json.dumps(entries))
    skipped = nothing_skipped()
    assert len(read_fmow(source, 10, skipped, ["test"])) == 8
    assert {reason: count for reason, count in skipped.counts.items() if "mapping" in reason} == {
        "named twice in the mapping": 1,
        "entry of the mapping that is not of fMoW": 2,
        "folder of the mapping is missing": 1,
    }
    mapping.write_text("[{")
    with pytest.raises(TempbenchError, match="cannot be read"):
        read_fmow(source, 10, nothing_skipped(), ["test"])
    mapping.unlink()
    with pytest.raises(TempbenchError, match=r"has noise; unpack groundtruth\.tar"):
        read_fmow(source, 10, nothing_skipped(), ["test"])


def manifest(folder, groups):
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "manifest.jsonl"
    file.write_text("\n".join(one if isinstance(one, str) else json.dumps(one) for one in groups) + "\n")
    return file


def group(folder, name, times, **values):
    (folder / name).mkdir(parents=True, exist_ok=True)
    images = []
    for i, time in enumerate(times):
        noise(hash((name, i)) % 1000).save(folder / name / f"{i}.png")
        images.append({"path": f"{name}/{i}.png", "timestamp": time} | values)
    return {"group_id": name, "images": images}


def test_manifest_orders_by_time_and_reports_what_it_cannot_use(tmp_path):
    good = group(tmp_path, "good", ["2020-03-01", "2019-01-01T00:00:00+05:00", "2021-01-01T10:00:00Z"])
    good["category"] = "harbour"
    cloudy = group(tmp_path, "cloudy", ["2020-01-01", "2020-02-01"], cloud_cover=80)
    outside = {"group_id": "outside", "images": [{"path": "../secret.png", "timestamp": "2020-01-01"}]}
    missing = {"group_id": "missing", "images": [{"path": "none.png", "timestamp": "2020-01-01"}]}
    undated = {
        "group_id": "undated",
        "images": [{"path": "good/0.png", "timestamp": "spring"}, {"path": "good/0.png"}],
    }
    mixed = group(tmp_path, "mixed", ["2020-01-01", 2])
    noise(1).save(tmp_path.parent / "secret.png")
    file = manifest(tmp_path, [good, cloudy, outside, missing, undated, mixed, "{", '{"group_id": 1}', good])
    skipped = nothing_skipped()
    found = {series.place: series for series in read_manifest(file, 10, skipped)}
    assert [shot.taken for shot in found["good"].shots] == [
        "2018-12-31T19:00:00Z",
        "2020-03-01T00:00:00Z",
        "2021-01-01T10:00:00Z",
    ]
    assert found["good"].category == "harbour"
    assert dict(skipped.counts) == {
        "cloud cover": 2,
        "path outside the manifest's folder": 1,
        "missing file": 1,
        "image without a path or a readable time stamp": 2,
        "dates and ranks mixed in one group": 1,
        "unreadable line of the manifest": 2,
        "repeated group_id": 1,
    }


@pytest.mark.slow
def test_order_comes_from_the_manifest_and_intervals_from_fmow(source, tmp_path, monkeypatch):
    groups = [group(tmp_path / "sitscc", f"g{i}", list(range(6))) for i in range(6)]
    file = manifest(tmp_path / "sitscc", groups)
    root, _ = prepared(tmp_path / "data", monkeypatch, series=file, fmow=source)
    assert list(problems(root)) == []
    for test in TOU:
        assert {row["source"] for row in read_rows(root / test / "test.parquet")} == {"series"}
    for test in TIU:
        assert {row["source"] for row in read_rows(root / test / "test.parquet")} == {"fmow"}


def test_ranks_alone_build_the_tests_of_order(tmp_path, monkeypatch):
    groups = [group(tmp_path / "sitscc", f"g{i}", list(range(6))) for i in range(6)]
    file = manifest(tmp_path / "sitscc", groups)
    root, notes = prepared(tmp_path / "data", monkeypatch, series=file)
    assert any("intervals are left out" in note for note in notes)
    assert (root / "isr/test.parquet").is_file()
    assert not (root / "ice").exists()


@pytest.mark.slow
def test_too_little_is_an_error_and_leaves_nothing(source, sound, tmp_path, monkeypatch):
    file = manifest(tmp_path / "s", [group(tmp_path / "s", "one", [1, 2])])
    with pytest.raises(TempbenchError, match="too few places"):
        prepared(tmp_path / "data", monkeypatch, series=file)
    assert not (tmp_path / "data/timepercept").exists()
    # Two places in the test split cannot give four pairs of different places.
    few = prepare.Settings(**{**SMALL.__dict__, "test_share": 0.2})
    with pytest.raises(TempbenchError, match=r"2 with 2 pictures in the test split, of ipr 3, eii 4 needed"):
        prepared(tmp_path / "data", monkeypatch, fmow=source, settings=few)
    assert not (tmp_path / "data/timepercept").exists()
    # What was there before stays.
    root = shutil.copytree(sound, tmp_path / "data/timepercept")
    before = stored(root)
    with pytest.raises(TempbenchError, match="too few places"):
        prepared(tmp_path / "data", monkeypatch, fmow=source, settings=few, force=True)
    assert stored(root) == before
    assert list(problems(root)) == []


@pytest.mark.parametrize(("test", "train"), [(0, 10), (10, 0), (0, 0)])
def test_one_split_alone(source, tmp_path, monkeypatch, test, train):
    settings = prepare.Settings(**{**SMALL.__dict__, "test": test, "train": train, "tests": ("isr", "ice")})
    if not test and not train:
        with pytest.raises(TempbenchError, match="leave nothing to build"):
            prepared(tmp_path / "data", monkeypatch, fmow=source, settings=settings)
        return
    root, _ = prepared(tmp_path / "data", monkeypatch, fmow=source, settings=settings)
    part = json.loads((root / "manifest.json").read_text())["parts"]["series"]
    assert set(part["rows"]) == ({"isr", "ice", "all"} if test else {"train/isr", "train/ice"})
    assert part["balance"]["ice"] == dict.fromkeys("ABCDE", 2)
    assert list(problems(root)) == []
    assert stored(root) == shown(root)


def test_temporalvqa(tmp_path, monkeypatch):
    monkeypatch.setenv("TEMPBENCH_DATA", str(tmp_path / "data"))
    temporalvqa(tmp_path / "source")
    root = tmp_path / "data/timepercept"
    part = controls.build_temporalvqa(root, controls.origin(str(tmp_path / "source"), "x"))
    (root / "manifest.json").write_text("{}")
    assert part["rows"] == {"transfer_order": 6, "transfer_lapse": 3}
    assert {reason: one["count"] for reason, one in part["skipped"].items()} == {
        "damaged picture": 1,
        "unknown label": 1,
    }
    rows = read_rows(root / "transfer_order/test.parquet")
    assert [row["answer"] for row in rows] == ["A", "B"] * 3
    assert all(
        one["images"] == other["images"][::-1] for one, other in zip(rows[::2], rows[1::2], strict=True)
    )
    assert [row["answer"] for row in read_rows(root / "transfer_lapse/test.parquet")] == ["A", "F", "B"]
    # Six pictures, each stored once though both tests show it, and with its bytes unchanged.
    assert len(list((root / "media/temporalvqa").iterdir())) == 6
    assert list(problems(root)) == []


@pytest.mark.slow
def test_ucm_from_class_folders(tmp_path, monkeypatch):
    monkeypatch.setenv("TEMPBENCH_DATA", str(tmp_path / "data"))
    for number, name in enumerate(controls.UCM_CLASSES):
        (tmp_path / "UCM" / name).mkdir(parents=True)
        for i in range(12):
            noise(100 * number + i).save(tmp_path / "UCM" / name / f"{name}{i:02d}.tif")
    (tmp_path / "UCM/river/river00.tif").write_bytes(b"II")
    root = tmp_path / "data/timepercept"
    part = controls.build_ucm(root, controls.origin(str(tmp_path / "UCM"), "x"), 1, 32)
    (root / "manifest.json").write_text("{}")
    rows = read_rows(root / "ucm/test.parquet")
    assert part["rows"] == {"ucm": 200}
    assert {len(set(row["options"])) for row in rows} == {5}
    answers = [row["answer"] for row in rows]
    assert {letter: answers.count(letter) for letter in "ABCDE"} == dict.fromkeys("ABCDE", 40)
    per_class = [row["category"] for row in rows]
    assert set(map(per_class.count, per_class)) <= {9, 10}
    assert len(list((root / "media/ucm").iterdir())) == 200
    assert list(problems(root)) == []


def test_ucm_from_its_zip_file(tmp_path, monkeypatch):
    from hf_datasets.timepercept.commands import prepare as command

    monkeypatch.setenv("TEMPBENCH_DATA", str(tmp_path / "data"))
    with zipfile.ZipFile(tmp_path / "UCMerced_LandUse.zip", "w") as archive:
        for number, name in enumerate(list(controls.UCM_CLASSES)[:6]):
            buffer = io.BytesIO()
            noise(number).save(buffer, "TIFF")
            archive.writestr(f"UCMerced_LandUse/Images/{name}/{name}00.tif", buffer.getvalue())
    command(ucm=str(tmp_path / "UCMerced_LandUse.zip"), size=32)
    root = tmp_path / "data/timepercept"
    assert len(read_rows(root / "ucm/test.parquet")) == 6
    part = json.loads((root / "manifest.json").read_text())["parts"]["ucm"]
    assert part["source"] == str(tmp_path / "UCMerced_LandUse.zip")
    assert list(problems(root)) == []
    assert not list(tmp_path.rglob(".*.unpacked"))
    # A cut download of another one is refused, and leaves what is there.
    whole = (tmp_path / "UCMerced_LandUse.zip").read_bytes()
    (tmp_path / "cut.zip").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(TempbenchError, match="cannot be unpacked"):
        command(ucm=str(tmp_path / "cut.zip"), size=32, force=True)
    assert list(problems(root)) == []


def test_a_control_that_cannot_be_built_leaves_nothing(tmp_path, monkeypatch):
    from hf_datasets.timepercept.commands import prepare as command

    monkeypatch.setenv("TEMPBENCH_DATA", str(tmp_path / "data"))
    (tmp_path / "UCM/river").mkdir(parents=True)
    noise(1).save(tmp_path / "UCM/river/river00.tif")
    with pytest.raises(TempbenchError, match="five are needed"):
        command(ucm=str(tmp_path / "UCM"), size=32)
    temporalvqa(tmp_path / "source")
    shutil.rmtree(tmp_path / "source/timelapse_estimation")
    with pytest.raises(TempbenchError, match="nothing usable for transfer_lapse"):
        command(temporalvqa=str(tmp_path / "source"))
    assert not (tmp_path / "data/timepercept").exists()


@pytest.mark.slow
def test_ucm_from_parquet_with_class_labels(tmp_path, monkeypatch):
    import datasets

    names = list(controls.UCM_CLASSES)
    features = datasets.Features({"image": datasets.Image(), "label": datasets.ClassLabel(names=names)})
    rows = {
        "image": [{"bytes": png(i), "path": None} for i in range(42)],
        "label": [i % 21 for i in range(42)],
    }
    (tmp_path / "UCM").mkdir()
    datasets.Dataset.from_dict(rows, features=features).to_parquet(tmp_path / "UCM/train.parquet")
    root = tmp_path / "data/timepercept"
    part = controls.build_ucm(root, controls.origin(str(tmp_path / "UCM"), "x"), 1, 32)
    assert part["rows"] == {"ucm": 42}
    found = read_rows(root / "ucm/test.parquet")
    assert {row["category"] for row in found} == set(controls.UCM_CLASSES.values())
    # Every picture is brought to the size, as from the folders, and nothing else is kept.
    assert {Image.open(path).size for path in (root / "media").rglob("*.*")} == {(32, 32)}
    assert stored(root) == shown(root)
