"""What contract tests and scripts know of TimePerceptBench; see `tests/contract.py`."""

from datetime import datetime, timedelta, timezone
from pathlib import Path

from tempbench_lmms.parsing.expected import REASONS
from tests.source_files import picture, write

PAPER = "001_7b7fc114b3c22071.txt"
LEFT_OUT = {"Table 2": "is a copy of Table 1 in the text at hand; a test of its own checks that"}
PARTLY = {"Table 1": "columns PIC, IPR and EII are scrambled: numbers stand several times in a row"}

OFFERED = {
    "timepercept.parser.read": lambda found: (
        found.reason in REASONS
        if found.value is None
        else found.value in ("True", "False", *"ABCD", *"12345")
        or sorted(found.value.split(", ")) in (list("12345"), list("ABC"))
    ),
}
VALUES = {"test": ["isr", "ipr", "sov", "pov", "pic", "tal", "sqa", "eii"]}

PUBLISHED = ("tal/test.parquet", "train/tal/train.parquet", "ucm/test.parquet")
PUBLIC = True
ORIGIN = {"parts": {"ucm": {"request": {"ucm": "/home/somebody/ucm"}}}}

REREAD = (
    "timepercept_isr_mini",
    "timepercept_ipr_mini",
    "timepercept_sov_mini",
    "timepercept_tal_mini",
    "timepercept_eii_mini",
    "timepercept_ice_mini",
)


def SOURCE(folder: Path, version: int) -> list[str]:
    start = datetime(2012, 4, 2, tzinfo=timezone.utc)
    for place in range(8):
        name = f"airport_{place}"
        for k, days in enumerate((0, 10, 60, 200, 600, 1400)):
            stem = folder / "fmow/fmow-rgb/train/airport" / name / f"{name}_{k}_rgb"
            taken = (start + timedelta(days=days + place)).strftime("%Y-%m-%dT%H:%M:%SZ")
            write(stem.with_suffix(".jpg"), picture(100 * version + 10 * place + k, "JPEG"))
            write(stem.with_suffix(".json"), {"timestamp": taken, "cloud_cover": 0})
    for number, name in enumerate(("river", "forest", "beach", "harbor", "freeway")):
        write(folder / f"ucm/{name}/{name}00.png", picture(1000 * (version + 1) + number))
    settings = ["--test", "4", "--train", "4", "--test-share", "0.5", "--size", "32"]
    return ["--fmow", str(folder / "fmow"), "--ucm", str(folder / "ucm"), *settings]
