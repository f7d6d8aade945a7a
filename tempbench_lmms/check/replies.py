"""What replies show: whether they are the model's own, and what of a question a model reports to have got."""

import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from tempbench_lmms.check import judging, questions
from tempbench_lmms.check.faults import Fault
from tempbench_lmms.check.inputs import Inputs, Text, flat
from tempbench_lmms.check.probes import Probe
from tempbench_lmms.media import codes, looks

_MOST = 0.6
_SHOWN = 60


class Reply(NamedTuple):
    """A reply of a runner, and what the model said before the runner made it."""

    probe: Probe
    text: str
    said: str | None = None

    @property
    def found(self) -> list[str]:
        """What it reports."""
        return questions.read_answer(questions.KINDS[self.probe.kind], self.text)

    @property
    def is_right(self) -> bool:
        """Whether it reports what was given, and no more."""
        return self.found == list(self.probe.answer)


def faults_of(replies: Sequence[Reply]) -> Iterator[Fault]:
    """Yields faults in the replies of one call that do not depend on the model's abilities."""
    n = len(replies)
    lost = [one for one in replies if not one.text.strip() and (one.said or "unseen").strip()]
    if n and len(lost) == n:
        yield Fault("empty replies", f"{n} questions", f"{n} of {n} replies are empty")
        return
    if len(lost) > n / 10 or any(one.said for one in lost):
        yield Fault("some replies empty", f"{n} questions", f"{len(lost)} of {n} replies are empty")
    if echoes := [one for one in replies if one.probe.name in one.text]:
        yield Fault("echo of the question", "a reply", repr(echoes[0].text[:_SHOWN]))
        return
    yield from _changed([one for one in replies if one.text.strip() and one.said is not None])


def _changed(told: Sequence[Reply]) -> Iterator[Fault]:
    wrong = [one for one in told if not _is_own(one)]
    if not wrong:
        return
    others = {flat(other.said or "") for other in told if other is not wrong[0]}
    is_other = sum(flat(one.text) in others for one in wrong) > len(wrong) / 2
    is_cut = sum(flat(one.said or "").startswith(flat(one.text)) for one in wrong) > len(wrong) / 2
    is_same = len(wrong) > 3 and len({one.text for one in wrong}) == 1
    kept = {(other.said, other.probe.texts) for other in told}
    name = "reply cut" if is_cut else "one reply for all" if is_same else "reply changed"
    name = "reply of another question" if is_other and not is_same else name
    if all((one.text, one.probe.texts) in kept for one in wrong):
        name = "reply of an earlier question with its text"
    yield Fault(name, repr((wrong[0].said or "")[:_SHOWN]), repr(wrong[0].text[:_SHOWN]))


def _is_own(one: Reply) -> bool:
    """Returns whether a reply is the model's own, apart from its ends and earlier reasoning."""
    short, whole = flat(one.text), flat(one.said or "")
    return short == whole or (whole.endswith(short) and len(short) * 2 > len(whole)) or "</think>" in whole


def explained(replies: Sequence[Reply]) -> Iterator[Fault]:
    """Yields the faults that the reports of small questions show, where most of a kind are wrong."""
    told = [one for one in replies if one.text.strip() and one.probe.name not in one.text]
    wrong = [one for one in told if not one.is_right]
    if name := _of_all(told, wrong):
        yield _fault(name, wrong[0])
        return
    lines: set[str] = set()  # where colours are not seen, or frames, what follows from them is not known
    for kind, (looked, unsure) in _LOOKED_AT.items():
        own = [one for one in told if one.probe.kind == kind]
        bad = [one for one in own if not one.is_right]
        if bad and len(bad) >= len(own) / 2 and lines.isdisjoint(unsure):
            found = [_fault(name, bad[0]) for name in looked(own)]
            lines |= {fault.line for fault in found}
            yield from found


def _fault(name: str, one: Reply) -> Fault:
    return Fault(name, repr(", ".join(one.probe.answer)[:_SHOWN]), f"a reply of {one.text[:_SHOWN]!r}")


def _of_all(told: Sequence[Reply], wrong: Sequence[Reply]) -> str:
    """Returns what was done to replies of whatever kind; empty where that does not explain most of them."""
    if len(wrong) < max(2, len(told) / 10):
        return ""
    if len({one.text for one in told}) == 1:
        return "one reply for all"
    kinds = {one.probe.kind for one in wrong}
    if len(kinds) > 3 and all(_bare(one.probe.answer).startswith(_bare([one.text])) for one in wrong):
        return "reply cut"
    owners: dict[str, list[Probe]] = {}
    for one in told:
        owners.setdefault(_bare(one.probe.answer), []).append(one.probe)
    others = [(one, probes) for one in wrong if (probes := owners.get(_bare([one.text]), []))]
    others = [(one, probes) for one, probes in others if one.probe not in probes]
    if all(any(probe.texts == one.probe.texts for probe in probes) for one, probes in others):
        return "reply of an earlier question with its text" if len(others) == len(wrong) else ""
    # Where texts are read as they should be, pictures are another question's, and not replies.
    is_text = {"copied lines", "ends of a text", "word of the system message"} & kinds
    return "reply of another question" if is_text and len(others) >= _MOST * len(wrong) else ""


def _bare(items: Sequence[str]) -> str:
    return re.sub(r"[\s,]+", " ", " ".join(items)).casefold().strip()


def _most(names: Sequence[Sequence[str]]) -> list[str]:
    """Returns the names that are found at most of the replies that are wrong."""
    counts = Counter(itertools.chain(*names))
    return [name for name, count in counts.items() if count >= max(2, _MOST * len(names))]


def _as_map(own: Sequence[Reply], maps: Mapping[str, Mapping[str, str]], other: str = "") -> list[str]:
    """Returns the change of items, each into one that it always is, that explains replies of full length."""
    pairs = {pair for one in own for pair in zip(one.probe.answer, one.found, strict=False)}
    if any(len(one.probe.answer) != len(one.found) for one in own):
        return []
    wrong = {(given, got) for given, got in pairs if given != got}
    for name, changed in maps.items():
        if wrong == {(given, got) for given, got in changed.items() if given != got}:
            return [name]
    return [other] if other and len({given for given, _ in pairs}) == len(pairs) else []


def _of_colours(own: Sequence[Reply]) -> list[str]:
    if all(set(one.found) <= {"black", "white"} for one in own):
        return ["blank images" if any(one.found for one in own) else "images dropped"]
    # What each colour looks like after a change.
    maps = {
        f"{name} ({i})": {
            colour: codes.colour_of(change(np.array([[rgb]], np.uint8))[0, 0].astype(int))
            for colour, rgb in codes.COLOURS.items()
        }
        for i, (name, change) in enumerate(looks.OF_COLOURS)
    }
    if found := _as_map(own, maps, "other colours"):
        return [found[0].partition(" (")[0]]
    if any({"black", "white", "grey"} & {*one.found} for one in own):
        return []
    return _most([_of_list(one, own) for one in own if not one.is_right])


def _of_list(one: Reply, own: Sequence[Reply]) -> list[str]:
    """Returns what happened to the pictures whose colours a reply lists."""
    given, found = one.probe.answer, tuple(one.found)
    if any(found == other.probe.answer for other in own) or set(found) - set(given):
        return ["images of another question"]
    left, places = list(range(len(given))), list[int]()
    for colour in found:
        same = [i for i in left if given[i] == colour] or [given.index(colour)]
        places.append(next((i for i in same if not places or i > places[-1]), same[0]))
        left = [i for i in left if i != places[-1]]
    if found == given[::-1]:
        return ["images reversed"]
    return [fault.name for fault in judging.of_places(places, len(given))]


def _of_sides(own: Sequence[Reply]) -> list[str]:
    drawn = {side: codes.drawn(codes.Card(0, shape=side)) for side in ("left", "right", "top", "bottom")}
    maps = {
        name: {codes.dot_on(turn(picture)): side for side, picture in drawn.items()}
        for name, turn in codes.TURNS.items()
        if name not in ("inverted", "bordered")
    }
    return [name.partition(" to ")[0] for name in _as_map(own, maps)]


def _of_film(own: Sequence[Reply]) -> list[str]:
    if not any(one.found for one in own):
        return ["video dropped"]
    shown = {colour for one in own for colour in one.found}
    if not shown & {*codes.COLOURS}:
        return ["grey" if "grey" in shown else "blank frames"]
    if len({tuple(one.found) for one in own}) == 1 < len(own):
        return ["frames of another question"]
    return _most([list(_of_frames(one, own)) for one in own if not one.is_right])


def _of_frames(one: Reply, own: Sequence[Reply]) -> Iterator[str]:
    given, found = one.probe.answer, one.found
    places = [given.index(colour) for colour in found if colour in given]
    n = len(set(places))
    if len(places) < len(found) or any(tuple(found) == other.probe.answer for other in own):
        yield "frames of another question"
    elif n == 1:
        yield "video as one frame"
    elif places != sorted(places):
        yield "frames reversed" if places == sorted(places, reverse=True) else "frames in another order"
    elif 0 < n < len(given):
        yield "part of a video" if places[-1] - places[0] == n - 1 else "few frames"


def _of_times(own: Sequence[Reply]) -> list[str]:
    pairs = [(int(one.probe.answer[0]), int(one.found[0])) for one in own if len(one.found) == 1]
    if len(pairs) < _MOST * len(own):
        return ["no times"]
    given, told = np.asarray(pairs, float).T
    slope, start = np.polyfit(given, told, 1)
    return ["wrong times"] if np.abs(slope * given + start - told).max() <= 1 and (slope > 0.2) else []


def _of_copies(own: Sequence[Reply]) -> list[str]:
    names = []
    for one in own:
        came = Inputs((Text("\n".join(one.text.splitlines())),))
        names.append([fault.name for fault in judging.of_texts(["\n".join(one.probe.answer)], came)])
    return [name for name in _most(names) if name not in ("text added", "text missing")]


def _of_ends(own: Sequence[Reply]) -> list[str]:
    if any(len(one.found) != 2 for one in own):
        return []
    is_first = all(one.found[0] == one.probe.answer[0] for one in own)
    is_last = all(one.found[1] == one.probe.answer[1] for one in own)
    return ["prompt cut"] if is_first else ["prompt begins later"] if is_last else []


# By kind what looks at it, and the lines without which nothing is said of it if they failed.
_LOOKED_AT: dict[str, tuple[Callable[[Sequence[Reply]], list[str]], tuple[str, ...]]] = {
    "colours of images": (_of_colours, ()),
    "sides of dots": (_of_sides, ()),
    "fine lines": (
        lambda own: ["detail lost"] if all(one.is_right or one.found == ["none"] * 3 for one in own) else [],
        (),
    ),
    "colours of a video": (_of_film, ("colours",)),
    "second of the circle": (_of_times, ("colours", "video", "video length", "video order")),
    "copied lines": (_of_copies, ()),
    "ends of a text": (_of_ends, ()),
    "word of the system message": (
        lambda own: [] if any(one.is_right for one in own) else ["system message dropped"],
        (),
    ),
}
