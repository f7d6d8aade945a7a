"""What contract tests and scripts know of NExT-GQA; see `tests/contract.py`."""

import csv
import io
from pathlib import Path

from tests.source_files import clips, write

PAPER = None

_LETTERS = (None, *"ABCDE")
OFFERED = {"nextgqa.parser.read": lambda found: found["letter"].value in _LETTERS}

PUBLISHED = ("test/test.parquet",)
ORIGIN = {"video_folder": "/home/somebody/videos"}
EMPTY_SOURCE = {"gsub_test.json": "{}", "test.csv": "video_id,qid\n"}

REREAD = ("nextgqa_mini", "nextgqa_answer_mini", "nextgqa_span_mini")


def SOURCE(folder: Path, version: int) -> list[str]:
    from tempbench_lmms.media.video import probe

    columns = ["video_id", "question", "answer", "qid", "type", *(f"a{i}" for i in range(5))]
    lines, segments = io.StringIO(), {}
    table = csv.DictWriter(lines, columns)
    table.writeheader()
    for i, clip in enumerate(clips("nextgqa")[version : version + 3]):
        write(folder / f"videos/10/{i}.mp4", clip.read_bytes())
        segments[str(i)] = {"duration": round(probe(clip).duration), "location": {"0": [[0.5, 2]]}, "fps": 5}
        options = {f"a{j}": f"option {j}" for j in range(5)}
        text = f"why does it move, {version}"
        table.writerow(
            {"video_id": i, "question": text, "answer": "option 1", "qid": 0, "type": "CW"} | options
        )
    write(folder / "test.csv", lines.getvalue())
    write(folder / "gsub_test.json", segments)
    # Copies: a link is the source's own file, damaged with it and mended by nothing.
    return ["--source", str(folder), "--videos", str(folder / "videos"), "--splits", "test", "--copy"]
