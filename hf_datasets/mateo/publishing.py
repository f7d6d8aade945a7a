"""The sources in prepared MATEO data, and the user's own part."""

from collections.abc import Mapping
from typing import Any


def sources(manifest: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """Returns the names of the card's sources, and other content in words, from the manifest."""
    entry = manifest.get("source")
    # Plans from a folder of one's own have no release (`prepare --from`).
    own = isinstance(entry, dict) and "language" not in entry
    return ([], ["plans from a folder of your own"]) if own else (["MATEO"], [])
