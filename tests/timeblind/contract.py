"""What contract tests and scripts know of TimeBlind; see `tests/contract.py`."""

import json
from pathlib import Path

from tests.source_files import clips, write

PAPER = None
_ANSWERS = (None, *"ABCD", "Yes", "No")
OFFERED = {
    "timeblind.parser.read": lambda found: found.value in _ANSWERS,
    "timeblind.parser.parse": lambda found: found in _ANSWERS,
    "timeblind.parser.parse_official": lambda found: found in (-1, 0, 1),
}
EMPTY_SOURCE = {"data.jsonl": ""}
OF_THE_TEXT = r".*_official"


def SOURCE(folder: Path, version: int) -> list[str]:
    videos = clips("timeblind")[version:]
    records = []
    for index in range(8):
        name = f"vid_{index // 4:05d}_{index % 2}.mp4"
        write(folder / "TimeBlind/videos" / name, videos[index // 4 * 2 + index % 2].read_bytes())
        records.append(
            {
                "index": index,
                "video_path": f"TimeBlind/videos/{name}",
                "question": f"Is it {index % 4 // 2}, {version}?",
                "answer": "yes" if index % 4 in (0, 3) else "no",
                "type": "yes_no",
            }
        )
    write(folder / "TimeBlind/data.jsonl", "\n".join(map(json.dumps, records)))
    return ["--source", str(folder)]
