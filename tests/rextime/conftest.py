"""What the ReXTime tests share."""

import fractions

import pytest

from tempbench_lmms.data.roots import mini_root
from tempbench_lmms.data.tables import read_rows


@pytest.fixture(scope="session")
def docs():
    """The rows of the bundled validation sample."""
    return read_rows(mini_root("rextime") / "validation")


@pytest.fixture(scope="session")
def write_video():
    """A function that writes a small grey video with n frames over a duration in seconds."""
    import av
    import numpy as np

    def write(path, duration=4.0, n=8, times=None):
        path.parent.mkdir(parents=True, exist_ok=True)
        codec = "libx264" if "libx264" in av.codecs_available else "mpeg4"
        with av.open(str(path), "w", options={"movflags": "faststart"}) as container:
            rate = fractions.Fraction(n / duration).limit_denominator(10_000)
            stream = container.add_stream(codec, rate=30 if times else rate)
            stream.width = stream.height = 64
            stream.pix_fmt = "yuv420p"
            if times:
                stream.codec_context.time_base = fractions.Fraction(1, 1000)
            for i in range(len(times) if times else n):
                # Noise, so that the file has some length to be cut off.
                pixels = np.random.default_rng(i).integers(0, 255, (64, 64, 3), dtype=np.uint8)
                frame = av.VideoFrame.from_ndarray(pixels, "rgb24")
                if times:
                    frame.pts, frame.time_base = int(times[i] * 1000), fractions.Fraction(1, 1000)
                container.mux(stream.encode(frame))
            container.mux(stream.encode())
        return path

    return write
