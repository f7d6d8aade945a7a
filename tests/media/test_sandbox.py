"""Files that kill, stop or bloat a decoder are named, and whoever asked goes on."""

import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tempbench_lmms.errors import MediaError, TempbenchError
from tempbench_lmms.media import sandbox, verifying

STAND_IN = """
    import os, signal, sys, time
    from tempbench_lmms.errors import MediaError
    from tempbench_lmms.media import sandbox

    def look(request, beat):
        kind = os.path.basename(request["path"]).partition(".")[0]
        if kind == "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        if kind == "abort":
            os.abort()
        if kind == "exit":
            os._exit(3)
        if kind == "hang":
            time.sleep(100)
        if kind == "endless":
            while True:
                time.sleep(0.001)  # one that spins keeps some schedulers from all else for minutes
                beat(1)
        if kind == "memory":
            held = []
            while True:
                held.append(bytearray(10_000_000))
                beat(1)
        if kind == "slow":
            for n in range(8):
                time.sleep(0.25)
                beat(n)
        if kind == "patched":
            os.write(2, b"[h264 @ 0x1] concealing 20 DC errors in P frame" + bytes([10]))
        if kind == "loud":
            os.write(1, b"not a line of JSON" + bytes([10]))
        if kind == "damaged":
            raise MediaError("damaged.mp4: the video is damaged; replace it")
        return {"pid": os.getpid()}

    sandbox.serve(look)
"""


@pytest.fixture
def inspector(tmp_path: Path):
    script = tmp_path / "stand_in.py"
    script.write_text(textwrap.dedent(STAND_IN))
    found = sandbox.Inspector((sys.executable, str(script)), seconds=5.0, megabytes=300)
    yield found
    found.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "says", "reason"),
    [
        ("crash", "crashes the decoder's process .SIGSEGV.", "ends the decoder"),
        ("abort", "crashes the decoder's process .SIGABRT.", "ends the decoder"),
        ("exit", "crashes the decoder's process .exit status 3.", "ends the decoder"),
        ("hang", "is stuck .1 s without a frame", "does not end"),
        ("memory", "takes more than 300 MB", "too much memory"),
        ("patched", "damaged .concealing 20 DC errors", "damaged"),
        ("damaged", "the video is damaged", "damaged"),
    ],
)
def test_a_file_that_kills_is_named(inspector, tmp_path: Path, kind: str, says: str, reason: str) -> None:
    if kind == "memory" and not Path("/proc/self/statm").exists():
        pytest.skip("memory is limited on Linux alone")
    path = tmp_path / f"{kind}.mp4"
    path.write_bytes(b"x")
    if kind == "hang":
        assert inspector.ask(tmp_path / "sound.mp4")["pid"]  # the process is there
        inspector._seconds = 1.0
    begun = time.monotonic()
    with pytest.raises(MediaError, match=rf"^{kind}\.mp4: .*{says}") as caught:
        inspector.ask(path)
    assert caught.value.reason == reason
    assert "\n" not in str(caught.value)
    assert time.monotonic() - begun < 60
    # The next file is looked at as if nothing had been.
    inspector._seconds = 30.0  # to start a process may take a while
    assert inspector.ask(tmp_path / "sound.mp4")["pid"] != os.getpid()


@pytest.mark.slow
def test_a_decoder_that_gives_frames_without_end_is_stopped(
    inspector, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert inspector.ask(tmp_path / "sound.mp4")["pid"]  # the process is there
    inspector._seconds = 1.5
    monkeypatch.setattr(sandbox, "_TOTAL", 2)
    with pytest.raises(MediaError, match=r"^endless\.mp4: .*3 s in all"):
        inspector.ask(tmp_path / "endless.mp4")


def test_a_closed_inspector_starts_nothing(inspector, tmp_path: Path) -> None:
    """A thread that had a request in hand when its files were given up asks after that."""
    inspector.close()
    with pytest.raises(RuntimeError, match="closed"):
        inspector.ask(tmp_path / "sound.mp4")
    assert inspector._child.process is None


@pytest.mark.slow
def test_a_long_video_is_no_endless_one(inspector, tmp_path: Path) -> None:
    assert inspector.ask(tmp_path / "sound.mp4")["pid"]  # the process is there
    inspector._seconds = 1.5
    # Two seconds with a frame every quarter, though one and a half without a frame are the limit.
    assert inspector.ask(tmp_path / "slow.mp4")["pid"]


def test_what_a_decoder_prints_is_no_answer_and_one_process_serves_all(inspector, tmp_path: Path) -> None:
    first = inspector.ask(tmp_path / "loud.mp4")["pid"]
    assert inspector.ask(tmp_path / "sound.mp4")["pid"] == first


def test_a_worker_ends_with_whoever_started_it(tmp_path: Path) -> None:
    if os.name != "posix":
        pytest.skip("process ids are looked at as POSIX has them")
    script = tmp_path / "asks.py"
    script.write_text(
        "import os, sys\n"
        "from tempbench_lmms.media import sandbox\n"
        "one = sandbox._inspector()\n"
        "print(one._child._start().pid, flush=True)\n"
        "os._exit(0)\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True)
    pid, end = int(done.stdout), time.monotonic() + 20
    while time.monotonic() < end:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            break
        if state == "Z":
            break
        time.sleep(0.1)
    else:
        pytest.fail("the worker goes on")


def test_limits_are_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(sandbox.SECONDS_VARIABLE, "long")
    with pytest.raises(TempbenchError, match="TEMPBENCH_PROBE_SECONDS is 'long'"):
        sandbox.Inspector()


def test_real_files(tmp_path: Path) -> None:
    import av

    path = tmp_path / "a.mp4"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=10)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        for n in range(20):
            picture = np.full((48, 64, 3), n * 10, dtype=np.uint8)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        container.mux(stream.encode())
    facts = sandbox.check_video(path)
    assert (facts.n_frames, facts.duration, facts.width, facts.height) == (20, 2.0, 64, 48)
    assert (facts.codec, facts.fast) == ("h264", True)
    kept = verifying.record(path, facts)
    assert verifying.unchanged(path, kept)
    path.write_bytes(path.read_bytes() + b"x")
    assert not verifying.unchanged(path, kept)
    (tmp_path / "b.mp4").write_bytes(b"no video")
    with pytest.raises(MediaError, match=r"^b\.mp4: the video is damaged"):
        sandbox.check_video(tmp_path / "b.mp4")
    with pytest.raises(MediaError, match=r"^c\.mp4: the video is missing"):
        sandbox.check_video(tmp_path / "c.mp4")
    Image.new("RGB", (30, 20), "red").save(tmp_path / "a.png")
    sandbox.check_picture(tmp_path / "a.png", "a.png")
    with pytest.raises(MediaError, match=r"^b\.mp4: the image is damaged"):
        sandbox.check_picture(tmp_path / "b.mp4", "b.mp4")


@pytest.mark.parametrize(
    ("seconds", "annotated", "fine"),
    [
        (225.0, 225.0, True),
        (10.0, 225.0, False),
        (220.6, 225.0, True),
        (220.4, 225.0, False),
        (229.6, 225.0, False),
        (8.1, 10.0, True),  # within two seconds
        (7.9, 10.0, False),
        (2.5, 2.0, True),  # of a short one within a quarter
        (1.4, 2.0, False),
    ],
)
def test_lengths_may_differ_by_two_seconds_or_two_percent(
    seconds: float, annotated: float, fine: bool
) -> None:
    problem = verifying.length_problem("a.mp4", seconds, annotated)
    assert (problem is None) == fine
    if problem:
        assert f"{seconds:.1f}" in problem
        assert f"{annotated:.1f}" in problem
