"""The page of a benchmark, from what its folder and the documents say of it: no fact is written here."""

import importlib
import inspect
import io
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from PIL import Image

from tempbench_lmms import benchmarks
from tempbench_lmms.card import BenchmarkCard
from tempbench_lmms.data.roots import MINI
from tempbench_lmms.harness.shown import content
from tempbench_lmms.harness.tasks import docs_of, load_task
from tempbench_lmms.media.pictures import is_picture, png
from tempbench_lmms.media.video import sample_frames
from tempbench_lmms.record import Row
from website import cost
from website.links import ROOT, relinked

LOOKED_AT = 40
"""Questions of the bundled sample over which sizes are averaged."""
HEIGHT, WIDTH, GAP = 160, 1000, 8
"""Pixels of a row of pictures, of all rows, and between two pictures."""
FRAMES = 4
"""Frames that stand for a video."""

Parts = tuple[Any, ...]


def page(name: str) -> str:
    """Returns a benchmark's page as Markdown.

    Raises:
        TempbenchError: There is no such benchmark.
    """
    card, readme = benchmarks.card(name), f"tempbench_lmms/{name}/README.md"
    head, sections = _sections((ROOT / readme).read_text(encoding="utf-8"))
    title, _, intro = head.partition("\n")
    here = f"benchmarks/{name}.md"
    blocks = [
        title,
        relinked(intro.strip(), readme, here),
        _question(card),
        _cost(card),
        relinked("\n".join(sections.values()).strip(), readme, here),
        _metrics(name),
        _sources(card),
        _contradictions(name, here),
        f"## How to cite\n\nThe benchmark's paper ([{card.title}]({card.paper})):\n\n"
        f"```bibtex\n{card.bibtex}\n```",
    ]
    return "\n\n".join(filter(None, blocks)) + "\n"


def overview() -> str:
    """Returns the page that lists all benchmarks."""
    lines = [
        f"| [{_title(name)}]({name}.md) | {benchmarks.card(name).full[1]:,} | "
        f"`{benchmarks.card(name).headline or benchmarks.card(name).primary[0]}` | "
        f"{_cell(benchmarks.card(name).title)} |"
        for name in benchmarks.names()
    ]
    head = "| benchmark | questions | headline metric | paper |\n|---|---:|---|---|\n"
    return "# Benchmarks\n\nOne question is one call of the model.\n\n" + head + "\n".join(lines) + "\n"


def picture(name: str) -> bytes:
    """Returns what the first question of a benchmark's bundled sample shows, as a PNG; frames for a video."""
    images = [image for part in _questions(name, 1)[0] for image in _images(part)]
    scaled = [image.resize((max(1, round(image.width * HEIGHT / image.height)), HEIGHT)) for image in images]
    rows: list[list[Image.Image]] = [[]]
    for image in scaled:
        if rows[-1] and sum(one.width + GAP for one in (*rows[-1], image)) > WIDTH:
            rows.append([])
        rows[-1].append(image)
    size = (
        max(sum(one.width + GAP for one in row) for row in rows) - GAP,
        len(rows) * (HEIGHT + GAP) - GAP,
    )
    sheet = Image.new("RGB", size, "white")
    for y, row in enumerate(rows):
        x = 0
        for image in row:
            sheet.paste(image, (x, y * (HEIGHT + GAP)))
            x += image.width + GAP
    buffer = io.BytesIO(png(sheet))
    return buffer.getvalue()


def _images(part: Any) -> Sequence[Image.Image]:
    if is_picture(part):
        return [part]
    return sample_frames(part, FRAMES).images if isinstance(part, Path) else []


def _questions(name: str, most: int) -> list[Parts]:
    config = load_task(f"{benchmarks.card(name).full[0]}_{MINI}")
    docs = docs_of(config)
    step = max(1, len(docs) // most)
    return [content(config, doc, i) for i, doc in list(enumerate(docs))[::step][:most]]


def _sections(markdown: str) -> tuple[str, dict[str, str]]:
    head, *parts = re.split(r"^(?=## )", markdown, flags=re.M)
    return head.strip(), {part.partition("\n")[0].removeprefix("## "): part for part in parts}


def _title(name: str) -> str:
    return (ROOT / f"tempbench_lmms/{name}/README.md").read_text(encoding="utf-8").partition("\n")[0][2:]


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _question(card: BenchmarkCard) -> str:
    task = f"{card.full[0]}_{MINI}"
    config = load_task(task)
    doc = docs_of(config)[0]
    shown = content(config, doc, 0)
    words = "\n".join(part.strip() if isinstance(part, str) else _name(part) for part in shown)
    return (
        f"## A question\n\n![What the question shows]({card.name}.png)\n\nThe first of the bundled sample "
        f"(`tempbench show {task} --doc 0`), as a model gets it:\n\n````text\n{words}\n````\n\n"
        f"A right reply: `{doc['target'].splitlines()[0]}`{' ...' if chr(10) in doc['target'] else ''}"
    )


def _name(part: Any) -> str:
    return f"[picture, {part.width} x {part.height}]" if is_picture(part) else "[video]"


def _cost(card: BenchmarkCard) -> str:
    task, calls = card.full
    config = load_task(f"{task}_{MINI}")
    found = cost.shown(_questions(card.name, LOOKED_AT))
    limit = config["generation_kwargs"]["max_new_tokens"]
    tokens = found.tokens_at_size
    prompt, reply = cost.PRICES
    width, height = cost.SIZE
    lines = [
        "## Size and cost",
        f"`{task}` asks **{calls:,} questions** at the paper's size; each is one call. `tempbench tasks {card.name}` "
        "counts yours.",
        "| what | formula | example |\n|---|---|---|",
        f"| tokens of a prompt | letters / {cost.LETTERS} + pictures · p + videos · v | "
        f"{found.letters:,.0f} letters, {found.pictures:.1f} pictures, {found.videos:.1f} videos: "
        f"**{tokens:,.0f}** where each has {width} x {height} pixels, {found.tokens:,.0f} in the bundled sample |",
        f"| tokens of a run | calls · (prompt + reply) | {calls:,} · ({tokens:,.0f} + {cost.REPLY}) = "
        f"**{calls * (tokens + cost.REPLY) / 1e6:,.1f} million** |",
        *map(lambda model: _hours(calls, tokens, model), cost.models()),
        f"| price of an API | calls · (prompt · a + reply · b) / 1,000,000 | a = {prompt:g} $, b = {reply:g} $: "
        f"**{cost.dollars(calls, tokens):,.2f} $** |",
        "",
    ]
    table = "\n".join([*lines[2:]])
    return "\n\n".join([*lines[:2], table.strip(), _assumptions(limit), _data(card.name)])


def _hours(calls: int, tokens: float, model: str) -> str:
    speed = cost.nearest(tokens, model)
    return (
        f"| hours of one H100, {model} | calls · (s · prompt / {speed.tokens:,} + reply · t) / 3,600 | "
        f"s = {speed.first:g} s, t = {speed.more * 1000:g} ms: "
        f"**{cost.gpu_hours(calls, tokens, speed):,.1f}** |"
    )


def _assumptions(limit: int) -> str:
    (low, high), (low_frame, high_frame) = cost.PICTURE, cost.FRAME
    return (
        f"p is width · height / {cost.PATCH}, from {low} to {high:,}, and v is {cost.FRAMES // 2} times that, from "
        f"{low_frame} to {high_frame}: a runner that takes {cost.FRAMES} frames of a video, two a position, as "
        f"`qwen2_5_vl` does. s and t are [measured](../performance.md#how-long-models-of-published-sizes-take-for-"
        "a-question-on-one-gpu), one question at a time; an engine such as vLLM takes a fraction. "
        f"Assumed, so put in your own: {cost.LETTERS} letters a token, replies of {cost.REPLY} tokens (the limit is "
        f"{limit:,}; models that think use it), the size of pictures, and both prices for a million tokens."
    )


def _data(name: str) -> str:
    """Returns the rows of docs/data.md on a benchmark."""
    lines = (ROOT / "docs/data.md").read_text(encoding="utf-8").splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("| source | benchmark |"))
    rows = [line for line in lines[start + 2 :] if re.match(rf"\|[^|]*\|[^|]*`{name}`", line)]
    if not rows:
        return ""
    table = "\n".join([lines[start], lines[start + 1], *rows])
    return f"What the data takes ([all sources](../data.md)):\n\n{relinked(table, 'docs/data.md', f'benchmarks/{name}.md')}"


def _metrics(name: str) -> str:
    metrics = importlib.import_module(f"tempbench_lmms.{name}.scoring").METRICS
    lines = [
        f"| {_listed(of)} | {of[0].better} | {_cell(words)} |"
        for words, of in _by_words(metrics.rows).items()
        if words
    ]
    if not lines:
        return ""
    return (
        "## The metrics' functions\n\nFrom their docstrings. A name of a part, such as a kind of question, after a "
        "metric's name is that metric of this part.\n\n| metric | better | |\n|---|---|---|\n" + "\n".join(lines)
    )


def _listed(rows: Sequence[Row]) -> str:
    names = list(dict.fromkeys(row.name for row in rows))
    return ", ".join(f"`{name}`" for name in names[:3]) + (" ..." if len(names) > 3 else "")


def _by_words(rows: Sequence[Row]) -> dict[str, list[Row]]:
    out: dict[str, list[Row]] = {}
    for row in rows:
        out.setdefault((inspect.getdoc(row.metric) or "").partition("\n\n")[0], []).append(row)
    return out


def _sources(card: BenchmarkCard) -> str:
    lines = [
        f"| [{source.name}]({source.url}) | {_cell(source.licence)} | "
        f"{'yes' if source.redistributable else 'no'}{f', without {source.withheld}' if source.withheld else ''} |"
        for source in card.sources
    ]
    head = "## Sources and licences\n\n| source | licence | a converted copy may be published |\n|---|---|---|\n"
    return head + "\n".join(lines)


def _contradictions(name: str, here: str) -> str:
    """Returns the sections of a benchmark's page on fidelity that name contradictions, and a link to it."""
    file = f"docs/fidelity/{name}.md"
    if not (ROOT / file).is_file():
        return ""
    found = list(_of_contradictions((ROOT / file).read_text(encoding="utf-8")))
    link = f"[Where paper, code and this package differ](../fidelity/{name}.md) lists everything with what we decided."
    return "\n\n".join(["## Known contradictions", *(relinked(text, file, here) for text in found), link])


def _of_contradictions(markdown: str) -> Iterator[str]:
    for title, text in _sections(markdown)[1].items():
        if "contradict" in title:
            yield text.partition("\n")[2].strip()
