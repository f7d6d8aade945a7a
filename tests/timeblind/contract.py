"""What contract tests and scripts know of TimeBlind; see `tests/contract.py`."""

import json
from pathlib import Path

from tests.source_files import clips, write

PAPER = None
_ANSWERS = (None, *"ABCD", "Yes", "No")
OFFERED = {
    "timeblind.parser.read": lambda found: found.value in _ANSWERS,
    "timeblind.official.parse_official": lambda found: found in (-1, 0, 1),
}
OF_THE_TEXT = r".*_official"


def _record(index: int, version: int = 0) -> dict[str, object]:
    return {
        "index": index,
        "video_path": f"TimeBlind/videos/vid_{index // 4:05d}_{index % 2}.mp4",
        "question": f"Is it {index % 4 // 2}, {version}?",
        "answer": "yes" if index % 4 in (0, 3) else "no",
        "type": "yes_no",
    }


def _lines(n: int, version: int = 0) -> str:
    return "\n".join(json.dumps(_record(index, version)) for index in range(n))


EMPTY_SOURCE = {"data.jsonl": _lines(4)}
"""Questions without a video."""


def SOURCE(folder: Path, version: int) -> list[str]:
    videos = clips("timeblind")[version:]
    for index in range(8):
        video = videos[index // 4 * 2 + index % 2]
        write(folder / str(_record(index)["video_path"]), video.read_bytes())
    write(folder / "TimeBlind/data.jsonl", _lines(8, version))
    return ["--source", str(folder)]
