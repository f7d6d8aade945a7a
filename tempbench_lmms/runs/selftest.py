"""`tempbench check-model --selftest`: plants faults into a model that sees, and tells which are named."""

import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from tempbench_lmms.check import planting, probes, procedure, questions, sighted_reader
from tempbench_lmms.check.faults import FAULTS
from tempbench_lmms.check.inputs import Inputs, Picture, Text, Video, picture
from tempbench_lmms.check.probes import Probe
from tempbench_lmms.media import codes
from tempbench_lmms.media.codes import Pixels


@dataclass(frozen=True)
class Plant:
    """A fault to plant.

    Attributes:
        name: As in `faults.FAULTS`.
        of_inputs: What arrives of the questions of a call.
        of_replies: What is replied, from what arrived and what a model said to it.
    """

    name: str
    of_inputs: planting.Change = lambda batch: batch
    of_replies: planting.Replies = lambda batch, replies: replies


def _on_pixels(change: Callable[[Pixels], Pixels]) -> planting.Change:
    """Returns what changes the pixels of each picture and frame."""

    def one(shown: Picture) -> Picture:
        if shown.pixels is None:
            return shown
        return picture(np.ascontiguousarray(change(shown.pixels)), shown.tokens)

    return planting.on_each(one)


def _on_settings(**values: Any) -> planting.Change:
    return lambda batch: [replace(one, settings=replace(one.settings, **values)) for one in batch]


def _strip(shown: list[Any]) -> list[Any]:
    if len(shown) < 2:
        return shown
    side = min(one.size[0] for one in shown)
    return [picture(np.concatenate([codes.resized(one.pixels, side, side) for one in shown], axis=1))]


def _texts_last(batch: planting.Batch) -> planting.Batch:
    return [
        replace(one, parts=tuple(sorted(one.parts, key=lambda part: isinstance(part, Text)))) for one in batch
    ]


def _with_system(batch: planting.Batch) -> planting.Batch:
    return [replace(one, parts=(Text("You are a careful assistant.", "system"), *one.parts)) for one in batch]


def _shrunk(pixels: Pixels) -> Pixels:
    return codes.resized(pixels, 64, 64 * pixels.shape[1] // len(pixels))


def _noisy(pixels: Pixels) -> Pixels:
    return np.clip(pixels + np.random.default_rng(0).normal(0, 20, pixels.shape), 0, 255).astype(np.uint8)


def _edges(pixels: Pixels) -> int:
    return len(pixels) // 8


_PIXELS: dict[str, Callable[[Pixels], Pixels]] = {
    "channels swapped": lambda pixels: pixels[..., ::-1],
    "grey": lambda pixels: np.repeat(pixels.mean(axis=2).astype(np.uint8)[..., None], 3, axis=2),
    "inverted": lambda pixels: 255 - pixels,
    "other colours": lambda pixels: pixels // 2,
    "mirrored": np.fliplr,
    "upside down": np.flipud,
    "rotated": np.rot90,
    "cropped": lambda pixels: pixels[_edges(pixels) : -_edges(pixels), _edges(pixels) : -_edges(pixels)],
    "bordered": lambda pixels: np.pad(pixels, ((_edges(pixels),) * 2, (_edges(pixels),) * 2, (0, 0))),
    "squashed": lambda pixels: codes.resized(pixels, len(pixels), len(pixels)),
    "images shrunk": _shrunk,
    "blurred": lambda pixels: codes.resized(_shrunk(pixels), *pixels.shape[:2]),
    "noisy": _noisy,
}
_OWN = [
    *(Plant(name, _on_pixels(change)) for name, change in _PIXELS.items()),
    Plant("images joined", planting.on_pictures(_strip)),
    Plant("text and images apart", _texts_last),
    Plant("line breaks lost", planting.on_texts(lambda text: " ".join(text.split()))),
    Plant("text doubled", planting.on_texts(lambda text: f"{text}\n{text}")),
    Plant("options cut", planting.on_texts(lambda text: re.sub(r"(?s)\(C\) .*(?=The text is)", "", text))),
    Plant("system prompt added", _with_system),
    Plant(
        "blank frames",
        planting.on_parts(
            Video, lambda video: replace(video, frames=tuple(map(planting.blank, video.frames)))
        ),
    ),
    Plant("frames repeated", planting.frames(lambda n: [i // 2 * 2 for i in range(n)])),
    Plant("max_new_tokens ignored", _on_settings(max_new_tokens=4096)),
    Plant("sampling", _on_settings(samples=True)),
    Plant("stop words added", _on_settings(stop=("\n",))),
    Plant("one reply for all", of_replies=lambda batch, replies: replies[:1] * len(replies)),
    Plant("reply cut", of_replies=lambda batch, replies: [reply[:1] for reply in replies]),
    Plant(
        "some replies empty",
        of_replies=lambda batch, replies: [reply * (i % 2) for i, reply in enumerate(replies)],
    ),
    Plant(
        "echo of the question",
        of_replies=lambda batch, replies: [
            f"{one.text} {said}" for one, said in zip(batch, replies, strict=True)
        ],
    ),
]
"""What replies alone do not show, or a model that reads codes does not."""


def plants() -> list[Plant]:
    """Returns each fault that is planted, once."""
    several = [Plant(name, of_inputs=change) for name, change in planting.OF_INPUTS]
    several += [Plant(name, of_replies=change) for name, change in planting.OF_REPLIES]
    first = {plant.name: plant for plant in reversed([*_OWN, *several])}
    return [first[name] for name in FAULTS if name in first]


class Sighted:
    """A model that sees, which is asked through planted faults.

    Args:
        plan: What is checked.
        folder: Where videos are written.
    """

    def __init__(self, plan: procedure.Plan, folder: Path) -> None:
        self.plan = plan
        self.drawn = procedure.drawn(plan, folder)
        self._rendered: dict[Probe, Inputs] = {}

    def check(self, plant: Plant | None = None, *, shows: bool = True) -> procedure.Check:
        """Returns the check of it with a fault, watched or judged by its replies."""
        plan = replace(self.plan, blind="" if shows else "its replies alone are seen")
        return procedure.checked(lambda asked: self._ask(asked, plant, shows), plan, *self.drawn)

    def _ask(self, asked: Sequence[Probe], plant: Plant | None, shows: bool) -> list[procedure.Answer]:
        given = [self._given(probe) for probe in asked]
        shown = plant.of_inputs(given) if plant else given
        said = [sighted_reader.reply(one) for one in shown]
        replies = plant.of_replies(given, said) if plant else said
        arrived = [replace(one, said=text) if shows else None for one, text in zip(shown, said, strict=True)]
        return [procedure.Answer(*pair) for pair in zip(replies, arrived, strict=True)]

    def _given(self, probe: Probe) -> Inputs:
        if probe not in self._rendered:
            generation = {"max_new_tokens": probe.settings.max_new_tokens}
            self._rendered[probe] = sighted_reader.inputs_of(probes.messages_of(probe), generation)
        return self._rendered[probe]


def named(check: procedure.Check) -> list[str]:
    """Returns the names of the faults that a check found."""
    names = (name for one in check.verdicts for name in one.faults)
    return list(dict.fromkeys(name for name in names if not name.startswith("does not see")))


def table(seed: int = 0) -> Iterator[str]:
    """Yields the lines of a table: each fault, and what it is called when watched and by replies alone."""
    yield "| planted | watched | by replies alone |"
    yield "|---|---|---|"
    with tempfile.TemporaryDirectory(prefix="tempbench-selftest-") as folder:
        plan = procedure.Plan(seed=seed, n_pictures=8, kinds=tuple(questions.KINDS))
        model = Sighted(plan, Path(folder))
        for plant in plants():
            said = (_said(model.check(plant, shows=shows), plant) for shows in (True, False))
            yield f"| {plant.name} | {' | '.join(said)} |"


def _said(check: procedure.Check, plant: Plant) -> str:
    names = named(check)
    also = ", ".join(name for name in names if name != plant.name)
    if plant.name in names:
        return f"named{f', with {also}' if also else ''}"
    return also or ("does not see" if check.has_failed else check.state)
