"""Small videos and pictures of all kinds with flipped bits and cuts: looked at apart, read where they pass.

    python benchmarks/media_fuzz.py --count 2000 --seed 0

Each file is looked at as `prepare` does it, in a process apart. One that passes is read in this process, as a
run does it: its frames at five budgets are compared, pixel by pixel, with those of a plain decoder that reads
everything. A crash would end this process before the table. With `--unchecked` files that did not pass are
read too, in a process apart.
"""

import argparse
import contextlib
import importlib.util
import random
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import av
import numpy as np
import tifffile
import timing
from PIL import Image

from tempbench_lmms.errors import MediaError
from tempbench_lmms.media import images, rasters, sandbox, video, worker

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


def looked_at(path: Path, unchecked: sandbox.Inspector | None) -> tuple[str, int]:
    """Returns `passed` or why not, and how many frames differ."""
    is_video = path.name in VIDEOS
    try:
        if path.suffix == ".tif" and rasters.is_raster(path):
            rasters.shown(path, path.name, rasters.stretch_of([path]))
            return "passed", 0
        if is_video:
            sandbox.check_video(path, thorough=True)
        else:
            sandbox.check_picture(path, path.name)
    except MediaError as error:
        if unchecked is None or not is_video:
            return error.reason, 0
        try:
            return error.reason, int(unchecked.ask(path)["differing"])
        except MediaError:
            return error.reason, 0
    return "passed", (differing if is_video else differing_picture)(path)


def fuzzed(
    count: int, seed: int, unchecked: sandbox.Inspector | None = None
) -> dict[str, tuple[Counter[str], Counter[str], float]]:
    """Returns by kind how many files came to what, how many frames differ, and the slowest one's seconds."""
    found: dict[str, tuple[Counter[str], Counter[str], float]] = {}
    with tempfile.TemporaryDirectory() as name:
        (folder := Path(name, "sound")).mkdir()
        sound = originals(folder)
        for number in range(count):
            kind = list(sound)[number % len(sound)]
            path = Path(name, kind)
            path.write_bytes(spoilt(sound[kind], random.Random(f"{seed}/{number}")))
            begun = time.perf_counter()
            reason, n_wrong = looked_at(path, unchecked)
            reasons, wrong, slowest = found.get(kind, (Counter(), Counter(), 0.0))
            reasons[reason] += 1
            wrong["passed" if reason == "passed" else "not passed"] += n_wrong
            found[kind] = reasons, wrong, max(slowest, time.perf_counter() - begun)
            if n_wrong:
                print(
                    f"seed {seed}, file {number} ({kind}, {reason}): {n_wrong} frames differ", file=sys.stderr
                )
    return found


def memory() -> dict[str, float]:
    """Returns the most megabytes of this process and of the largest that it has started."""
    sandbox._inspector().close()
    whose = {"this process": resource.RUSAGE_SELF, "the largest apart": resource.RUSAGE_CHILDREN}
    return {who: resource.getrusage(what).ru_maxrss / 1000 for who, what in whose.items()}


def table(count: int, seed: int, unchecked: sandbox.Inspector | None) -> None:
    """Prints a line a kind of file, and what they come to."""
    found = fuzzed(count, seed, unchecked)
    total = sum((reasons for reasons, _, _ in found.values()), Counter())
    wrong = sum((of_kind for _, of_kind, _ in found.values()), Counter())
    columns = sorted(set(total) - {"passed"})
    print("| kind | files | passed |", " | ".join(columns), "| frames that differ | slowest, s |")
    print("|" + "---|" * (5 + len(columns)))
    for kind, (reasons, differ, slowest) in found.items():
        counts = " | ".join(str(reasons[reason]) for reason in ("passed", *columns))
        print(f"| {kind} | {sum(reasons.values())} | {counts} | {differ['passed']} | {slowest:.1f} |")
    print(
        f"{count} files, seed {seed}: {total['passed']} passed, "
        f"{', '.join(f'{total[reason]} {reason}' for reason in columns)}; 0 crashes of this process, "
        f"{wrong['passed']} frames that differ"
        + (f" ({wrong['not passed']} of files not passed)" if unchecked else "")
    )
    for who, megabytes in memory().items():
        print(f"most memory of {who}: {megabytes:.0f} MB")


def rows(quick: bool) -> Iterator[timing.Row]:
    count = 200 if quick else 2000
    found = fuzzed(count, 0)
    passed = sum(reasons["passed"] for reasons, _, _ in found.values())
    yield timing.Row(f"{count} spoilt files: passed, the others refused", [passed], "files")
    wrong = sum(differ["passed"] for _, differ, _ in found.values())
    yield timing.Row("of those that passed: frames unlike a full decode's", [wrong], "frames", at_most=0)
    for who, megabytes in memory().items():
        yield timing.Row(f"most memory of {who}", [megabytes], "MB", at_most=1000)


def _unchecked() -> None:
    """Reads files in a process apart, whether they are sound or not."""
    look: Callable = lambda request, beat: {"differing": differing(Path(request["path"]))}  # noqa: E731
    worker.serve(look)


if __name__ == "__main__":
    if sys.argv[1:2] == ["unchecked"]:
        del sys.argv[1]
        _unchecked()
    else:
        parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
        parser.add_argument("--count", type=int, default=2000)
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--unchecked", action="store_true")
        given = parser.parse_args()
        other = sandbox.Inspector((sys.executable, __file__, "unchecked")) if given.unchecked else None
        table(given.count, given.seed, other)
        if other:
            other.close()
