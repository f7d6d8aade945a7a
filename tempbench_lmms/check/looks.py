"""What happened to the pixels of a picture: the change of the true one that comes closest to what arrived."""

import functools
import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from tempbench_lmms.check.faults import Fault
from tempbench_lmms.check.inputs import Picture
from tempbench_lmms.media import codes
from tempbench_lmms.media.codes import Card, Pixels

Floats = NDArray[np.float32]
_SMALL = 48
"""Pixels a side at which pictures are compared as wholes."""
_OTHERWISE = 9.0
"""The mean difference, of 255, of a picture that is not the true one; resizing and codecs stay below 5."""
_CLEARLY = 0.6
_KEPT, _LOST = (1.0, 0.75, 0.5, 0.38), (0.28, 0.25, 0.21, 0.17, 0.125, 0.09, 0.06)
"""Shares of the given pixels a side that may be left, and that are too few; 0.3 of 448 are 134."""
_NOISE, _COARSE = 4.0, 3.8
_ASPECT = 0.15


def _crops() -> Iterator[tuple[float, float, float, float]]:
    """Yields what crops leave: top, left, bottom and right as shares."""
    for cut in (0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5):
        half = cut / 2
        yield half, half, 1 - half, 1 - half
        yield from ((cut, 0, 1, 1), (0, cut, 1, 1), (0, 0, 1 - cut, 1), (0, 0, 1, 1 - cut))
        yield from ((0, half, 1, 1 - half), (half, 0, 1 - half, 1))
        yield from ((0, 0, 1 - cut, 1 - cut), (cut, cut, 1, 1), (0, cut, 1 - cut, 1), (cut, 0, 1, 1 - cut))


def _cropped(pixels: Pixels, top: float, left: float, bottom: float, right: float) -> Pixels:
    height, width = pixels.shape[:2]
    return pixels[round(top * height) : round(bottom * height), round(left * width) : round(right * width)]


def _bordered(pixels: Pixels, share: float, axes: tuple[int, int], fill: int) -> Pixels:
    out = np.full_like(pixels, fill)
    height, width = (round(n * share**axis) for n, axis in zip(pixels.shape[:2], axes, strict=True))
    top, left = (pixels.shape[0] - height) // 2, (pixels.shape[1] - width) // 2
    out[top : top + height, left : left + width] = codes.resized(pixels, height, width)
    return out


def _grey(pixels: Pixels) -> Pixels:
    return np.repeat((pixels @ np.array([0.299, 0.587, 0.114])).astype(np.uint8)[..., None], 3, axis=2)


_ALL = [(0, 1, 2), *itertools.permutations(range(3))][2:]
CHANGES: list[tuple[str, Callable[[Pixels], Pixels]]] = [
    *(("channels swapped", lambda pixels, order=order: pixels[..., list(order)]) for order in _ALL),
    ("grey", _grey),
    ("inverted", lambda pixels: 255 - pixels),
    *(
        ("other colours", lambda pixels, by=by: np.clip(pixels * by, 0, 255).astype(np.uint8))
        for by in (0.25, 0.5, 0.7, 1.5, 2)
    ),
    *(
        (name.partition(" to ")[0], lambda pixels, turn=turn: np.ascontiguousarray(turn(pixels)))
        for name, turn in codes.TURNS.items()
        if name != "inverted"
    ),
    *(("cropped", lambda pixels, box=box: _cropped(pixels, *box)) for box in _crops()),
    *(
        ("bordered", lambda pixels, how=how: _bordered(pixels, *how))
        for how in itertools.product((0.5, 0.6, 0.7, 0.8, 0.9), ((1, 1), (0, 1), (1, 0)), (0, 127, 255))
    ),
]
"""What may have been done to a picture, by the fault's name: to its colours, then to its geometry."""


@functools.lru_cache(maxsize=512)
def _expected(card: Card, stretch: float) -> list[Floats]:
    """Returns a card's picture, and what each of `CHANGES` makes of it, at a small size."""
    whole = codes.resized(codes.drawn(card, 192), 192, round(192 * stretch))
    return [_small(whole), *(_small(change(whole)) for _, change in CHANGES)]


def _small(pixels: Pixels) -> Floats:
    return codes.resized(np.ascontiguousarray(pixels), _SMALL, _SMALL).astype(np.float32)


def recognised(pixels: Pixels, cards: Sequence[Card]) -> tuple[Card | None, str]:
    """Returns which of some cards a picture shows whose code cannot be read, and what was done to it."""
    seen = _small(pixels)
    found = [
        (float(np.abs(seen - made).mean()), card, i)
        for card in cards
        for i, made in enumerate(_expected(card, card.stretch))
    ]
    if not found:
        return None, ""
    least, card, i = min(found, key=lambda one: one[0])
    return (card, CHANGES[i - 1][0] if i else "") if least < _OTHERWISE else (None, "")


def faults_of(pairs: Sequence[tuple[Picture, Card]]) -> list[Fault]:
    """Returns what happened to the pixels of pictures, or of frames.

    Args:
        pairs: Pictures that arrived, and what each should show.
    """
    shown = [(one, one.pixels, card) for one, card in pairs if one.pixels is not None and len(one.cards) < 2]
    faults = []
    rows = []
    for _, pixels, card in shown:
        seen = _small(pixels)
        rows.append([float(np.abs(seen - made).mean()) for made in _expected(card, card.stretch)])
    changed = [row for row in rows if row[0] > _OTHERWISE]
    if changed:
        totals = np.asarray(changed).mean(axis=0)
        best = int(np.argmin(totals))
        votes = Counter(int(np.argmin(row)) for row in changed)
        for i in {best, votes.most_common(1)[0][0]} - {0}:
            name = CHANGES[i - 1][0]
            if name == "cropped" and all(one.is_fitted for one, _, card in shown if card.stretch != 1):
                continue
            if totals[i] < _CLEARLY * totals[0] or totals[i] < _OTHERWISE:
                faults.append(Fault(name, "the picture as it is", f"{len(changed)} of {len(rows)} {name}"))
                break
        else:
            if totals[0] > 1.7 * _OTHERWISE:
                faults.append(
                    Fault("other colours", "the picture as it is", f"{totals[0]:.0f} of 255 off on average")
                )
    whole = [triple for triple, row in zip(shown, rows, strict=True) if row[0] <= _OTHERWISE]
    cut = {"cropped", "bordered"} & {fault.name for fault in faults}
    return [*faults, *([] if cut else _squashed(shown)), *_detail(whole), *_dirt(whole)]


def _squashed(shown: Sequence[tuple[Picture, Pixels, Card]]) -> list[Fault]:
    for one, pixels, card in shown:
        aspect = pixels.shape[1] / pixels.shape[0]
        is_turned = "rotated" in one.turned
        if one.is_fitted or is_turned or abs(aspect / card.stretch - 1) <= _ASPECT:
            continue
        return [Fault("squashed", f"{card.stretch:g} times as wide as high", f"{aspect:.2g} times")]
    return []


def _detail(shown: Sequence[tuple[Picture, Pixels, Card]]) -> list[Fault]:
    """Returns a fault where most pictures have no more detail than much smaller ones."""
    few = shown[:: max(1, len(shown) // 2)][:2]
    shares = sorted(_share(pixels, card) for _, pixels, card in few)
    if not shares or shares[len(shares) // 2] not in _LOST:
        return []
    share = shares[len(shares) // 2]
    return [Fault("blurred", "sharp edges", f"the detail of {share:.0%} of the pixels a side")]


def _share(pixels: Pixels, card: Card) -> float:
    """Returns to which share of its pixels a picture was shrunk, and made large again."""
    height, width = pixels.shape[:2]
    if max(height, width) > 512:
        pixels = codes.resized(pixels, height * 448 // max(height, width), width * 448 // max(height, width))
        height, width = pixels.shape[:2]
    true = codes.resized(codes.drawn(card, 448), height, width)
    side = codes.SIDE if min(height, width) > 230 else 224
    best, least = 1.0, np.inf
    for share in (*_KEPT, *_LOST):
        small = codes.resized(true, max(2, round(side * share)), max(2, round(side * share * width / height)))
        made = true if share == 1 else codes.resized(small, height, width)
        far = np.abs(made.astype(np.float32) - pixels).mean()
        if far < least:
            best, least = share, float(far)
    return best


def _dirt(shown: Sequence[tuple[Picture, Pixels, Card]]) -> list[Fault]:
    """Returns a fault where what is flat is not, or a fine grain is not as it was."""
    noise = [_flatness(pixels) for _, pixels, card in shown]
    if noise and float(np.median(noise)) > _NOISE:
        return [Fault("noisy", "flat areas", f"a deviation of {np.median(noise):.0f} of 255")]
    coarse = [
        _coarseness(pixels, card) for _, pixels, card in shown if card.is_fine and min(pixels.shape[:2]) > 200
    ]
    if coarse and max(coarse) > _COARSE:
        return [Fault("compressed", "a fine grain", f"a deviation of {max(coarse):.0f} of 255 from it")]
    return []


def _flatness(pixels: Pixels) -> float:
    """Returns the deviation within the corners of the ring that are white, and the one that is black."""
    height, width = pixels.shape[:2]
    corners = [
        _part(pixels, *place, 0.025, height, width) for place in ((0.06, 0.06), (0.06, 0.94), (0.94, 0.06))
    ]
    return float(np.mean([corner.std(axis=(0, 1)).mean() for corner in corners]))


def _part(pixels: Pixels, row: float, column: float, reach: float, height: int, width: int) -> Pixels:
    return pixels[
        int((row - reach) * height) : int((row + reach) * height) + 1,
        int((column - reach) * width) : int((column + reach) * width) + 1,
    ]


def _coarseness(pixels: Pixels, card: Card) -> float:
    """Returns how far the middle is from its grain, in whatever strength that is left."""
    height, width = pixels.shape[:2]
    true = codes.resized(codes.drawn(card), height, width)
    seen, made = (_part(one, 0.5, 0.5, 0.3, height, width).astype(np.float32) for one in (pixels, true))
    seen, made = seen - seen.mean(axis=(0, 1)), made - made.mean(axis=(0, 1))
    return float((seen - made * ((seen * made).sum() / (made * made).sum())).std())
