"""Each guard of a path is needed: an attack fails, and with the guard taken out of the source it succeeds."""

import importlib.util
import json
import shutil
import sys
import zipfile
from pathlib import Path

import pytest

from tempbench_lmms.data import roots
from tempbench_lmms.errors import TempbenchError

CLIP = next(roots.mini_root("coherence").rglob("*.mp4"))
PICTURE = next(roots.mini_root("tempvs").rglob("*.png"))


def module(name, guard, replacement):
    """Returns a module as it is, or with its guard replaced, under a name beside its own."""
    spec = importlib.util.find_spec(name)
    source = Path(spec.origin).read_text(encoding="utf-8")
    assert source.count(guard) == 1, f"{name}: the guard {guard!r} is not there once"
    if replacement is not None:
        source = source.replace(guard, replacement)
    changed = importlib.util.module_from_spec(importlib.util.spec_from_loader(f"{name}_guarded", None))
    changed.__file__ = spec.origin
    changed.__package__ = name.rpartition(".")[0]
    sys.modules[changed.__name__] = changed  # dataclasses look their module up
    try:
        exec(compile(source, spec.origin, "exec"), changed.__dict__)
    finally:
        del sys.modules[changed.__name__]
    return changed


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


def archive_dots(found, folder):
    with zipfile.ZipFile(folder / "a.zip", "w") as archive:
        archive.writestr("../outside.txt", "x")
    found.unpack(folder / "a.zip", folder / "inside")
    return (folder / "outside.txt").is_file()


def tempvs_source(found, folder):
    shutil.copy(PICTURE, folder / "secret.png")
    (folder / "vist").mkdir()
    return found.image_path(folder / "vist", "../secret.png").is_file()


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


def coherence_name(found, folder):
    item = {"question": "q?", "options": ["a", "b"], "answer": 0, "key": "../../x"}
    item |= {"demonstration_type": "human", "variation": {}}
    _, video = found._tomato_row("count/1", "count", item)
    return ".." in video


def gathered_video(found, folder):
    (folder / "videos").mkdir()
    shutil.copy(CLIP, folder / "secret.mp4")
    (folder / "videos" / "a.mp4").symlink_to(folder / "secret.mp4")
    return not found.Gathering(folder / "data").bring(
        {"captions/a.mp4": found.Medium(folder / "videos" / "a.mp4", folder / "videos")}
    )


def timepercept_series(found, folder):
    (folder / "series").mkdir()
    shutil.copy(PICTURE, folder / "secret.png")
    image = {"path": "../secret.png", "timestamp": "2020-01-01"}
    reading = found._Reading(folder / "series", 10, "", found.nothing_skipped())
    return found._shot(image, "place", "line 1", reading) is not None


def timepercept_place(found, folder):
    return ".." in found.slug("../../elsewhere")


def root_dots(found, folder):
    found.prepared_root = lambda benchmark: folder / "data"
    (folder / "data").mkdir()
    return not found.resolve("tempvs/../secret.png").resolve().is_relative_to(folder / "data")


def root_link(found, folder):
    found.prepared_root = lambda benchmark: folder / "data"
    (folder / "data").mkdir()
    (folder / "data" / "a").symlink_to(folder)
    return not found.resolve("tempvs/a/secret.png").resolve().is_relative_to(folder / "data")


_MATEO = "not any(path.resolve().is_relative_to(one.resolve()) for one in trusted or (folder,))"
GUARDS = [
    (archive_dots, "tempbench_lmms.data.archives", 'if ".." in parts or ', "if "),
    (tempvs_release_dots, "hf_datasets.tempvs.pictures", ' or ".." in parts', ""),
    (
        tempvs_release_link,
        "hf_datasets.tempvs.pictures",
        " and any(path.resolve().is_relative_to(folder) for folder in self._trusted)",
        "",
    ),
    (
        tempvs_source,
        "hf_datasets.tempvs.sources",
        "not path.resolve().is_relative_to(root.resolve())",
        "False",
    ),
    (mateo_plan, "hf_datasets.mateo.sources", _MATEO, "False"),
    (mateo_release, "hf_datasets.mateo.sources", _MATEO, "False"),
    (mateo_name, "hf_datasets.mateo.prepare", r're.sub(r"[^\w-]", "_", plan_id, flags=re.ASCII)', "plan_id"),
    (coherence_name, "hf_datasets.coherence.prepare", "if not is_name(name):", "if False:"),
    (
        gathered_video,
        "tempbench_lmms.media.gathering",
        "not source.resolve().is_relative_to(medium.inside.resolve())",
        "False",
    ),
    (
        timepercept_series,
        "hf_datasets.timepercept.series",
        "not file.resolve().is_relative_to(folder.resolve())",
        "False",
    ),
    (
        timepercept_place,
        "hf_datasets.timepercept.series",
        're.sub(r"[^A-Za-z0-9_-]+", "_", name)[:60]',
        "name",
    ),
    (root_dots, "tempbench_lmms.data.roots", '".." in rest or _leads_out(root, rest)', "False"),
    (root_link, "tempbench_lmms.data.roots", " or _leads_out(root, rest)", ""),
]


@pytest.mark.parametrize("guard", GUARDS, ids=lambda guard: guard[0].__name__)
def test_a_guard_holds_and_is_needed(guard, tmp_path, monkeypatch):
    attack, name, text, replacement = guard
    monkeypatch.setenv("TEMPBENCH_DATA", str(tmp_path / "home"))
    for folder in ("with", "without"):
        (tmp_path / folder).mkdir()
    try:
        succeeds = attack(module(name, text, None), tmp_path / "with")
    except TempbenchError:
        succeeds = False
    assert not succeeds
    assert attack(module(name, text, replacement), tmp_path / "without")
