"""What a bundled sample is written with: its media, its tables, and in the end its manifest."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PIL import Image

from tempbench_lmms.data import roots, tables
from tempbench_lmms.media.encoding import encode as encode


class Sample:
    """A bundled sample that is being written: its media, its tables, and in the end its manifest."""

    def __init__(self, benchmark: str, root: Path) -> None:
        self.benchmark, self.root = benchmark, root
        self.counts: dict[str, int] = {}

    def file(self, url: str) -> Path:
        """Returns where the file of a URL is written; its folder is made."""
        path = self.root / "media" / url.removeprefix(media_url(self.benchmark, ""))
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def picture(self, url: str, image: Image.Image) -> None:
        """Writes the picture of a URL."""
        image.save(self.file(url), optimize=True)

    def table(self, name: str, rows: Sequence[tables.Row], schema: Any, split: str = "test") -> None:
        """Writes a table, which is counted under its name."""
        tables.write_rows(rows, self.root / name / f"{split}.parquet", schema)
        self.counts[name] = len(rows)

    def finish(self, **more: Any) -> tables.Row:
        """Writes the manifest, with `more` in it, and returns it."""
        files = sorted(path for path in self.root.rglob("*") if path.suffix in (".mp4", ".png", ".parquet"))
        manifest = {
            "benchmark": self.benchmark,
            "edition": "bundled sample, rendered by the project",
            "licence": "MIT",
            "rows": self.counts,
            **more,
            "sha256": tables.sha256_of(files),
        }
        tables.write_json(manifest, self.root / roots.MANIFEST)
        return manifest


def media_url(benchmark: str, path: str) -> str:
    """Returns the URL of a file below a sample's `media`."""
    return f"{roots.SCHEME}{benchmark}/{roots.MINI}/media/{path}"
