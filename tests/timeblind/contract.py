"""What the tests of all benchmarks need to know of TimeBlind."""

import json
from pathlib import Path

from tempbench_lmms.data.roots import mini_root

BAD_MEDIA_TASK = "timeblind_frames"
PAPER = None
OFFERED = {
    "timeblind.parser.read": lambda found: found.value in (None, *"ABCD", "Yes", "No"),
    "timeblind.parser.parse": lambda found: found in (None, *"ABCD", "Yes", "No"),
    "timeblind.parser.parse_official": lambda found: found in (-1, 0, 1),
}
FULL = ("timeblind", 2_400)


def SOURCE(folder: Path, version: int) -> list[str]:
    """Writes a release of two instances, and returns the options of `prepare` for it."""
    clips = sorted((mini_root("timeblind") / "media").glob("*.mp4"))[version:]
    records = []
    (folder / "TimeBlind" / "videos").mkdir(parents=True, exist_ok=True)
    for index in range(8):
        name = f"vid_{index // 4:05d}_{index % 2}.mp4"
        content = clips[index // 4 * 2 + index % 2].read_bytes()
        (folder / "TimeBlind" / "videos" / name).write_bytes(content)
        records.append(
            {
                "index": index,
                "video_path": f"TimeBlind/videos/{name}",
                "question": f"Is it {index % 4 // 2}, {version}?",
                "answer": "yes" if index % 4 in (0, 3) else "no",
                "type": "yes_no",
            }
        )
    lines = "\n".join(json.dumps(record) for record in records)
    (folder / "TimeBlind" / "data.jsonl").write_text(lines)
    return ["--source", str(folder)]
