"""Finds what happened to the pixels of a coded picture: the closest known change."""

import functools
import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from tempbench_lmms.media import codes
from tempbench_lmms.media.codes import Card, Floats, Pixels

Change = tuple[str, Callable[[Pixels], Pixels]]
# Pixels per side at which whole pictures are compared.
_SMALL = 48
# The mean difference, of 255, that marks a wrong picture; resizing and codecs stay below 5.
_OTHERWISE = 9.0
_CLEARLY = 0.6
# Shares of the given pixels per side that are still allowed, and that are too few; 0.3 of 448 is 134.
_KEPT, _LOST = (1.0, 0.75, 0.5, 0.38), (0.28, 0.25, 0.21, 0.17, 0.125, 0.09, 0.06)
_NOISE, _COARSE = 3.0, 3.8
_ASPECT = 0.15
# The share of a picture that is as it was where the rest is covered.
_COVERED = 0.6


def _crops() -> Iterator[tuple[float, float, float, float]]:
    for cut in (0.1, 0.2, 0.3, 0.45):
        half = cut / 2
        yield half, half, 1 - half, 1 - half
        yield from ((cut, 0, 1, 1), (0, cut, 1, 1), (0, 0, 1 - cut, 1), (0, 0, 1, 1 - cut))
        yield from ((0, half, 1, 1 - half), (half, 0, 1 - half, 1))
        yield from ((0, 0, 1 - cut, 1 - cut), (cut, cut, 1, 1), (0, cut, 1 - cut, 1), (cut, 0, 1, 1 - cut))


def _cropped(pixels: Pixels, top: float, left: float, bottom: float, right: float) -> Pixels:
    height, width = pixels.shape[:2]
    return pixels[round(top * height) : round(bottom * height), round(left * width) : round(right * width)]


def _grey(pixels: Pixels) -> Pixels:
    return np.repeat((pixels @ np.array([0.299, 0.587, 0.114])).astype(np.uint8)[..., None], 3, axis=2)


_ALL = [(0, 1, 2), *itertools.permutations(range(3))][2:]
OF_COLOURS: list[Change] = [
    *(("channels swapped", lambda pixels, order=order: pixels[..., list(order)]) for order in _ALL),
    ("grey", _grey),
    ("inverted", lambda pixels: 255 - pixels),
]
# What may have been done to a picture, by the fault's name; turns and borders are undone in `codes`.
_CHANGES: list[Change] = [
    ("", lambda pixels: pixels),
    *OF_COLOURS,
    *(("cropped", lambda pixels, box=box: _cropped(pixels, *box)) for box in _crops()),
]


@functools.lru_cache(maxsize=512)
def _expected(card: Card, stretch: float, n: int = 1) -> list[Floats]:
    """Returns a card's picture at a small size after each of the first n changes."""
    whole = codes.resized(codes.drawn(card, 192), 192, round(192 * stretch))
    return [_small(change(whole)) for _, change in _CHANGES[:n]]


def _far(one: "Seen", n: int = 1) -> list[float]:
    seen = _small(one.pixels)
    return [float(np.abs(seen - made).mean()) for made in _expected(one.card, one.card.stretch, n)]


def _small(pixels: Pixels) -> Floats:
    return codes.resized(np.ascontiguousarray(pixels), _SMALL, _SMALL).astype(np.float32)


def recognised(pixels: Pixels, cards: Sequence[Card]) -> Card | None:
    """Returns which of some cards a picture shows if its code cannot be read; None if unclear."""
    seen = _small(pixels)
    far = [
        [np.abs(seen - made).mean(axis=2) for made in _expected(card, card.stretch, len(_CHANGES))]
        for card in cards
    ]
    best = sorted((min(float(one.mean()) for one in some), i) for i, some in enumerate(far))
    if best and best[0][0] < _OTHERWISE:
        return cards[best[0][1]]
    alike = sorted(((float((some[0] < _OTHERWISE).mean()), i) for i, some in enumerate(far)), reverse=True)
    is_clear = (
        bool(alike) and alike[0][0] > _COVERED and (len(alike) == 1 or alike[0][0] > alike[1][0] + 0.04)
    )
    return cards[alike[0][1]] if is_clear else None


class Seen(NamedTuple):
    """A picture that arrived, and what it should show."""

    pixels: Pixels
    card: Card
    is_fitted: bool  # the model's own processor gives every picture this shape
    turned: str  # a key of `codes.TURNS`


Otherwise = tuple[str, str, str]
"""A difference: its name, what was given, and what arrived."""


def otherwise(shown: Sequence[Seen]) -> list[Otherwise]:
    """Returns the differences in the pixels of pictures or frames."""
    turned = [one for one in shown if one.turned and not (one.is_fitted and one.card.stretch != 1)]
    names = Counter(one.turned.partition(" to ")[0] for one in turned)
    undone = [(name, "the picture as it is", f"{n} of {len(shown)} {name}") for name, n in names.items()]
    return [*undone, *_otherwise([one for one in shown if not one.turned])]


def _otherwise(shown: Sequence[Seen]) -> list[Otherwise]:
    far = [_far(one)[0] for one in shown]
    wrong = [one for one, off in zip(shown, far, strict=True) if off > _OTHERWISE]
    found = _changed([_far(one, len(_CHANGES)) for one in wrong], len(shown))
    if all(one.is_fitted for one in shown if one.card.stretch != 1):  # some processors cut what is wide
        found = [one for one in found if one[0] != "cropped" or any(one.card.stretch == 1 for one in shown)]
    if found and found[0][0] == "other colours":  # so are those of what is unsharp or noisy
        return [*_dirt(shown), *_detail(shown, 2 * _OTHERWISE), *_covered(shown)][:1] or found
    limit = _OTHERWISE if found else 1.7 * _OTHERWISE
    whole = [one for one, off in zip(shown, far, strict=True) if off <= limit]
    is_cut = bool(found) and found[0][0] == "cropped"
    return [*found, *([] if is_cut else _squashed(shown)), *[*_dirt(whole), *_detail(whole)][:1]]


def _changed(rows: list[list[float]], n: int) -> list[Otherwise]:
    if not rows:
        return []
    totals = np.asarray(rows).mean(axis=0)
    for i in (int(np.argmin(totals)), Counter(int(np.argmin(row)) for row in rows).most_common(1)[0][0]):
        if i and (totals[i] < _CLEARLY * totals[0] or totals[i] < _OTHERWISE):
            name = _CHANGES[i][0]
            return [(name, "the picture as it is", f"{len(rows)} of {n} {name}")]
    if totals[0] > 1.7 * _OTHERWISE:
        return [("other colours", "the picture as it is", f"{totals[0]:.0f} of 255 off on average")]
    return []


def _covered(shown: Sequence[Seen]) -> list[Otherwise]:
    off = [
        float(
            (np.abs(_small(one.pixels) - _expected(one.card, one.card.stretch)[0]).mean(axis=2) > 25).mean()
        )
        for one in shown
    ]
    if not off or max(off) > 1 - _COVERED or np.mean(off) < 0.02:
        return []
    share = float(np.mean(off))
    return [("covered", "the picture as it is", f"{share:.0%} of it otherwise")]


def _squashed(shown: Sequence[Seen]) -> list[Otherwise]:
    for one in shown:
        aspect = one.pixels.shape[1] / one.pixels.shape[0]
        if not one.is_fitted and abs(aspect / one.card.stretch - 1) > _ASPECT:
            return [("squashed", f"{one.card.stretch:g} times as wide as high", f"{aspect:.2g} times")]
    return []


def _detail(shown: Sequence[Seen], most: float = np.inf) -> list[Otherwise]:
    """Returns whether pictures have no more detail than much smaller ones, from which they are not far."""
    few = [_share(one.pixels, one.card) for one in shown[:: max(1, len(shown) // 2)][:2]]
    share, far = max(few, default=(1.0, 0.0))
    if share not in _LOST or far > most:
        return []
    return [("blurred", "sharp edges", f"the detail of {share:.0%} of the pixels a side")]


def _share(pixels: Pixels, card: Card) -> tuple[float, float]:
    """Returns to which share of its pixels a picture was shrunk, before it was enlarged, and what differs."""
    height, width = pixels.shape[:2]
    if max(height, width) > 512:
        pixels = codes.resized(pixels, height * 448 // max(height, width), width * 448 // max(height, width))
        height, width = pixels.shape[:2]
    true = codes.resized(codes.drawn(card, 448), height, width)
    side = codes.SIDE if min(height, width) > 230 else 224
    best, least = 1.0, float(np.inf)
    for share in (*_KEPT, *_LOST):
        small = codes.resized(true, max(2, round(side * share)), max(2, round(side * share * width / height)))
        made = true if share == 1 else codes.resized(small, height, width)
        far = np.abs(made.astype(np.float32) - pixels).mean()
        if far < least:
            best, least = share, float(far)
    return best, least


def _dirt(shown: Sequence[Seen]) -> list[Otherwise]:
    """Returns a fault if flat areas are not flat, or a fine grain has changed."""
    noise = [_flatness(one.pixels) for one in shown]
    if noise and float(np.median(noise)) > _NOISE:
        return [("noisy", "flat areas", f"a deviation of {np.median(noise):.0f} of 255")]
    large = [one for one in shown if one.card.is_fine and min(one.pixels.shape[:2]) > 140]
    coarse = max((_coarseness(one.pixels, one.card) for one in large), default=0)
    if coarse <= _COARSE:
        return []
    return [("compressed", "a fine grain", f"a deviation of {coarse:.0f} of 255 from it")]


def _flatness(pixels: Pixels) -> float:
    """Returns the deviation within the corners of the ring that are white, and the one that is black."""
    height, width = pixels.shape[:2]
    corners = [
        _part(pixels, *place, 0.025, height, width) for place in ((0.06, 0.06), (0.06, 0.94), (0.94, 0.06))
    ]
    # What is not sharp differs from its neighbours too, but smoothly.
    steps = [np.diff(np.diff(corner.astype(np.float32), axis=0), axis=1).std() / 2 for corner in corners]
    return float(np.mean(steps))


def _part(pixels: Pixels, row: float, column: float, reach: float, height: int, width: int) -> Pixels:
    return pixels[
        int((row - reach) * height) : int((row + reach) * height) + 1,
        int((column - reach) * width) : int((column + reach) * width) + 1,
    ]


def _coarseness(pixels: Pixels, card: Card) -> float:
    """Returns how far the middle is from its grain, at whatever strength is left."""
    height, width = pixels.shape[:2]
    true = codes.resized(codes.drawn(card), height, width)
    seen, made = (_part(one, 0.5, 0.5, 0.3, height, width).astype(np.float32) for one in (pixels, true))
    seen, made = seen - seen.mean(axis=(0, 1)), made - made.mean(axis=(0, 1))
    return float((seen - made * ((seen * made).sum() / (made * made).sum())).std())
