"""Small videos and pictures of all kinds with flipped bits and cuts: looked at apart, read where they pass.

    python benchmarks/media_fuzz.py --count 2000 --seed 0

Each file is looked at as `prepare` does it, in a process apart. One that passes is read in this process, as a
run does it: its frames at five budgets are compared, pixel by pixel, with those of a plain decoder that reads
everything. A crash would end this process before the table.
"""

import argparse
import contextlib
import importlib.util
import random
import sys
import tempfile
from collections import Counter
from pathlib import Path
from types import ModuleType

import av
import numpy as np
import tifffile
from PIL import Image

from tempbench_lmms.errors import MediaError
from tempbench_lmms.media import images, rasters, sandbox, video

BUDGETS = (1, 4, 8, 12, 16)
VIDEOS: dict[str, dict] = {
    "h264.mp4": {"options": {"bf": "3", "g": "10"}},
    "h264.mov": {"options": {"bf": "2", "g": "8", "x264-params": "open-gop=1"}},
    "h264.mkv": {"options": {"bf": "3", "g": "10", "x264-params": "open-gop=1:b-pyramid=normal"}},
    "h264.avi": {"options": {"bf": "2", "g": "10"}},
    "h264.ts": {"options": {"bf": "3", "g": "10"}},
    "h264.flv": {"options": {"bf": "3", "g": "10"}},
    "hevc.mp4": {"codec": "libx265", "options": {"x265-params": "log-level=none:keyint=10:bframes=3"}},
    "hevc.mkv": {"codec": "libx265", "options": {"x265-params": "log-level=none:keyint=10:open-gop=0"}},
    "vp8.webm": {"codec": "libvpx", "options": {"g": "10", "auto-alt-ref": "1", "lag-in-frames": "16"}},
    "vp9.webm": {"codec": "libvpx-vp9", "options": {"g": "10", "lag-in-frames": "16"}},
    "vp9.mp4": {"codec": "libvpx-vp9", "options": {"g": "10"}},
    "av1.mp4": {"codec": "libsvtav1", "options": {"g": "10", "preset": "12"}},
    "av1.mkv": {"codec": "libsvtav1", "options": {"g": "10", "preset": "12"}},
    "mpeg4.mp4": {"codec": "mpeg4", "options": {"bf": "2", "g": "10"}},
    "mpeg4.avi": {"codec": "mpeg4", "options": {"g": "10"}},
    "mpeg2.ts": {"codec": "mpeg2video", "options": {"bf": "2", "g": "10"}},
    "mpeg2.mpg": {"codec": "mpeg2video", "options": {"bf": "2", "g": "10"}},
    "mjpeg.mov": {"codec": "mjpeg", "pixels": "yuvj420p"},
    "gif.gif": {"codec": "gif", "pixels": "rgb8", "rate": 10},
}


def _clips() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "clips", Path(__file__).parents[1] / "tests" / "media" / "clips.py"
    )
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


CLIPS = _clips()


def originals(folder: Path) -> dict[str, bytes]:
    """Returns the sound files, by name."""
    for name, kind in VIDEOS.items():
        CLIPS.write(folder / name, n=30, size=(80, 64), **kind)
    picture = Image.fromarray(next(CLIPS.pictures(1, (96, 64))))
    picture.save(folder / "a.png")
    picture.save(folder / "a.jpg")
    picture.save(folder / "progressive.jpg", progressive=True)
    picture.save(folder / "a.webp")
    picture.save(folder / "a.bmp")
    picture.save(folder / "a.tif", compression="tiff_lzw")
    picture.convert("CMYK").save(folder / "cmyk.jpg")
    picture.convert("P").save(folder / "palette.gif.png")
    tifffile.imwrite(folder / "16.tif", (np.asarray(picture)[..., 0] * 40).astype(np.uint16))
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def spoilt(data: bytes, chance: random.Random) -> bytes:
    """Returns the file with bits flipped, a part zeroed, taken out or repeated, or its end cut off."""
    found = bytearray(data)
    how = chance.choice(["flip one", "flip some", "flip some", "cut", "zero", "take out", "repeat"])
    if how.startswith("flip"):
        for _ in range(1 if how == "flip one" else chance.randint(2, 30)):
            found[chance.randrange(len(found))] ^= 1 << chance.randrange(8)
        return bytes(found)
    start = chance.randrange(1, len(found))
    end = min(len(found), start + chance.randint(1, 400))
    if how == "cut":
        return bytes(found[:start])
    middle = {"zero": bytes(end - start), "take out": b"", "repeat": bytes(found[start:end]) * 2}[how]
    return bytes(found[:start]) + middle + bytes(found[end:])


def everything(path: Path) -> list[np.ndarray]:
    """Returns what a plain decoder gives, up to where it fails."""
    found: list[np.ndarray] = []
    with contextlib.suppress(av.error.FFmpegError, OSError, ValueError):
        CLIPS.full_decode(path, found)
    return found


def differing(path: Path) -> int:
    """Returns how many sampled frames are not those of a full decode."""
    video._CACHE.clear()
    sampled = {n: video.sample_frames(path, n).images for n in BUDGETS}
    reference = everything(path)
    places = {n: video.uniform_places(len(reference), n) for n in BUDGETS} if reference else {}
    if not reference:
        return sum(map(len, sampled.values()))
    return sum(
        not np.array_equal(np.asarray(image), reference[place])
        for n in BUDGETS
        for image, place in zip(sampled[n], places[n], strict=True)
    )


def differing_picture(path: Path) -> int:
    found = np.asarray(images.open_image(path, path.name))
    with Image.open(path) as plain:
        return int(not np.array_equal(found, np.asarray(plain.convert("RGB"))))


def looked_at(path: Path) -> tuple[str, int]:
    """Returns `passed` or why not, and how many frames differ."""
    is_video = path.name in VIDEOS
    try:
        if path.suffix == ".tif" and rasters.is_raster(path):
            rasters.shown(path, path.name, rasters.stretch_of([path]))
            return "passed", 0
        if is_video:
            sandbox.check_video(path)
        else:
            sandbox.check_picture(path, path.name)
    except MediaError as error:
        return error.reason, 0
    return "passed", (differing if is_video else differing_picture)(path)


def main() -> None:
    """Prints what became of each kind of file; fails where a file that passed gives other frames."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    reasons: dict[str, Counter[str]] = {}
    n_wrong = 0
    with tempfile.TemporaryDirectory() as name:
        (folder := Path(name, "sound")).mkdir()
        sound = originals(folder)
        for number in range(given.count):
            kind = list(sound)[number % len(sound)]
            path = Path(name, kind)
            path.write_bytes(spoilt(sound[kind], random.Random(f"{given.seed}/{number}")))
            reason, differ = looked_at(path)
            reasons.setdefault(kind, Counter())[reason] += 1
            n_wrong += differ
            if differ:
                print(f"seed {given.seed}, file {number} ({kind}): {differ} frames differ", file=sys.stderr)
    for kind, counts in reasons.items():
        print(f"{kind}: {', '.join(f'{n} {reason}' for reason, n in counts.most_common())}")
    print(f"{given.count} files, no crash of this process, {n_wrong} frames that differ")
    sys.exit(n_wrong > 0)


if __name__ == "__main__":
    main()
