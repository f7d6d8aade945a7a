"""How much of a benchmark prepared data holds: all, the part that the user asked for, or less.

A benchmark's `rows.sizes` gives the size of each part, from the manifest and the card's numbers. Data
without such numbers (a bundled sample, the user's own questions) is complete if nothing was left out.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tempbench_lmms.data import manifests
from tempbench_lmms.data.manifests import Manifest
from tempbench_lmms.data.resources import MANIFEST
from tempbench_lmms.errors import TempbenchError

AGAIN = "complete the source and prepare the data again with --force"
NO_VIDEO = "no video"
"""The reason for leaving out a file that nobody expects to be shown, such as a list of links."""
_NAMED = 6


@dataclass(frozen=True)
class Size:
    """The size of one part of a benchmark."""

    name: str  # the part's: a split, a type of question
    there: int  # number of questions or plans in the prepared data
    asked: int  # how many `prepare` was asked for; 0 if the user left the part out
    whole: int  # number in the release or the paper
    unit: str = "questions"  # what is counted
    less_by: str = ""  # the option of `prepare` that asks for less, if there is one


Sizes = Callable[[Manifest], Iterable[Size]]


def incomplete(sizes: Iterable[Size]) -> str:
    """Returns what is missing from what was asked for; "" if complete.

    >>> incomplete([Size("count", 3, 292, 292), Size("rotation", 0, 0, 286), Size("shape", 9, 9, 9)])
    '12 of 301 questions (count 3 of 292)'
    """
    asked = [one for one in sizes if one.asked]
    return _told(asked, [(one.name, one.there, one.asked) for one in asked if one.there < one.asked])


def part(sizes: Iterable[Size]) -> str:
    """Returns the part of the whole that the user asked for; "" for all of it.

    >>> part([Size("count", 292, 292, 292), Size("rotation", 0, 0, 286)])
    '292 of 578 questions (rotation 0 of 286)'
    """
    known = list(sizes)
    return _told(known, [(one.name, one.there, one.whole) for one in known if one.asked < one.whole], True)


def _told(sizes: list[Size], less: list[tuple[str, int, int]], of_whole: bool = False) -> str:
    if not less:
        return ""
    more = f" and {len(less) - _NAMED} more" if len(less) > _NAMED else ""
    named = ", ".join(f"{name} {there:,} of {of:,}" for name, there, of in less[:_NAMED])
    wanted = sum(one.whole if of_whole else one.asked for one in sizes)
    return f"{sum(one.there for one in sizes):,} of {wanted:,} {sizes[0].unit} ({named}{more})"


def of(manifest: Manifest, sizes: Sizes) -> list[Size]:
    """Returns the sizes in a manifest."""
    try:
        return list(sizes(manifest))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise TempbenchError(
            f"{MANIFEST} does not record its size ({error!r}); prepare the data again with --force"
        ) from None


def part_of(root: Path, sizes: Sizes) -> str:
    """Returns, for the end of a sentence, the part of the whole that data holds; "" for all of it."""
    found = part(of(manifests.read(root) or {}, sizes))
    return f", a part, as asked for: {found}" if found else ""


def problems(manifest: Manifest, sizes: Sizes) -> Iterator[str]:
    """Yields a line for missing questions, then one for each reason for which something was left out."""
    try:
        known = of(manifest, sizes)
        if short := incomplete(known):
            option = next((f", or ask for less with {one.less_by}" for one in known if one.less_by), "")
            yield f"incomplete: {short}; {AGAIN}{option}"
    except TempbenchError as error:
        yield str(error)
    parts = manifest.get("parts")
    for name, entry in {"": manifest, **(parts if isinstance(parts, dict) else {})}.items():
        if isinstance(entry, dict):
            yield from _left_out(name, entry)


def _left_out(name: str, entry: Mapping[str, Any]) -> Iterator[str]:
    """Yields the reasons of a part whose manifest lists each question with its reason."""
    by_reason, skipped = entry.get("skipped_by_reason"), entry.get("skipped")
    if not isinstance(by_reason, dict) or not isinstance(skipped, list):
        return
    first = {one["reason"]: one for one in reversed(skipped) if isinstance(one, dict) and "reason" in one}
    for reason, n in by_reason.items():
        if reason in first and reason != NO_VIDEO:
            one = first[reason]
            yield (
                f"{name or one.get('split')}: {n} left out when the data was prepared ({reason}), the first "
                f"is {one.get('id')}: {one.get('why')}; all are in {MANIFEST}; {AGAIN}"
            )
