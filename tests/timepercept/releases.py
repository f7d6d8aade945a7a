"""Stand-ins for the sources of TimePerceptBench, in the layouts in which people have them."""

import io
import json
import zipfile
from datetime import date, datetime, timedelta, timezone
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import tifffile
from PIL import Image

from hf_datasets.timepercept.controls import UCM_CLASSES

DAYS = (0, 10, 60, 200, 600, 1400)
START = datetime(2012, 4, 2, 10, 32, 22, tzinfo=timezone.utc)


def noise(seed: int) -> Image.Image:
    generator = np.random.default_rng(seed)
    return Image.fromarray(generator.integers(0, 256, (48, 64, 3), dtype=np.uint8))


def png(seed: int) -> bytes:
    buffer = io.BytesIO()
    noise(seed).save(buffer, "PNG")
    return buffer.getvalue()


def acquisition(
    folder: Path, stem: str, timestamp: str, cloud: float = 0, seed: int = 0, **more: object
) -> None:
    """Writes both versions of an acquisition, as fMoW names them."""
    folder.mkdir(parents=True, exist_ok=True)
    for kind in ("rgb", "msrgb"):
        noise(seed).save(folder / f"{stem}_{kind}.jpg")
        metadata = {"timestamp": timestamp, "cloud_cover": cloud, "gsd": 0.468, "bounding_boxes": []} | more
        (folder / f"{stem}_{kind}.json").write_text(json.dumps(metadata))


def around(longitude: float, latitude: float) -> str:
    """Returns a place as fMoW gives it: the corners of its picture."""
    corners = [(-0.01, -0.01), (0.01, -0.01), (0.01, 0.01), (-0.01, 0.01), (-0.01, -0.01)]
    return "POLYGON ((" + ", ".join(f"{longitude + x} {latitude + y}" for x, y in corners) + "))"


def fmow_tree(root: Path, places: int = 6) -> Path:
    """Two categories; the numbers in the file names run against time."""
    for i, category in enumerate(("airport_hangar", "factory_or_powerplant")):
        for place in range(places):
            name = f"{category}_{place}"
            for k, days in enumerate(reversed(DAYS)):
                taken = (START + timedelta(days=days + place)).strftime("%Y-%m-%dT%H:%M:%SZ")
                folder = root / "fmow-rgb/train" / category / name
                acquisition(folder, f"{name}_{k}", taken, seed=1_000 * i + 10 * place + k)
    return root


def fmow_test_part(root: Path, split: str = "test", places: int = 8) -> Path:
    """The part `test` or `seq`: numbered folders, noise in their metadata, the ground truth beside them.

    Hangar and terminal of one number lie a kilometre apart.
    """
    base, mapping = root / "fmow-rgb", []
    for i in range(places):
        category = ("airport_hangar", "airport_terminal")[i % 2]
        name, number = f"{category}_{i // 2}", f"{7_000 + i:07d}"
        where = around(10 + i // 2, 50 + 0.009 * (i % 2))
        for k, days in enumerate(DAYS):
            stamp = (START + timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%SZ")
            acquisition(base / split / number, f"{number}_{k}", "2001-01-01T00:00:00Z", seed=100 * i + k)
            truth = base / f"{split}_gt" / category / name
            truth.mkdir(parents=True, exist_ok=True)
            described = {"timestamp": stamp, "cloud_cover": 0, "raw_location": where}
            (truth / f"{name}_{k}_rgb.json").write_text(json.dumps(described))
        mapping.append({"input": f"{split}_gt/{category}/{name}", "output": f"{split}/{number}"})
    (base / f"{split}_gt_mapping.json").write_text(json.dumps(mapping))
    return root


def measured(path: Path, seed: int, bands: int = 1, utm: tuple[float, float] | None = None) -> None:
    """Writes a GeoTIFF of 16 bits, 24 pixels square, as a satellite's product holds it."""
    values = np.random.default_rng(seed).integers(300, 6_000, (24, 24, bands), dtype=np.uint16)
    tags = []
    if utm:
        keys = (1, 1, 0, 2, 1024, 0, 1, 1, 3072, 0, 1, 32632)
        tags = [
            (33550, "d", 3, (10.0, 10.0, 0.0), True),
            (33922, "d", 6, (0.0, 0.0, 0.0, *utm, 0.0), True),
            (34735, "H", len(keys), keys, True),
        ]
    path.parent.mkdir(parents=True, exist_ok=True)
    kind = {"photometric": "minisblack", "planarconfig": "contig"} if bands > 1 else {}
    tifffile.imwrite(path, values if bands > 1 else values[..., 0], extratags=tags, **kind)


def days(n: int = 6) -> list[date]:
    """Returns dates that give intervals of all classes."""
    return [START.date() + timedelta(days=d) for d in DAYS[:n]]


def fields(root: Path) -> Path:
    """Four fields of which two lie side by side, in more bands than red, green and blue, a file a date."""
    corners = {
        "a": (400_000.0, 5_500_000.0),
        "b": (400_300.0, 5_500_000.0),
        "c": (460_000.0, 5_500_000.0),
        "d": (520_000.0, 5_000_000.0),
    }
    for i, (place, corner) in enumerate(corners.items()):
        for k, day in enumerate(days()):
            measured(root / place / f"{day}.tif", 10 * i + k, 5, corner)
    return root


def dated(root: Path) -> Path:
    """Eight places of one's own with dates in the names of the files."""
    for place in range(8):
        for k, day in enumerate(days()):
            file = root / f"dam_{place}/{day}.png"
            file.parent.mkdir(parents=True, exist_ok=True)
            noise(10 * place + k).save(file)
    return root


def temporalvqa(folder: Path, damaged: bool = True) -> Path:
    """Both parts of TemporalVQA; damaged, one picture is none and one label unknown."""

    def write(name: str, rows: list[dict[str, object]]) -> None:
        (folder / name).mkdir(parents=True)
        pq.write_table(pa.Table.from_pylist(rows), folder / name / "test-00000-of-00001.parquet")

    def asked(first: bytes, second: bytes, label: str) -> dict[str, object]:
        shown = {"image_1": first, "image_2": second}
        return {name: {"bytes": content, "path": None} for name, content in shown.items()} | {"label": label}

    pairs = [(png(2 * i), png(2 * i + 1)) for i in range(3)]
    order = [asked(a, b, "First") for a, b in pairs] + [asked(b, a, "Second") for a, b in pairs]
    if damaged:
        order += [asked(b"no image", png(1), "First"), asked(png(0), png(1), "neither")]
    write("temporal_order", order)
    labels = ["A", "F. More than 3 years", "Between 2 minutes to 15 minutes"]
    write("timelapse_estimation", [asked(a, b, label) for (a, b), label in zip(pairs, labels, strict=True)])
    return folder


def ucm(folder: Path, form: str) -> Path:
    """Six classes of UC Merced with a picture each: in `folders`, a `zip` file, or `parquet`."""
    names = list(UCM_CLASSES)[:6]
    folder.mkdir(parents=True)
    if form == "parquet":
        import datasets

        features = datasets.Features({"image": datasets.Image(), "label": datasets.ClassLabel(names=names)})
        rows = {"image": [{"bytes": png(i), "path": None} for i in range(6)], "label": list(range(6))}
        datasets.Dataset.from_dict(rows, features=features).to_parquet(folder / "train.parquet")
        return folder
    files = {f"UCMerced_LandUse/Images/{name}/{name}00.png": png(i) for i, name in enumerate(names)}
    if form == "zip":
        with zipfile.ZipFile(folder / "UCMerced_LandUse.zip", "w") as archive:
            for name, content in files.items():
                archive.writestr(name, content)
        return folder / "UCMerced_LandUse.zip"
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_bytes(content)
    return folder
