"""Compares what was given with what arrived, by pure functions that know no runner."""

import itertools
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from operator import sub
from statistics import fmean

from tempbench_lmms.check.faults import LINES, Fault, Finding, Hidden, Seen
from tempbench_lmms.check.inputs import Inputs, Part, Picture, Text, Video, bare, flat, stamps_of
from tempbench_lmms.check.probes import Film, Given, Probe
from tempbench_lmms.media import looks
from tempbench_lmms.media.codes import SIDE, Card

LOOKS = ("colours", "geometry", "quality")
_PICTURES = ("number", "order", "apart", "content", "size", *LOOKS)
_LINES_OF_PICTURES = {
    "pictures": (*_PICTURES, "interleaved"),
    "many pictures": ("many",),
    "same image": ("number",),
}
# In pixels, as given and at least; no vision tower that is in use has fewer than 224.
_SIDES = {"images": (SIDE, 140), "frames": (224, 100)}
_ROUNDED = 0.1  # seconds; stamps have one decimal
_FEW = 6
_UNEVEN = 3.5
_SHOWN = 8
_LONGEST = 90  # characters of a quoted text
_MOST = 0.8
_FEW_LINES = 5
# What of a text may have been lost or written otherwise, by the fault's name.
_LOST = {
    "case lost": "",
    "text escaped": r"[<>&\"']",
    "angle brackets lost": r"<[^<>]*>|[<>]",
    "other scripts lost": r"[^\x00-\x7f]+",
    "digits lost": r"\d+",
    "signs lost": r"[^\w\s]+",
    "spaces lost": r"\s+",
}


def judge(probe: Probe, arrived: Inputs, owners: Mapping[int, Probe]) -> Iterator[Finding]:
    """Yields the findings about one question."""
    arrived = _with_clips(arrived) if probe.films else arrived
    yield from _settings(probe, arrived)
    yield from of_texts(probe.texts, arrived, probe.system)
    yield from map(Seen, ("text", "signs", "system", *(("system message",) if probe.system else ())))
    if probe.cards and probe.kind != "long text":  # its picture makes the prompt one with a picture
        yield from _pictures(probe, arrived, owners)
    for film in probe.films:
        yield from _film(film, probe, arrived, owners)


def _settings(probe: Probe, arrived: Inputs) -> Iterator[Finding]:
    given, got = probe.settings, arrived.settings
    most, wanted = got.max_new_tokens, given.max_new_tokens
    added = [word for word in got.stop or () if word not in (given.stop or ())]
    # What of each line can be seen, whether it is wrong, and the fault.
    for line, value, is_wrong, words in (
        ("max_new_tokens", most, most != wanted, ("max_new_tokens ignored", str(wanted), str(most))),
        ("greedy", got.samples, got.samples, ("sampling", "temperature 0", "tokens drawn by chance")),
        ("stop", got.stop, added, ("stop words added", "none", ", ".join(map(repr, added[:5])))),
    ):
        yield Hidden(line, "the runner does not show it") if value is None else Seen(line)
        if value is not None and is_wrong:
            yield Fault(*words)


def _pictures(probe: Probe, arrived: Inputs, owners: Mapping[int, Probe]) -> Iterator[Finding]:
    lines = _LINES_OF_PICTURES.get(probe.kind, _PICTURES)
    shown = [part for part in arrived.parts if isinstance(part, Picture)]
    n = len(probe.cards)
    if any(part.is_hidden for part in shown):
        why = "the pixels cannot be read back from what this processor makes of them"
        yield from (Seen(line) if line == "number" else Hidden(line, why) for line in lines)
        yield from _other_number(n, len(shown)) if "number" in lines else []
        return
    faults = of_pictures(probe, shown, owners)
    yield from _on("many", faults) if probe.kind == "many pictures" else faults
    if probe.kind != "many pictures" and len(shown) == n:
        yield from _interleaving(probe.parts, arrived.parts)
    note = _note("images", shown, "", sum(one.tokens or 0 for one in shown))
    yield from (Seen(line, note if line in ("many", "size") else "") for line in lines)


def _note(what: str, shown: Sequence[Picture], of: str, tokens: int | None) -> str:
    sizes = ", ".join(f"{width}x{height}" for height, width in sorted({one.size for one in shown})[:3])
    size = f" of {sizes} pixels" if sizes else ""
    return f"{len(shown)} {what}{size}{of}{f', {tokens} tokens' if tokens else ''}"


def _on(line: str, faults: Sequence[Fault]) -> list[Fault]:
    """Returns faults as those of one line, but for those of pixels."""
    return [fault if fault.line in LOOKS else replace(fault, own=line) for fault in faults]


def of_pictures(probe: Probe, shown: Sequence[Picture], owners: Mapping[int, Probe]) -> list[Fault]:
    """Returns the faults of the pictures of a question."""
    n = len(probe.cards)
    if not shown:
        return [Fault("images dropped", f"{n} images", "none")]
    if len(set(probe.cards)) < n:
        return _other_number(n, sum(max(1, len(one.cards)) for one in shown))  # which one it is shows nothing
    shown = [_known_again(one, probe.cards) for one in shown]
    faults = list(_of_any(shown, "images", probe, probe.cards, owners))
    places = _places([card for one in shown for card in one.cards], probe.cards)
    known = [place for place in places if place is not None]
    is_readable = all(one.cards for one in shown)
    faults += of_places(known, n) if is_readable and None not in places else _order(known)
    faults += [] if is_readable else _other_number(n, len(shown))  # which ones they are cannot be told
    return faults if probe.kind == "crowd" else [*faults, *_looks(shown, probe.cards)]


def of_places(places: Sequence[int], n: int) -> list[Fault]:
    """Returns the faults of n pictures that arrived as those of the given places."""
    faults, counts = [], Counter(places)
    if missing := [i for i in range(n) if i not in counts]:
        arrived = f"{n - len(missing)}, without number {_listed(missing)}"
        faults.append(Fault("images dropped", f"{n} images", arrived))
    if double := sorted(i for i, count in counts.items() if count > 1):
        faults.append(Fault("images doubled", f"{n} images", f"{_listed(double)} more than once"))
    return [*faults, *_order(places)]


def _known_again(one: Picture, cards: Sequence[Card]) -> Picture:
    """Returns a picture with the card that it shows where its code cannot be read, but the rest can."""
    if one.cards or one.is_blank or one.pixels is None:
        return one
    card = looks.recognised(one.pixels, cards)
    return replace(one, cards=(card,), turned="") if card else one


def _looks(shown: Sequence[Picture], cards: Sequence[Card]) -> list[Fault]:
    own = {card.number: card for card in cards}
    seen = [
        looks.Seen(one.pixels, own[one.cards[0].number], one.is_fitted, one.turned)
        for one in shown
        if one.pixels is not None and len(one.cards) == 1 and one.cards[0].number in own
    ]
    return [Fault(*words) for words in looks.otherwise(seen)]


def _places(found: Sequence[Card], given: Sequence[Card]) -> list[int | None]:
    by_number = {card.number: place for place, card in enumerate(given)}
    return [by_number.get(card.number) for card in found]


def _of_any(
    shown: Sequence[Picture], what: str, probe: Probe, cards: Sequence[Card], owners: Mapping[int, Probe]
) -> Iterator[Fault]:
    """Yields the faults that images and frames may have alike."""
    for name, is_blank, said in (("blank", True, "one colour"), ("unreadable", False, "something else")):
        if some := [i for i, one in enumerate(shown) if not one.cards and one.is_blank is is_blank]:
            yield Fault(f"{name} {what}", f"coded {what}", f"{said} as {_listed(some)}")
    given, limit = _SIDES[what]
    height, width = min((one.size for one in shown), key=min)
    if min(height, width) < limit:
        yield Fault(f"{what} shrunk", f"{given}x{given} pixels", f"{width}x{height}")
    if (most := max(len(one.cards) for one in shown)) > 1:
        yield Fault(f"{what} joined", f"{len(cards)} {what}", f"{most} of them in one")
    numbers = {card.number for one in shown for card in one.cards} - {card.number for card in cards}
    if names := sorted({owners[number].name for number in numbers if number in owners}):
        yield Fault(f"{what} of another question", probe.name, f"{what} of {', '.join(names)}")


def _other_number(given: int, n: int) -> list[Fault]:
    fault = Fault("images dropped" if n < given else "images doubled", f"{given} images", str(n))
    return [fault] if n != given else []


def _order(places: Sequence[int]) -> list[Fault]:
    """Returns what happened to the order; if a picture arrived twice, either may be the extra one."""
    found = min((list(dict.fromkeys(places)), [*dict.fromkeys(places[::-1])][::-1]), key=_disorder)
    given = sorted(found)
    if found == given:
        return []
    name = "swapped" if _disorder(found) == 2 else "reversed" if found == given[::-1] else "in another order"
    return [Fault(f"images {name}", _listed(given), _listed(found))]


def _disorder(found: Sequence[int]) -> int:
    return sum(one != two for one, two in zip(found, sorted(found), strict=True))


def _listed(places: Sequence[int]) -> str:
    return f"{', '.join(str(i + 1) for i in places[:_SHOWN])}{' ...' if len(places) > _SHOWN else ''}"


def _film(film: Film, probe: Probe, arrived: Inputs, owners: Mapping[int, Probe]) -> Iterator[Finding]:
    every = ("video", "video length", "video order", *LOOKS, "times")
    lines = every if probe.kind == "video" or probe.kind not in LINES else (probe.kind,)
    clip = next((part for part in arrived.parts if isinstance(part, Video)), None)
    if clip is not None and clip.frames is None:
        yield from (Hidden(line, "the frames cannot be read back from what arrives") for line in lines)
        return
    faults = of_video(film, probe, clip, owners)
    if probe.kind == "mkv video":  # whatever its times, it is there
        faults = [fault for fault in faults if fault.line != "times"]
    yield from _on(lines[0], faults) if len(lines) == 1 else faults
    # Of a video that is not there, or is one frame, nothing more is told.
    is_there = not faults or faults[0].name not in ("video dropped", "video as one frame")
    of = f" of {len(film.cards)} in {film.seconds:g} s"
    yield Seen(lines[0], _note("frames", clip.frames or (), of, clip.tokens) if clip is not None else "")
    for line in lines[1:]:
        if not is_there:
            yield Hidden(line, "no video arrived")
        elif line == "times" and clip is not None and clip.hides_times:
            yield Hidden(line, "whether and how this processor tells the times is not known here")
        else:
            yield Seen(line)


def of_video(film: Film, probe: Probe, clip: Video | None, owners: Mapping[int, Probe]) -> list[Fault]:
    """Returns the faults of a video."""
    what = f"{len(film.cards)} frames in {film.seconds:g} s"
    if clip is None or not clip.frames:
        return [Fault("video dropped", what, "no video")]
    n, last = len(clip.frames), len(film.cards) - 1
    near = [film.cards[max(0, round(i / max(1, n - 1) * last) - 2) :][:5] for i in range(n)]
    frames = [_known_again(one, cards) for one, cards in zip(clip.frames, near, strict=True)]
    faults = list(_of_any(frames, "frames", probe, film.cards, owners))
    found = _places([card for frame in frames for card in frame.cards], film.cards)
    places = [place for place in found if place is not None]
    if not places:
        return faults
    if len(set(places)) == 1 and len(film.cards) > 2:
        return [Fault("video as one frame", what, f"frame {places[0] + 1} alone"), *faults]
    faults += [*_order_of_frames(places), *_spread(places, film), *_looks(frames, film.cards)]
    if film.path is not None and not clip.hides_times:
        faults += _times(places, film, clip.times and clip.times[: len(found)])
    return faults


def _order_of_frames(places: Sequence[int]) -> Iterator[Fault]:
    own, shown = list(dict.fromkeys(places)), f"frames {_listed(places)}"
    if own != sorted(own):
        name = "frames reversed" if own == sorted(own, reverse=True) else "frames in another order"
        yield Fault(name, "frames in order", shown)
    # A processor fills up its last group of frames with the last frame.
    n_last = len(list(itertools.takewhile(lambda place: place == places[-1], reversed(places))))
    if len(places) - n_last + 1 > len(own):
        yield Fault("frames repeated", "each frame once", shown)


def _spread(places: Sequence[int], film: Film) -> Iterator[Fault]:
    own, last = sorted(set(places)), len(film.cards) - 1
    given = f"a video of {film.seconds:g} s"
    if film.path is None:
        if len(own) < len(film.cards):
            yield Fault("frames dropped", f"{len(film.cards)} frames", f"{len(own)} of them")
        return
    step = max(last / len(own), film.rate)  # seconds that are not full may be left out
    if max(own[0], last - own[-1]) > 1.6 * step:
        part = f"frames from {own[0] / film.rate:g} to {own[-1] / film.rate:g} s"
        yield Fault("part of a video", given, part)
    elif len(own) < min(_FEW, len(film.cards)):
        yield Fault("few frames", given, f"{len(own)} frames")
    gaps = [two - one for one, two in itertools.pairwise(own)]
    if len(own) > _FEW and max(gaps) > _UNEVEN * (own[-1] - own[0]) / len(gaps):
        yield Fault("frames unevenly spread", given, f"frames {_listed(own)}, up to {max(gaps)} apart")


def _times(places: Sequence[int], film: Film, told: Sequence[float] | None) -> Iterator[Fault]:
    true = [place / film.rate for place in places]
    given = f"frames from {min(true):g} to {max(true):g} s"
    if told is None:
        yield Fault("no times", given, "no times")
        return
    # Processors tell a frame's own time, or the beginning or middle of the step that it stands for.
    tolerance = film.seconds / len(set(places)) + _ROUNDED
    ends = abs(min(told) - min(true)), abs(max(told) - max(true))
    # One frame of a step may be a step off, but not the frames on average.
    if max(ends) > tolerance or fmean(map(abs, map(sub, told, true))) > 1.2 * tolerance:
        yield Fault("wrong times", given, f"times from {min(told):.3g} to {max(told):.3g} s")


# ---- texts


def of_texts(given: Sequence[str], arrived: Inputs, system: str = "") -> list[Fault]:
    """Returns the faults of a prompt's text."""
    pieces = [part for part in arrived.parts if isinstance(part, Text)]
    raw = "\n".join(part.text for part in pieces if part.role == "user")
    said = " ".join(flat(part.text) for part in pieces if part.role != "user").strip()
    own, wanted = flat(raw), [line for piece in given for line in _lines(piece)]
    name, lines = _changed(wanted, own)
    lost = (pair for pair in zip(wanted, lines, strict=True) if pair[0] != pair[1])
    faults = [Fault(name, *map(_quoted, pair)) for pair in itertools.islice(lost, 1)]
    faults += [*_missing(lines, own), *_doubled(lines, own), *(_breaks(given, raw) if not name else [])]
    heard = f"{said} {own}"
    _, (system,) = _changed([system], heard)
    if system not in heard:
        faults.append(Fault("system message dropped", repr(system), _quoted(said) if said else "none"))
    rest, said = _rest(own, [*lines, system]), said.replace(system, "").strip()
    if arrived.templates is not None and arrived.templates != 1:
        name = "template doubled" if arrived.templates else "template left out"
        return [*faults, Fault(name, "one chat template", f"{arrived.templates}, as in {_quoted(own)}")]
    if re.search(r"\w", re.sub(r"\b(system|user)\b", "", bare(said))) and not name:
        faults.append(
            Fault("system prompt added", repr(system) if system else "no system prompt", _quoted(said))
        )
    unclear = {"text doubled", "text missing", "words lost", "options changed"}
    if re.search(r"\w{2}", rest) and unclear.isdisjoint(one.name for one in faults):
        faults.append(Fault("text added", "the task's text", _quoted(rest)))
    return faults


def _changed(wanted: Sequence[str], own: str) -> tuple[str, list[str]]:
    """Returns the loss after which most missing lines are there, and all lines as they are then."""
    missing = [line for line in wanted if line not in own]
    for name, lost in _LOST.items() if missing else ():
        flags = 0 if lost else re.IGNORECASE
        there = {line: found[0] for line in missing if (found := re.search(_with(line, lost), own, flags))}
        is_escaped = all(re.search(r"&#?\w+;|\\\\", line) for line in there.values())
        if len(there) >= max(1, _MOST * len(missing)) and (name != "text escaped" or is_escaped):
            return name, [there.get(line, line) for line in wanted]
    return "", list(wanted)


def _with(line: str, lost: str) -> str:
    """Returns a pattern of a line whose signs of a kind were lost, or are written otherwise."""
    pieces = re.split(f"( ?(?:{lost}) ?)", line) if lost else [line]
    return "".join(
        f".{{0,{4 * len(piece) + 2}}}?" if i % 2 else re.escape(piece) for i, piece in enumerate(pieces)
    )


def _missing(lines: Sequence[str], own: str) -> Iterator[Fault]:
    absent = [i for i, line in enumerate(lines) if line not in own]
    if not absent:
        return
    example = f"{len(lines)} lines", f"no {_quoted(lines[absent[0]])}"
    if all(line in own for line in [re.sub(r"^\(\w\) ?", "", lines[i]) for i in absent]):
        yield Fault("options changed", *example)
    elif _gaps(" ".join(lines), own) > max(2, len(lines) / 3):
        yield Fault("words lost", *example)
    elif len(absent) == len(lines) and not any(line[:8] in own for line in lines):
        yield Fault("text missing", example[0], _quoted(own))
    else:
        # From where on all is gone, and what is gone before that.
        tail = max((i + 1 for i in range(len(lines)) if i not in absent), default=0)
        inner = [i for i in absent if i < tail]
        if tail < len(lines):
            yield Fault("prompt cut", f"an end at {_quoted(lines[-1])}", f"an end at {_quoted(own[-60:])}")
        if inner and inner == list(range(len(inner))):
            yield Fault("prompt begins later", _quoted(lines[0]), _quoted(own))
        elif inner:
            options = any(re.match(r"\(\w\)", lines[i]) for i in inner)
            name = "options cut" if options else "prompt cut" if len(inner) > _FEW_LINES else "text missing"
            yield Fault(name, *example)


def _gaps(given: str, own: str) -> int:
    """Returns at how many places words are missing; 0 where most of them are."""
    words = given.split()
    pieces = SequenceMatcher(None, words, own.split(), autojunk=False).get_matching_blocks()
    return len(pieces) - 2 if sum(piece.size for piece in pieces) > len(words) / 2 else 0


def _breaks(given: Sequence[str], raw: str) -> Iterator[Fault]:
    pairs = [pair for piece in given for own in [_lines(piece)] for pair in itertools.pairwise(own)]
    pairs = [(one, two) for one, two in pairs if one in raw and two in raw]
    if len(pairs) > 2 and not any(re.search(rf"{re.escape(one)}[ \t]*\n", raw) for one, _ in pairs):
        yield Fault("line breaks lost", f"{len(pairs) + 1} lines", "one line")


def _doubled(lines: Sequence[str], own: str) -> Iterator[Fault]:
    twice = [line for line in lines if len(line) > 5 and own.count(line) > sum(line in one for one in lines)]
    if len(twice) > len(lines) / 2:
        yield Fault("text doubled", f"{_quoted(twice[0])} once", f"{own.count(twice[0])} times")


def _interleaving(given: Sequence[Given], arrived: Sequence[Part]) -> Iterator[Fault]:
    # Texts by the number of pictures before them.
    before = itertools.accumulate(not isinstance(part, str) for part in given)
    wanted = [(line, n) for part, n in zip(given, before, strict=True) for line in _lines(part)]
    found: dict[int, str] = {}
    for shown, n in zip(
        arrived, itertools.accumulate(not isinstance(one, Text) for one in arrived), strict=True
    ):
        if isinstance(shown, Text) and shown.role == "user":
            found[n] = f"{found.get(n, '')} {flat(shown.text)}"
    moved = [line for line, n in wanted if line not in found.get(n, "")]
    if any(line in " ".join(found.values()) for line in moved):
        told = [part for part in arrived if not isinstance(part, Text) or re.search(r"\w", bare(part.text))]
        orders = (
            " ".join("text" if isinstance(part, (str, Text)) else "image" for part in some[:5])
            for some in (given, told)
        )
        yield Fault("text and images apart", *(f"{order} ..." for order in orders))


def _with_clips(arrived: Inputs) -> Inputs:
    """Returns inputs in which pictures separated only by times form a video."""
    parts: list[Part] = []
    for _, group in itertools.groupby(arrived.parts, _is_said):
        some = list(group)
        if frames := tuple(one for one in some if isinstance(one, Picture)):
            # The first time may stand at the end of the text before.
            first = parts[-1:] if not isinstance(some[0], Text) else []
            told = (stamps_of([one.text])[-1:] for one in (*first, *some) if isinstance(one, Text))
            times = tuple(itertools.chain(*told))
            tokens = sum(one.tokens or 0 for one in frames) or None
            some = [Video(frames, times if len(times) == len(frames) else None, tokens)]
        parts += some
    return replace(arrived, parts=tuple(parts))


def _is_said(part: Part) -> bool:
    """Returns whether a part is neither a picture nor a time or sign beside one."""
    return isinstance(part, Video) or (isinstance(part, Text) and bool(re.search(r"\w", bare(part.text))))


def _lines(part: Given) -> list[str]:
    return [one for line in part.splitlines() if (one := flat(line))] if isinstance(part, str) else []


def _rest(own: str, lines: Sequence[str]) -> str:
    for line in sorted(filter(None, lines), key=len, reverse=True):
        own = own.replace(line, " ", 1)
    # Of a line that was cut its beginning or end is left.
    own = bare(own)
    return "" if own and any(line.startswith(own) or line.endswith(own) for line in lines) else own


def _quoted(text: str) -> str:
    return repr(text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}...")
