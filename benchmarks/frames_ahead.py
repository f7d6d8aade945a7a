"""Frames decoded while the model answers: a run's time over the longer of decoding and answering.

`coherence_qa_16f` in the harness, every question about a video of its own; a model without weights asks for
the frames and then waits, as for a GPU or a server. "Decoding" is the same run without the wait, "answering"
the waits alone. Everything is by the wall's clock: other processes that want the same cores make decoding
slower at one time and faster at another. Without threads (`TEMPBENCH_FRAMES_AHEAD_MB=0`) a run takes the sum.
"""

import contextlib
import io
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import timing
import video_frames

WAITS = (0.1, 0.3, 1.0)
TASK = "coherence_qa_16f"
CLIPS = {
    # seconds, width, height, frames from key frame to key frame, codec; questions; repetitions
    "10 s, 640x360, key frames 2 s apart": ((10, 640, 360, 60, "libx264"), 30, 3),
    "3 min, 640x360, key frames 5 s apart": ((180, 640, 360, 150, "libx264"), 20, 2),
}


def write_data(home: Path, folder: Path, shape: tuple[Any, ...], n: int) -> None:
    """Writes a video, n names for it, and a question about each."""
    from tempbench_lmms.coherence.features import QA_SCHEMA
    from tempbench_lmms.data import roots, tables

    media = home / "coherence" / "media"
    media.mkdir(parents=True)
    clip = video_frames.rendered(folder / "clip.mp4", *shape)
    question = tables.read_rows(roots.mini_root("coherence") / "qa")[0]
    rows = []
    for number in range(n):
        os.link(clip, media / f"{number}.mp4")
        url = f"tempbench://coherence/media/{number}.mp4"
        rows.append(question | {"question_id": f"q{number}", "video": url})
    tables.write_rows(rows, home / "coherence" / "qa" / "test.parquet", QA_SCHEMA)
    tables.write_json({"benchmark": "coherence", "rows": {"qa": n}}, home / "coherence" / "manifest.json")


def in_harness(folder: Path, name: str, n: int, repeats: int) -> Iterator[timing.Row]:
    """Measures one kind of video; in a process whose environment names the folders."""
    from lmms_eval.evaluator import simple_evaluate
    from lmms_eval.tasks import TaskManager

    from tempbench_lmms.harness.prefetch import frames_of
    from tempbench_lmms.harness.respondents import chat
    from tempbench_lmms.media import prefetch, video

    manager = TaskManager()
    write_data(folder / "home", folder, CLIPS[name][0], n)

    class Waiting(chat.Constant):
        """Answers after a while; its questions' first and last moment are noted."""

        def __init__(self, wait: float) -> None:
            super().__init__(media=True)
            self.wait, self.took, self.most = wait, 0.0, 0

        def generate_until(self, requests: list[Any]) -> list[str]:
            begun = time.perf_counter()
            with frames_of(self, requests):
                replies = super().generate_until(requests)
            self.took = time.perf_counter() - begun
            return replies

        def _look(self, request: Any, doc: Any) -> None:
            super()._look(request, doc)
            time.sleep(self.wait)
            self.most = max(self.most, video._CACHE.n_bytes(awaited=True))

    def run(wait: float, megabytes: str) -> Waiting:
        os.environ[prefetch.MEGABYTES_VARIABLE] = megabytes
        video._CACHE.clear()
        model = Waiting(wait)
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            done = simple_evaluate(model=model, tasks=[TASK], task_manager=manager, bootstrap_iters=0)
        if len(done["samples"][TASK]) != n:
            raise AssertionError(f"{len(done['samples'][TASK])} of {n} questions were asked")
        return model

    run(0, "0")  # what is imported once
    decoding: list[float] = []
    took: dict[tuple[float, str], list[float]] = {}
    most = []
    for number in range(repeats):
        decoding.append(run(0, "0").took)
        for wait in WAITS:
            for megabytes in ("1000",) if number else ("0", "1000"):
                model = run(wait, megabytes)
                took.setdefault((wait, megabytes), []).append(model.took)
                most.append(model.most)
    yield timing.Row(f"{name}: decoding, a question", [1000 * one / n for one in decoding], "ms")
    for wait in WAITS:
        longer = [max(one, wait * n) for one in decoding]
        what = f"{name}: {wait * 1000:.0f} ms an answer, the run / the longer of both"
        yield timing.Row(f"{what}, without threads", timing.over(took[wait, "0"], longer[:1]), "x")
        yield timing.Row(what, timing.over(took[wait, "1000"], longer), "x", at_most=1.15)
    yield timing.Row(f"{name}: most held ahead", [max(most) / 1e6], "MB", at_most=1000)


def rows(quick: bool) -> Iterator[timing.Row]:
    for name, (_, n, repeats) in CLIPS.items():
        if quick and "3 min" in name:
            continue
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            environment = {"HF_HOME": str(folder / "hf"), "TEMPBENCH_DATA": str(folder / "home")}
            environment |= {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
            arguments = [name, str(n // 3 if quick else n), str(1 if quick else repeats)]
            for row in timing.apart(__file__, place, *arguments, **environment):
                yield timing.Row(**row)


def main() -> None:
    if "--measure" in sys.argv:
        place, name, n, repeats = sys.argv[sys.argv.index("--measure") + 1 :]
        for row in in_harness(Path(place), name, int(n), int(repeats)):
            print(json.dumps(vars(row)), flush=True)
        return
    timing.main(__doc__, rows)


if __name__ == "__main__":
    main()
