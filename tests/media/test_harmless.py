"""Sound videos with oddities, about which decoders may say something, pass as sound."""

import itertools
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path

import av
import pytest

from tempbench_lmms.media import sandbox
from tests.each import sample
from tests.media import clips

pytestmark = pytest.mark.slow

H264 = {
    "open groups": "open-gop=1:bframes=5:b-pyramid=strict:keyint=15",
    "intra refresh": "intra-refresh=1:keyint=20",
    "interlaced": "tff=1:keyint=20",
    "four slices": "slices=4:keyint=20",
    "headers repeated": "repeat-headers=1:keyint=10:aud=1:nal-hrd=vbr:vbv-maxrate=500:vbv-bufsize=500",
    "16 references": "ref=16:bframes=16:b-adapt=2:keyint=50",
    "picture structure": "pic-struct=1:fake-interlaced=1",
    "weighted": "weightp=2:weightb=1:constrained-intra=1",
}
H265 = {
    "open groups": "open-gop=1:keyint=12:bframes=4",
    "leading frames": "open-gop=0:radl=2:keyint=12:bframes=4",
    "layers": "temporal-layers=3:b-adapt=0:bframes=7",
    "interlaced": "interlace=1",
}
MUXED = {
    "fragments": {"movflags": "frag_keyframe+empty_moov"},
    "a fragment a frame": {"movflags": "frag_every_frame+empty_moov+default_base_moof"},
    "DASH": {"movflags": "dash+frag_keyframe"},
    "hints for streaming": {"movflags": "rtphint"},
    "no edit list": {"use_editlist": "0"},
    "negative offsets": {"movflags": "negative_cts_offsets"},
}


def passes(path: Path, n: int) -> None:
    facts = sandbox.check_video(path)
    assert facts.n_frames == n


def each(kinds: Iterable[object], suffixes: Iterable[str]) -> list:
    """Returns every kind in every container: what a decoder says of one is the kind's."""
    pairs = [pytest.param(*pair, id="-".join(map(str, pair))) for pair in itertools.product(kinds, suffixes)]
    return sample(pairs, lambda *pair: pair)


@pytest.mark.parametrize(("kind", "suffix"), each(H264, ["mp4", "mkv", "ts", "flv"]))
def test_h264(tmp_path: Path, kind: str, suffix: str) -> None:
    passes(clips.write(tmp_path / f"a.{suffix}", n=45, options={"x264-params": H264[kind]}), 45)


@pytest.mark.parametrize(("kind", "suffix"), each(H265, ["mp4", "mkv", "ts"]))
def test_h265(tmp_path: Path, kind: str, suffix: str) -> None:
    options = {"x265-params": f"log-level=none:{H265[kind]}"}
    passes(clips.write(tmp_path / f"a.{suffix}", "libx265", n=45, size=(128, 96), options=options), 45)


@pytest.mark.parametrize("kind", MUXED)
def test_ways_to_write_an_mp4(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "a.mp4"
    with av.open(str(path), "w", options=MUXED[kind]) as container:
        stream = container.add_stream("libx264", rate=25, options={"g": "10", "bf": "2"})
        stream.width, stream.height, stream.pix_fmt = 96, 64, "yuv420p"
        for number, picture in enumerate(clips.pictures(40, (96, 64))):
            frame = av.VideoFrame.from_ndarray(picture, format="rgb24").reformat(format="yuv420p")
            frame.pts, frame.time_base = number, Fraction(1, 25)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    passes(path, 40)
