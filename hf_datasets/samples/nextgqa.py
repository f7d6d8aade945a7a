"""Renders the bundled NExT-GQA sample: balls that make lamps light up, one after the other.

Each ball belongs to a lamp, which is lit while the ball moves. One of the lamps lights up twice, so that some
questions have two true segments. Which ball belongs to which lamp, how it moves, and when, is drawn by lot.
"""

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image

from tempbench_lmms.data import tables
from tempbench_lmms.nextgqa import rows
from tempbench_lmms.nextgqa.card import OPTIONS, SPLITS
from tempbench_lmms.nextgqa.features import BENCHMARK, SCHEMA

from .kit import Canvas, Sample, encode, media_url, palette

SEED = 20240
FPS = 5
_N_VIDEOS = dict(zip(SPLITS, (5, 3), strict=True))
_SIZE = (160, 120)
_FLOOR = 104
_COLOURS = palette("red cd322d blue 2d55c8 green 289146 yellow f0c828 purple 823ca0")
_SCENERY = palette("wall 39404d floor 8a7f72 black 000000 off 5d6470 glow fff0b4")
_MOVES = ("jumps", "grows", "shrinks", "rolls to the side and back", "flattens")
_ORDERS = ("abac", "bacab", "abcac", "bcac")
"""Which lamps light up one after the other: one of them twice, and one once that has a neighbour."""


@dataclass(frozen=True)
class Act:
    """A lamp that is lit while its ball moves, from `start` to `end` in seconds."""

    lamp: int
    start: float
    end: float


@dataclass(frozen=True)
class Clip:
    """A video: at each of five places a lamp, and the ball and the move that belong to it."""

    lamps: tuple[str, ...]
    balls: tuple[str, ...]
    moves: tuple[str, ...]
    acts: tuple[Act, ...]
    seconds: int

    def windows(self, lamp: int) -> list[list[float]]:
        """Returns when a lamp is lit."""
        return [[act.start, act.end] for act in self.acts if act.lamp == lamp]


def clip(split: str, number: int) -> Clip:
    """Returns one of the videos of a split, of 12 to 20 seconds."""
    rng = random.Random(f"{SEED} {split} {number}")
    seconds = 12 + 2 * (number % 5)
    names = sorted(_COLOURS)
    places = rng.sample(range(OPTIONS), OPTIONS)
    order = rng.choice(_ORDERS)
    slot = seconds / len(order)
    acts = []
    for i, name in enumerate(order):
        start = round((i + rng.uniform(0.1, 0.25)) * slot * FPS) / FPS
        end = round((i + rng.uniform(0.75, 0.9)) * slot * FPS) / FPS
        acts.append(Act(places["abc".index(name)], start, end))
    return Clip(
        tuple(rng.sample(names, OPTIONS)),
        tuple(rng.sample(names, OPTIONS)),
        tuple(rng.sample(_MOVES, OPTIONS)),
        tuple(acts),
        seconds,
    )


def _ball(colour: str, move: str, x: float, done: float) -> str:
    """Returns the steps of a ball, at a share of its move from 0 to 1."""
    wave, size = math.sin(math.pi * done), 9.0
    grown = {"grows": 1 + 0.6 * wave, "shrinks": 1 - 0.7 * wave}.get(move, 1.0)
    wide, high = size * grown, size * grown * (1 - 0.6 * wave if move == "flattens" else 1)
    x += 6 * math.sin(2 * math.pi * done) if move.startswith("rolls") else 0
    y = _FLOOR - high - (26 * wave if move == "jumps" else 0)
    return f"oval {colour}/black {x},{y} {wide},{high}"


def frame(shown: Clip, time: float) -> Image.Image:
    """Returns the picture at a time in seconds."""
    steps = [f"box floor 0,{_FLOOR} 160,120"]
    for i in range(OPTIONS):
        x = 17 + 31.5 * i
        now = next((act for act in shown.acts if act.lamp == i and act.start <= time < act.end), None)
        done = (time - now.start) / (now.end - now.start) if now else 0.0
        steps += [f"oval glow {x},26 15,15"] if now else []
        # The rim has the lamp's colour also while it is dark.
        steps += [
            f"oval {shown.lamps[i] if now else 'off'} {x},26 9,9; oval /{shown.lamps[i]} 3 {x},26 10,10"
        ]
        steps.append(_ball(shown.balls[i], shown.moves[i], x, done))
    return Canvas(_SIZE, "wall", _COLOURS | _SCENERY).play("; ".join(steps))


def questions(shown: Clip) -> Iterator[tuple[str, str, str, list[str], list[list[float]]]]:
    """Yields type, question, right option, wrong options and true segments of the questions about a video."""
    lamps = [f"the {colour} lamp" for colour in shown.lamps]
    balls = [f"the {colour} ball" for colour in shown.balls]
    twice = max(shown.acts, key=lambda act: len(shown.windows(act.lamp))).lamp
    once = next(i for i, act in enumerate(shown.acts) if len(shown.windows(act.lamp)) == 1)

    def asked(kind: str, text: str, offered: list[str], right: int, windows: list[list[float]]) -> Any:
        return kind, text, offered[right], [one for one in offered if one != offered[right]], windows

    yield asked("CW", f"why does {lamps[twice]} light up", [f"{ball} moves" for ball in balls], twice,
                shown.windows(twice))  # fmt: skip
    act = shown.acts[once]
    moves = [f"it {move}" for move in shown.moves]
    ball = balls[act.lamp]
    yield asked("CH", f"how does {ball} move", moves, act.lamp, shown.windows(act.lamp))
    where = f"while {lamps[act.lamp]} is lit"
    yield asked("TC", f"which ball moves {where}", balls, act.lamp, shown.windows(act.lamp))
    for kind, word, step in (("TN", "after", 1), ("TP", "before", -1)):
        other = once + step
        if 0 <= other < len(shown.acts):
            there = shown.acts[other]
            text = f"which lamp is lit right {word} {lamps[act.lamp]}"
            yield asked(kind, text, lamps, there.lamp, [[there.start, there.end]])


def write(root: Path) -> tables.Row:
    """Renders the videos and writes the tables under `root`; returns the manifest."""
    sample = Sample(BENCHMARK, root)
    for split, n in _N_VIDEOS.items():
        table = []
        for number in range(n):
            shown, video = clip(split, number), f"{SPLITS.index(split) + 1}{number:09d}"
            url = media_url(BENCHMARK, f"{video}.mp4")
            frames = (frame(shown, i / FPS) for i in range(shown.seconds * FPS))
            encode(frames, sample.file(url), FPS)
            for qid, (kind, text, right, wrong, windows) in enumerate(questions(shown)):
                place = (number + qid) % OPTIONS
                random.Random(f"{SEED} {video} {qid}").shuffle(wrong)
                options = [*wrong[:place], right, *wrong[place:]]
                line = {"video_id": video, "qid": str(qid), "question": text, "answer": right, "type": kind}
                line |= {f"a{i}": option for i, option in enumerate(options)}
                table.append(rows.row(line, windows, shown.seconds, url))
        sample.table(split, table, SCHEMA)
    return sample.finish()
