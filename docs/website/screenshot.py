"""Makes the picture of a report that README shows: `python -m docs.website.screenshot [REPORT.html]`."""

import argparse
import io
import shutil
import subprocess
import tempfile
from pathlib import Path

from PIL import Image

from docs.website import demo
from docs.website.links import ROOT

PICTURE = ROOT / "docs/pictures/report.png"
SIZE = (1280, 860)
"""Pixels of the browser's window."""
COLOURS = 128
"""Of the picture, to keep it small."""
BENCHMARKS = ("tempvs", "nextgqa", "tempcompass_pairs", "timeblind", "motion_only")
"""As many as the window has room for."""


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


def main() -> None:
    """Shoots the report that is named, or one of made-up respondents (`docs.website.demo`)."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("report", nargs="?", type=Path, help="a report; else one of made-up respondents")
    given = parser.parse_args().report
    with tempfile.TemporaryDirectory() as folder:
        page = given or Path(folder) / "report.html"
        if given is None:
            demo.answer(Path(folder), BENCHMARKS)
            demo.report(Path(folder), page)
        print(f"{PICTURE.relative_to(ROOT)}: {shot(page.resolve(), PICTURE):,} bytes")


if __name__ == "__main__":
    main()
