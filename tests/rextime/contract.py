"""What contract tests and scripts know of ReXTime; see `tests/contract.py`."""

import math
from pathlib import Path

from tests.source_files import clips, write

PAPER = "004_20641ae9565f5b7e.txt"


def _is_span(span):
    return len(span) == 2 and all(math.isfinite(edge) and 0 <= edge <= 1e6 for edge in span)


_LETTERS = (None, *"ABCD")
OFFERED = {
    "rextime.parser.read": lambda found: found["letter"].value in _LETTERS,
    "rextime.parser.parse": lambda found: found[0] in _LETTERS and all(map(_is_span, found[1])),
    "rextime.official.prediction_of": lambda found: found is None or isinstance(found, dict),
}
NOT_PARSERS = ("rextime.scoring.of_official_reader",)  # the official reader, bit for bit

PUBLISHED = ("validation/validation.parquet",)
ORIGIN = {"video_folders": {"activitynet": "/home/somebody/videos"}}
EMPTY_SOURCE = {"rextime_val.json": "[]", "rextime_test_release.json": "[]"}

REREAD = ("rextime_mini", "rextime_vqa_mini", "rextime_moment_mini")


def SOURCE(folder: Path, version: int) -> list[str]:
    from tempbench_lmms.media.video import probe

    videos = clips("rextime")[version:]
    records = []
    for i in range(3):
        name = f"v_{i}"
        write(folder / f"videos/{name}.mp4", videos[i].read_bytes())
        records.append(
            {
                "qid": f"anet_val{i}",
                "vid": name,
                "source": "ActivityNet_val_2",
                "duration": probe(videos[i]).duration,
                "question": f"What before, {version}?",
                "category": "sequential",
                "options": ["a", "b", "c", "d"],
                "span": [0, 2],
                "ans": "A",
            }
        )
    write(folder / "rextime_val.json", records)
    given = ["--source", str(folder), "--anet-dir", str(folder / "videos"), "--accept-license"]
    return [*given, "--splits", "validation"]
