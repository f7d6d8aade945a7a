"""Every sampled frame is the one that a full decode gives at its place, whatever container and codec.

The README of `tempbench_lmms/media` lists what is sought and what is decoded from the start; the last test
compares it with what is found here.
"""

import contextlib
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest

from tempbench_lmms.errors import MediaError
from tempbench_lmms.media import decoding, sandbox, video
from tests.each import sample
from tests.media import clips

pytestmark = pytest.mark.slow

BUDGETS = (1, 12)
"""Numbers of frames that are sampled; besides, every frame."""
N = 26
"""Frames of a clip: more than two groups of most kinds, and one of the longest with some of the next."""
X265 = "log-level=none:pools=1:frame-threads=1"
AV1 = {"preset": "12", "svtav1-params": "lp=1"}


@dataclass(frozen=True)
class Kind:
    """A clip: the file's suffix, how it is written, whether its frames are sought, what is done to it."""

    suffix: str
    codec: str
    fast: bool
    options: dict[str, str] = field(default_factory=dict)
    more: dict[str, Any] = field(default_factory=dict)
    after: Callable[[Path], Path | None] = lambda path: None


def with_hidden(path: Path) -> Path:
    """Has a VP8 video not show its 13th frame, as encoders do with one that is only referred to."""
    with av.open(str(path)) as container:
        frame = bytes([packet for packet in container.demux(video=0) if packet.size][12])
    data = bytearray(path.read_bytes())
    data[data.index(frame)] &= ~0x10
    path.write_bytes(data)
    return path


def x265(**given: int) -> dict[str, str]:
    return {"x265-params": ":".join([X265, *(f"{key.replace('_', '-')}={given[key]}" for key in given)])}


def x264(extra: str = "", **given: int) -> dict[str, str]:
    found = {key: str(value) for key, value in given.items()} | {"preset": "veryfast", "sc_threshold": "0"}
    return found | ({"x264-params": extra} if extra else {})


def _each() -> dict[str, Kind]:
    """Containers and codecs, each with what its encoder makes of groups and B-frames."""
    found = {}
    for suffix in ("mp4", "mov", "mkv", "avi", "ts", "flv"):
        fast = suffix in ("mp4", "mov", "mkv")
        found[f"h264_b_frames.{suffix}"] = Kind(suffix, "libx264", fast, x264(bf=3, g=10))
        found[f"h264_closed.{suffix}"] = Kind(suffix, "libx264", fast, x264("open-gop=0", bf=2, g=8))
        found[f"h264_open.{suffix}"] = Kind(
            suffix, "libx264", fast, x264("open-gop=1:b-pyramid=normal", bf=3, g=8)
        )
        found[f"h264_one_key.{suffix}"] = Kind(suffix, "libx264", fast, x264(bf=2, g=250))
        # No frame is whole by itself, so that seeking finds nothing, and everything is decoded.
        found[f"h264_refresh.{suffix}"] = Kind(suffix, "libx264", False, x264("intra-refresh=1", bf=0, g=8))
        found[f"h264_short_groups.{suffix}"] = Kind(suffix, "libx264", fast, x264(bf=3, g=2))
    for suffix in ("mp4", "mkv", "ts"):
        fast = suffix != "ts"
        for name, given in (
            ("open", x265(keyint=8, min_keyint=8, open_gop=1, bframes=3)),
            ("closed", x265(keyint=8, min_keyint=8, open_gop=0, bframes=3)),
            ("one_key", x265(keyint=250, bframes=3)),
        ):
            found[f"hevc_{name}.{suffix}"] = Kind(suffix, "libx265", fast, given)
        ten = {"pixels": "yuv420p10le"}
        found[f"hevc_10_bit.{suffix}"] = Kind(suffix, "libx265", fast, x265(keyint=8, bframes=3), ten)
    for suffix in ("mkv", "webm"):
        for name, given in (
            ("plain", {"g": "8"}),
            ("alt_ref", {"g": "16", "auto-alt-ref": "1", "lag-in-frames": "16"}),
            ("one_key", {"g": "250", "auto-alt-ref": "1", "lag-in-frames": "16"}),
        ):
            found[f"vp8_{name}.{suffix}"] = Kind(suffix, "libvpx", True, given | {"cpu-used": "8"})
        found[f"vp8_hidden.{suffix}"] = Kind(
            suffix, "libvpx", True, {"g": "8", "cpu-used": "8"}, {}, with_hidden
        )
    for suffix in ("mp4", "mkv", "webm"):
        found[f"vp9_groups.{suffix}"] = Kind(
            suffix,
            "libvpx-vp9",
            True,
            {"g": "10", "auto-alt-ref": "1", "lag-in-frames": "16", "cpu-used": "8"},
        )
        found[f"vp9_one_key.{suffix}"] = Kind(suffix, "libvpx-vp9", True, {"g": "250", "cpu-used": "8"})
        found[f"av1_groups.{suffix}"] = Kind(suffix, "libsvtav1", True, AV1 | {"g": "10"})
        found[f"av1_one_key.{suffix}"] = Kind(suffix, "libsvtav1", True, AV1 | {"g": "250"})
    for suffix in ("mp4", "mov", "mkv", "avi"):
        fast = suffix != "avi"
        found[f"mpeg4_b_frames.{suffix}"] = Kind(suffix, "mpeg4", fast, {"bf": "2", "g": "10"})
        found[f"mpeg4_one_key.{suffix}"] = Kind(suffix, "mpeg4", fast, {"g": "250"})
        found[f"mjpeg.{suffix}"] = Kind(suffix, "mjpeg", False, {}, {"pixels": "yuvj420p"})
    for suffix in ("mp4", "mkv", "ts", "mpg", "avi"):
        found[f"mpeg2_b_frames.{suffix}"] = Kind(suffix, "mpeg2video", False, {"bf": "2", "g": "10"})
        closed = {"bf": "2", "g": "8", "flags": "+cgop", "sc_threshold": "1000000000"}
        found[f"mpeg2_closed.{suffix}"] = Kind(suffix, "mpeg2video", False, closed)
    found["mpeg1.mpg"] = Kind("mpg", "mpeg1video", False, {"bf": "2", "g": "10"})
    found["flv1.flv"] = Kind("flv", "flv", False, {"g": "10"})
    found["gif.gif"] = Kind("gif", "gif", False, {}, {"pixels": "rgb8", "rate": 10})
    return found


def _features() -> dict[str, Kind]:
    """What a file can have besides container and codec."""
    b_frames = x264(bf=3, g=10)
    found = {}
    for suffix in ("mp4", "mov", "mkv", "flv", "ts"):
        fast = suffix in ("mp4", "mov", "mkv")
        found[f"variable.{suffix}"] = Kind(suffix, "libx264", fast, b_frames, {"variable": True})
        found[f"offset.{suffix}"] = Kind(suffix, "libx264", fast, b_frames, {"start": 7_000})
        for n in (1, 2, 3):
            found[f"frames_{n}.{suffix}"] = Kind(suffix, "libx264", fast, b_frames, {"n": n})
    for n in (1, 3):
        found[f"frames_{n}.webm"] = Kind("webm", "libvpx-vp9", True, {}, {"n": n})
        found[f"frames_{n}.gif"] = Kind("gif", "gif", False, {}, {"n": n, "pixels": "rgb8", "rate": 10})
    found["variable_hevc.mp4"] = Kind("mp4", "libx265", True, x265(keyint=8, bframes=3), {"variable": True})
    found["variable_vp9.webm"] = Kind("webm", "libvpx-vp9", True, {"g": "8"}, {"variable": True})
    for suffix in ("mp4", "mov"):
        for degrees in (90, 180, 270):
            found[f"turned_{degrees}.{suffix}"] = Kind(
                suffix, "libx264", True, b_frames, {}, lambda path, by=degrees: clips.turn(path, by)
            )
        # Cut at a key frame, and within a group: then frames are decoded from before the cut.
        found[f"edit_list_key.{suffix}"] = Kind(
            suffix, "libx264", True, b_frames, {}, lambda path: clips.trim(path, 0.4, 0.6)
        )
        found[f"edit_list_middle.{suffix}"] = Kind(
            suffix, "libx264", False, b_frames, {}, lambda path: clips.trim(path, 0.56, 0.4)
        )
    interlaced = x264("interlaced=1:tff=1", bf=2, g=10, flags="+ildct+ilme")
    for suffix in ("mp4", "mkv", "ts"):
        found[f"interlaced.{suffix}"] = Kind(suffix, "libx264", suffix != "ts", interlaced)
        found[f"interlaced_mpeg2.{suffix}"] = Kind(
            suffix, "mpeg2video", False, {"flags": "+ildct+ilme", "bf": "2", "g": "8"}
        )
    found["bt709.mp4"] = Kind("mp4", "libx264", True, b_frames, {"matrix": 1, "colour_range": 1})
    found["full_range.mp4"] = Kind("mp4", "libx264", True, b_frames, {"matrix": 1, "colour_range": 2})
    # A raw stream has no times.
    found["no_times.h264"] = Kind("h264", "libx264", False, x264(bf=3, g=10))
    # What the suffix says is not what the file is.
    for suffix, form in (
        ("mp4", "mpegts"),
        ("mp4", "flv"),
        ("mp4", "matroska"),
        ("mkv", "mp4"),
        ("webm", "avi"),
    ):
        fast = form in ("matroska", "mp4")
        found[f"in_truth_{form}.{suffix}"] = Kind(suffix, "libx264", fast, b_frames, {"form": form})
    found["in_truth_mpeg.mp4"] = Kind("mp4", "mpeg2video", False, {"bf": "2", "g": "8"}, {"form": "mpeg"})
    return found


def _sizes() -> dict[str, Kind]:
    """Returns every codec at sizes that are not even, down to the smallest that its encoder takes."""
    first = {kind.codec: kind for kind in reversed(_each().values())}
    for codec in ("prores_ks", "ffv1"):
        first[codec] = Kind("mkv", codec, False)
    # Its frames are stored upside down.
    first["amv"] = Kind("avi", "amv", False, {"strict": "-1"}, {"pixels": "yuvj420p"})
    found = {}
    for codec, kind in first.items():
        more: dict[str, Any] = {"n": 6, "pixels": ODD_PIXELS.get(codec, "yuv420p")} | kind.more
        for size in ((499, 375), SMALLEST.get(codec, (1, 1)), (500, 375), (3, 2)):
            if size >= SMALLEST.get(codec, (1, 1)):
                name = f"{codec}_{size[0]}x{size[1]}.{kind.suffix}"
                found[name] = replace(kind, more=more | {"size": size})
    return found


ODD_PIXELS = {"libx264": "yuv444p", "libx265": "yuv444p", "prores_ks": "yuv422p10le"}
"""What encoders take of an odd size that refuse it as yuv420p."""
SMALLEST = {"libx265": (65, 65), "libsvtav1": (65, 65)}
GROUPS, FEATURES, SIZES = _each(), _features(), _sizes()
KINDS = {**GROUPS, **FEATURES, **SIZES}
ONE = {"mov": "mp4", "webm": "mkv", "matroska": "mkv"}
"""Containers that are one to the code, by their other names."""


def classes(name: str) -> tuple[str, ...]:
    """Returns what a kind is an example of: its feature, and how a codec groups frames in a container."""
    kind, feature = KINDS[name], name.rpartition(".")[0]
    if name in SIZES:
        return (f"odd {kind.codec}", "odd " + feature.rpartition("_")[2])
    form = kind.more.get("form", kind.suffix)
    if kind.fast:
        return (f"sought {feature}" if name in FEATURES else f"{feature} in {ONE.get(form, form)}",)
    # To who decodes everything it is one whether groups of frames are open or closed, long or short.
    features = (f"decoded {feature}",) if name in FEATURES else ()
    return *features, f"decoded {form}", f"decoded {kind.codec}"


TRIED = sample(KINDS, classes)


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("matrix")


def made(folder: Path, name: str) -> Path:
    """Returns a clip, which is written once."""
    path = folder / name
    if not path.exists():
        kind = KINDS[name]
        options = {"n": N, "size": (80, 64), **kind.more}
        clips.write(path, codec=kind.codec, options=kind.options, **options)
        kind.after(path)
    return path


@pytest.fixture(autouse=True)
def _empty_cache() -> None:
    video.forget()


def same_as_everything(path: Path) -> int:
    """Compares sampled frames with a full decode at all budgets; returns the number of frames."""
    reference = clips.full_decode(path)
    for n in (*BUDGETS, len(reference)):
        video.forget()
        shown = video.sample_frames(path, n).images
        places = video.uniform_places(len(reference), n)
        assert len(shown) == len(places)
        for image, place in zip(shown, places, strict=True):
            assert np.array_equal(np.asarray(image), reference[place]), (n, place)
    return len(reference)


@pytest.mark.parametrize("name", TRIED)
def test_sampled_frames_are_those_of_a_full_decode(
    folder: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = made(folder, name)
    whole = []
    through = decoding.Video.read_through
    monkeypatch.setattr(decoding.Video, "read_through", lambda *args: whole.append(1) or through(*args))
    n = same_as_everything(path)
    assert bool(whole) == (not KINDS[name].fast)
    # As `prepare` does it: no decoder may complain of these.
    facts = sandbox.check_video(path)
    assert facts.n_frames == n
    assert facts.fast == KINDS[name].fast
    assert (facts.width, facts.height) == video.sample_frames(path, 1).images[0].size


@pytest.mark.parametrize("codec", ["libx264", "mpeg2video"])
def test_frames_may_change_their_size(tmp_path: Path, codec: str) -> None:
    path = clips.joined(tmp_path / "a.ts", codec, ((80, 64), (48, 32), (96, 80)))
    # At a change this decoder of MPEG-2 gives the last frame before it to nobody.
    assert same_as_everything(path) == (36 if codec == "libx264" else 34)
    assert {image.size for image in video.sample_frames(path, 36).images} == {(80, 64), (48, 32), (96, 80)}


def test_frames_that_change_their_size_are_sought_too(tmp_path: Path) -> None:
    path = clips.joined(tmp_path / "a.ts", "libx264", ((80, 64), (48, 32)))
    for suffix in ("mkv", "mp4"):
        assert same_as_everything(clips.remux(path, tmp_path / f"b.{suffix}")) == 24


def test_a_cover_is_no_video(tmp_path: Path) -> None:
    assert same_as_everything(clips.with_cover(tmp_path / "a.mp4")) == 12
    path = clips.with_cover(tmp_path / "b.mp4", video=False)
    with pytest.raises(MediaError, match=r"^b\.mp4: there is no video"):
        video.sample_frames(path, 4)


@pytest.mark.parametrize(
    "name", ["h264_b_frames.mkv", "vp9_groups.webm", "mpeg2_b_frames.ts", "h264_open.flv"]
)
@pytest.mark.parametrize("share", [0.3, 0.6, 0.9, 0.99])
def test_a_truncated_file_gives_what_is_there_or_is_refused(
    folder: Path, tmp_path: Path, name: str, share: float
) -> None:
    data = made(folder, name).read_bytes()
    path = tmp_path / name
    path.write_bytes(data[: int(len(data) * share)])
    whole = clips.full_decode(made(folder, name))
    with contextlib.suppress(MediaError):
        assert video.check_video(path).n_frames < len(whole)
    frames: tuple[Any, ...] = ()
    with contextlib.suppress(MediaError):
        frames = video.sample_frames(path, 400).images
    shown = dict.fromkeys(image.tobytes() for image in frames)
    places = {picture.tobytes(): place for place, picture in enumerate(whole)}
    # None is patched up: all are frames of the whole file, in its order. Of the last ones some may be
    # missing, as frames are not stored in the order shown.
    found = [places[one] for one in shown]
    assert found == sorted(found)
    assert found[: len(found) - 4] == [*range(len(found) - 4)]


def test_the_readme_says_which_are_sought(folder: Path) -> None:
    readme = Path(decoding.__file__).with_name("README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", readme, re.MULTILINE)
    told = {(row[0].strip(), codec.strip()) for row in rows for codec in row[1].split(",")}
    meant = {"mov,mp4,m4a,3gp,3g2,mj2": "MP4, MOV, M4V, 3GP", "matroska,webm": "MKV, WebM"}
    assert {(meant[name], codec) for name, codecs in decoding.FAST.items() for codec in codecs} <= told
    # And each of them has been tried above.
    tried = set()
    for param in TRIED:
        (name,) = param.values
        if KINDS[name].fast and not param.marks:
            with decoding.Video(made(folder, name)) as opened:
                tried.add((opened.container, opened.codec))
    assert tried == {(name, codec) for name, codecs in decoding.FAST.items() for codec in codecs}
