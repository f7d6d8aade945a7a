"""Renders the bundled TimeBlind sample: pairs of short videos that differ in time alone.

Both videos of an instance show the same things in the same places; what happens to them, when, how often or
how fast is different. Each of the eleven tags has an instance with Yes and No; some have another one with A
and B, whose second question has the options in the other order.
"""

import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tempbench_lmms.data import tables
from tempbench_lmms.timeblind import rows
from tempbench_lmms.timeblind.card import SIZE, TAGS
from tempbench_lmms.timeblind.features import BENCHMARK, SCHEMA

from .kit import Canvas, Sample, encode, media_url, palette

SEED = 20260
SIDE = 112
FPS = 10
N_FRAMES = 30
_COLOURS = palette("ground e8e4da floor 96887a wall 50505a off 5a5a64 lit ffd23c thing c83c32 box 3c6eb4")

State = dict[str, float]
"""What is to be seen: `x` and `y` of the ball, its radius `r`, and the two lamps, `left` and `right`."""


@dataclass(frozen=True)
class Twins:
    """An instance: what is true of its first video and not of its second one, and the other way round.

    Attributes:
        questions: Answered Yes of the first, and of the second video alone.
        statements: The same as options.
        videos: Each gives what is to be seen at a time from 0 to 1.
        lettered: Whether it is also asked with letters.
    """

    questions: tuple[str, str]
    statements: tuple[str, str]
    videos: tuple[Callable[[float], State], Callable[[float], State]]
    lettered: bool = False


def _ball(x: float, y: float = 84.0, r: float = 9.0) -> State:
    return {"x": x, "y": y, "r": r}


def _between(t: float, start: float, end: float) -> float:
    """Returns how much of a stretch of time has gone by, from 0 to 1."""
    return min(1.0, max(0.0, (t - start) / (end - start)))


def _across(start: float, end: float, one: float = 16.0, other: float = 94.0) -> Callable[[float], State]:
    return lambda t: _ball(one + (other - one) * _between(t, start, end))


def _lamp(*on: tuple[float, float], side: str = "left") -> Callable[[float], State]:
    return lambda t: {side: float(any(start <= t < end for start, end in on))}


def _both(left: tuple[float, float], right: tuple[float, float]) -> Callable[[float], State]:
    return lambda t: {**_lamp(left)(t), **_lamp(right, side="right")(t)}


def _hit(back: float) -> Callable[[float], State]:
    """Returns a ball that rolls to the wall on the right and comes back by so many pixels."""
    return lambda t: _ball(16 + 72 * _between(t, 0.1, 0.5) - back * math.sqrt(_between(t, 0.5, 0.9)))


def _there_and_back(turn: float) -> Callable[[float], State]:
    return lambda t: _ball(16 + 78 * (_between(t, 0.05, turn) - _between(t, turn, 0.95)))


def _button(lit: float) -> Callable[[float], State]:
    """Returns a ball that touches the box at 0.55, and a lamp that goes on at a time."""
    return lambda t: {**_ball(16 + 60 * _between(t, 0.1, 0.55)), **_lamp((lit, 2))(t), "box": 1.0}


INSTANCES: dict[str, Twins] = {
    "State_Transition": Twins(
        ("Does the lamp go on during the video?", "Does the lamp go off during the video?"),
        ("The lamp goes on.", "The lamp goes off."),
        (_lamp((0.5, 2)), _lamp((-1, 0.5))),
        lettered=True,
    ),
    "Fine-Grained_Actions": Twins(
        ("Does the ball hop across the floor?", "Does the ball roll across the floor without hopping?"),
        ("The ball hops.", "The ball rolls."),
        (
            lambda t: _ball(16 + 78 * t, 84 - 26 * abs(math.sin(4 * math.pi * t))),
            lambda t: _ball(16 + 78 * t),
        ),
    ),
    "Direction": Twins(
        ("Does the ball move from left to right?", "Does the ball move from right to left?"),
        ("The ball moves to the right.", "The ball moves to the left."),
        (_across(0.1, 0.9), _across(0.1, 0.9, 94, 16)),
        lettered=True,
    ),
    "Speed": Twins(
        ("Does the ball cross the floor in a rush?", "Does the ball cross the floor slowly?"),
        ("The ball moves quickly.", "The ball moves slowly."),
        (_across(0.45, 0.6), _across(0.02, 0.98)),
    ),
    "Force": Twins(
        (
            "Does the ball bounce far back from the wall?",
            "Does the ball stop close to the wall after the hit?",
        ),
        ("It is a hard hit.", "It is a soft hit."),
        (_hit(60), _hit(6)),
    ),
    "Duration": Twins(
        ("Is the lamp lit for most of the video?", "Is the lamp lit for a moment only?"),
        ("The lamp is lit for long.", "The lamp is lit for a moment."),
        (_lamp((0.1, 0.9)), _lamp((0.45, 0.58))),
        lettered=True,
    ),
    "Magnitude": Twins(
        ("Does the ball grow to several times its size?", "Does the ball grow by a little only?"),
        ("The ball grows a lot.", "The ball grows a little."),
        (
            lambda t: _ball(56, 56, 9 + 26 * _between(t, 0.1, 0.9)),
            lambda t: _ball(56, 56, 9 + 4 * _between(t, 0.1, 0.9)),
        ),
    ),
    "Repetition": Twins(
        ("Does the lamp light up exactly twice?", "Does the lamp light up exactly three times?"),
        ("The lamp lights up twice.", "The lamp lights up three times."),
        (_lamp((0.2, 0.4), (0.6, 0.8)), _lamp((0.1, 0.25), (0.4, 0.55), (0.7, 0.85))),
    ),
    "Temporal_Relation": Twins(
        (
            "Does the left lamp go on before the right lamp?",
            "Does the right lamp go on before the left lamp?",
        ),
        ("The left lamp is first.", "The right lamp is first."),
        (_both((0.2, 2), (0.6, 2)), _both((0.6, 2), (0.2, 2))),
        lettered=True,
    ),
    "Cross-Event_Comparison": Twins(
        (
            "Is the ball faster on its way to the right than on its way back?",
            "Is the ball slower on its way to the right than on its way back?",
        ),
        ("The way to the right is faster.", "The way back is faster."),
        (_there_and_back(0.25), _there_and_back(0.75)),
    ),
    "Causal_Contingency": Twins(
        (
            "Does the lamp go on when the ball touches the box?",
            "Does the lamp go on while the ball has not reached the box yet?",
        ),
        ("The touch turns the lamp on.", "The lamp goes on by itself."),
        (_button(0.58), _button(0.25)),
    ),
}


def draw(state: State) -> Any:
    """Returns the picture of a state; it depends on nothing else."""
    steps = ["box floor 0,94 112,112", "box wall 104,30 112,94"]
    for side, x in (("left", 34), ("right", 78)):
        if side in state:
            steps.append(f"oval {('off', 'lit')[int(state[side])]}/wall 3 {x},34 15,15")
    if "box" in state:
        steps.append("box box/wall 86,74 102,93")
    if "x" in state:
        steps.append(f"oval thing/wall {state['x']},{state['y']} {state['r']},{state['r']}")
    return Canvas((SIDE, SIDE), "ground", _COLOURS).play("; ".join(steps))


def _records(first: int, tag: str, twins: Twins, lettered: bool) -> list[dict[str, Any]]:
    """Returns an instance's records in the form of the release."""
    questions = list(twins.questions)
    if lettered:
        one, other = twins.statements
        stem = "Which of the two describes the video?"
        questions = [f"{stem} Option A: {a} Option B: {b}" for a, b in ((one, other), (other, one))]
    answers = ("A", "B") if lettered else ("yes", "no")
    return [
        {
            "index": first + place,
            "video_path": f"TimeBlind/videos/{_file(tag, place % 2)}",
            "question": questions[place // 2],
            "answer": answers[place in (1, 2)],
            "type": "multiple_choice" if lettered else "yes_no",
        }
        for place in range(SIZE)
    ]


def _file(tag: str, video: int) -> str:
    return f"{TAGS[tag]}_{video}.mp4"


def questions() -> list[tables.Row]:
    """Returns the sample's questions; the instances' order is drawn by lot."""
    asked = [(tag, False) for tag in INSTANCES] + [
        (tag, True) for tag, one in INSTANCES.items() if one.lettered
    ]
    random.Random(SEED).shuffle(asked)
    found = []
    for number, (tag, lettered) in enumerate(asked):
        for record in _records(SIZE * number, tag, INSTANCES[tag], lettered):
            name = rows.video_name(record["video_path"])
            found.append({**rows.row(record, tag), "video": media_url(BENCHMARK, name)})
    return found


def write(root: Path) -> tables.Row:
    """Renders the videos and writes the table under `root`; returns the manifest."""
    sample = Sample(BENCHMARK, root)
    for tag, twins in INSTANCES.items():
        for number, video in enumerate(twins.videos):
            images = [draw(video(frame / (N_FRAMES - 1))) for frame in range(N_FRAMES)]
            encode(images, sample.file(media_url(BENCHMARK, _file(tag, number))), FPS, 23, fflags="+bitexact")
    sample.table("test", questions(), SCHEMA)
    return sample.finish()
