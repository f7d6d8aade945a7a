"""`tempbench check-model --selftest`: plants faults into a model that sees, and tells which are named."""

import html
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from tempbench_lmms.check import procedure, questions
from tempbench_lmms.check.faults import FAULTS
from tempbench_lmms.check.inputs import Inputs, Part, Picture, Text, Video, picture
from tempbench_lmms.check.probes import Probe
from tempbench_lmms.check.verdict import FAILED, Check
from tempbench_lmms.media import codes
from tempbench_lmms.media.codes import Pixels

Batch = Sequence[Inputs]
Change = Callable[[Batch], Batch]
"""What arrives of the questions of a call."""
Replies = Callable[[Batch, list[str]], list[str]]
"""What is replied, from what arrived and what a model said to it."""
Several = list[Any]


def on_pictures(change: Callable[[Several], Several]) -> Change:
    """Returns what changes the pictures of each question with several; those left over go to the end."""

    def one(inputs: Inputs) -> Inputs:
        shown = [part for part in inputs.parts if isinstance(part, Picture)]
        left: Iterator[Picture] = iter(change(shown) if len(shown) > 1 else shown)
        kept = (next(left, None) if isinstance(part, Picture) else part for part in inputs.parts)
        return replace(inputs, parts=(*(part for part in kept if part is not None), *left))

    return lambda batch: list(map(one, batch))


def on_parts(kind: type[Any], change: Callable[[Any], Part | None]) -> Change:
    """Returns the function that changes each part of a kind; None drops it."""

    def one(inputs: Inputs) -> Inputs:
        changed = (change(part) if isinstance(part, kind) else part for part in inputs.parts)
        return replace(inputs, parts=tuple(filter(None, changed)))

    return lambda batch: list(map(one, batch))


def _on_texts(change: Callable[[str], str]) -> Change:
    return on_parts(Text, lambda part: Text(change(part.text), part.role))


def _on_pixels(change: Callable[[Pixels], Pixels]) -> Change:

    def one(shown: Any) -> Any:
        if isinstance(shown, Video):
            return replace(shown, frames=tuple(map(one, shown.frames or ())))
        return picture(np.ascontiguousarray(change(shown.pixels)), shown.tokens)

    return on_parts((Picture, Video), one)  # type: ignore[arg-type]


def _frames(choose: Callable[[int], Iterable[int]], keeps_times: bool = False) -> Change:
    """Returns what chooses frames, with their times or without, by their places among so many."""

    def change(video: Video) -> Video:
        shown, times = video.frames or (), video.times
        places = list(choose(len(shown)))
        own = times if keeps_times or not times else tuple(times[i] for i in places)
        return replace(video, frames=tuple(shown[i] for i in places), times=own)

    return on_parts(Video, change)


def _settings(**values: Any) -> Change:
    return lambda batch: [replace(one, settings=replace(one.settings, **values)) for one in batch]


def _leaked(batch: Batch) -> Batch:
    """Each question of a batch gets the pictures of the one before it that has as many, or its video."""
    media = [[part for part in one.parts if not isinstance(part, Text)] for one in batch]
    kinds = [list(map(type, some)) for some in media]
    out: list[Inputs] = []
    for i, inputs in enumerate(batch):
        others = iter(next((media[j] for j in reversed(range(i)) if kinds[j] == kinds[i]), media[i]))
        parts = (part if isinstance(part, Text) else next(others) for part in inputs.parts)
        out.append(replace(inputs, parts=tuple(parts)))
    return out


def _strip(shown: Several) -> Several:
    side = min(one.size[0] for one in shown)
    return [picture(np.concatenate([codes.resized(one.pixels, side, side) for one in shown], axis=1))]


def _shrunk(pixels: Pixels) -> Pixels:
    return codes.resized(pixels, 64, 64 * pixels.shape[1] // len(pixels))


def _covered(pixels: Pixels) -> Pixels:
    covered = pixels.copy()
    covered[: len(pixels) // 4, pixels.shape[1] // 2 :] = 0
    return covered


def _times(change: Callable[[float], float] | None) -> Change:
    return on_parts(
        Video, lambda video: replace(video, times=change and video.times and tuple(map(change, video.times)))
    )


def _kept(batch: Batch, replies: list[str]) -> list[str]:
    first: dict[str, str] = {}
    return [first.setdefault(inputs.text, reply) for inputs, reply in zip(batch, replies, strict=True)]


OF_INPUTS: dict[str, Change] = {
    "images dropped": on_pictures(lambda shown: [*shown[:2], *shown[3:]]),
    "images doubled": on_pictures(lambda shown: [*shown, shown[-1]]),
    "images swapped": on_pictures(lambda shown: [shown[-1], *shown[1:-1], shown[0]]),
    "images reversed": on_pictures(lambda shown: shown[::-1]),
    "images in another order": on_pictures(lambda shown: [*shown[1:], shown[0]]),
    "images joined": on_pictures(_strip),
    "blank images": on_parts(Picture, lambda one: picture(0 * one.pixels)),
    "images of another question": _leaked,
    "images shrunk": _on_pixels(_shrunk),
    "channels swapped": _on_pixels(lambda pixels: pixels[..., ::-1]),
    "grey": _on_pixels(lambda pixels: np.repeat(pixels.mean(axis=2, keepdims=True).astype(np.uint8), 3, 2)),
    "inverted": _on_pixels(lambda pixels: 255 - pixels),
    "other colours": _on_pixels(lambda pixels: pixels // 2),
    "mirrored": _on_pixels(np.fliplr),
    "upside down": _on_pixels(np.flipud),
    "rotated": _on_pixels(np.rot90),
    "cropped": _on_pixels(lambda pixels: pixels[40:-40, 40:-40]),
    "bordered": _on_pixels(lambda pixels: np.pad(pixels, ((40, 40), (40, 40), (0, 0)))),
    "covered": _on_pixels(_covered),
    "squashed": _on_pixels(lambda pixels: codes.resized(pixels, len(pixels), len(pixels))),
    "blurred": _on_pixels(lambda pixels: codes.resized(_shrunk(pixels), *pixels.shape[:2])),
    "noisy": _on_pixels(
        lambda pixels: np.clip(pixels + np.random.default_rng(0).normal(0, 20, pixels.shape), 0, 255).astype(
            np.uint8
        )
    ),
    "text and images apart": lambda batch: [
        replace(one, parts=tuple(sorted(one.parts, key=lambda part: isinstance(part, Text)))) for one in batch
    ],
    "prompt cut": _on_texts(lambda text: text[:900]),
    "prompt begins later": _on_texts(lambda text: text[-900:]),
    "options cut": _on_texts(lambda text: re.sub(r"(?s)\(C\) .*?(?=The text is|STOP)", "", text)),
    "options changed": _on_texts(lambda text: re.sub(r"\([A-G]\) ", "", text)),
    "words lost": _on_texts(lambda text: re.sub(r"\b(the|of|has|or|is) ", "", text)),
    "text doubled": _on_texts(lambda text: f"{text}\n{text}"),
    "case lost": _on_texts(str.lower),
    "spaces lost": _on_texts(lambda text: re.sub(r"\s", "", text)),
    "line breaks lost": _on_texts(lambda text: text.replace("\n", " ")),
    "angle brackets lost": _on_texts(lambda text: re.sub(r"<[^<>]*>", "", text)),
    "text escaped": _on_texts(html.escape),
    "other scripts lost": _on_texts(lambda text: text.encode("ascii", "ignore").decode()),
    "digits lost": _on_texts(lambda text: re.sub(r"\d", "", text)),
    "signs lost": _on_texts(lambda text: re.sub(r"[^\w\s]", "", text)),
    "system prompt added": lambda batch: [
        replace(one, parts=(Text("You are a careful assistant.", "system"), *one.parts)) for one in batch
    ],
    "text added": _on_texts(lambda text: f"{text} Think step by step."),
    "system message dropped": on_parts(Text, lambda part: part if part.role == "user" else None),
    "video dropped": on_parts(Video, lambda video: None),
    "video as one frame": _frames(lambda n: [n // 2]),
    "blank frames": on_parts(
        Video, lambda video: replace(video, frames=tuple(picture(0 * one.pixels) for one in video.frames))
    ),
    "few frames": _frames(lambda n: sorted({round(i * (n - 1) / 3) for i in range(4)})),
    "part of a video": _frames(lambda n: range(n // 2)),
    "frames unevenly spread": _frames(lambda n: [*range(n // 2), n - 1]),
    "frames reversed": _frames(lambda n: range(n)[::-1]),
    "frames in another order": _frames(lambda n: [*range(0, n, 2), *range(1, n, 2)], keeps_times=True),
    "frames repeated": _frames(lambda n: [i // 2 * 2 for i in range(n)]),
    "no times": _times(None),
    "wrong times": _times(lambda time: 0.3 * time),
    "max_new_tokens ignored": _settings(max_new_tokens=4096),
    "sampling": _settings(samples=True),
    "stop words added": _settings(stop=("\n",)),
}
OF_REPLIES: dict[str, Replies] = {
    "empty replies": lambda batch, replies: [""] * len(replies),
    "some replies empty": lambda batch, replies: [reply * (i % 2) for i, reply in enumerate(replies)],
    "reply of another question": lambda batch, replies: [
        replies[i] for i in sorted(range(len(batch)), key=lambda i: len(batch[i].text))
    ],
    "reply of an earlier question with its text": _kept,
    "one reply for all": lambda batch, replies: replies[:1] * len(replies),
    "reply cut": lambda batch, replies: [reply[:1] for reply in replies],
    "echo of the question": lambda batch, replies: [
        f"{one.text} {said}" for one, said in zip(batch, replies, strict=True)
    ],
}
PLANTED = [name for name in FAULTS if name in OF_INPUTS or name in OF_REPLIES]


def seeing(
    fault: str, shows: bool = True, rendered: Callable[[Probe], Inputs] = procedure.rendered
) -> procedure.Ask:
    """Returns what asks a model that sees through a planted fault, and whether it shows what arrives."""

    def ask(asked: Sequence[Probe]) -> list[procedure.Answer]:
        batch = OF_INPUTS.get(fault, list)(list(map(rendered, asked)))
        said = [questions.reply(one) for one in batch]
        replies = OF_REPLIES[fault](batch, said) if fault in OF_REPLIES else said
        return [
            procedure.Answer(reply, replace(one, said=text) if shows else None)
            for one, text, reply in zip(batch, said, replies, strict=True)
        ]

    return ask


def table(seed: int = 0) -> Iterator[str]:
    """Yields the lines of a table: each fault, and what it is called when watched and by replies alone."""
    yield "| planted | watched | by replies alone |"
    yield "|---|---|---|"
    n_named = [0, 0]
    with tempfile.TemporaryDirectory(prefix="tempbench-selftest-") as folder:
        plan = procedure.Plan(seed=seed, n_pictures=8, kinds=tuple(questions.KINDS))
        drawn = procedure.drawn(plan, Path(folder))
        rendered = {probe: procedure.rendered(probe) for some in drawn for probe in some}
        for name in PLANTED:
            asks = (seeing(name, shows, rendered.__getitem__) for shows in (True, False))
            checks = [procedure.checked(ask, plan, *drawn) for ask in asks]
            n_named = [n + (name in one.names) for n, one in zip(n_named, checks, strict=True)]
            yield f"| {name} | {' | '.join(_said(check, name) for check in checks)} |"
    yield f"| {len(PLANTED)} faults | {n_named[0]} named | {n_named[1]} named |"


def _said(check: Check, planted: str) -> str:
    also = ", ".join(name for name in check.names if name != planted)
    if planted in check.names:
        return f"named{f', with {also}' if also else ''}"
    return also or ("does not see" if check.state == FAILED else check.state)
