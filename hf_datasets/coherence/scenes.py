"""The moving scenes of the bundled sample: what happens in each frame, and how it is drawn.

A scene of a question is a sequence of states, one a frame. Scenes with different answers to the same question
are made of the same states: a frame tells a state, and only the states' order and number tell the answer.
`families` lists them, so that this can be checked.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PIL import Image, ImageDraw

SIZE = 112
FPS = 10
N_FRAMES = 32

State = tuple[str, int, int]
"""What a frame shows: the kind of scene and two whole numbers."""


@dataclass(frozen=True)
class Family:
    """A question with every answer that its scenes can have.

    Attributes:
        type: TOMATO's reasoning type.
        question: Asked of all its scenes; `{who}` stands for what moves.
        options: By answer: the scenes that have it, each as its states.
        distractors: Answers that no scene here has.
    """

    type: str
    question: str
    options: dict[str, tuple[tuple[State, ...], ...]]
    distractors: tuple[str, ...] = ()


def _stretched(path: Sequence[State], dwell: Sequence[int]) -> tuple[State, ...]:
    """Returns a path whose i-th state lasts dwell[i] frames, cut or held to the length of a clip."""
    frames = [state for state, n in zip(path, dwell, strict=True) for _ in range(n)]
    return tuple((frames + [frames[-1]] * N_FRAMES)[:N_FRAMES])


def _even(path: Sequence[State]) -> tuple[State, ...]:
    """Returns a path walked at an even pace over the whole clip."""
    return tuple(path[min(len(path) - 1, i * len(path) // N_FRAMES)] for i in range(N_FRAMES))


_TURNS = [("dial", angle, 0) for angle in range(0, 360, 15)]


def _rotation() -> Family:
    clockwise = [*_TURNS, *_TURNS[:8]]
    half = _TURNS[:16]
    return Family(
        "rotation",
        "In which direction(s) does {who} rotate?",
        {
            "Clockwise throughout.": (tuple(clockwise),),
            "Counter-clockwise throughout.": (tuple(reversed(clockwise)),),
            "Clockwise then counter-clockwise.": ((*half, *reversed(half)),),
            "Counter-clockwise then clockwise.": ((*reversed(half), *half),),
            "No rotation.": ((_TURNS[5],) * N_FRAMES,),
        },
    )


_ACROSS = [("dot", x, 56) for x in range(24, 89, 4)]
_DOWN = [("dot", 56, y) for y in range(24, 89, 4)]


def _direction() -> Family:
    return Family(
        "direction",
        "In which direction(s) does {who} move?",
        {
            "Right.": (_even(_ACROSS),),
            "Left.": (_even(_ACROSS[::-1]),),
            "First to the right then to the left.": (_even([*_ACROSS, *_ACROSS[::-1]]),),
            "First to the left then to the right.": (_even([*_ACROSS[::-1], *_ACROSS]),),
            "Not moving at all.": ((_ACROSS[8],) * N_FRAMES,),
        },
    )


def _direction_vertical() -> Family:
    return Family(
        "direction",
        "In which direction(s) does {who} move?",
        {
            "Up.": (_even(_DOWN[::-1]),),
            "Down.": (_even(_DOWN),),
            "First up then down.": (_even([*_DOWN[::-1], *_DOWN]),),
            "First down then up.": (_even([*_DOWN, *_DOWN[::-1]]),),
            "Not moving at all.": ((_DOWN[3],) * N_FRAMES,),
        },
    )


_STEPS = [("dot", 20 + 8 * i, 56) for i in range(10)]
_SLOWING = (1, 1, 1, 2, 2, 3, 4, 5, 6, 7)


def _velocity() -> Family:
    return Family(
        "velocity_frequency",
        "What is the speed pattern of {who}?",
        {
            "Accelerating.": (_stretched(_STEPS, _SLOWING[::-1]),),
            "Decelerating.": (_stretched(_STEPS, _SLOWING),),
            "Constant speed.": (_even(_STEPS),),
            "Not moving at all.": ((_STEPS[4],) * N_FRAMES,),
        },
    )


def _frequency() -> Family:
    beats = {"Faster and faster.": (8, 6, 5, 4, 3, 2, 2, 2), "Slower and slower.": (2, 2, 2, 3, 4, 5, 6, 8)}
    return Family(
        "velocity_frequency",
        "How does the rhythm of {who} change?",
        {
            **{
                name: (_stretched([("lamp", i % 2, 0) for i in range(8)], dwell),)
                for name, dwell in beats.items()
            },
            "It does not change.": (_stretched([("lamp", i % 2, 0) for i in range(8)], (4,) * 8),),
            "There is no rhythm.": ((("lamp", 1, 0),) * N_FRAMES,),
        },
    )


_LEFT = [("dot", 24, y) for y in range(24, 89, 8)]
_BOTTOM = [("dot", x, 88) for x in range(24, 89, 8)]
_RIGHT = [("dot", 88, y) for y in range(88, 23, -8)]
_TOP = [("dot", x, 24) for x in range(88, 23, -8)]


def _shape() -> Family:
    square = [*_LEFT, *_BOTTOM[1:], *_RIGHT[1:], *_TOP[1:]]
    return Family(
        "shape_trend",
        "What is the shape that {who} draws in the air?",
        {
            "A square.": (_even(square),),
            "The letter U.": (_even([*_LEFT, *_BOTTOM[1:], *_RIGHT[1:]]),),
            "The letter C.": (_even([*_TOP, *_LEFT[1:], *_BOTTOM[1:]]),),
            "The letter L.": (_even([*_LEFT, *_BOTTOM[1:]]),),
            "A horizontal line.": (_even(_BOTTOM), _even(_BOTTOM[::-1])),
            "Not drawing at all.": ((_LEFT[-1],) * N_FRAMES,),
        },
    )


_GROWING = [("disc", radius, 0) for radius in range(8, 41, 2)]


def _trend() -> Family:
    return Family(
        "shape_trend",
        "What is the trend of the size of {who}?",
        {
            "Growing.": (_even(_GROWING),),
            "Shrinking.": (_even(_GROWING[::-1]),),
            "First growing then shrinking.": (_even([*_GROWING, *_GROWING[::-1]]),),
            "First shrinking then growing.": (_even([*_GROWING[::-1], *_GROWING]),),
            "No change.": ((_GROWING[7],) * N_FRAMES,),
        },
    )


def _cues() -> Family:
    dark, left, right, both = ("pair", 0, 0), ("pair", 1, 0), ("pair", 0, 1), ("pair", 1, 1)
    return Family(
        "visual_cues",
        "Which of the two lights goes on first?",
        {
            "The left one.": (_stretched([dark, left, both, right, dark], (6, 7, 7, 7, 5)),),
            "The right one.": (_stretched([dark, right, both, left, dark], (6, 7, 7, 7, 5)),),
            "Both at the same time.": (_stretched([dark, both, dark], (6, 20, 6)),),
            "Neither goes on.": ((dark,) * N_FRAMES,),
        },
    )


def _count() -> Family:
    off, on = ("lamp", 0, 0), ("lamp", 1, 0)
    return Family(
        "count",
        "How many times does {who} light up throughout the entire video?",
        {str(n): (_stretched([off, on] * n + [off], [2, 2] * n + [2]),) for n in range(1, 7)},
    )


def families() -> list[Family]:
    """Returns every question with all scenes that it can be asked of."""
    return [
        _count(),
        _direction(),
        _direction_vertical(),
        _rotation(),
        _shape(),
        _trend(),
        _velocity(),
        _frequency(),
        _cues(),
    ]


WHO = {
    "human": {
        "dial": "the person's arm",
        "dot": "the person's hand",
        "disc": "the balloon",
        "lamp": "the torch",
    },
    "object": {"dial": "the wheel", "dot": "the ball", "disc": "the ball", "lamp": "the lamp"},
    "simulated": {"dial": "the arrow", "dot": "the square", "disc": "the circle", "lamp": "the square"},
}
_COLOURS = {
    "human": ((235, 228, 214), (60, 60, 70), (200, 70, 50)),
    "object": ((214, 228, 214), (110, 90, 70), (40, 90, 190)),
    "simulated": ((16, 16, 30), (60, 60, 110), (90, 230, 160)),
}


def draw(state: State, scene: str) -> Image.Image:
    """Returns the picture of a state; it depends on nothing else.

    Args:
        state: What to show.
        scene: `human`, `object` or `simulated`: the surroundings.
    """
    ground, line, colour = _COLOURS[scene]
    image = Image.new("RGB", (SIZE, SIZE), ground)
    pen = ImageDraw.Draw(image)
    if scene == "simulated":
        for at in range(0, SIZE, 16):
            pen.line((at, 0, at, SIZE), fill=(26, 26, 46))
            pen.line((0, at, SIZE, at), fill=(26, 26, 46))
    elif scene == "object":
        pen.rectangle((0, 100, SIZE, SIZE), fill=line)
    _DRAWN[state[0]](pen, state[1], state[2], scene, line, colour)
    return image


Colour = tuple[int, int, int]
Pen = ImageDraw.ImageDraw


def _figure(pen: Pen, line: Colour) -> tuple[int, int]:
    """Draws a standing person at the left and returns the place of the shoulder."""
    pen.ellipse((6, 34, 18, 46), outline=line, width=2)
    pen.line((12, 46, 12, 80), fill=line, width=2)
    pen.line((12, 80, 6, 104), fill=line, width=2)
    pen.line((12, 80, 18, 104), fill=line, width=2)
    return 12, 52


def _dial(pen: Pen, angle: int, _: int, scene: str, line: Colour, colour: Colour) -> None:
    from math import cos, radians, sin

    # Screen angles grow clockwise: y points down.
    x, y = 56 + 34 * sin(radians(angle)), 56 - 34 * cos(radians(angle))
    if scene != "human":
        pen.ellipse((18, 18, 94, 94), outline=line, width=3)
    pen.line((56, 56, x, y), fill=colour, width=6)
    pen.ellipse((x - 6, y - 6, x + 6, y + 6), fill=colour)
    pen.ellipse((52, 52, 60, 60), fill=line)


def _dot(pen: Pen, x: int, y: int, scene: str, line: Colour, colour: Colour) -> None:
    if scene == "human":
        pen.line((*_figure(pen, line), x, y), fill=line, width=3)
    if scene == "simulated":
        pen.rectangle((x - 8, y - 8, x + 8, y + 8), fill=colour)
    else:
        pen.ellipse((x - 8, y - 8, x + 8, y + 8), fill=colour)


def _disc(pen: Pen, radius: int, _: int, scene: str, line: Colour, colour: Colour) -> None:
    if scene == "human":
        pen.line((*_figure(pen, line), 56, 56), fill=line, width=3)
    pen.ellipse((56 - radius, 56 - radius, 56 + radius, 56 + radius), fill=colour)


def _lamp(pen: Pen, lit: int, _: int, scene: str, line: Colour, colour: Colour) -> None:
    if scene == "human":
        pen.line((*_figure(pen, line), 56, 66), fill=line, width=3)
    box = (40, 40, 72, 72)
    shape = pen.rectangle if scene == "simulated" else pen.ellipse
    shape(box, fill=(255, 220, 60) if lit else line, outline=colour, width=3)


def _pair(pen: Pen, left: int, right: int, scene: str, line: Colour, colour: Colour) -> None:
    for x, lit in ((34, left), (78, right)):
        pen.ellipse((x - 15, 41, x + 15, 71), fill=(255, 220, 60) if lit else line, outline=colour, width=3)


_DRAWN: dict[str, Callable[[Pen, int, int, str, Colour, Colour], None]] = {
    "dial": _dial,
    "dot": _dot,
    "disc": _disc,
    "lamp": _lamp,
    "pair": _pair,
}
