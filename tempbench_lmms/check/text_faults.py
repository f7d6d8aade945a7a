"""What can go wrong with the text of a prompt, and with its place between pictures."""

import re
from collections.abc import Sequence

from tempbench_lmms.check.inputs import Part, Text
from tempbench_lmms.check.probes import Given
from tempbench_lmms.check.verdicts import Fault

_LONGEST = 90
# Signs of templates, the numbers that some processors write before frames, and times.
_NO_TEXT = re.compile(
    r"<\|[^|>]*\|>|</?[a-z_]+>|\b(?:frame|image|picture)\W?\d+\b:?|<?\d+(?:\.\d+)? ?s(?:ec(?:onds?)?)?>",
    re.IGNORECASE,
)


def of_texts(given: Sequence[str], arrived: Sequence[Text]) -> list[Fault]:
    """Returns the faults of a prompt's text.

    Args:
        given: Its pieces.
        arrived: The pieces that arrived, in order, those of other roles too.
    """
    own = _flat(" ".join(part.text for part in arrived if part.role == "user"))
    lines = [line for piece in given for line in _lines(piece)]
    faults = _missing(lines, own)
    rest = _rest(own, lines)
    system = " ".join(_flat(part.text) for part in arrived if part.role != "user").strip()
    if system:
        faults.append(Fault("system", "system prompt added", "no system prompt", repr(_cut(system))))
    if re.search(r"\w{2}", rest):
        faults.append(Fault("system", "text added", "the task's text", repr(_cut(rest))))
    return faults


def _missing(lines: Sequence[str], own: str) -> list[Fault]:
    absent = [i for i, line in enumerate(lines) if line not in own]
    if not absent:
        return []
    # From where on all is gone, and what is gone before that.
    tail = len(lines)
    while tail and tail - 1 in absent:
        tail -= 1
    faults = []
    inner = [i for i in absent if i < tail]
    if tail < len(lines):
        faults.append(Fault("text", "prompt cut", _end(lines[-1]), f"an end at {_cut(own[-60:])!r}"))
    if inner and inner == list(range(len(inner))):
        faults.append(Fault("text", "prompt begins later", repr(_cut(lines[0])), repr(_cut(own))))
    elif inner:
        options = [i for i in inner if re.match(r"\(\w\)", lines[i])]
        name = "options cut" if options else "text missing"
        faults.append(Fault("text", name, f"{len(lines)} lines", f"no {_cut(lines[inner[0]])!r}"))
    return faults


def _end(line: str) -> str:
    return f"an end at {_cut(line)!r}"


def interleaving(given: Sequence[Given], arrived: Sequence[Part]) -> list[Fault]:
    """Returns a fault where text and pictures do not alternate as they were given.

    Args:
        given: The parts of the question.
        arrived: As many pictures, and all of the text.
    """
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
            found[count] = f"{found.get(count, '')} {_flat(shown.text)}"
    moved = [line for line, place in wanted if line not in found.get(place, "")]
    everything = " ".join(found.values())
    if not any(line in everything for line in moved):
        return []
    pattern = "".join("image " if not isinstance(part, str) else "text " for part in given[:5])
    told = [part for part in arrived if not isinstance(part, Text) or without_signs(part.text)]
    order = " ".join("text" if isinstance(part, Text) else "image" for part in told[:5])
    return [Fault("interleaved", "text and images apart", f"{pattern}...", f"{order} ...")]


def _lines(text: str) -> list[str]:
    return [flat for line in text.splitlines() if (flat := _flat(line))]


def _flat(text: str) -> str:
    return " ".join(text.split())


def without_signs(text: str) -> str:
    """Returns a text without what templates and processors write: signs, numbers of frames, times."""
    return _flat(re.sub(r"\W+", " ", _NO_TEXT.sub(" ", text)))


def _rest(own: str, lines: Sequence[str]) -> str:
    """Returns what is left of a text without the lines that were given."""
    for line in sorted(lines, key=len, reverse=True):
        own = own.replace(line, " ", 1)
    # Of a line that was cut its beginning is left.
    for line in lines:
        words = _flat(_NO_TEXT.sub(" ", own))
        if words and line.startswith(words):
            return ""
    return _flat(_NO_TEXT.sub(" ", own))


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
