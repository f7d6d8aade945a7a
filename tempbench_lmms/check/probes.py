"""Probes: questions with known pictures, frames, times and words, rendered when needed.

Each probe begins with a unique name, which identifies it wherever it arrives.
"""

import itertools
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tempbench_lmms.check import questions
from tempbench_lmms.check.inputs import Settings
from tempbench_lmms.media import codes
from tempbench_lmms.media.codes import Card

NEW_TOKENS = 12
"""The token limit of a reply: small, so that the check is quick, and not any runner's default."""
MOST_PICTURES = 16
"""Where no task says how many."""
MOST_FRAMES = 8
"""Of a list of frames, where no task says how many."""
_N_PICTURES = 6
_SIDE_OF_FRAMES = 224
_CROWD = 16
_OPTIONS = ("May", "MAY", "may", "<first event>", "café, naïve, Köln", "颜色和时间", "pencil; 3.5 (of 7)")
SYSTEM = "You look at pictures. The code word is teapot."


@dataclass(frozen=True)
class Film:
    """A coded video."""

    cards: tuple[Card, ...]
    rate: int
    path: Path | None = None

    @property
    def seconds(self) -> float:
        """The time from the first frame to the end of the last one."""
        return len(self.cards) / self.rate


Given = str | Card | Film


@dataclass(frozen=True)
class Probe:
    """One question."""

    name: str
    kind: str
    parts: tuple[Given, ...]
    settings: Settings = field(default=Settings(NEW_TOKENS, False, ()))
    answer: tuple[str, ...] = ()
    system: str = ""

    @property
    def cards(self) -> tuple[Card, ...]:
        """The cards of the pictures that are given apart."""
        return tuple(part for part in self.parts if isinstance(part, Card))

    @property
    def films(self) -> tuple[Film, ...]:
        """The videos."""
        return tuple(part for part in self.parts if isinstance(part, Film))

    @property
    def texts(self) -> tuple[str, ...]:
        """The pieces of text."""
        return tuple(part for part in self.parts if isinstance(part, str))


def messages_of(probe: Probe) -> list[dict[str, Any]]:
    """Returns a probe as a task gives it to a runner of the harness's chat kind."""
    said = [("system", [_content(probe.system)])] if probe.system else []
    messages = [*said, ("user", list(map(_content, probe.parts)))]
    return [{"role": role, "content": content} for role, content in messages]


def _content(part: Given) -> dict[str, Any]:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    if isinstance(part, Card):
        return {"type": "image", "url": codes.as_image(codes.drawn(part))}
    frames = [codes.as_image(codes.drawn(card, _SIDE_OF_FRAMES)) for card in part.cards if not part.path]
    return {"type": "video", "url": str(part.path) if part.path else frames}


def visuals_of(probe: Probe) -> list[Any]:
    """Returns a probe's pictures and videos as a task gives them to a runner of the simple kind."""
    shown = [part["url"] for part in map(_content, probe.parts) if part["type"] != "text"]
    return [one for some in shown for one in (some if isinstance(some, list) else [some])]


def text_of(probe: Probe) -> str:
    """Returns a probe's whole text, for a runner of the simple kind."""
    return "\n".join(filter(None, (probe.system, *probe.texts)))


class _Maker:
    """Draws numbers from one seed without repetition."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.random = random.Random(seed)
        self._folder = folder
        self._numbers = self.random.sample(range(codes.MAX_NUMBER), 2000)
        self._names = itertools.count(1)

    def name(self) -> str:
        return f"Question {self.random.randrange(16**5):05x}{next(self._names):03d}."

    def card(self, colour: str = "", shape: str = "nothing", **how: Any) -> Card:
        return Card(self._numbers.pop(), colour or self.random.choice(list(codes.COLOURS)), shape, **how)

    def film(self, cards: Sequence[Card], rate: int, suffix: str = "mp4") -> Film:
        """Returns a video in a file, or without a suffix one that is given as frames."""
        path = self._folder / f"check_{cards[0].number}.{suffix}" if suffix else None
        if path:
            codes.write_video(path, [codes.drawn(card, _SIDE_OF_FRAMES) for card in cards], rate)
        return Film(tuple(cards), rate, path)


def inside(
    seed: int,
    folder: Path,
    n_pictures: int = MOST_PICTURES,
    n_lines: int = 60,
    n_frames: int = MOST_FRAMES,
) -> list[Probe]:
    """Returns the probes whose inputs are watched."""
    make = _Maker(seed, folder)
    pictures = _pictures(make, "pictures", _N_PICTURES)
    repeated = make.card()
    other = tuple(make.card() if isinstance(part, Card) else part for part in pictures.parts)
    return [
        pictures,
        _pictures(make, "many pictures", n_pictures),
        _long_text(make, n_lines),
        # More frames than any runner takes by default; and fewer, which several runners stumble over.
        _video(make, "video", 80, 8),
        _video(make, "short video", 12, 2),
        _video(make, "mkv video", 80, 8, suffix="mkv"),
        _video(make, "frames as a video", n_frames, 1, suffix=""),
        _one(make, "wide image", make.card(stretch=1.5, is_fine=True)),
        replace(_one(make, "system message", make.card()), system=SYSTEM),
        replace(one := _one(make, "same image", repeated), parts=(*one.parts, repeated)),
        replace(pictures, kind="same text", parts=other),
        *(_one(make, "crowd", make.card(), i * 7 % _CROWD) for i in range(_CROWD)),
    ]


def _one(make: _Maker, kind: str, card: Card, n_words: int = 0) -> Probe:
    name = make.name()
    return Probe(name, kind, (f"{name} {'Look well. ' * n_words}This is an image: ", card, "Describe it."))


def _pictures(make: _Maker, kind: str, n: int) -> Probe:
    name = make.name()
    shown = _numbered("Image {} is this one: ", [make.card() for _ in range(n)])
    return Probe(name, kind, (f"{name} Look at {n} images. ", *shown, "Describe the images in one word."))


def _numbered(words: str, cards: Sequence[Card]) -> list[Given]:
    return [part for i, card in enumerate(cards, start=1) for part in (words.format(i), card)]


def _long_text(make: _Maker, n_lines: int) -> Probe:
    name = make.name()
    options = "".join(f"({'ABCDEFG'[i]}) {word}\n" for i, word in enumerate(_OPTIONS))
    lines = "".join(
        f"Line {i + 1} of {n_lines} has the word {make.random.randrange(16**6):06x}.\n"
        for i in range(n_lines)
    )
    text = f"{name} Choose one of these options:\n{options}The text is:\n{lines}"
    return Probe(name, "long text", (make.card(), text, "Answer with a letter."))


def _video(make: _Maker, kind: str, n: int, rate: int, suffix: str = "mp4") -> Probe:
    name = make.name()
    film = make.film([make.card() for _ in range(n)], rate, suffix)
    return Probe(name, kind, (f"{name} This is a video: ", film, "Describe the video in one word."))


def outside(seed: int, folder: Path, kinds: Sequence[str] = tuple(questions.KINDS)) -> list[Probe]:
    """Returns the questions that any seeing model can answer."""
    make = _Maker(seed + 10_000, folder)
    return [probe for kind in kinds for probe in _of_kind(make, kind)]


def _of_kind(make: _Maker, kind: str) -> Iterator[Probe]:
    asked, settings = questions.KINDS[kind], Settings(questions.NEW_TOKENS, False, ())
    name = ""
    for number in range(asked.n_calls):
        drawn = asked.draw(make.random, number)
        # A reply that is kept under its text shows where two questions have the same text.
        name = name if asked.is_paired and number % 2 else make.name()
        cards = [make.card(colour, shape) for colour, shape in drawn.scenes]
        shown: list[Given] = (
            [make.film(cards, asked.rate)] if asked.is_video else _numbered("Image {}: ", cards)
        )
        parts = (f"{name} ", *shown, asked.text.format(drawn.text))
        yield Probe(name, kind, parts, settings, drawn.answer, asked.system.format(drawn.text))


def numbers_of(probes: Sequence[Probe]) -> Mapping[int, Probe]:
    """Returns the probe of each card, by the card's number."""
    return {
        card.number: probe
        for probe in probes
        for card in (*probe.cards, *(card for film in probe.films for card in film.cards))
    }
