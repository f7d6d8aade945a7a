"""Frames decoded before they are asked for are the same, within limits; errors stay where they were."""

import hashlib
import os
import shutil
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

from tempbench_lmms.errors import MediaError, TempbenchError
from tempbench_lmms.media import decoding, prefetch, video
from tests.media import clips

N = 12
SIZE = 96 * 64 * 3


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("videos")
    return [clips.write(folder / f"{i}.mp4", n=10 + i, options={"g": "5"}) for i in range(N)]


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    video._CACHE.clear()
    monkeypatch.delenv(prefetch.MEGABYTES_VARIABLE, raising=False)


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """Which file was decoded in which thread, in order."""
    found: list[tuple[str, str]] = []
    read = decoding.read

    def noted(path, *args):
        found.append((path.name, threading.current_thread().name.partition(" ")[0]))
        return read(path, *args)

    monkeypatch.setattr(decoding, "read", noted)
    return found


def digest(frames: video.Frames) -> str:
    found = hashlib.sha256(repr(frames.times).encode())
    for image in frames.images:
        found.update(image.tobytes())
    return found.hexdigest()


def until(condition) -> None:
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end, "nothing happened for 30 seconds"
        time.sleep(0.005)


def idle() -> bool:
    """Whether the threads have done all that they will do before the next question."""
    worker = prefetch.current()
    assert worker is not None
    with worker._lock:
        return not worker._running


@pytest.mark.slow
def test_frames_are_the_same_and_each_video_is_decoded_once(files, decoded) -> None:
    without = [digest(video.sample_frames(path, n, (4, 8))) for path in files for n in (4, 8)]
    video._CACHE.clear()
    decoded.clear()
    wanted = [(path, n, (4, 8)) for path in files for n in (4, 8)]
    with video.decoding_ahead(wanted):
        found = []
        for one in wanted:
            found.append(digest(video.sample_frames(*one)))
            if len(found) == 1:
                until(lambda: len(decoded) == N and idle())
    assert found == without
    assert sorted(name for name, _ in decoded) == sorted(path.name for path in files)
    assert [thread for _, thread in decoded].count("tempbench") >= N - 1


def test_what_is_in_the_cache_is_not_decoded_again(files, decoded) -> None:
    for path in files[:3]:
        video.sample_frames(path, 8)
    decoded.clear()
    with video.decoding_ahead([(path, 8, ()) for path in files[:3]]):
        for path in files[:3]:
            video.sample_frames(path, 8)
            until(idle)
    assert decoded == []


def test_the_next_in_order_come_first(files, decoded, monkeypatch) -> None:
    monkeypatch.setattr(prefetch, "_MAX_WORKERS", 1)
    monkeypatch.setattr(prefetch, "NUMBER", 3)
    backwards = [(path, 4, ()) for path in reversed(files)]
    forwards = [(path, 4, ()) for path in files]
    with video.decoding_ahead(forwards, backwards):
        video.sample_frames(files[-1], 4)
        until(lambda: len(decoded) == 4 and idle())
    # Of several orders the first question tells which it is.
    ahead_of_time = [name for name, thread in decoded if thread == "tempbench"]
    assert ahead_of_time == ["10.mp4", "9.mp4", "8.mp4"]


def test_an_error_is_raised_at_its_question(files, tmp_path: Path) -> None:
    bad, missing, mended = tmp_path / "bad.mp4", tmp_path / "missing.mp4", tmp_path / "mended.mp4"
    bad.write_bytes(b"no video")
    mended.write_bytes(b"no video yet")
    errors = {}
    for path in (bad, missing):
        with pytest.raises(MediaError) as caught:
            video.sample_frames(path, 4)
        errors[path] = str(caught.value)
    order = [files[0], bad, missing, mended, files[1]]
    with video.decoding_ahead([(path, 4, ()) for path in order]):
        video.sample_frames(files[0], 4)
        until(idle)
        for path in (bad, missing):
            with pytest.raises(MediaError) as caught:
                video.sample_frames(path, 4)
            assert str(caught.value) == errors[path]
        shutil.copy(files[2], mended)
        assert digest(video.sample_frames(mended, 4)) == digest(video.sample_frames(files[2], 4))
        video.sample_frames(files[1], 4)


def test_a_file_that_was_replaced_is_decoded_again(files, tmp_path: Path) -> None:
    path = tmp_path / "a.mp4"
    shutil.copy(files[0], path)
    with video.decoding_ahead([(files[1], 4, ()), (path, 4, ())]):
        video.sample_frames(files[1], 4)
        until(lambda: video._CACHE.n_bytes(awaited=True) and idle())
        shutil.copy(files[9], path)
        assert digest(video.sample_frames(path, 4)) == digest(video.sample_frames(files[9], 4))


def test_no_more_is_held_than_the_limit(files, decoded, monkeypatch) -> None:
    monkeypatch.setattr(prefetch, "_MAX_WORKERS", 1)
    monkeypatch.setenv(prefetch.MEGABYTES_VARIABLE, str(2.5 * 8 * SIZE / 1e6))
    with video.decoding_ahead([(path, 8, ()) for path in files]):
        for number, path in enumerate(files):
            video.sample_frames(path, 8)
            until(idle)
            assert len(decoded) == min(N, number + 3)
            assert video._CACHE.n_bytes(awaited=True) <= 2.5 * 8 * SIZE
    assert video._CACHE.n_bytes(awaited=True) == 0


def test_no_more_videos_are_held_than_the_number(files, decoded, monkeypatch) -> None:
    monkeypatch.setattr(prefetch, "NUMBER", 4)
    with video.decoding_ahead([(path, 8, ()) for path in files]):
        video.sample_frames(files[0], 8)
        until(lambda: len(decoded) == 5 and idle())
        time.sleep(0.1)
        assert len(decoded) == 5


def test_off(files, decoded, monkeypatch) -> None:
    monkeypatch.setenv(prefetch.MEGABYTES_VARIABLE, "0")
    with video.decoding_ahead([(path, 8, ()) for path in files]):
        assert prefetch.current() is None
        for path in files:
            video.sample_frames(path, 8)
    assert {thread for _, thread in decoded} == {"MainThread"}


@pytest.mark.parametrize("value", ["many", "-1", "nan", "inf"])
def test_the_limit_is_a_number(files, monkeypatch, value: str) -> None:
    monkeypatch.setenv(prefetch.MEGABYTES_VARIABLE, value)
    with pytest.raises(TempbenchError, match=f"TEMPBENCH_FRAMES_AHEAD_MB is '{value}'"):
        video.decoding_ahead([(files[0], 8, ())]).__enter__()


@pytest.mark.slow
def test_many_threads_may_ask(files, decoded) -> None:
    # As the vLLM runner does: a batch at once.
    without = {path: digest(video.sample_frames(path, 8)) for path in files}
    video._CACHE.clear()
    decoded.clear()
    found: dict[tuple[Path, int], str] = {}

    def ask(path: Path, turn: int) -> None:
        found[path, turn] = digest(video.sample_frames(path, 8))

    with video.decoding_ahead([(path, 8, ()) for path in files for _ in range(2)]):
        asking = [threading.Thread(target=ask, args=(path, turn)) for path in files for turn in range(2)]
        for thread in asking:
            thread.start()
        for thread in asking:
            thread.join()
    assert {path: digest for (path, _), digest in found.items()} == without
    assert len(found) == 2 * N
    assert len(decoded) == N


SCRIPT = """
    import os, sys, threading, time
    from pathlib import Path
    from tempbench_lmms.media import prefetch, decoding, video

    files = [Path(file) for file in sys.argv[1:]]
    read, begun = decoding.read, threading.Event()

    def slow(path, *args):
        if threading.current_thread().name.startswith("tempbench"):
            begun.set()
            time.sleep(1)
        return read(path, *args)

    decoding.read = slow
    with video.decoding_ahead([(file, 4, ()) for file in files]):
        video.sample_frames(files[0], 4)
        assert begun.wait(30)
        child = os.fork()
        if not child:
            # The thread that was at it is not here.
            assert len(video.sample_frames(files[1], 4).images) == 4
            assert prefetch.current() is None
            os._exit(7)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        assert len(video.sample_frames(files[1], 4).images) == 4
    print("through")
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="processes are forked as POSIX has it")
def test_a_process_with_threads_at_work_may_fork(files) -> None:
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(SCRIPT), *map(str, files)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "through\n", "")
