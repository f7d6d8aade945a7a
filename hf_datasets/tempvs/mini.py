"""Writes the bundled TempVS sample: `python -m hf_datasets.tempvs.mini`."""

from pathlib import Path
from typing import Any

from tempbench_lmms.data import roots, tables
from tempbench_lmms.tempvs.features import BENCHMARK, SCHEMA

from . import rows
from .stories import Story, render, stories

SEED = 20250

_PAIRS = 2
_TRIPLES = 1


def sequences(told: list[Story]) -> list[rows.ImageSequence]:
    """Returns the sample's stories as sequences to be asked about."""
    out = []
    for number, story in enumerate(told):
        n = len(story.panels)
        groups: dict[str, Any] = {
            "pairs": rows.sample_groups(n, 2, _PAIRS, SEED + number),
            "triples": rows.sample_groups(n, 3, _TRIPLES, SEED + number),
        }
        out.append(
            rows.ImageSequence(
                source=story.source,
                sequence_id=story.story_id,
                images=[image_url(story, place) for place in range(n)],
                events=[panel.event for panel in story.panels],
                captions=[panel.caption for panel in story.panels],
                characters=story.characters,
                **groups,
            )
        )
    return out


def image_url(story: Story, place: int) -> str:
    """Returns the URL of a panel's picture."""
    return f"{roots.SCHEME}{BENCHMARK}/{roots.MINI}/media/{story.source}/{story.story_id}_{place + 1}.png"


def opens_with_name(told: list[Story]) -> Any:
    """Returns the test whether an event opens with the name of a character."""
    names = {panel.scene.actor for story in told if story.characters for panel in story.panels}
    return lambda event: event.split()[0] in names


def write(root: Path) -> dict[str, int]:
    """Renders the pictures and writes the tables under `root`.

    Returns:
        The number of rows of each configuration.
    """
    told = stories()
    for story in told:
        for place, panel in enumerate(story.panels):
            path = root / image_url(story, place).split(f"/{roots.MINI}/")[1]
            path.parent.mkdir(parents=True, exist_ok=True)
            render(panel.scene).save(path, optimize=True)
    counts = {}
    for name, table in rows.build(sequences(told), opens_with_name(told)).items():
        tables.write_rows(table, root / name / "test.parquet", SCHEMA)
        counts[name] = len(table)
    tables.write_sample_manifest(root, BENCHMARK, counts)
    return counts


if __name__ == "__main__":
    print(write(roots.mini_root(BENCHMARK)))
