"""What prepared TempVS data holds: which sources, and what of the user's own."""

from collections.abc import Mapping
from typing import Any

from tempbench_lmms.tempvs.card import CARD, SOURCES

_NO_SOURCE_OF_IMAGES = "TempVS"


def sources(manifest: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """Returns the names of the card's sources, and the rest in words, by the manifest."""
    named = manifest.get("sources")
    wanted = tuple(map(str, named)) if isinstance(named, list) else SOURCES
    every = [source.name for source in CARD.sources]
    # FlintstonesSV is the source flintstones, and so on.
    return [name for name in every if name == _NO_SOURCE_OF_IMAGES or name.lower().startswith(wanted)], []
