"""What contract tests and scripts know of AoT-PsyPhyBENCH; see `tests/contract.py`."""

import json
from pathlib import Path

from tests.source_files import clips, write

PAPER = None
OFFERED = {"arrow_of_time.parser.read": lambda found: found.value in (None, "F", "B")}
NAMES = ("00001", "00001_rev", "00005", "00005_rev")


def _question(name: str) -> dict[str, object]:
    said = {"role": "assistant", "content": "B" if name.endswith("_rev") else "F"}
    return {"messages": [{"role": "user", "content": "?"}, said], "videos": [f"neuro_paper_data/{name}.mp4"]}


EMPTY_SOURCE = {
    "neuro_paper_data.json": json.dumps([_question(name) for name in NAMES]),
    "AoT-PsyPhyBENCH_dataset_metadata.csv": (
        "id,folder,filename,motion_category\n"
        "00001.mp4,a,b.mp4,\"['Fall', 'Put']\"\n00005.mp4,a,c.mp4,['Put']\n"
    ),
}
"""Questions without a clip."""


def SOURCE(folder: Path, version: int) -> list[str]:
    for name, content in EMPTY_SOURCE.items():
        write(folder / name, content)
    videos = clips("arrow_of_time")[4 * version :]
    for number, name in enumerate(NAMES):
        if number != 1:  # the first clip has no reversed one
            write(folder / f"clips/{name}.mp4", videos[number].read_bytes())
    return ["--source", str(folder)]
