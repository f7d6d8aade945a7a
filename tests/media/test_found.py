"""Files of cameras, editors and broken downloads that were once shown wrongly or ended a command."""

import json
import os
import re
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
import tifffile
from PIL import Image

from tempbench_lmms.data import roots, tables
from tempbench_lmms.errors import MediaError
from tempbench_lmms.media import images, sandbox, video
from tests.media import clips

ONE = 1 << 16


@pytest.fixture(autouse=True)
def _empty_cache() -> None:
    video.forget()


# How each is shown, from a frame as decoded: by hand, from where the matrix puts its corners.
MATRICES = {
    "mirrored, as by a front camera": ((-ONE, 0, 0, ONE), lambda one: one[:, ::-1]),
    "upside down": ((ONE, 0, 0, -ONE), lambda one: one[::-1]),
    "half a turn": ((-ONE, 0, 0, -ONE), lambda one: one[::-1, ::-1]),
    "clockwise": ((0, ONE, -ONE, 0), lambda one: one.swapaxes(0, 1)[:, ::-1]),
    "counter-clockwise": ((0, -ONE, ONE, 0), lambda one: one.swapaxes(0, 1)[::-1]),
    "diagonal": ((0, ONE, ONE, 0), lambda one: one.swapaxes(0, 1)),
    "other diagonal": ((0, -ONE, -ONE, 0), lambda one: one.swapaxes(0, 1)[::-1, ::-1]),
    "nothing written": ((0, 0, 0, 0), lambda one: one),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", MATRICES)
def test_a_video_is_mirrored_as_its_matrix_says(tmp_path: Path, name: str) -> None:
    matrix, as_shown = MATRICES[name]
    path = clips.write(tmp_path / "a.mp4", n=20, options={"g": "5", "sc_threshold": "0"})
    decoded = clips.full_decode(path)
    clips.with_matrix(path, matrix)
    for image, place in zip(video.sample_frames(path, 4).images, (0, 6, 12, 19), strict=True):
        assert np.array_equal(np.asarray(image), as_shown(decoded[place]))
    shown = as_shown(decoded[0])
    assert (video.probe(path).height, video.probe(path).width) == shown.shape[:2]


def test_a_video_turned_by_other_than_right_angles_is_refused(tmp_path: Path) -> None:
    path = clips.with_matrix(clips.write(tmp_path / "a.mp4", n=4), (46341, 46341, -46341, 46341))
    with pytest.raises(
        MediaError, match=r"^a\.mp4: the video is rotated by an angle that is not a right angle"
    ):
        video.sample_frames(path, 4)


def test_of_several_videos_in_a_file_the_one_marked_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "a.mkv"
    with av.open(str(path), "w") as container:
        streams = []
        for size in ((48, 32), (96, 64)):
            stream = container.add_stream("libx264", rate=25)
            stream.width, stream.height, stream.pix_fmt = *size, "yuv420p"
            streams.append(stream)
        streams[0].disposition = 0
        streams[1].disposition = av.stream.Disposition.default.value
        for stream in streams:
            for number, one in enumerate(clips.pictures(5, (stream.width, stream.height))):
                frame = av.VideoFrame.from_ndarray(one, format="rgb24").reformat(format="yuv420p")
                frame.pts, frame.time_base = number, Fraction(1, 25)
                container.mux(stream.encode(frame))
            container.mux(stream.encode())
    assert {image.size for image in video.sample_frames(path, 4).images} == {(96, 64)}


@pytest.mark.parametrize("codec", ["ffv1", "msmpeg4"])
def test_what_a_decoder_fills_up_is_damage(tmp_path: Path, codec: str) -> None:
    form = "matroska" if codec == "ffv1" else "avi"
    options = {"level": "3", "slicecrc": "1"} if codec == "ffv1" else {}
    path = clips.write(tmp_path / "a.bin", codec=codec, n=12, form=form, options=options)
    assert sandbox.check_video(path).n_frames == 12
    whole = path.read_bytes()
    says = r"^a\.bin: the video is damaged \((slice CRC mismatch|ignoring overflow|dc overflow)"
    refused = 0
    for place in range(len(whole) // 3, 2 * len(whole) // 3, 301):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x10]) + whole[place + 1 :])
        try:
            sandbox.check_video(path)
        except MediaError as error:
            refused += bool(re.match(says, str(error)))
    assert refused


def test_a_hole_in_a_container_is_damage(tmp_path: Path) -> None:
    path = clips.write(tmp_path / "a.bin", codec="flv", form="flv")
    whole = path.read_bytes()
    middle = len(whole) // 2
    path.write_bytes(whole[:middle] + bytes(400) + whole[middle + 400 :])
    with pytest.raises(MediaError, match="Packet mismatch"):
        sandbox.check_video(path)


@pytest.mark.parametrize("progressive", [False, True])
def test_a_jpeg_whose_rest_is_zeros_is_cut_off(tmp_path: Path, progressive: bool) -> None:
    path = tmp_path / "a.jpg"
    noise = np.random.default_rng(0).integers(0, 255, (240, 320, 3), dtype=np.uint8)
    Image.fromarray(noise).save(path, progressive=progressive)
    whole = path.read_bytes()
    images.open_image(path, "a.jpg")
    path.write_bytes(whole + b"what somebody put behind it")
    images.open_image(path, "a.jpg")
    for share in (0.3, 0.6, 0.95):
        kept = whole[: int(len(whole) * share)]
        path.write_bytes(kept + bytes(len(whole) - len(kept)))
        with pytest.raises(MediaError, match=r"^a\.jpg: the image is damaged"):
            images.open_image(path, "a.jpg")


def test_a_jpeg_with_a_preview_before_it_has_its_end(tmp_path: Path) -> None:
    # The preview lies in the header and has an end of its own.
    path, preview = tmp_path / "a.jpg", tmp_path / "preview.jpg"
    noise = Image.fromarray(np.random.default_rng(0).integers(0, 255, (240, 320, 3), dtype=np.uint8))
    noise.resize((40, 30)).save(preview)
    noise.save(path)
    content = b"Exif\0\0" + preview.read_bytes()
    head = b"\xff\xd8\xff\xe1" + (len(content) + 2).to_bytes(2, "big") + content
    whole = head + path.read_bytes()[2:]
    path.write_bytes(whole)
    images.open_image(path, "a.jpg")
    path.write_bytes(whole[: len(whole) // 2] + bytes(len(whole) // 2))
    with pytest.raises(MediaError, match="it ends early"):
        images.open_image(path, "a.jpg")


def test_a_damaged_compressed_raster_is_named(tmp_path: Path) -> None:
    paths = [tmp_path / f"{i}.tif" for i in range(2)]
    for path in paths:
        values = np.random.default_rng(0).integers(0, 9_000, (40, 60, 3), dtype=np.uint16)
        tifffile.imwrite(path, values, photometric="rgb", compression="zlib", rowsperstrip=10)
    whole = paths[1].read_bytes()
    middle = len(whole) // 2
    paths[1].write_bytes(whole[:middle] + bytes([whole[middle] ^ 0xFF]) + whole[middle + 1 :])
    stretch = images.stretch_of(paths)
    images.open_image(paths[0], "0.tif", 0, stretch)
    with pytest.raises(MediaError, match=r"^1\.tif: the image is damaged"):
        images.open_image(paths[1], "1.tif", 0, stretch)


def test_pictures_of_eight_bits_are_not_mixed_with_measurements(tmp_path: Path) -> None:
    from hf_datasets.timepercept.series import nothing_skipped, read_manifest

    ramp = np.linspace(0, 255, 60)[None].repeat(40, 0)
    groups = []
    for place, deep in {"most": (0, 1, 2, 3), "few": (2,), "none": (), "all": range(5)}.items():
        shots = []
        for i in range(5):
            file = tmp_path / f"{place}_{i}.tif"
            tifffile.imwrite(file, (ramp * 40).astype(np.uint16) if i in deep else ramp.astype(np.uint8))
            shots.append({"path": file.name, "timestamp": f"2020-01-0{i + 1}"})
        groups.append({"group_id": place, "images": shots})
    manifest = tmp_path / "manifest.jsonl"
    manifest.write_text("\n".join(map(json.dumps, groups)))
    skipped = nothing_skipped()
    kept = {one.place: [shot.day.day for shot in one.shots] for one in read_manifest(manifest, 10, skipped)}
    everything = [1, 2, 3, 4, 5]
    assert kept == {"most": [1, 2, 3, 4], "few": [1, 2, 4, 5], "none": everything, "all": everything}
    assert skipped.counts == {"8 bits and more than 8 bits in one place": 2}


def test_whatever_lies_in_a_folder_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from hf_datasets.coherence import commands as making

    folder, elsewhere = tmp_path / "mine", tmp_path / "elsewhere"
    elsewhere.mkdir()
    (folder / "folder.mp4").mkdir(parents=True)
    clips.write(folder / "folder.mp4" / "a.mp4", n=12)
    clips.write(elsewhere / "b.mp4", n=12)
    try:
        (folder / os.fsdecode(b"latin \xe9.mp4")).write_bytes(b"x")
    except OSError:
        pytest.skip("this disk takes names in UTF-8 alone")
    (folder / "link.mp4").symlink_to(elsewhere / "b.mp4")
    (folder / "nowhere.mp4").symlink_to("nothing")
    (folder / "more").symlink_to(elsewhere)
    os.mkfifo(folder / "pipe.mp4")
    (folder / ".hidden.mp4").write_bytes(b"x")
    monkeypatch.setenv("TEMPBENCH_DATA", str(tmp_path / "data"))
    making.prepare(captions=folder)
    root = roots.prepared_root("coherence")
    assert {row["question_id"] for row in tables.read_rows(root / "caption")} == {
        *("folder.mp4/a.mp4/video", "folder.mp4/a.mp4/frame")
    }
    part = json.loads((root / "manifest.json").read_text(encoding="utf-8"))["parts"]["captions"]
    assert {one["id"]: one["reason"] for one in part["skipped"]} == {
        "latin \\xe9.mp4": "odd name",
        "link.mp4": "outside the folder",
        "nowhere.mp4": "link",
        "more": "link",
        "pipe.mp4": "no video",
        ".hidden.mp4": "odd name",
    }


CAMERAS = {
    "phone.3gp": {"codec": "h263", "size": (176, 144)},
    "phone.3g2": {"form": "3g2"},
    "camcorder.MTS": {"form": "mpegts"},
    "camcorder.m2ts": {"form": "mpegts"},
    "dvd.vob": {"codec": "mpeg2video"},
    "old.wmv": {"codec": "wmv2"},
    "old.asf": {"codec": "msmpeg4"},
    "free.ogv": {"codec": "libvpx"},
}


@pytest.mark.slow
def test_the_suffixes_of_cameras_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from hf_datasets.coherence import commands as making
    from hf_datasets.rextime.prepare import find_videos

    folder = tmp_path / "mine"
    folder.mkdir()
    for name, kind in CAMERAS.items():
        clips.write(folder / name, n=12, **kind)
    monkeypatch.setenv("TEMPBENCH_DATA", str(tmp_path / "data"))
    making.prepare(captions=folder)
    rows = tables.read_rows(roots.prepared_root("coherence") / "caption")
    assert {row["question_id"].rpartition("/")[0] for row in rows} == set(CAMERAS)
    for row in rows:
        path = roots.resolve(row["video"])
        everything = clips.full_decode(path)
        for n in (1, 4, 8, 12, 16):
            shown = video.sample_frames(path, n).images
            for image, place in zip(shown, video.uniform_places(len(everything), n), strict=True):
                assert np.array_equal(np.asarray(image), everything[place]), (path.name, n, place)
    assert set(find_videos(folder)[0]) | set(find_videos(folder)[1]) >= {"dvd", "free"}
