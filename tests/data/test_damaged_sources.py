"""Sources that are damaged on their way are refused, or what they lack is listed and `verify` fails.

Beside the benchmarks' own tests of their releases, which have further damages.
"""

import json
import re
import zipfile
from pathlib import Path

import pytest

from tempbench_lmms.data import roots
from tests.command import complains, tempbench
from tests.mateo import releases as mateo
from tests.rextime import releases as rextime
from tests.timepercept import releases as timepercept

Damaged = tuple[str, list[str], str]
"""Benchmark, options of `prepare`, and what is said."""

SMALL = ["--test", "4", "--train", "4", "--test-share", "0.5", "--size", "32"]


def leading_out(archive: Path) -> None:
    with zipfile.ZipFile(archive, "a") as opened:
        opened.writestr("../../evil.png", mateo.png())


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size * 6 // 10])


def mateo_archive_leads_out(folder: Path) -> Damaged:
    source = mateo.whole(folder)
    leading_out(source / "more.zip")
    return "mateo", ["--source", str(source), "--accept-license"], "leads out of the archive"


def mateo_without_its_test_split(folder: Path) -> Damaged:
    source = mateo.whole(folder)
    next((source / "data").glob("test-*")).unlink()
    return "mateo", ["--source", str(source), "--accept-license"], "test"


def mateo_cut_table(folder: Path) -> Damaged:
    source = mateo.whole(folder)
    cut(next((source / "data").glob("train-*")))
    return "mateo", ["--source", str(source), "--accept-license"], "train-.*cannot be read"


def rextime_without_activitynet(folder: Path) -> Damaged:
    options = rextime.options(rextime.whole(folder))
    place = options.index("--anet-dir")
    del options[place : place + 2]
    return "rextime", options, "v_.* is missing"


def rextime_cut_annotations(folder: Path) -> Damaged:
    found = rextime.whole(folder)
    cut(found["source"] / rextime.FILES["test"])
    return "rextime", rextime.options(found), "rextime_test_release.json"


def rextime_cut_video(folder: Path) -> Damaged:
    found = rextime.whole(folder)
    video = sorted(found["qvhighlights"].iterdir())[0]
    cut(video)
    return "rextime", rextime.options(found), video.name


def rextime_id_twice(folder: Path) -> Damaged:
    found = rextime.whole(folder)
    file = found["source"] / rextime.FILES["train"]
    records = json.loads(file.read_text())
    records.append({**records[0], "question": "Another one?"})
    file.write_text(json.dumps(records))
    return "rextime", rextime.options(found), "train, .*2 questions have this id"


def ucm_leads_out(folder: Path) -> Damaged:
    archive = timepercept.ucm(folder, "zip")
    leading_out(archive)
    return "timepercept", ["--ucm", str(archive), *SMALL], "leads out of the archive"


def series_lead_out(folder: Path) -> Damaged:
    timepercept.dated(folder / "in")
    archive = folder / "in.zip"
    with zipfile.ZipFile(archive, "w") as opened:
        for path in sorted((folder / "in").rglob("*.png")):
            opened.write(path, path.relative_to(folder / "in"))
    leading_out(archive)
    return "timepercept", ["--series", str(archive), *SMALL], "leads out of the archive"


def temporalvqa_cut(folder: Path) -> Damaged:
    source = timepercept.temporalvqa(folder, damaged=False)
    cut(next((source / "temporal_order").glob("*.parquet")))
    return "timepercept", ["--temporalvqa", str(source), *SMALL], "cannot be read"


def temporalvqa_without_a_part(folder: Path) -> Damaged:
    source = timepercept.temporalvqa(folder, damaged=False)
    next((source / "timelapse_estimation").glob("*.parquet")).unlink()
    return "timepercept", ["--temporalvqa", str(source), *SMALL], "transfer_lapse"


def fmow_without_a_picture(folder: Path) -> Damaged:
    source = timepercept.fmow_tree(folder)
    victim = sorted(source.rglob("airport_hangar_1_3_rgb.jpg"))[0]
    victim.unlink()
    return "timepercept", ["--fmow", str(source), *SMALL], victim.name


def series_named_twice(folder: Path) -> Damaged:
    timepercept.dated(folder)
    groups = [
        {"group_id": "one", "images": [{"path": f"{place.name}/{file.name}", "timestamp": file.stem}
                                       for file in sorted(place.iterdir())]}
        for place in sorted(folder.iterdir())
    ]  # fmt: skip
    for number, group in enumerate(groups[1:]):
        group["group_id"] = f"place {max(number, 1)}"
    (folder / "manifest.jsonl").write_text("\n".join(map(json.dumps, groups)))
    return "timepercept", ["--series", str(folder), *SMALL], "repeated group_id"


DAMAGES = [
    mateo_archive_leads_out,
    mateo_without_its_test_split,
    mateo_cut_table,
    rextime_without_activitynet,
    rextime_cut_annotations,
    rextime_cut_video,
    rextime_id_twice,
    ucm_leads_out,
    series_lead_out,
    temporalvqa_cut,
    temporalvqa_without_a_part,
    fmow_without_a_picture,
    series_named_twice,
]


@pytest.mark.slow
@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_damage_is_refused_or_listed_and_verify_never_says_ok(damage, tmp_path, monkeypatch):
    monkeypatch.setenv("TEMPBENCH_DATA", str(tmp_path / "home"))
    benchmark, options, said = damage(tmp_path / "source")
    done = tempbench("prepare", benchmark, *options)
    if done.returncode:
        complains(done)
        found = done.stderr
        assert not (tmp_path / "home" / benchmark / roots.MANIFEST).exists()
    else:
        verified = tempbench("verify", benchmark)
        assert verified.returncode == 1, verified.stdout
        found = verified.stdout
    assert re.search(said, found), found
    assert not [*tmp_path.rglob("evil.png")]
