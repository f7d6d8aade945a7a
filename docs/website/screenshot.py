"""Makes the picture of a report that README shows: `python -m docs.website.screenshot [REPORT.html]`."""

import argparse
import io
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

from docs.website.links import ROOT

PICTURE = ROOT / "docs/pictures/report.png"
SIZE = (1280, 860)
"""Pixels of the browser's window."""
COLOURS = 128
"""Of the picture, to keep it small."""
TASKS = "tempvs_mt1_two_mini,nextgqa_mini,tempcompass_pairs_mini,timeblind_mini,motion_only_mini"
RUNS = {"oracle": "always right", "constant": "always the first option", "chance": "random"}
"""Models without weights, and what the report calls them."""


def shot(page: Path, to: Path) -> int:
    """Writes what a page shows first as a PNG, and returns its bytes.

    Raises:
        SystemExit: There is no Chromium, or it made no picture.
    """
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None:
        raise SystemExit("no Chromium on this machine; install the package chromium")
    with tempfile.TemporaryDirectory() as folder:
        raw = Path(folder) / "page.png"
        flags = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
            "--virtual-time-budget=5000",
        ]
        command = [
            program,
            *flags,
            f"--window-size={SIZE[0]},{SIZE[1]}",
            f"--screenshot={raw}",
            page.as_uri(),
        ]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        if not raw.is_file():
            raise SystemExit(f"{program} made no picture of {page}: {done.stderr[-300:]}")
        buffer = io.BytesIO()
        with Image.open(raw) as picture:
            picture.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(
                buffer, "PNG", optimize=True
            )
    to.parent.mkdir(parents=True, exist_ok=True)
    return to.write_bytes(buffer.getvalue())


def _tempbench(*words: str) -> None:
    subprocess.run([sys.executable, "-m", "tempbench_lmms.cli", *words], check=True)


def main() -> None:
    """Shoots the report that is named, or one of models without weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("report", nargs="?", type=Path, help="a report; else one of models without weights")
    given = parser.parse_args().report
    with tempfile.TemporaryDirectory() as folder:
        page = given or Path(folder) / "report.html"
        if given is None:
            for model in RUNS:
                _tempbench(
                    "run", "--model", f"tempbench_{model}", "--tasks", TASKS, "-o", f"{folder}/{model}"
                )
            _tempbench("report", *(f"{name}={folder}/{one}" for one, name in RUNS.items()), "-o", str(page))
        print(f"{PICTURE.relative_to(ROOT)}: {shot(page.resolve(), PICTURE):,} bytes")


if __name__ == "__main__":
    main()
