"""Finds faults in the text of a prompt and its place between pictures."""

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher

from tempbench_lmms.check.faults import Fault
from tempbench_lmms.check.inputs import Inputs, Part, Picture, Text, Video
from tempbench_lmms.check.probes import Given

_LONGEST = 90
_MOST = 0.8
_FEW = 5
# Signs of templates, the numbers that some processors write before frames, and times.
_NO_TEXT = re.compile(
    r"<\|[^|>]*\|>|[<\[]/?[a-z_]+[\]>]|"
    r"\b(?:frame|image|picture)\W?\d+\b:?|<?\d+(?:\.\d+)? ?s(?:ec(?:onds?)?)?>",
    re.IGNORECASE,
)
_STAMP = re.compile(r"<(\d+(?:\.\d+)?) ?s(?:ec(?:onds?)?)?>", re.IGNORECASE)


_LOST = {
    "case lost": "",
    "text escaped": r"[<>&\"']",
    "angle brackets lost": r"<[^<>]*>|[<>]",
    "other scripts lost": r"[^\x00-\x7f]+",
    "digits lost": r"\d+",
    "signs lost": r"[^\w\s]+",
    "spaces lost": r"\s+",
}
"""What of a text may have been lost or written otherwise, by the fault's name."""


def of_texts(given: Sequence[str], arrived: Inputs, system: str = "") -> list[Fault]:
    """Returns the faults of a prompt's text."""
    pieces = [part for part in arrived.parts if isinstance(part, Text)]
    raw = "\n".join(part.text for part in pieces if part.role == "user")
    said = " ".join(flat(part.text) for part in pieces if part.role != "user").strip()
    own, wanted = flat(raw), [line for piece in given for line in _lines(piece)]
    name, lines = _changed(wanted, own)
    faults = list(_lost(name, wanted, lines))
    faults += [*_missing(lines, own), *_doubled(lines, own), *(_breaks(given, raw) if not name else [])]
    heard = f"{said} {own}"
    _, (system,) = _changed([system], heard)
    if system not in heard:
        faults.append(Fault("system message dropped", repr(system), repr(_cut(said)) if said else "none"))
    rest, said = _rest(own, [*lines, system]), said.replace(system, "").strip()
    if arrived.templates is not None and arrived.templates != 1:
        name = "template doubled" if arrived.templates else "template left out"
        return [*faults, Fault(name, "one chat template", f"{arrived.templates}, as in {_cut(own)!r}")]
    if re.search(r"\w", re.sub(r"\b(system|user)\b", "", _NO_TEXT.sub(" ", said))) and not name:
        wanted_system = repr(system) if system else "no system prompt"
        faults.append(Fault("system prompt added", wanted_system, repr(_cut(said))))
    unclear = ("text doubled", "text missing", "words lost", "options changed")
    if re.search(r"\w{2}", rest) and not any(one.name in unclear for one in faults):
        faults.append(Fault("text added", "the task's text", repr(_cut(rest))))
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


def _lost(name: str, wanted: Sequence[str], lines: Sequence[str]) -> Iterator[Fault]:
    """Yields what all lines have lost, as the first one shows it."""
    pairs = [pair for pair in zip(wanted, lines, strict=True) if pair[0] != pair[1]]
    for one, two in pairs[:1]:
        yield Fault(name, repr(_cut(one)), repr(_cut(two)))


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
    example = f"{len(lines)} lines", f"no {_cut(lines[absent[0]])!r}"
    bare = [re.sub(r"^\(\w\) ?", "", lines[i]) for i in absent]
    if all(line in own for line in bare):
        yield Fault("options changed", *example)
    elif _gaps(" ".join(lines), own) > max(2, len(lines) / 3):
        yield Fault("words lost", *example)
    elif len(absent) == len(lines) and not any(line[:8] in own for line in lines):
        yield Fault("text missing", f"{len(lines)} lines", repr(_cut(own)))
    else:
        yield from _parts_missing(lines, absent, own)


def _gaps(given: str, own: str) -> int:
    """Returns at how many places words are missing; 0 where most of them are."""
    words = given.split()
    pieces = SequenceMatcher(None, words, own.split(), autojunk=False).get_matching_blocks()
    return len(pieces) - 2 if sum(piece.size for piece in pieces) > len(words) / 2 else 0


def _parts_missing(lines: Sequence[str], absent: Sequence[int], own: str) -> Iterator[Fault]:
    # From where on all is gone, and what is gone before that.
    tail = len(lines)
    while tail and tail - 1 in absent:
        tail -= 1
    inner = [i for i in absent if i < tail]
    if tail < len(lines):
        yield Fault("prompt cut", f"an end at {_cut(lines[-1])!r}", f"an end at {_cut(own[-60:])!r}")
    if inner and inner == list(range(len(inner))):
        yield Fault("prompt begins later", repr(_cut(lines[0])), repr(_cut(own)))
    elif inner:
        options = [i for i in inner if re.match(r"\(\w\)", lines[i])]
        name = "options cut" if options else "prompt cut" if len(inner) > _FEW else "text missing"
        yield Fault(name, f"{len(lines)} lines", f"no {_cut(lines[inner[0]])!r}")


def _breaks(given: Sequence[str], raw: str) -> Iterator[Fault]:
    """Yields a fault if several lines were joined into one."""
    pairs = [pair for piece in given for own in [_lines(piece)] for pair in itertools.pairwise(own)]
    pairs = [(one, two) for one, two in pairs if one in raw and two in raw]
    if len(pairs) > 2 and not any(re.search(rf"{re.escape(one)}[ \t]*\n", raw) for one, _ in pairs):
        yield Fault("line breaks lost", f"{len(pairs) + 1} lines", "one line")


def _doubled(lines: Sequence[str], own: str) -> Iterator[Fault]:
    twice = [line for line in lines if len(line) > 5 and own.count(line) > sum(line in one for one in lines)]
    if len(twice) > len(lines) / 2:
        yield Fault("text doubled", f"{_cut(twice[0])!r} once", f"{own.count(twice[0])} times")


def interleaving(given: Sequence[Given], arrived: Sequence[Part]) -> Iterator[Fault]:
    """Yields a fault if text and pictures do not alternate as given."""
    wanted: list[tuple[str, int]] = []
    before = 0
    for part in given:
        if isinstance(part, str):
            wanted += [(line, before) for line in _lines(part)]
        else:
            before += 1
    found: dict[int, str] = {}
    count = 0
    for shown in arrived:
        if not isinstance(shown, Text):
            count += 1
        elif shown.role == "user":
            found[count] = f"{found.get(count, '')} {flat(shown.text)}"
    moved = [line for line, place in wanted if line not in found.get(place, "")]
    everything = " ".join(found.values())
    if any(line in everything for line in moved):
        pattern = "".join("image " if not isinstance(part, str) else "text " for part in given[:5])
        told = [part for part in arrived if not isinstance(part, Text) or _without_signs(part.text)]
        order = " ".join("text" if isinstance(part, Text) else "image" for part in told[:5])
        yield Fault("text and images apart", f"{pattern}...", f"{order} ...")


def stamps_of(texts: Iterable[str]) -> list[float]:
    """Returns the times written between frames, such as `<1.5 seconds>`."""
    return [float(found) for text in texts for found in _STAMP.findall(text)]


def with_clips(arrived: Inputs) -> Inputs:
    """Returns inputs in which pictures separated only by times form a video."""
    parts: list[Part] = []
    for _, group in itertools.groupby(arrived.parts, _is_said):
        some = list(group)
        if frames := tuple(one for one in some if isinstance(one, Picture)):
            # The first time may stand at the end of the text before.
            first = [one for one in parts[-1:] if isinstance(one, Text) and not isinstance(some[0], Text)]
            told = [stamps_of([one.text])[-1:] for one in (*first, *some) if isinstance(one, Text)]
            times = tuple(itertools.chain(*told))
            tokens = sum(one.tokens or 0 for one in frames) or None
            some = [Video(frames, times if len(times) == len(frames) else None, tokens)]
        parts += some
    return replace(arrived, parts=tuple(parts))


def _is_said(part: Part) -> bool:
    """Returns whether a part is neither a picture nor a time or sign beside one."""
    return isinstance(part, Video) or (isinstance(part, Text) and bool(_without_signs(part.text)))


def _lines(text: str) -> list[str]:
    return [one for line in text.splitlines() if (one := flat(line))]


def flat(text: str) -> str:
    """Returns a text with single spaces."""
    return " ".join(text.split())


def _without_signs(text: str) -> str:
    """Returns a text without the additions of templates and processors: signs, frame numbers, times."""
    return flat(re.sub(r"\W+", " ", _NO_TEXT.sub(" ", text)))


def _rest(own: str, lines: Sequence[str]) -> str:
    """Returns the rest of a text after the given lines are removed."""
    for line in sorted(filter(None, lines), key=len, reverse=True):
        own = own.replace(line, " ", 1)
    # Of a line that was cut its beginning or end is left.
    for line in lines:
        words = flat(_NO_TEXT.sub(" ", own))
        if words and (line.startswith(words) or line.endswith(words)):
            return ""
    return flat(_NO_TEXT.sub(" ", own))


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
