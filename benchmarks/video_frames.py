"""16 frames of a clip, ours against plain PyAV and decord.

Clips are rendered: short (10 s) and long (3 min), of H.264 with a key frame every half second, every 10 s and
only at the start, and of AV1, which decord does not read. We give PIL images, as a runner gets them, the
others RGB arrays; our cache is emptied before each call. Plain PyAV decodes from the start to the last frame
wanted.
"""

import importlib.util
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import av
import numpy as np
import timing
from PIL import Image

from tempbench_lmms.media import video

N = 16
CLIPS = {
    # seconds, width, height, frames from key frame to key frame, codec
    "10 s, 320x240, key frames 0.5 s apart": (10, 320, 240, 15, "libx264"),
    "10 s, 320x240, key frames 10 s apart": (10, 320, 240, 300, "libx264"),
    "10 s, 320x240, AV1, key frames 1 s apart": (10, 320, 240, 30, "libsvtav1"),
    "10 s, 320x240, AV1, one key frame": (10, 320, 240, 300, "libsvtav1"),
    "3 min, 640x360, key frames 0.5 s apart": (180, 640, 360, 15, "libx264"),
    "3 min, 640x360, key frames 10 s apart": (180, 640, 360, 300, "libx264"),
    "3 min, 640x360, one key frame": (180, 640, 360, 5400, "libx264"),
    "3 min, 640x360, AV1, key frames 5 s apart": (180, 640, 360, 150, "libsvtav1"),
}
OPTIONS = {
    "libx264": {"preset": "veryfast", "crf": "28", "sc_threshold": "0"},
    "libsvtav1": {"preset": "12", "crf": "40"},
}


def rendered(path: Path, seconds: int, width: int, height: int, gop: int, codec: str) -> Path:
    """Writes a clip at 30 frames a second: a square that moves over a picture."""
    background = np.random.default_rng(0).integers(0, 255, (height // 8, width // 8, 3), dtype=np.uint8)
    background = background.repeat(8, 0).repeat(8, 1)
    with av.open(str(path), "w") as container:
        stream = container.add_stream(codec, rate=30, options=OPTIONS[codec] | {"g": str(gop)})
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        side = height // 6
        for number in range(seconds * 30):
            picture = background.copy()
            x, y = number * 3 % (width - side), number * 2 % (height - side)
            picture[y : y + side, x : x + side] = (255, number // 8 % 255, 0)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        container.mux(stream.encode())
    return path


def ours(path: Path) -> list[Image.Image]:
    video.forget()
    return list(video.sample_frames(path, N).images)


def plain_pyav(path: Path) -> list[np.ndarray]:
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        stream.thread_type = "AUTO"
        n_frames = stream.frames or sum(1 for _ in container.demux(stream)) - 1
        wanted = set(video.uniform_places(n_frames, N))
        found = []
        for index, frame in enumerate(container.decode(stream)):
            if index in wanted:
                found.append(frame.to_ndarray(format="rgb24"))
            if index == max(wanted):
                break
        return found


def by_decord(path: Path) -> list[np.ndarray]:
    import decord

    reader = decord.VideoReader(str(path), num_threads=os.cpu_count() or 1)
    return list(reader.get_batch(video.uniform_places(len(reader), N)).asnumpy())


def rows(quick: bool) -> Iterator[timing.Row]:
    """Yields our time over the better one's, for each clip."""
    readers: dict[str, Callable[[Path], list[Any]]] = {"ours": ours, "PyAV": plain_pyav}
    if importlib.util.find_spec("decord"):
        readers["decord"] = by_decord
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, clip) in enumerate(CLIPS.items()):
            if quick and clip[0] > 10:
                continue
            path = rendered(Path(folder, f"{number}.mp4"), *clip)
            able = {key: read for key, read in readers.items() if key != "decord" or "AV1" not in name}
            pictures = {reader: read(path) for reader, read in able.items()}
            for reader, found in pictures.items():
                # Rounding of colours differs from decoder to decoder; another frame would differ by far more.
                pairs = zip(found, pictures["ours"], strict=True)
                if (
                    max(
                        np.abs(np.asarray(one).astype(int) - np.asarray(other)).mean() for one, other in pairs
                    )
                    > 3
                ):
                    raise AssertionError(f"{name}: {reader} gives other frames")
            calls = {reader: lambda read=read, path=path: read(path) for reader, read in able.items()}
            times = timing.side_by_side(calls, 3)
            best = [min(them) for them in zip(*(times[one] for one in able if one != "ours"), strict=True)]
            yield timing.Row(
                f"{name}: ours / PyAV or decord", timing.over(times["ours"], best), "x", at_most=0.7
            )
