"""The page of a benchmark, from what its folder and the documents say of it: no fact is written here."""

import importlib
import inspect
import random
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from PIL import Image

from docs.website import cost
from docs.website.links import ROOT, relinked
from tempbench_lmms import benchmarks
from tempbench_lmms.data.roots import MINI
from tempbench_lmms.data.tables import Row as Doc
from tempbench_lmms.harness.tasks import content, docs_of, load_task
from tempbench_lmms.media.images import is_picture, png
from tempbench_lmms.media.video import sample_frames
from tempbench_lmms.record import Metrics

LOOKED_AT = 40
"""Questions of the bundled sample over which sizes are averaged."""
HEIGHT, WIDTH, GAP = 160, 1000, 8
"""Pixels of a row of pictures, of all rows, and between two pictures."""
FRAMES = 4
"""Frames that stand for a video."""

_TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent), undefined=StrictUndefined, autoescape=False
)


def page(name: str) -> str:
    """Returns a benchmark's page as Markdown.

    Raises:
        TempbenchError: There is no such benchmark.
    """
    card, readme, here = benchmarks.card(name), f"tempbench_lmms/{name}/README.md", f"benchmarks/{name}.md"
    head, sections = _sections(_read(readme))
    config, docs = _sample(name)
    words = [part.strip() if isinstance(part, str) else _named(part) for part in content(config, docs[0], 0)]
    target, *more = docs[0]["target"].splitlines()
    limit = config["generation_kwargs"]["max_new_tokens"]
    metrics: Metrics = importlib.import_module(f"tempbench_lmms.{name}.scoring").METRICS
    return _TEMPLATES.get_template("benchmark.md.jinja").render(
        card=card,
        title=head.partition("\n")[0],
        intro=relinked(head.partition("\n")[2].strip(), readme, here),
        task=card.full[0],
        calls=card.full[1],
        prompt="\n".join(words),
        target=target + " ..." * bool(more),
        cost=cost,
        shown=cost.shown([content(config, docs[i], i) for i in _chosen(len(docs))]),
        reply=min(cost.REPLY, limit),
        limit=limit,
        sections=relinked(sections.strip(), readme, here),
        metrics=_by_words(metrics),
        better={row.name: row.better for row in metrics.rows},
    )


def overview() -> str:
    """Returns the page that lists all benchmarks."""
    cards = [benchmarks.card(name) for name in benchmarks.names()]
    lines = [
        f"| [{_read(f'tempbench_lmms/{card.name}/README.md').partition(chr(10))[0][2:]}]({card.name}.md) | "
        f"{card.full[1]:,} | `{card.headline or card.primary[0]}` | {card.title} |"
        for card in cards
    ]
    head = "| benchmark | questions | headline metric | paper |\n|---|---:|---|---|\n"
    return "# Benchmarks\n\nOne question is one call of the model.\n\n" + head + "\n".join(lines) + "\n"


def picture(name: str) -> bytes:
    """Returns what the first question of a benchmark's bundled sample shows, as a PNG; frames for a video."""
    config, docs = _sample(name)
    rows: list[list[Image.Image]] = [[]]
    for image in (image for part in content(config, docs[0], 0) for image in _images(part)):
        scaled = image.resize((max(1, round(image.width * HEIGHT / image.height)), HEIGHT))
        if rows[-1] and sum(one.width + GAP for one in (*rows[-1], scaled)) > WIDTH:
            rows.append([])
        rows[-1].append(scaled)
    width = max(sum(one.width + GAP for one in row) for row in rows) - GAP
    sheet = Image.new("RGB", (max(width, 1), len(rows) * (HEIGHT + GAP) - GAP), "white")
    for number, row in enumerate(rows):
        at = 0
        for image in row:
            sheet.paste(image, (at, number * (HEIGHT + GAP)))
            at += image.width + GAP
    return png(sheet)


def _read(file: str) -> str:
    return (ROOT / file).read_text(encoding="utf-8")


def _sample(name: str) -> tuple[dict[str, Any], list[Doc]]:
    config = load_task(f"{benchmarks.card(name).full[0]}_{MINI}")
    return config, docs_of(config)


def _chosen(n: int) -> list[int]:
    """Returns numbers of questions drawn by lot, always the same ones."""
    return sorted(random.Random(0).sample(range(n), min(n, LOOKED_AT)))


def _images(part: Any) -> Sequence[Image.Image]:
    if is_picture(part):
        return [part]
    return sample_frames(part, FRAMES).images if isinstance(part, Path) else []


def _named(part: Any) -> str:
    return f"[picture, {part.width} x {part.height}]" if is_picture(part) else "[video]"


def _sections(markdown: str) -> tuple[str, str]:
    """Returns what stands before a page's first section, and the sections."""
    head, *parts = re.split(r"^(?=## )", markdown, flags=re.M)
    return head.strip(), "".join(parts)


def _by_words(metrics: Metrics) -> list[tuple[str, list[str]]]:
    """Returns the first lines of metrics' docstrings, each with the names that it is of."""
    out: dict[str, dict[str, None]] = {}
    for row in metrics.rows:
        words = (inspect.getdoc(row.metric) or "").partition("\n\n")[0]
        out.setdefault(" ".join(words.split()), {})[row.name] = None
    return [(words, list(names)) for words, names in out.items() if words]
