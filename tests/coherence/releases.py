"""Stand-ins of TOMATO and of MSR-VTT, of our own making, in every layout in which users have them."""

import json
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from tempbench_lmms.data import roots
from tempbench_lmms.media.video import probe

CLIPS = sorted((roots.mini_root("coherence") / "media" / "captions").glob("*.mp4"))

QUESTIONS = {
    "count": [
        ("How many circles?", ["1", "2", "3"], 2, "human", "0209-03"),
        ("How many?", ["4", "5"], 0, "object", "0001-01"),
    ],
    "shape&trend": [("Which shape?", ["Circle.", "Square."], 1, "simulated", "0300-00")],
}
"""By the name of TOMATO's file: question, options, answer, scene, name of the video."""

TYPES = "count,shape_trend"
REASONS = {"count": "count", "shape&trend": "shape & trend"}
SPLITS = {"count": "count", "shape&trend": "shape_trend"}

_ASKED = [one for questions in QUESTIONS.values() for one in questions]
VIDEOS = {f"{one[3]}/{one[4]}.mp4": clip for one, clip in zip(_ASKED, CLIPS, strict=False)}
"""The file of each video by its path in a release."""

_VARIATION = {"composite": 0, "counterfactual": 0, "first_person": 0, "zoom": 1}


def items(stem: str) -> list[dict]:
    return [
        {
            "question": question,
            "demonstration_type": scene,
            "variation": _VARIATION,
            "motion_type": stem,
            "answer": answer,
            "note": "",
            "key": name,
            "options": options,
            "video_source_url": "",
        }
        for question, options, answer, scene, name in QUESTIONS[stem]
    ]


def videos(folder: Path) -> Path:
    for place, clip in VIDEOS.items():
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(clip, folder / place)
    return folder


def parquet(rows: list[dict], path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows), path)
    return path


def repository(folder: Path) -> dict:
    (folder / "data").mkdir(parents=True)
    for stem in QUESTIONS:
        text = json.dumps({str(i): item for i, item in enumerate(items(stem))})
        (folder / "data" / f"{stem}.json").write_text(text)
    videos(folder / "videos")
    return {"source": folder}


def its_data_folder(folder: Path) -> dict:
    return {"source": repository(folder)["source"] / "data"}


def nested(folder: Path) -> dict:
    repository(folder / "downloads" / "TOMATO-main")
    (folder / "downloads" / "TOMATO-main" / "videos").rename(folder / "aside")
    (folder / "downloads" / "TOMATO-main" / "videos").mkdir()
    (folder / "aside").rename(folder / "downloads" / "TOMATO-main" / "videos" / "videos")
    return {"source": folder}


def videos_as_downloaded(folder: Path) -> dict:
    """The repository, and the archive that its README has an address of."""
    repository(folder)
    shutil.rmtree(folder / "videos")
    packed(folder / "elsewhere" / "videos.zip", VIDEOS, "videos/")
    return {"source": folder, "videos": folder / "elsewhere" / "videos.zip"}


def hub(folder: Path) -> dict:
    for stem, split in SPLITS.items():
        parquet(items(stem), folder / "data" / f"{split}-00000-of-00001-b1a5fcd07825dea8.parquet")
    return {"source": folder, "videos": videos(folder.with_name("my videos"))}


def as_the_hub_converts(folder: Path) -> dict:
    for stem, split in SPLITS.items():
        parquet(items(stem), folder / "default" / split / "0000.parquet")
    return {"source": folder, "videos": videos(folder.with_name("my videos"))}


def packed(archive: Path, places: dict[str, Path], prefix: str = "") -> Path:
    archive.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(archive, "w") as opened:
        for place, clip in places.items():
            opened.write(clip, prefix + place)
    return archive


def harness_rows() -> list[dict]:
    """As the columns are called that the harness's task reads; the ids run through all types."""
    return [
        {
            "id": number,
            "question": item["question"],
            "options": item["options"],
            "answer": item["answer"],
            "reason_type": REASONS[stem],
            "demonstration_type": item["demonstration_type"],
            "video_path": f"videos/{item['demonstration_type']}/{item['key']}.mp4",
        }
        for number, (stem, item) in enumerate((stem, item) for stem in QUESTIONS for item in items(stem))
    ]


def harness_copy(folder: Path) -> dict:
    parquet(harness_rows(), folder / "data" / "test-00000-of-00001.parquet")
    for number, place in enumerate(VIDEOS, start=1):
        packed(folder / f"part_{number}.zip", {place: VIDEOS[place]}, "videos/")
    return {"source": folder}


def in_hub_cache(folder: Path, files: Path) -> Path:
    """Puts files where the Hub's client keeps them: links in a snapshot to blobs."""
    snapshot = folder / "snapshots" / ("a" * 40)
    for number, file in enumerate(sorted(path for path in files.rglob("*") if path.is_file())):
        link = snapshot / file.relative_to(files)
        link.parent.mkdir(parents=True, exist_ok=True)
        blob = folder / "blobs" / f"{number:064x}"
        blob.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(file, blob)
        link.symlink_to(Path(*[".."] * len(link.relative_to(folder).parts[:-1]), "blobs", blob.name))
    (folder / "refs").mkdir()
    (folder / "refs" / "main").write_text("a" * 40)
    (folder / "snapshots" / ("b" * 40)).mkdir()  # of an older revision, whose files are gone
    return folder


def harness_cache(home: Path) -> Path:
    """The harness's copy as its own task leaves it in HF_HOME: the Hub's cache, and the videos unpacked."""
    harness_copy(home / "download")
    in_hub_cache(home / "hub" / "datasets--lmms-eval--TOMATO", home / "download")
    videos(home / "TOMATO" / "videos")
    return home


def loose_in_hub_cache(folder: Path) -> dict:
    """A copy on the Hub that holds the videos as files."""
    repository(folder / "download")
    return {"source": in_hub_cache(folder / "datasets--somebody--TOMATO", folder / "download")}


LAYOUTS: list[Callable[[Path], dict]] = [
    repository,
    its_data_folder,
    nested,
    videos_as_downloaded,
    hub,
    as_the_hub_converts,
    harness_copy,
    loose_in_hub_cache,
]


def msrvtt(folder: Path, longer: float = 0, n_captions: int = 20) -> Path:
    """Two clips in a folder, as MSR-VTT's archives unpack, and its annotation of three.

    The annotation gives a clip so many seconds more than it lasts.
    """
    names = ("video0", "video7010", "video9999")
    for name, clip in zip(names[:2], CLIPS, strict=False):
        (folder / "TrainValVideo").mkdir(parents=True, exist_ok=True)
        shutil.copy(clip, folder / "TrainValVideo" / f"{name}.mp4")
    ends = [100.0 + probe(clip).duration + longer for clip in CLIPS[:3]]
    annotation = {
        "info": {"year": "2016"},
        "videos": [
            {"video_id": name, "id": i, "split": "train", "start time": 100.0, "end time": end}
            for i, (name, end) in enumerate(zip(names, ends, strict=True))
        ],
        "sentences": [
            {"video_id": name, "sen_id": 20 * i + k, "caption": f"caption {k} of {name}"}
            for i, name in enumerate(names)
            for k in range(n_captions)
        ],
    }
    (folder / "MSRVTT_data.json").write_text(json.dumps(annotation))
    return folder
