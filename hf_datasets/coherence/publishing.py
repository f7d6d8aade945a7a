"""The sources in prepared data of the temporal-coherence benchmark, and the user's own part."""

from collections.abc import Mapping
from typing import Any


def sources(manifest: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """Returns the names of the card's sources, and other content in words, from the manifest."""
    parts = manifest.get("parts")
    named = list(parts) if isinstance(parts, dict) else []
    own = ["videos to caption from a folder of your own"] if "captions" in named else []
    return (["TOMATO"] if "tomato" in named else []), own
