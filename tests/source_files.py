"""What writes the files of small sources: `SOURCE` in `tests/NAME/contract.py`."""

import io
import json
from pathlib import Path
from typing import Any


def picture(seed: int, format_name: str = "PNG") -> bytes:
    """Returns a picture of 32x24 pixels of noise."""
    import numpy as np
    from PIL import Image

    pixels = np.random.default_rng(seed).integers(0, 256, (24, 32, 3), dtype=np.uint8)
    stream = io.BytesIO()
    Image.fromarray(pixels).save(stream, format_name)
    return stream.getvalue()


def write(path: Path, content: bytes | str | Any) -> Path:
    """Writes a file, of JSON where the content is neither text nor bytes, and returns its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not isinstance(content, (bytes, str)):
        content = json.dumps(content)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def clips(benchmark: str) -> list[Path]:
    """Returns the videos of a bundled sample."""
    from tempbench_lmms.data.roots import mini_root

    return sorted((mini_root(benchmark) / "media").rglob("*.mp4"))
