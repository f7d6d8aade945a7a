"""Renders the bundled TempCompass sample: balls that move or change, and their reversed or recombined twins.

A twin shows the same pictures in another order, or the same two events otherwise put together: what a
question asks for is in no single frame.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from tempbench_lmms.data import tables
from tempbench_lmms.tempcompass_pairs import rows
from tempbench_lmms.tempcompass_pairs.features import BENCHMARK, SCHEMA

from .kit import Canvas, Sample, at_time, encode, media_url, palette

SIZE = 96
FPS = 8
N_FRAMES = 16
_COLOURS = palette("red cd322d blue 2d55c8 green 289146 yellow f0c828 ground d8e6f0")
_CAPTIONS = ("Caption A", "Caption B"), ("Option 1", "Option 2"), ("Sentence A", "Sentence B")
_STEMS = (
    "Which caption matches the video better?",
    "Which description is a more suitable match for the video?",
    "Which sentence better captures the essence of the video?",
)

_MOTION = ("direction", "object motion")
_CHANGE = "attribute_change"
_SIZE = "oval green 48,48 8+30t,8+30t"
_COLOUR = "t<0.5 oval red 48,48 20,20; t>0.5 oval blue 48,48 20,20"
_REVERSED = (
    (
        "101",
        _MOTION,
        "red ball",
        "oval red 16+64t,48 11,11",
        "moving from left to right / from right to left",
    ),
    ("102", _MOTION, "blue ball", "oval blue 48,80-64t 11,11", "moving up / down"),
    ("103", (_CHANGE, "size & shape change"), "green ball", _SIZE, "getting larger / smaller"),
    (
        "104",
        (_CHANGE, "color & light change"),
        "ball",
        _COLOUR,
        "turning from red to blue / from blue to red",
    ),
)
"""Clips with a twin that runs backwards: name, aspect, subject, what is drawn, what it does forth / back."""


@dataclass(frozen=True)
class Twins:
    """Clips of one origin, and what is asked about all of them.

    Attributes:
        aspect: Of time, as in the release.
        detail: The finer one.
        subject: What is asked about.
        asks: The multiple-choice question.
        clips: By name what is drawn at a time from 0 to 1 (`kit.at_time`), and what the subject is doing.
        wrong: What it is doing in none of them.
    """

    aspect: str
    detail: str
    subject: str
    asks: str
    clips: dict[str, tuple[str, str]]
    wrong: tuple[str, ...] = ()


def _order() -> dict[str, tuple[str, str]]:
    """Returns two balls that rise: at once, the red one first, the blue one first."""
    at_once = "oval red 30,80-60t 9,9; oval blue 66,80-60t 9,9"
    first = "t<0.5 oval {0} {1},80-120t 9,9; t>0.5 oval {0} {1},20 9,9"
    second = "t<0.5 oval {0} {1},80 9,9; t>0.5 oval {0} {1},140-120t 9,9"
    red, blue = ("red", 30), ("blue", 66)
    return {
        "105_106_0": (at_once, "rising together with the blue ball"),
        "105_106_1": (f"{first.format(*red)}; {second.format(*blue)}", "rising before the blue ball"),
        "105_106_2": (f"{first.format(*blue)}; {second.format(*red)}", "rising after the blue ball"),
    }


def _speed() -> dict[str, tuple[str, str]]:
    """Returns two balls, one above the other: both fast, the upper one slower, the lower one slower."""
    steps = "oval green 14+{}t,30 9,9; oval yellow 14+{}t,66 9,9"
    return {
        "107_concat_0": (steps.format(68, 68), "moving as fast as the yellow ball"),
        "107_concat_1": (steps.format(26, 68), "moving slower than the yellow ball"),
        "107_concat_2": (steps.format(68, 26), "moving faster than the yellow ball"),
    }


def scenes() -> list[Twins]:
    """Returns what the sample shows and asks."""
    found = []
    for name, (aspect, detail), subject, steps, does in _REVERSED:
        verb, ways = does.split(" ", 1)
        forth, back = (f"{verb} {way}" for way in ways.split(" / "))
        clips = {name: (steps, forth), f"{name}_reverse": (steps, back)}
        asks = f"What is the {subject} doing in the video?"
        found.append(Twins(aspect, detail, subject, asks, clips, ("standing still",)))
    bounces = "t<0.5 oval yellow 48,80-120t 10,10; t>0.5 oval yellow 48,-40+120t 10,10"
    return [
        *found,
        Twins("order", "order", "red ball", "When is the red ball rising?", _order()),
        Twins("speed", "relative speed", "green ball", "How fast is the green ball?", _speed()),
        Twins(
            "action",
            "coarse-grained action",
            "yellow ball",
            "What is the yellow ball doing in the video?",
            {"108": (bounces, "moving up and down")},
            ("standing still", "moving from left to right"),
        ),
    ]


def frames(twins: Twins, name: str) -> list[Image.Image]:
    """Returns the pictures of a clip."""
    steps, _ = twins.clips[name]
    out = []
    for number in range(N_FRAMES):
        canvas = Canvas((SIZE, SIZE), "ground", _COLOURS)
        out.append(canvas.play(at_time(steps, number / (N_FRAMES - 1))))
    return out[::-1] if name.endswith("_reverse") else out


def _multiple_choice(twins: Twins) -> Iterator[tuple[str, str, str]]:
    said = [doing for _, doing in twins.clips.values()] + list(twins.wrong)
    random.Random(twins.asks).shuffle(said)
    options = [f"{letter}. {doing}" for letter, doing in zip("ABCD", said, strict=False)]
    for name, (_, doing) in twins.clips.items():
        yield name, "\n".join([twins.asks, *options]), options[said.index(doing)]


def _yes_no(twins: Twins) -> Iterator[tuple[str, str, str]]:
    for asked in [doing for _, doing in twins.clips.values()] + list(twins.wrong):
        for name, (_, doing) in twins.clips.items():
            yield name, f"Is the {twins.subject} {asked}?", "yes" if asked == doing else "no"


def _captions(twins: Twins) -> Iterator[tuple[str, str, str]]:
    """Yields two captions for each pair of clips, or of a clip and what is wrong, asked about each."""
    said = {doing: name for name, (_, doing) in twins.clips.items()} | dict.fromkeys(twins.wrong, "")
    pairs = [(one, other) for i, one in enumerate(said) for other in list(said)[i + 1 :]]
    for number, pair in enumerate(pairs):
        shown = pair[:: -1 if number % 2 else 1]
        lines = [
            f"{label}: The {twins.subject} is {doing}."
            for label, doing in zip(_CAPTIONS[number % 3], shown, strict=True)
        ]
        for doing, line in zip(shown, lines, strict=True):
            if said[doing]:
                yield said[doing], "\n".join([_STEMS[number % 3], *lines]), line


def questions() -> list[tables.Row]:
    """Returns the rows of all questions, those of a group beside each other."""
    out = []
    for kind, ask in (
        ("multi_choice", _multiple_choice),
        ("yes_no", _yes_no),
        ("caption_matching", _captions),
    ):
        for twins in scenes():
            content: dict[str, dict[str, list[dict[str, str]]]] = {}
            for name, question, answer in ask(twins):
                entry = {"question": question, "answer": answer}
                content.setdefault(name, {twins.aspect: []})[twins.aspect].append(entry)
            for key, one in rows.questions_of(kind, content):
                url = media_url(BENCHMARK, f"{one['clip']}.mp4")
                out.append(rows.row(key, one, twins.detail, url))
    return rows.grouped(out)


def write(root: Path) -> tables.Row:
    """Renders the clips and writes the table under `root`; returns the manifest."""
    sample = Sample(BENCHMARK, root)
    for twins in scenes():
        for name in twins.clips:
            url = media_url(BENCHMARK, f"{name}.mp4")
            encode(frames(twins, name), sample.file(url), FPS, crf=26, fflags="+bitexact")
    sample.table("questions", questions(), SCHEMA)
    return sample.finish()
