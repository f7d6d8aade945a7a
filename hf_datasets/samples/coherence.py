"""Renders the bundled sample of temporal coherence: short videos to ask about, and videos to caption.

The clip of a question is a sequence of states, one a frame. Clips with different answers to the same question
are made of the same states: a frame tells a state, and only the states' order and number tell the answer.
`families` lists them, so that this can be checked.
"""

import functools
import itertools
import random
from dataclasses import dataclass
from math import cos, radians, sin
from pathlib import Path

from PIL import Image

from hf_datasets.coherence.rows import caption_rows, question_row
from tempbench_lmms.coherence.card import SCENES
from tempbench_lmms.coherence.features import BENCHMARK, CAPTION_SCHEMA, QA_SCHEMA
from tempbench_lmms.data import tables

from .kit import Canvas, Sample, blocks, encode, media_url, palette

SEED = 20250
SIZE = 112
FPS = 10
N_FRAMES = 32

State = tuple[str, int, int]
"""What a frame shows: the kind of scene and two whole numbers."""


@dataclass(frozen=True)
class Family:
    """A question with every answer that its clips can have."""

    type: str  # TOMATO's reasoning type
    question: str  # asked of all its clips; `{who}` stands for what moves
    options: dict[str, tuple[State, ...]]  # the states of a clip, by its answer


# A path: its name, the kind of scene with its two numbers, what is added from state to state, and how many.
_PATHS = """
turn dial 0,0 15,0 24; right dot 24,56 4,0 17; down dot 56,24 0,4 17; grow disc 8,0 2,0 17;
steps dot 20,56 8,0 10; west dot 24,24 0,8 9; south dot 24,88 8,0 9; east dot 88,88 0,-8 9;
north dot 88,24 -8,0 9; off lamp 0,0 0,0 1; on lamp 1,0 0,0 1; dark pair 0,0 0,0 1; left_one pair 1,0 0,0 1;
right_one pair 0,1 0,0 1; both pair 1,1 0,0 1
"""

# A question's type | the question; then its answers | the paths that are walked, each from one place to
# another one, or backwards (-) | how long each state lasts; without, the pace is even.
_FAMILIES = """
count | How many times does {who} light up throughout the entire video?
    1 | off on off | 2 2 2
    2 | off on off on off | 2 2 2 2 2
    3 | off on off on off on off | 2 2 2 2 2 2 2
    4 | off on off on off on off on off | 2 2 2 2 2 2 2 2 2
    5 | off on off on off on off on off on off | 2 2 2 2 2 2 2 2 2 2 2
    6 | off on off on off on off on off on off on off | 2 2 2 2 2 2 2 2 2 2 2 2 2
direction across | In which direction(s) does {who} move?
    Right. | right
    Left. | -right
    First to the right then to the left. | right -right
    First to the left then to the right. | -right right
    Not moving at all. | right:8:9
direction up | In which direction(s) does {who} move?
    Up. | -down
    Down. | down
    First up then down. | -down down
    First down then up. | down -down
    Not moving at all. | down:3:4
rotation | In which direction(s) does {who} rotate?
    Clockwise throughout. | turn turn:0:8
    Counter-clockwise throughout. | -turn:0:8 -turn
    Clockwise then counter-clockwise. | turn:0:16 -turn:0:16
    Counter-clockwise then clockwise. | -turn:0:16 turn:0:16
    No rotation. | turn:5:6
shape_trend shape | What is the shape that {who} draws in the air?
    A square. | west south:1:9 east:1:9 north:1:9
    The letter U. | west south:1:9 east:1:9
    The letter C. | north west:1:9 south:1:9
    The letter L. | west south:1:9
    A horizontal line. | south
    Not drawing at all. | west:8:9
shape_trend size | What is the trend of the size of {who}?
    Growing. | grow
    Shrinking. | -grow
    First growing then shrinking. | grow -grow
    First shrinking then growing. | -grow grow
    No change. | grow:7:8
velocity_frequency speed | What is the speed pattern of {who}?
    Accelerating. | steps | 7 6 5 4 3 2 2 1 1 1
    Decelerating. | steps | 1 1 1 2 2 3 4 5 6 7
    Constant speed. | steps
    Not moving at all. | steps:4:5
velocity_frequency rhythm | How does the rhythm of {who} change?
    Faster and faster. | off on off on off on off on | 8 6 5 4 3 2 2 2
    Slower and slower. | off on off on off on off on | 2 2 2 3 4 5 6 8
    It does not change. | off on off on off on off on | 4 4 4 4 4 4 4 4
    There is no rhythm. | on
visual_cues | Which of the two lights goes on first?
    The left one. | dark left_one both right_one dark | 6 7 7 7 5
    The right one. | dark right_one both left_one dark | 6 7 7 7 5
    Both at the same time. | dark both dark | 6 20 6
    Neither goes on. | dark
"""


def _path(name: str) -> list[State]:
    _, kind, start, step, n = next(path for path in map(str.split, _PATHS.split(";")) if path[0] == name)
    (a, b), (da, db) = (map(int, pair.split(",")) for pair in (start, step))
    return [(kind, a + i * da, b + i * db) for i in range(int(n))]


def _clip(walked: str, durations: str = "") -> tuple[State, ...]:
    """Returns the states of a clip, cut or held to its length."""
    path: list[State] = []
    for word in walked.split():
        name, *ends = word.removeprefix("-").split(":")
        part = _path(name)[slice(*map(int, ends))] if ends else _path(name)
        path += part[::-1] if word.startswith("-") else part
    if not durations:
        return tuple(path[i * len(path) // N_FRAMES] for i in range(N_FRAMES))
    shown = [state for state, n in zip(path, durations.split(), strict=True) for _ in range(int(n))]
    return tuple((shown + [shown[-1]] * N_FRAMES)[:N_FRAMES])


def families() -> list[Family]:
    """Returns every question with all clips that it can be asked of."""
    found = []
    for name, (question, *lines) in blocks(_FAMILIES).items():
        answers = (line.split(" | ") for line in lines)
        found.append(Family(name.split()[0], question, {answer: _clip(*walk) for answer, *walk in answers}))
    return found


_KINDS = ("dial", "dot", "disc", "lamp")
# What moves in each kind of scene; then the colours, and what is behind.
WHO = blocks("""
human | the person's arm | the person's hand | the balloon | the torch
    ground ebe4d6 line 3c3c46 thing c84632
object | the wheel | the ball | the ball | the lamp
    ground d6e4d6 line 6e5a46 thing 285abe
    box line 0,100 112,112
simulated | the arrow | the square | the circle | the square
    ground 10101e line 3c3c6e thing 5ae6a0
    line 1a1a2e 0,0 0,112 x7,16,0 | 0,0 112,0 x7,0,16
""")
_PERSON = "oval /line 2 12,40 6,6; line line 2 12,46 12,80 | 12,80 6,104 | 12,80 18,104; line line 3 12,52"


@functools.cache  # a question shows most of its states for several frames
def draw(state: State, scene: str) -> Image.Image:
    """Returns the picture of a state in one of `SCENES`; it depends on nothing else."""
    colours, *behind = WHO[scene][len(_KINDS) :]
    canvas = Canvas((SIZE, SIZE), "ground", palette(f"{colours} lit ffdc3c"))
    return canvas.play("; ".join([*behind, _steps(state, scene)]))


def _steps(state: State, scene: str) -> str:
    kind, a, b = state
    if kind == "dial":
        # Screen angles grow clockwise: y points down.
        tip = f"{56 + 34 * sin(radians(a))},{56 - 34 * cos(radians(a))}"
        wheel = "" if scene == "human" else "oval /line 3 56,56 38,38"
        return f"{wheel}; line thing 6 56,56 {tip}; oval thing {tip} 6,6; oval line 56,56 4,4"
    if kind == "pair":
        return "; ".join(f"oval {('line', 'lit')[on]}/thing 3 {x},56 15,15" for x, on in ((34, a), (78, b)))
    x, y, r = {"dot": (a, b, 8), "disc": (56, 56, a), "lamp": (56, 56, 16)}[kind]
    ink = f"{('line', 'lit')[a]}/thing 3" if kind == "lamp" else "thing"
    if scene == "simulated" and kind != "disc":
        return f"box {ink} {x - r},{y - r} {x + r},{y + r}"
    holder = f"{_PERSON} {x},{y + 10 if kind == 'lamp' else y}" if scene == "human" else ""
    return f"{holder}; oval {ink} {x},{y} {r},{r}"


def questions() -> list[tuple[tables.Row, tuple[State, ...], Family]]:
    """Returns the sample's questions, each with the states of its clip and its family."""
    generator, known, shuffled = random.Random(SEED), families(), []
    for family in known:
        shuffled.append([*family.options])
        generator.shuffle(shuffled[-1])
    # One answer of each question in turn.
    turns = itertools.zip_longest(*(answers[::-1] for answers in shuffled))
    asked = [one for turn in turns for one in zip(known, turn, strict=True) if one[1]]
    found = []
    for number, (family, answer) in enumerate(asked):
        states, scene = family.options[answer], SCENES[number % 3]
        kind = states[0][0]
        if kind == "pair" and scene == "human":  # nobody stands between two lights
            scene = "object"
        key, options = f"{family.type}_{number:02d}", [*family.options]
        generator.shuffle(options)
        row = question_row(
            question_id=key,
            kind=family.type,
            scene=scene,
            video=media_url(BENCHMARK, f"{scene}/{key}.mp4"),
            question=family.question.format(who=dict(zip(_KINDS, WHO[scene], strict=False)).get(kind, "")),
            options=options,
            answer=options.index(answer),
        )
        found.append((row, states, family))
    return found


FRAMES_AN_EVENT = 12
_THINGS = palette("red cd322d blue 2d55cd green 289646 yellow e1b928 ground eeeee8 floor 968c7d black 141414")
_SHAPES = {"ball": "oval {0} 0,0 {1},{1}", "square": "box {0} -{1},-{1} {1},{1}",
           "triangle": "poly {0} 0,-{1} -{1},{1} {1},{1}"}  # fmt: skip
_ACTIONS = {"rises": " to the top", "grows": "", "turns": " black", "disappears": "", "blinks": ""}


@dataclass(frozen=True)
class Story:
    """A video to caption: three things standing side by side, two or all of which do something in turn."""

    things: tuple[tuple[str, str], ...]  # (colour, shape) from left to right
    events: tuple[tuple[int, str], ...]  # (number of the thing, action) in the order in which they happen

    def clauses(self) -> list[str]:
        """Returns one clause an event, in order."""
        return [f"the {' '.join(self.things[i])} {action}{_ACTIONS[action]}" for i, action in self.events]

    def caption(self) -> str:
        """Returns a sentence an event, in order."""
        words = ["First, ", *["Then "] * (len(self.events) - 2), "Finally, "]
        return " ".join(f"{word}{clause}." for word, clause in zip(words, self.clauses(), strict=True))

    def frames(self) -> list[Image.Image]:
        """Returns the pictures of the video."""
        return [self._frame(number) for number in range(FRAMES_AN_EVENT * len(self.events) + 4)]

    def _frame(self, frame: int) -> Image.Image:
        canvas = Canvas((SIZE, SIZE), "ground", _THINGS)
        canvas.play("box floor 0,96 112,112")
        turns = {who: (turn, action) for turn, (who, action) in enumerate(self.events)}
        for number, (colour, shape) in enumerate(self.things):
            turn, action = turns.get(number, (0, ""))
            done = min(1.0, max(0.0, (frame - turn * FRAMES_AN_EVENT) / (FRAMES_AN_EVENT - 2)))
            gone = {"disappears": done >= 0.5, "blinks": done < 1 and int(done * 6) % 2 == 1}
            if gone.get(action):
                continue
            ink = "black" if action == "turns" and done > 0.3 else colour
            y, r = 80.0 - 60 * done * (action == "rises"), 10.0 + 8 * done * (action == "grows")
            canvas.play(_SHAPES[shape].format(ink, r), at=((22, 56, 90)[number], y))
        return canvas.image


def stories() -> list[Story]:
    """Returns the sample's twelve stories, of two and three events."""
    generator = random.Random(7)
    every = list(itertools.product(("red", "blue", "green", "yellow"), _SHAPES))
    found: list[Story] = []
    while len(found) < 12:
        things = tuple(generator.sample(every, 3))
        # Things of one colour or shape would make captions ambiguous.
        if any(len(set(names)) < 3 for names in zip(*things, strict=True)):
            continue
        n = 2 + len(found) % 2
        actions = generator.sample([*_ACTIONS], n)
        found.append(Story(things, tuple(zip(generator.sample(range(3), n), actions, strict=True))))
    return found


def captions() -> list[tables.Row]:
    """Returns the rows of the videos to caption, two for each story."""
    listed = stories()
    captions = [story.caption() for story in listed]
    return [
        row
        for i, story in enumerate(listed)
        for row in caption_rows(
            f"story_{i:02d}",
            media_url(BENCHMARK, f"captions/story_{i:02d}.mp4"),
            [captions[i]],
            story.clauses(),
            [captions[(i + step) % len(captions)] for step in range(4)],
        )
    ]


def write(root: Path) -> tables.Row:
    """Renders the videos and writes the tables under `root`; returns the manifest."""
    sample, asked, captioned = Sample(BENCHMARK, root), questions(), captions()
    clips = [(row["video"], [draw(state, row["scene"]) for state in states]) for row, states, _ in asked]
    clips += [(row["video"], story.frames()) for row, story in zip(captioned[::2], stories(), strict=True)]
    for url, images in clips:
        encode(images, sample.file(url), FPS, crf=23, fflags="+bitexact")
    sample.table("qa", [row for row, _, _ in asked], QA_SCHEMA)
    sample.table("caption", captioned, CAPTION_SCHEMA)
    return sample.finish()
