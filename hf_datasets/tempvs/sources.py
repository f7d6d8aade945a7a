"""Reads the four visual-story data sets that TempVS is made from, each as it is distributed.

    flintstones   train-val-test_split.json, flintstones_annotations_v1-0.json, and video_frames_sampled/*.npy
                  (all frames of a clip) or video_frames_sampled_jpg/*.jpg (one frame of each)
    pororo        original_color/PororoSV/full/full.json with full/images/, which the paper used
    vist          annotations/sis/{train,val,test}.story-in-sequence.json, images/{train,val,test}/*.jpg
    vwp           vwp_v*_{train,val}.csv, and the images of its links under the path behind ".../VST/"

Source: the official `select_*.py` and `flintstones_dataloader.py`.
"""

import csv
import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tempbench_lmms.errors import MediaError, TempbenchError

from ..parts import json_of
from . import characters

LENGTHS = {"flintstones": (5, 5), "pororo": (5, 5), "vist": (5, 5), "vwp": (5, 9)}
"""Fewest and most images of a story. A VWP story may have ten; the paper's longest has nine, and the options
of ten images are drawn from 3.6 million orders."""


@dataclass(frozen=True)
class Story:
    """Images in true order, each with a caption."""

    source: str  # one of `SOURCES`
    story_id: str  # unique in its source
    sequence_id: str  # the id that the official release gives to the image sequence
    group: str  # stories of one group show the same sequence; only one of them is kept
    images: Sequence[str]  # paths relative to the source's folder
    captions: Sequence[str]  # one an image
    # places that may be asked about in MT1, two at a time; none before the step `ambiguity`
    pairs: Sequence[tuple[int, int]] = ()
    triples: Sequence[tuple[int, int, int]] = ()  # three at a time
    events: Sequence[str] = ()  # one a caption; none before the step `events`


def read(source: str, root: Path) -> Iterator[Story | str]:
    """Yields the stories of one of `SOURCES`; for one that cannot be used, the reason instead."""
    if not root.is_dir():
        raise TempbenchError(f"{root} is not a folder; give the folder of {source} as it is distributed")
    try:
        for story in _READERS[source](root):
            yield story if isinstance(story, str) else _checked(story, root)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        raise TempbenchError(
            f"{root}: {source} is not in its usual layout ({type(error).__name__}: {error}); see the layouts "
            "in hf_datasets/tempvs/sources.py"
        ) from None


def _checked(story: Story, root: Path) -> Story | str:
    fewest, most = LENGTHS[story.source]
    if not fewest <= len(story.images) <= most or len(story.captions) != len(story.images):
        return "wrong length"
    if not all(caption.strip() for caption in story.captions):
        return "empty caption"
    try:
        "".join(story.captions).encode()
    except UnicodeEncodeError:
        return "broken caption"
    if any(not image_path(root, image).is_file() for image in story.images):
        return "missing image"
    return story


def image_path(root: Path, image: str) -> Path:
    """Returns the file of a story's image."""
    path = root / image
    if not path.resolve().is_relative_to(root.resolve()):
        raise TempbenchError(f"{image!r} points outside {root}; correct the annotation that names it")
    return path


def load_image(root: Path, image: str) -> Any:
    """Returns an image of a story as a `PIL.Image` in RGB.

    Of a clip with many frames one is taken, at random but always the same (the official scripts take another
    one at each run).
    """
    import numpy as np
    from PIL import Image

    from tempbench_lmms.media.images import open_image

    path = image_path(root, image)
    if path.suffix != ".npy":
        return open_image(path, str(path))
    try:
        clip = np.load(path, mmap_mode="r", allow_pickle=False)
        pixels = np.asarray(clip[random.Random(image).randrange(len(clip))])
        if pixels.dtype != np.uint8:
            low, high = float(pixels.min()), float(pixels.max())
            pixels = ((pixels - low) * (255 / (high - low or 1))).astype(np.uint8)
        return Image.fromarray(pixels).convert("RGB")
    except (ValueError, TypeError, OSError, EOFError) as error:
        raise MediaError(f"{path}: the frames cannot be read ({error}); download the file again") from None


def without_repeats(captions: Sequence[str]) -> tuple[str, ...] | None:
    """Returns captions in lower case without the sentences that an earlier caption has.

    The clips of the two cartoons overlap, and so do their captions. Source: the official
    `clean_repeated_parts`.

    Returns:
        None where nothing is left of a caption, so that the story cannot be used.
    """
    lowered = [caption.strip().lower() for caption in captions]
    cleaned, seen = lowered[:1], _sentences(lowered[0]) if lowered else []
    for caption in lowered[1:]:
        fresh = [sentence for sentence in _sentences(caption) if sentence not in seen]
        if not fresh:
            return None
        cleaned.append(". ".join(fresh) + ".")
        seen += _sentences(caption)
    return tuple(cleaned)


def _sentences(text: str) -> list[str]:
    return [sentence.strip() for sentence in text.split(".") if sentence.strip()]


def _json(path: Path) -> Any:
    return json_of(path, "give the folder as it is distributed, or download it again")


def _flintstones(root: Path) -> Iterator[Story | str]:
    splits = _json(root / "train-val-test_split.json")
    annotations = _json(root / "flintstones_annotations_v1-0.json")
    described = {clip["globalID"]: clip["description"] for clip in annotations}
    clips = sorted(clip for split in ("train", "val", "test") for clip in splits[split])
    following = {}
    for i, clip in enumerate(clips):
        # "s_01_e_02_shot_...": a story is a clip and the next four of the same episode.
        window = clips[i : i + 5]
        if all(_episode(other) == _episode(clip) for other in window):
            following[clip] = window
    pictures = root / "video_frames_sampled_jpg"
    folder, suffix = (pictures.name, ".jpg") if pictures.is_dir() else ("video_frames_sampled", ".npy")
    for split in ("train", "val", "test"):
        # The official loader numbers the last, too short windows in "train" only.
        starts = [
            clip
            for clip in splits[split]
            if clip in following and (split == "train" or len(following[clip]) == 5)
        ]
        for number, start in enumerate(starts):
            captions = without_repeats([described[clip] for clip in following[start]])
            if captions is None:
                yield "repeated caption"
                continue
            images = tuple(f"{folder}/{clip}{suffix}" for clip in following[start])
            name = f"{split}_{number}"
            yield Story("flintstones", name, name, images[0], images, captions)


def _episode(clip: str) -> tuple[int, int]:
    parts = clip.split("_")
    return int(parts[1]), int(parts[3])


def _pororo(root: Path) -> Iterator[Story | str]:
    for sample in _json(root / "original_color" / "PororoSV" / "full" / "full.json")["data"]:
        task = sample["task_instance"]
        texts = [*re.findall(r"Caption#\d+: (.*?)(?={image#|$)", task["context"]), sample["response"]]
        captions = without_repeats(texts)
        if captions is None:
            yield "repeated caption"
            continue
        name = f"full_{sample['sample_id']}"
        images = tuple(f"original_color/PororoSV/full/images/{image}" for image in task["images_path"])
        capital = tuple(characters.capitalise("pororo", caption) for caption in captions)
        yield Story("pororo", name, name, images[0] if images else "", images, capital)


def _vist(root: Path) -> Iterator[Story]:
    for split in ("train", "val", "test"):
        stories: dict[str, list[dict[str, Any]]] = {}
        for (sentence,) in _json(root / "annotations" / "sis" / f"{split}.story-in-sequence.json")[
            "annotations"
        ]:
            stories.setdefault(str(sentence["story_id"]), []).append(sentence)
        for story_id, sentences in stories.items():
            sentences.sort(key=lambda sentence: int(sentence.get("worker_arranged_photo_order", 0)))
            album = str(sentences[0]["album_id"])
            images = tuple(f"images/{split}/{sentence['photo_flickr_id']}.jpg" for sentence in sentences)
            captions = tuple(sentence["original_text"].strip() for sentence in sentences)
            yield Story("vist", story_id, album, album, images, captions)


def _vwp(root: Path) -> Iterator[Story]:
    for split in ("train", "val"):
        files = sorted(root.glob(f"vwp_v*_{split}.csv"))
        if not files:
            raise TempbenchError(f"no vwp_v*_{split}.csv in {root}; download it from the data set's page")
        with files[-1].open(encoding="utf-8", newline="") as stream:
            for number, row in enumerate(csv.DictReader(stream)):
                steps = [(row.get(f"link{i}") or "", (row.get(f"text{i}") or "").strip()) for i in range(10)]
                # An image that the writer did not use has a link but no text.
                used = [(link.strip(), text) for link, text in steps if link and text]
                images = tuple(link.split("/VST/", 1)[-1] for link, _ in used)
                scene = row["scene_full_id"]
                captions = tuple(text for _, text in used)
                group = images[0] if images else ""
                yield Story("vwp", f"{scene}_{split}_{number}", scene, group, images, captions)


_READERS: dict[str, Callable[[Path], Iterable[Story | str]]] = {
    "flintstones": _flintstones,
    "pororo": _pororo,
    "vist": _vist,
    "vwp": _vwp,
}
