"""Time of the frames for all four budgets, against the official code, which reads everything for each.

python benchmarks/video_frames.py [VIDEO ...]     without a video: a rendered 3-minute 720p clip
"""

import base64
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import av
import cv2
import numpy as np

from tempbench_lmms.media import decoding, video

BUDGETS = (4, 8, 12, 16)


def official(path: Path) -> None:
    """Reads and encodes every frame once a budget, then picks; so TOMATO's `read_video`."""
    for n in BUDGETS:
        capture = cv2.VideoCapture(str(path))
        frames = []
        while (got := capture.read())[0]:
            frames.append(base64.b64encode(cv2.imencode(".jpg", got[1])[1]).decode())
        [frames[place] for place in np.linspace(0, len(frames) - 1, n, dtype=int)]


def ours(path: Path) -> None:
    video._CACHE.clear()
    for n in BUDGETS:
        video.sample_frames(path, n, BUDGETS)


def seconds(function: Callable[[Path], None], path: Path, repeats: int) -> float:
    taken = []
    for _ in range(repeats):
        start = time.perf_counter()
        function(path)
        taken.append(time.perf_counter() - start)
    return min(taken)


def rendered(path: Path, n_frames: int = 5400) -> Path:
    background = np.random.default_rng(0).integers(0, 255, (90, 160, 3), dtype=np.uint8)
    background = background.repeat(8, 0).repeat(8, 1)
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=30, options={"preset": "veryfast", "crf": "28"})
        stream.width, stream.height, stream.pix_fmt = 1280, 720, "yuv420p"
        for number in range(n_frames):
            picture = background.copy()
            x, y = number * 3 % 1180, number * 2 % 620
            picture[y : y + 100, x : x + 100] = (255, number // 8 % 255, 0)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        container.mux(stream.encode())
    return path


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(name) for name in sys.argv[1:]] or [rendered(Path(folder) / "rendered_720p.mp4")]
        for path in paths:
            info = video.probe(path)
            repeats = 5 if info.n_frames < 1000 else 1
            baseline = seconds(official, path, repeats)
            print(
                f"{path.name}: {info.n_frames} frames, {info.width}x{info.height}; official {baseline:.3f} s"
            )
            for decoder in ("pyav", "decord"):
                os.environ[decoding.DECODER_VARIABLE] = decoder
                taken = seconds(ours, path, repeats)
                print(f"  {decoder}: {taken:.3f} s, {baseline / taken:.1f} times faster")


if __name__ == "__main__":
    main()
