"""Writes the bundled sample: `python -m hf_datasets.coherence.mini`."""

import random
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from tempbench_lmms.coherence.card import SCENES
from tempbench_lmms.coherence.features import BENCHMARK, CAPTION_SCHEMA, QA_SCHEMA
from tempbench_lmms.data import roots, tables

from . import scenes, stories
from .rows import caption_rows, question_row

SEED = 20250
_ITEMS = 48


def _url(path: str) -> str:
    return f"{roots.SCHEME}{BENCHMARK}/{roots.MINI}/media/{path}"


def write_video(pictures: Iterable[Any], path: Path) -> None:
    """Writes pictures as an H.264 MP4, the same bytes each time."""
    import av

    path.parent.mkdir(parents=True, exist_ok=True)
    with av.open(str(path), "w", options={"fflags": "+bitexact"}) as container:
        stream = container.add_stream("libx264", rate=scenes.FPS)
        stream.width = stream.height = scenes.SIZE
        stream.pix_fmt = "yuv420p"
        stream.options = {"crf": "23", "preset": "veryslow", "threads": "1"}
        for number, picture in enumerate(pictures):
            frame = av.VideoFrame.from_ndarray(np.asarray(picture), format="rgb24")
            frame.pts, frame.time_base = number, Fraction(1, scenes.FPS)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())


def questions() -> list[tuple[tables.Row, tuple[scenes.State, ...], scenes.Family]]:
    """Returns the sample's questions, each with the states of its clip and its family."""
    generator = random.Random(SEED)
    told = scenes.families()
    left = {id(family): [*family.options] for family in told}
    for answers in left.values():
        generator.shuffle(answers)
    found: list[tuple[tables.Row, tuple[scenes.State, ...], scenes.Family]] = []
    number = 0
    while len(found) < _ITEMS and any(left.values()):
        family = told[number % len(told)]
        number += 1
        if not left[id(family)]:
            continue
        answer = left[id(family)].pop()
        states = family.options[answer][0]
        scene = SCENES[len(found) % 3]
        if states[0][0] == "pair" and scene == "human":  # nobody stands between two lights
            scene = "object"
        key = f"{family.type}_{len(found):02d}"
        options = [*family.options]
        generator.shuffle(options)
        row = question_row(
            question_id=key,
            kind=family.type,
            scene=scene,
            video=_url(f"{scene}/{key}.mp4"),
            question=family.question.format(who=scenes.WHO[scene].get(states[0][0], "")),
            options=options,
            answer=options.index(answer),
        )
        found.append((row, states, family))
    return found


def captions() -> list[tuple[list[tables.Row], stories.Story]]:
    """Returns the rows of each video to caption, with its story."""
    told = stories.stories()
    every = [story.caption() for story in told]
    out = []
    for number, story in enumerate(told):
        key = f"story_{number:02d}"
        rows = caption_rows(
            key,
            _url(f"captions/{key}.mp4"),
            story.caption(),
            story.told(),
            [story.caption(), *_others(every, number)],
        )
        out.append((rows, story))
    return out


def _others(every: list[str], number: int) -> list[str]:
    return [every[(number + step) % len(every)] for step in (1, 2, 3)]


def write(root: Path) -> dict[str, int]:
    """Renders the videos and writes the tables under `root`.

    Returns:
        The number of rows of each table.
    """
    asked, captioned = questions(), captions()
    for row, states, _ in asked:
        path = root / row["video"].split(f"/{roots.MINI}/")[1]
        write_video((scenes.draw(state, row["scene"]) for state in states), path)
    for rows, story in captioned:
        path = root / rows[0]["video"].split(f"/{roots.MINI}/")[1]
        write_video((stories.draw(story, frame) for frame in range(stories.n_frames(story))), path)
    tables.write_rows((row for row, _, _ in asked), root / "qa" / "test.parquet", QA_SCHEMA)
    caption_table = [row for rows, _ in captioned for row in rows]
    tables.write_rows(caption_table, root / "caption" / "test.parquet", CAPTION_SCHEMA)
    counts = {"qa": len(asked), "caption": len(caption_table)}
    tables.write_sample_manifest(root, BENCHMARK, counts)
    return counts


if __name__ == "__main__":
    print(write(roots.mini_root(BENCHMARK)))
