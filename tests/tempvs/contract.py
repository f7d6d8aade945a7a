"""What contract tests and scripts know of TempVS; see `tests/contract.py`."""

from pathlib import Path

from tempbench_lmms.tempvs import official
from tests.source_files import picture, write

PAPER = "000_1f4afa32a1a354c5.txt"
LEFT_OUT = {"Table 10": "holds prompts; its dashes are bullets"}

_LETTERS = (None, *"ABCD")
OFFERED = {
    "tempvs.parser.read": lambda found: found.value in (*_LETTERS, *"12345"),
    "tempvs.official.parse_official": lambda found: found in ("UNK", *"ABCDE") or found.isdigit(),
}
VALUES = {"kind": ["mt1", "mt2", "mt3", "gt"], "family": [*official.FAMILIES]}

PUBLISHED = ("mt1_two/test.parquet",)
ORIGIN = {"source": {"folder": "/home/somebody/TempVS"}}

REREAD = ("tempvs_mt1_two_mini", "tempvs_mt3_event_mini")
OF_THE_TEXT = r".*_official"


def SOURCE(folder: Path, version: int) -> list[str]:
    rows = []
    for story in range(2 + version):
        # A picture of the second version has the first one's name, and other bytes.
        images = [f"flintstones/frames/s{story}_{i}.jpg" for i in range(5)]
        for i, image in enumerate(images):
            write(folder / "data" / image, picture(100 * version + 10 * story + i, "JPEG"))
        rows += [
            {
                "data_source": "flintstones",
                "img_seq_id": f"train_{story}",
                "question_id": f"train_{story}_q{i}",
                "img_path_list": [f"/data/{image}" for image in images],
                "event_to_test": f"Event {i} of {story}.",
                "task_instruction": "Select the image.",
                "gt_option": f"image {i + 1}",
            }
            for i in range(2)
        ]
    write(folder / "data/benchmark/flintstones_single_grounding_paired_test.json", rows)
    return ["--source", str(folder), "--accept-license"]
