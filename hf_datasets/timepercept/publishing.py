"""What prepared TimePerceptBench data holds: which sources, and what of the user's own."""

from collections.abc import Mapping
from typing import Any


def sources(manifest: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """Returns the names of the card's sources, and the rest in words, by the manifest."""
    parts = manifest.get("parts")
    parts = parts if isinstance(parts, dict) else {}
    request = parts.get("series", {}).get("request", {})
    names = ["fMoW-rgb"] if request.get("fmow") else []
    names += ["UC Merced Land Use"] if "ucm" in parts else []
    names += ["TemporalVQA"] if "temporalvqa" in parts else []
    # SITSCC's pictures come this way, too; the user states their owner.
    return names, ["dated pictures of your own"] if request.get("series") else []
