"""Changes inputs or replies in the way that faulty wrappers do.

If only replies can be seen, the check names the fault that would make a seeing model reply in this way
(`replies.explained`). `check-model --selftest` plants the faults into a seeing model.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tempbench_lmms.check.inputs import Inputs, Part, Picture, Text, Video
from tempbench_lmms.check.texts import CHANGES
from tempbench_lmms.media import codes

Batch = Sequence[Inputs]
Change = Callable[[Batch], Batch]
Several = list[Any]


def on_pictures(change: Callable[[Several], Several]) -> Change:
    """Returns the function that changes each question's list of pictures; the rest go to the end."""

    def one(inputs: Inputs) -> Inputs:
        left = list(change([part for part in inputs.parts if isinstance(part, Picture)]))
        parts: list[Part] = []
        for part in inputs.parts:
            if not isinstance(part, Picture):
                parts.append(part)
            elif left:
                parts.append(left.pop(0))
        return replace(inputs, parts=(*parts, *left))

    return lambda batch: [one(inputs) for inputs in batch]


def on_parts(kind: type[Any], change: Callable[[Any], Part | None]) -> Change:
    """Returns the function that changes each part of a kind; None drops it."""

    def parts(inputs: Inputs) -> tuple[Part, ...]:
        return tuple(
            filter(None, (change(part) if isinstance(part, kind) else part for part in inputs.parts))
        )

    return lambda batch: [replace(inputs, parts=parts(inputs)) for inputs in batch]


def on_texts(change: Callable[[str], str]) -> Change:
    """Returns the function that changes each piece of text."""
    return on_parts(Text, lambda part: Text(change(part.text), part.role))


def on_each(change: Callable[[Picture], Picture]) -> Change:
    """Returns the function that changes each picture and frame."""

    def changed(part: Any) -> Any:
        return (
            change(part)
            if isinstance(part, Picture)
            else replace(part, frames=tuple(map(change, part.frames)))
        )

    return on_parts((Picture, Video), changed)  # type: ignore[arg-type]


def _recoloured(change: Callable[[Sequence[float]], Sequence[float]]) -> Change:
    """Returns the function that gives pictures the colours seen after a change of their channels."""
    names = {name: codes.colour_of(change(rgb)) for name, rgb in codes.COLOURS.items()}

    def one(shown: Picture) -> Picture:
        return replace(shown, cards=tuple(replace(card, colour=names[card.colour]) for card in shown.cards))

    return on_each(one)


def _turned(how: str) -> Change:
    return on_each(lambda shown: replace(shown, turned=how))


def frames(choose: Callable[[int], Iterable[int]]) -> Change:
    """Returns the function that chooses frames, with their times, by their places."""

    def change(video: Video) -> Video:
        shown, times = video.frames or (), video.times
        places = list(choose(len(shown)))
        own = tuple(times[i] for i in places) if times and len(times) == len(shown) else times
        return replace(video, frames=tuple(shown[i] for i in places), times=own)

    return on_parts(Video, change)


def _timed(by: float = 1, plus: float = 0) -> Change:
    """Returns the function that changes the times."""
    return on_parts(
        Video,
        lambda video: replace(video, times=video.times and tuple(by * time + plus for time in video.times)),
    )


def blank(shown: Picture) -> Picture:
    """Returns a picture that shows nothing."""
    return Picture(np.zeros((*shown.size, 3), np.uint8), shown.tokens, (), shown.size, True)


def _leaked(batch: Batch) -> Batch:
    """Each question of a batch gets the pictures of the one before it that has as many, or its video."""
    out: list[Inputs] = []
    last: dict[Any, list[Part]] = {}
    for inputs in batch:
        mine: list[Part] = [part for part in inputs.parts if not isinstance(part, Text)]
        kind = (len(mine), any(isinstance(part, Video) for part in mine))
        others = list(last.get(kind, mine))
        last[kind] = mine
        parts = (part if isinstance(part, Text) else others.pop(0) for part in inputs.parts)
        out.append(replace(inputs, parts=tuple(parts)))
    return out


def _some(choose: Callable[[Several], Several]) -> Change:
    return on_pictures(lambda shown: choose(shown) if len(shown) > 1 else shown)


OF_INPUTS: list[tuple[str, Change]] = [
    ("images reversed", _some(lambda shown: shown[::-1])),
    ("images swapped", _some(lambda shown: [*shown[:1], *shown[3:4], *shown[2:3], *shown[1:2], *shown[4:]])),
    ("images swapped", _some(lambda shown: [shown[-1], *shown[1:-1], shown[0]])),
    ("images swapped", _some(lambda shown: [*shown[1::-1], *shown[2:]])),
    ("images swapped", _some(lambda shown: [*shown[:1], *shown[2:3], *shown[1:2], *shown[3:]])),
    ("images swapped", _some(lambda shown: [*shown[:-2], *shown[:-3:-1]])),
    ("images in another order", _some(lambda shown: [*shown[1:], *shown[:1]])),
    ("images in another order", _some(lambda shown: [*shown[-1:], *shown[:-1]])),
    ("images dropped", _some(lambda shown: shown[:-1])),
    ("images dropped", _some(lambda shown: shown[1:])),
    ("images dropped", _some(lambda shown: [*shown[: len(shown) // 2], *shown[len(shown) // 2 + 1 :]])),
    ("images dropped", _some(lambda shown: shown[:1])),
    ("images dropped", _some(lambda shown: shown[::2])),
    ("images dropped", on_pictures(lambda shown: [])),
    ("images doubled", _some(lambda shown: [*shown, *shown[-1:]])),
    ("images doubled", _some(lambda shown: [*shown[:1], *shown])),
    ("images doubled", _some(lambda shown: shown[:1] * len(shown))),
    ("blank images", on_parts(Picture, blank)),
    ("blank images", on_each(blank)),
    ("images of another question", _leaked),
    ("channels swapped", _recoloured(lambda rgb: rgb[::-1])),
    ("channels swapped", _recoloured(lambda rgb: [*rgb[1:], rgb[0]])),
    ("channels swapped", _recoloured(lambda rgb: [rgb[2], *rgb[:2]])),
    ("inverted", _recoloured(lambda rgb: [255 - one for one in rgb])),
    ("grey", _recoloured(lambda rgb: [0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2]] * 3)),
    *((name.partition(" to ")[0], _turned(name)) for name in codes.TURNS if name != "inverted"),
    ("prompt cut", on_texts(lambda text: text[:900])),
    ("prompt cut", on_texts(lambda text: text[:1800])),
    ("prompt begins later", on_texts(lambda text: text[-900:])),
    *((name, on_texts(change)) for name, changes in sorted(CHANGES.items()) for change in changes),
    ("system message dropped", on_parts(Text, lambda part: part if part.role == "user" else None)),
    ("no times", on_parts(Video, lambda video: replace(video, times=None))),
    *(("wrong times", _timed(by)) for by in (0.5, 2, 1 / 3, 1.5, 0.75, 0.3)),
    *(("wrong times", _timed(1, plus)) for plus in (1, 2, 3, 5)),
    ("video dropped", on_parts(Video, lambda video: None)),
    ("video as one frame", frames(lambda n: [n // 2])),
    ("video as one frame", frames(lambda n: [0])),
    ("video as one frame", frames(lambda n: [n - 1])),
    ("part of a video", frames(lambda n: range(n // 2))),
    ("part of a video", frames(lambda n: range(n // 2, n))),
    ("part of a video", frames(lambda n: range(n // 3, n))),
    ("few frames", frames(lambda n: sorted({round(i * (n - 1) / 3) for i in range(4)}))),
    ("few frames", frames(lambda n: sorted({0, n // 2, n - 1}))),
    ("few frames", frames(lambda n: [0, n - 1])),
    ("frames reversed", frames(lambda n: range(n)[::-1])),
    ("frames reversed", on_parts(Video, lambda video: replace(video, frames=(video.frames or ())[::-1]))),
    ("frames unevenly spread", frames(lambda n: [*range(n // 2), n - 1])),
]
"""By the fault's name: how it changes the inputs of the questions of a call."""

Replies = Callable[[Batch, list[str]], list[str]]


def _sorted(key: Callable[[Inputs], int], back: bool = False) -> Replies:
    """Returns the function that puts replies into the order of sorted questions."""

    def change(batch: Batch, replies: list[str]) -> list[str]:
        order = sorted(range(len(batch)), key=lambda i: key(batch[i]), reverse=back)
        return [replies[i] for i in order]

    return change


def _kept(batch: Batch, replies: list[str]) -> list[str]:
    first: dict[str, str] = {}
    return [first.setdefault(inputs.text, reply) for inputs, reply in zip(batch, replies, strict=True)]


OF_REPLIES: list[tuple[str, Replies]] = [
    ("reply of another question", _sorted(lambda inputs: len(inputs.text))),
    ("reply of another question", _sorted(lambda inputs: len(inputs.text), back=True)),
    ("reply of another question", _sorted(lambda inputs: len(inputs.parts))),
    ("reply of another question", lambda batch, replies: replies[::-1]),
    ("reply of another question", lambda batch, replies: [*replies[-1:], *replies[:-1]]),
    ("reply of another question", lambda batch, replies: [*replies[1:], *replies[:1]]),
    ("reply of an earlier question with its text", _kept),
]
"""By the fault's name: the reply, from the input and the model's own reply."""
