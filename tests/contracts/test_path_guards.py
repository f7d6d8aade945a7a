"""No path that data names leads out of its folder: each attack on a reader of data fails."""

import contextlib
import importlib
import json
import shutil

import pytest

from tempbench_lmms.data import roots
from tempbench_lmms.errors import TempbenchError

CLIP = next(roots.mini_root("coherence").rglob("*.mp4"))
PICTURE = next(roots.mini_root("tempvs").rglob("*.png"))


def tempvs_release_dots(found, folder):
    (folder / "data" / "vist").mkdir(parents=True)
    shutil.copy(PICTURE, folder / "secret.png")
    images = found.Images(folder / "data", [folder])  # the whole folder is trusted, as the Hub's cache is
    return images.urls(["/home/them/vist/../../secret.png"], None, "vist") is not None


def tempvs_release_link(found, folder):
    (folder / "data" / "vist").mkdir(parents=True)
    shutil.copy(PICTURE, folder / "secret.png")
    (folder / "data" / "vist" / "a.png").symlink_to(folder / "secret.png")
    images = found.Images(folder / "data", [folder / "data"])
    return images.urls(["/home/them/vist/a.png"], None, "vist") is not None


def mateo_plan(found, folder):
    shutil.copy(PICTURE, folder / "secret.png")
    plan = folder / "plans" / "own"
    plan.mkdir(parents=True)
    steps = [{"id": n, "text": "a step", "image": "../../secret.png"} for n in range(2)]
    (plan / "plan.json").write_text(json.dumps({"steps": steps, "edges": []}))
    (raw,) = found.read_folder(folder / "plans")
    return bool(raw.steps[0].picture())


def mateo_release(found, folder):
    shutil.copy(PICTURE, folder / "secret.png")
    (folder / "release").mkdir()
    return bool(found.picture_of("../secret.png", folder / "release"))


def mateo_name(found, folder):
    name = found._file_name("../../../elsewhere/x")
    return ".." in name or "/" in name


def gathered_video(found, folder):
    (folder / "videos").mkdir()
    shutil.copy(CLIP, folder / "secret.mp4")
    (folder / "videos" / "a.mp4").symlink_to(folder / "secret.mp4")
    return not found.Gathering(folder / "data").bring(
        {"captions/a.mp4": found.Medium(folder / "videos" / "a.mp4", folder / "videos")}
    )


def timepercept_place(found, folder):
    return ".." in found.slug("../../elsewhere")


ATTACKS = [
    (tempvs_release_dots, "hf_datasets.tempvs.pictures"),
    (tempvs_release_link, "hf_datasets.tempvs.pictures"),
    (mateo_plan, "hf_datasets.mateo.sources"),
    (mateo_release, "hf_datasets.mateo.sources"),
    (mateo_name, "hf_datasets.mateo.prepare"),
    (gathered_video, "tempbench_lmms.media.verifying"),
    (timepercept_place, "hf_datasets.timepercept.series"),
]


@pytest.mark.parametrize(("attack", "name"), ATTACKS, ids=lambda given: getattr(given, "__name__", ""))
def test_an_attack_fails(attack, name, tmp_path, monkeypatch):
    monkeypatch.setenv("TEMPBENCH_DATA", str(tmp_path / "home"))
    with contextlib.suppress(TempbenchError):
        assert not attack(importlib.import_module(name), tmp_path)
