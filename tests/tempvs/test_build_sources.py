"""The four source data sets in the forms in which they are distributed, a few stories each."""

from pathlib import Path

import numpy as np
import pytest

from hf_datasets.tempvs import sources
from hf_datasets.tempvs.sources import Story
from tempbench_lmms.errors import MediaError, TempbenchError
from tempbench_lmms.tempvs.card import SOURCES

from .build_helpers import CLIPS, picture, write_json, write_vist, write_vwp


def stories(source: str, root: Path, **options: bool) -> list[Story]:
    return [story for story in sources.read(source, root, **options) if isinstance(story, Story)]


def reasons(source: str, root: Path, **options: bool) -> list[str]:
    return [story for story in sources.read(source, root, **options) if isinstance(story, str)]


def test_flintstones_stories_are_five_following_clips_of_an_episode(flintstones: Path) -> None:
    # Windows of five: clips 0-4 and 1-5. The window from clip 2 on reaches into the next episode, and the one
    # of the last clip is too short: the official loader counts it in "train", so clip 1 is train_1.
    found = {story.story_id: story for story in stories("flintstones", flintstones)}
    assert set(found) == {"train_1", "val_0"}
    assert found["val_0"].images == tuple(f"video_frames_sampled/{clip}.npy" for clip in CLIPS[:5])
    assert found["val_0"].captions == (
        "fred does thing 0.",
        "fred does thing 1.",
        "wilma sits.",
        "fred does thing 3.",
        "fred does thing 4.",
    )
    assert found["val_0"].group == found["val_0"].images[0]
    # Clips 3 to 5 cannot start a story: theirs would end in another episode.
    assert reasons("flintstones", flintstones) == ["wrong length"]


def test_a_frame_of_a_clip_is_always_the_same(flintstones: Path) -> None:
    image = f"video_frames_sampled/{CLIPS[2]}.npy"
    shown = [sources.load_image(flintstones, image) for _ in range(2)]
    assert shown[0].size == (8, 8)
    assert shown[0].getpixel((0, 0)) == shown[1].getpixel((0, 0))
    assert shown[0].getpixel((0, 0))[0] in (20, 21, 22)


def test_an_object_array_is_never_unpickled_for_a_frame(flintstones: Path) -> None:
    np.save(flintstones / "o.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(MediaError, match="frames cannot be read"):
        sources.load_image(flintstones, "o.npy")


@pytest.mark.parametrize(
    ("captions", "expected"),
    [
        (["A runs.", "B sits."], ("a runs.", "b sits.")),
        # What an earlier caption said goes; the first caption stays as it is.
        (["A runs. A runs.", "A runs. B sits"], ("a runs. a runs.", "b sits.")),
        # Nothing is left of the second one.
        (["A runs. B sits.", "B sits."], None),
        # Compared with what the captions said at first: "b sits" is gone from the second, not forgotten.
        (["B sits.", "B sits. C eats.", "B sits. D hops."], ("b sits.", "c eats.", "d hops.")),
    ],
)
def test_repeated_sentences_are_removed(captions: list[str], expected: tuple[str, ...] | None) -> None:
    assert sources.without_repeats(captions) == expected


def test_pororo_original_colour(tmp_path: Path) -> None:
    folder = tmp_path / "original_color" / "PororoSV" / "full"
    context = "".join(
        f"Caption#{i}: Pororo does {i}. loopy's friend eats {i}. {{image#{i}}}" for i in range(1, 5)
    )
    images = [f"{i}.png" for i in range(5)]
    sample = {"context": context, "images_path": images}
    write_json(
        folder / "full.json",
        {
            "data": [
                {"sample_id": 7, "task_instance": sample, "response": "Crong sleeps."},
                {"sample_id": 8, "task_instance": sample, "response": "Pororo does 1."},
                {"sample_id": 9, "task_instance": sample | {"images_path": images[:4]}, "response": "A."},
                {
                    "sample_id": 10,
                    "task_instance": sample | {"images_path": ["no.png", *images[1:]]},
                    "response": "A.",
                },
            ]
        },
    )
    for image in images:
        picture(folder / "images" / image)
    (story,) = stories("pororo", tmp_path)
    assert story.story_id == "full_7"
    # In lower case but for the names.
    assert story.captions[0] == "Pororo does 1. Loopy's friend eats 1."
    assert story.captions[4] == "Crong sleeps."
    assert story.images[0] == "original_color/PororoSV/full/images/0.png"
    assert reasons("pororo", tmp_path) == ["repeated caption", "wrong length", "missing image"]


def test_vist(tmp_path: Path) -> None:
    captions = [f"Someone did {i}." for i in range(5)]
    # Half of a surrogate pair cannot be written anywhere.
    broken = [*captions[:4], "Someone did \ud83d."]
    write_vist(tmp_path, {(31, 1): captions, (32, 1): captions, (33, 2): captions[:4], (34, 3): broken})
    (tmp_path / "images" / "train" / "24.jpg").unlink()
    found = stories("vist", tmp_path)
    assert [(story.story_id, story.sequence_id, story.group) for story in found] == [
        ("31", "1", "1"),
        ("32", "1", "1"),
    ]
    assert found[0].images == tuple(f"images/train/1{i}.jpg" for i in range(5))
    assert found[0].captions == tuple(captions)
    assert reasons("vist", tmp_path) == ["wrong length", "broken caption"]


def test_vwp(tmp_path: Path) -> None:
    write_vwp(tmp_path, [[f"John, he does {i}." for i in range(n)] for n in (6, 10, 4)])
    (story,) = stories("vwp", tmp_path)
    assert story.story_id == "scene0_train_0"
    assert story.sequence_id == "scene0"
    assert story.images[5] == "beta0/tt0/shot_5_img.jpg"
    assert len(story.captions) == 6
    # Ten images are more than a question can have, four less than the data set's least.
    assert reasons("vwp", tmp_path) == ["wrong length", "wrong length"]


def test_an_image_outside_the_folder_is_refused(tmp_path: Path) -> None:
    root = tmp_path / "vwp"
    root.mkdir()
    write_vwp(root, [[f"John does {i}." for i in range(5)]])
    text = (root / "vwp_v2.1_train.csv").read_text()
    (root / "vwp_v2.1_train.csv").write_text(text.replace("beta0/tt0/shot_0", "../../etc/shot_0"))
    with pytest.raises(TempbenchError, match="points outside"):
        stories("vwp", root)


@pytest.mark.parametrize("source", SOURCES)
def test_an_empty_folder_is_named(source: str, tmp_path: Path) -> None:
    with pytest.raises(TempbenchError, match=str(tmp_path)):
        stories(source, tmp_path)
    with pytest.raises(TempbenchError, match="is not a folder"):
        stories(source, tmp_path / "nothing")
