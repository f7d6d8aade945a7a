"""Memory of a long run: 50,000 questions with pictures through the harness, and videos read as frames.

The documents are those of the bundled sample under new names. The respondent asks for the five pictures of
every tenth question, more than 25,000 pictures in all, and for the frames of 500 videos. Measured is the
memory of the process (RSS) when a tenth of the questions were answered, when all were, and after scoring:
what the harness itself keeps of every request is there from the beginning.
"""

import json
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import timing

EVERY = 10
FRAMES = 8
PICTURE = 160 * 120 * 3


def rss() -> float:
    """Returns the memory of this process in megabytes."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def write_pictures(home: Path, n: int) -> None:
    """Writes n questions over the bundled sample's pictures."""
    from tempbench_lmms.data import roots, tables
    from tempbench_lmms.tempvs.features import SCHEMA

    sample = tables.read_rows(roots.mini_root("tempvs") / "mt3_event")
    sample = [row for row in sample if row["role"] == "main"]
    rows = [sample[i % len(sample)] | {"question_id": f"q{i}", "grounding": []} for i in range(n)]
    tables.write_rows(rows, home / "tempvs" / "mt3_event" / "test.parquet", SCHEMA)
    (home / "tempvs" / roots.MANIFEST).write_text("{}")


def run_pictures(n: int) -> dict[str, float]:
    """Runs the questions through the harness and returns megabytes by moment."""
    import contextlib
    import io

    from lmms_eval.evaluator import simple_evaluate

    from tempbench_lmms.harness.respondents import chat

    found: dict[str, float] = {"n_pictures": 0}

    class Watching(chat.Constant):
        n_asked = 0

        def _look(self, request: Any, doc: Any) -> None:
            self.n_asked += 1
            if self.n_asked % EVERY == 0:
                content = request.args[1](doc)[0]["content"]
                found["n_pictures"] += sum(part["type"] == "image" for part in content)
            if self.n_asked in (n // 10, n):
                found["at a tenth" if self.n_asked < n else "at the end"] = rss()

    with contextlib.redirect_stdout(io.StringIO()):
        done = simple_evaluate(
            model=Watching(media=True),
            tasks=["tempvs_mt3_event_separate"],
            log_samples=False,
            bootstrap_iters=0,
        )
    found["scored"] = rss()
    found["n"] = done["results"]["tempvs_mt3_event_separate"]["n_main,none"]
    return found


def write_videos(home: Path, n: int) -> None:
    """Prepares n videos of ReXTime."""
    from PIL import Image

    from hf_datasets.rextime.prepare import prepare
    from hf_datasets.samples.kit import encode

    folder = home / "videos"
    folder.mkdir()
    encode([Image.effect_noise((160, 120), 64).convert("RGB") for _ in range(30)], folder / "0.mp4", fps=5)
    records = []
    for i in range(n):
        if i:
            (folder / f"{i}.mp4").write_bytes((folder / "0.mp4").read_bytes())
        records.append(
            {
                "qid": str(i),
                "vid": str(i),
                "duration": 6,
                "question": "What happens?",
                "options": ["a", "b", "c", "d"],
                "span": [1, 2],
                "ans": "A",
                "source": "qvhighlights_val",
            }
        )
    (home / "rextime_val.json").write_text(json.dumps(records))
    prepare(home, {"qvhighlights": folder}, splits=["validation"])


def read_videos(n: int) -> dict[str, float]:
    """Asks for the frames of n videos, as pictures and in a conversation; returns megabytes by moment."""
    from tempbench_lmms.data.roots import prepared_root
    from tempbench_lmms.data.tables import read_rows
    from tempbench_lmms.rextime import hooks, videos

    write_videos(Path(os.environ["TEMPBENCH_DATA"]), n)
    rows = read_rows(prepared_root("rextime") / "validation")
    found: dict[str, float] = {"n": len(rows)}
    if videos.problems(row["video"] for row in rows):
        raise AssertionError("a video is damaged")
    kwargs = {"media": "frames", "ask": "both", "frames": FRAMES}
    for number, row in enumerate(rows, start=1):
        content = hooks.doc_to_messages(row, kwargs)[0]["content"]
        if len(content) != 2 * FRAMES + 1 or len(hooks.doc_to_visual(row, kwargs)) != FRAMES:
            raise AssertionError(f"{row['question_id']}: {len(content)} parts")
        if number in (n // 10, n):
            found["at a tenth" if number < n else "at the end"] = rss()
    return found


def child(kind: str, n: int, home: Path) -> dict[str, float]:
    """Returns what a process of its own measures."""
    # The cache of frames is a few videos large, so that what is measured is not the cache filling up.
    folders = {"TEMPBENCH_DATA": str(home), "HF_HOME": str(home / "hf"), "TEMPBENCH_FRAME_CACHE_MB": "10"}
    (found,) = timing.apart(__file__, kind, str(n), **folders)
    return found


def rows(quick: bool) -> Iterator[timing.Row]:
    n, n_videos = (2_000, 50) if quick else (50_000, 500)
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        write_pictures(home, n)
        found = child("pictures", n, home)
        if found["n"] != n:
            raise AssertionError(f"{found['n']} of {n} questions were asked")
        asked = f"{n:,} questions, {found['n_pictures']:,.0f} pictures"
        for moment in ("at a tenth", "at the end", "scored"):
            yield timing.Row(f"{asked}: {moment}", [found[moment]], "MB")
        growth = [found["at the end"] / found["at a tenth"]]
        yield timing.Row(f"{asked}: at the end / at a tenth", growth, "x", at_most=1.1)
        held = 0.9 * found["n_pictures"] * PICTURE / 1e6
        yield timing.Row("the pictures decoded in between, had they been kept", [held], "MB")
        found = child("videos", n_videos, home)
        asked = f"{n_videos} videos, {2 * FRAMES * n_videos:,} frames"
        for moment in ("at a tenth", "at the end"):
            yield timing.Row(f"{asked}: {moment}", [found[moment]], "MB")
        growth = [found["at the end"] / found["at a tenth"]]
        yield timing.Row(f"{asked}: at the end / at a tenth", growth, "x", at_most=1.1)


def main() -> None:
    if sys.argv[1:2] == ["--measure"]:
        measure = {"pictures": run_pictures, "videos": read_videos}[sys.argv[2]]
        print("\n" + json.dumps(measure(int(sys.argv[3]))))
        return
    timing.main(__doc__, rows)


if __name__ == "__main__":
    main()
