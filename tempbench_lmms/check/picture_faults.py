"""What can go wrong with pictures, told from their codes."""

from collections import Counter
from collections.abc import Mapping, Sequence

from tempbench_lmms.check.inputs import Picture
from tempbench_lmms.check.probes import Probe
from tempbench_lmms.check.verdicts import Fault
from tempbench_lmms.media.codes import SIDE

_LEAST_SIDE = 140  # no vision tower that is in use has less than 224
_SHOWN = 8
_REVERSED, _SWAPPED, _OTHER = "images reversed", "images swapped", "images in another order"
_EFFORT: dict[tuple[str, ...], int] = {
    (): 0,
    (_REVERSED,): 1,
    (_SWAPPED,): 1,
    (_REVERSED, _SWAPPED): 2,
    (_OTHER,): 3,
}


def of_pictures(probe: Probe, shown: Sequence[Picture], owners: Mapping[int, Probe]) -> list[Fault]:
    """Returns the faults of the pictures of a question.

    Args:
        probe: What was given.
        shown: The pictures that arrived, in order.
        owners: To which question the number of any card belongs.
    """
    n = len(probe.cards)
    if not shown:
        return [Fault("number", "images dropped", f"{n} images", "none")]
    faults = [*_unreadable(shown), *_small(shown), *_joined(shown, n)]
    numbers = [card.number for one in shown for card in one.cards]
    places = [
        next((i for i, card in enumerate(probe.cards) if card.number == number), None) for number in numbers
    ]
    foreign = [number for number, place in zip(numbers, places, strict=True) if place is None]
    if foreign:
        names = {owners[number].name if number in owners else "unknown" for number in foreign}
        faults.append(
            Fault(
                "content", "images of another question", probe.name, f"images of {', '.join(sorted(names))}"
            )
        )
    known = [place for place in places if place is not None]
    if any(not one.cards for one in shown):
        faults += other_number(n, len(shown))  # which ones they are cannot be told
    elif not foreign:
        faults += _number(known, n)
    return [*faults, *_order(known)]


def other_number(given: int, n: int) -> list[Fault]:
    """Returns the fault of another number of pictures than was given, where which ones cannot be told."""
    name = "images dropped" if n < given else "images doubled"
    return [] if n == given else [Fault("number", name, f"{given} images", str(n))]


def _unreadable(shown: Sequence[Picture]) -> list[Fault]:
    faults = []
    blank = [i + 1 for i, one in enumerate(shown) if not one.cards and one.is_blank]
    lost = [i + 1 for i, one in enumerate(shown) if not one.cards and not one.is_blank]
    if blank:
        faults.append(Fault("content", "blank images", "coded images", f"one colour as {_listed(blank)}"))
    if lost:
        faults.append(
            Fault("content", "unreadable images", "coded images", f"something else as {_listed(lost)}")
        )
    return faults


def _small(shown: Sequence[Picture]) -> list[Fault]:
    least = min(shown, key=lambda one: min(one.size))
    if min(least.size) >= _LEAST_SIDE:
        return []
    height, width = least.size
    return [Fault("size", "images shrunk", f"{SIDE}x{SIDE} pixels", f"{width}x{height}")]


def _joined(shown: Sequence[Picture], n: int) -> list[Fault]:
    most = max(len(one.cards) for one in shown)
    if most < 2:
        return []
    return [Fault("apart", "images joined", f"{n} images", f"{most} of them in one")]


def _number(places: Sequence[int], n: int) -> list[Fault]:
    faults = []
    counts = Counter(places)
    if missing := [i + 1 for i in range(n) if i not in counts]:
        faults.append(Fault("number", "images dropped", f"{n} images", f"all but {_listed(missing)}"))
    if double := sorted(i + 1 for i, count in counts.items() if count > 1):
        faults.append(Fault("number", "images doubled", f"{n} images", f"{_listed(double)} more than once"))
    return faults


def _order(places: Sequence[int]) -> list[Fault]:
    """Returns what happened to the order; of two explanations the one with fewer faults."""
    # Of a picture that came twice either may be the one too many.
    first = list(dict.fromkeys(places))
    last = list(dict.fromkeys(reversed(places)))[::-1]
    found, names = min(((one, _names(one)) for one in (first, last)), key=lambda pair: _EFFORT[pair[1]])
    arrived = _listed([place + 1 for place in found])
    given = _listed([place + 1 for place in sorted(found)])
    return [Fault("order", name, given, arrived) for name in names]


def _names(found: Sequence[int]) -> tuple[str, ...]:
    given = sorted(found)
    if list(found) == given:
        return ()
    if len(found) > 2 and list(found) == given[::-1]:
        return (_REVERSED,)
    if _is_swap(found, given):
        return (_SWAPPED,)
    if _is_swap(found, given[::-1]):
        return (_REVERSED, _SWAPPED)
    return (_OTHER,)


def _is_swap(found: Sequence[int], given: Sequence[int]) -> bool:
    return sum(one != other for one, other in zip(found, given, strict=True)) == 2


def _listed(numbers: Sequence[int]) -> str:
    shown = ", ".join(map(str, numbers[:_SHOWN]))
    return f"images {shown}{' ...' if len(numbers) > _SHOWN else ''}"
