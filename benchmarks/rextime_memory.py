"""Peak memory of reading 50 and 500 videos as frames: `python benchmarks/rextime_memory.py`.

Each count runs in a process of its own. The peak must not grow with the number of videos; exit status 1 where
that of 500 is more than 1.5 times that of 50.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

FRAMES = 8
LIMIT = 1.5


def write(path: Path) -> None:
    from PIL import Image
    from tempbench_lmms.hf_datasets.rextime.scenes import encode

    path.parent.mkdir(parents=True, exist_ok=True)
    encode([Image.effect_noise((160, 120), 64).convert("RGB") for _ in range(30)], path, fps=5)


def read(folder: Path, n: int) -> int:
    import resource

    from tempbench_lmms.data.tables import read_rows
    from tempbench_lmms.rextime import hooks, videos

    rows = read_rows(folder / "data" / "rextime" / "validation")[:n]
    assert not videos.problems(row["video"] for row in rows)
    for row in rows:
        kwargs = {"media": "frames", "ask": "both", "frames": FRAMES}
        assert len(hooks.doc_to_messages(row, kwargs)[0]["content"]) == 2 * FRAMES + 1
        assert len(hooks.doc_to_visual(row, kwargs)) == FRAMES
        hooks.doc_to_text(row, kwargs)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def main() -> int:
    import os

    if len(sys.argv) == 3:
        print(read(Path(sys.argv[1]), int(sys.argv[2])))
        return 0
    from tempbench_lmms.hf_datasets.rextime.prepare import prepare

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["TEMPBENCH_DATA"] = str(folder / "data")
        write(folder / "videos" / "0.mp4")
        first = (folder / "videos" / "0.mp4").read_bytes()
        records = []
        for i in range(500):
            (folder / "videos" / f"{i}.mp4").write_bytes(first)
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
        (folder / "rextime_val.json").write_text(json.dumps(records))
        prepare(folder, {"qvhighlights": folder / "videos"})
        peaks = {
            n: int(
                subprocess.run(
                    [sys.executable, __file__, name, str(n)], capture_output=True, text=True, check=True
                ).stdout
            )
            for n in (50, 500)
        }
    for n, peak in peaks.items():
        print(f"{n} videos: {peak / 2**20:.0f} MiB")
    ratio = peaks[500] / peaks[50]
    print(f"ratio {ratio:.2f}, at most {LIMIT}")
    return 0 if ratio <= LIMIT else 1


if __name__ == "__main__":
    raise SystemExit(main())
