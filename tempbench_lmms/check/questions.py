"""Small questions that any seeing model can answer, and the scoring of their replies.

The wording is fixed, so that `tempbench_reader` can recognise the question.
"""

import functools
import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from tempbench_lmms.media.codes import COLOURS, Card
from tempbench_lmms.metrics.ratio import ratio
from tempbench_lmms.metrics.share import wilson

_N = 4
_SECONDS = 8
_RATE = 9  # frames a second: more in all than any runner takes by default
_ONE_WORD = ": " + ", ".join(COLOURS) + "? Answer with one word."
_ONE_NUMBER = "? Answer with one number."
_UNKNOWN = "unknown"
_WORDS = ("hammer", "violin", "teapot", "ladder", "candle", "pencil")
_ONE_OF = f"Answer with one word of these: {', '.join(_WORDS)}."
_LONG = 400
_SIDES = ("left", "right", "top", "bottom")
_TURNED = {
    "mirrored": ("right", "left", "top", "bottom"),
    "upside down": ("left", "right", "bottom", "top"),
    "rotated": ("right", "left", "bottom", "top"),
    "rotated to the left": ("bottom", "top", "left", "right"),
    "rotated to the right": ("top", "bottom", "right", "left"),
}
"""Where the left, right, top and bottom of a rotated picture are."""

Values = Mapping[str, str]


class Drawn(NamedTuple):
    """A drawn question."""

    scenes: tuple[tuple[str, str], ...]  # colour and shape of each picture or frame
    answer: str
    values: Values = MappingProxyType({})  # what stands in the question's text


class Shown(NamedTuple):
    """What a seeing model is shown."""

    cards: Sequence[Card | None]
    times: Sequence[float] | None = None
    turned: Sequence[str] = ()

    @property
    def colours(self) -> list[str]:
        """The colour of each picture."""
        return [card.colour if card else "nothing" for card in self.cards]

    @property
    def circles(self) -> list[int]:
        """The places of circles."""
        return [i for i, card in enumerate(self.cards) if card and card.shape == "circle"]

    def side_at(self, place: int) -> str:
        """Returns the side of a picture at which a dot is."""
        card = self.cards[place] if place < len(self.cards) else None
        if card is None or card.shape not in _SIDES:
            return _UNKNOWN
        turned = self.turned[place] if self.turned else ""
        return _TURNED.get(turned, _SIDES)[_SIDES.index(card.shape)]

    def colour_at(self, place: int) -> str:
        """Returns the colour of a picture, counted from the end where the place is negative."""
        return self.colours[place] if -len(self.cards) <= place < len(self.cards) else _UNKNOWN


@dataclass(frozen=True)
class Kind:
    """A kind of question."""

    text: str
    answers: tuple[str, ...]
    draw: Callable[[random.Random, int], Drawn]
    seen: Callable[[Shown, Values], str]
    n_calls: int = 12
    is_video: bool = False
    rate: int = _RATE
    system: str = ""
    is_paired: bool = False  # two after each other have the same text


def _plain(colours: Sequence[str]) -> tuple[tuple[str, str], ...]:
    return tuple((colour, "nothing") for colour in colours)


def _any(rng: random.Random, n: int) -> list[str]:
    return [rng.choice(list(COLOURS)) for _ in range(n)]


def _image_at(place: Callable[[int], int]) -> Callable[[random.Random, int], Drawn]:
    def draw(rng: random.Random, i: int) -> Drawn:
        colours = rng.sample(list(COLOURS), _N)
        return Drawn(_plain(colours), colours[place(i)], {"k": str(place(i) + 1)})

    return draw


def _count(rng: random.Random, i: int) -> Drawn:
    n = 2 + i % _N
    return Drawn(_plain(_any(rng, n)), str(n))


def _before(rng: random.Random, i: int) -> Drawn:
    colours = rng.sample(list(COLOURS), _N)
    one, other = sorted(rng.sample(range(_N), 2), reverse=bool(i % 2))
    values = {"one": colours[one], "other": colours[other]}
    return Drawn(_plain(colours), "yes" if one < other else "no", values)


def _is_before(shown: Shown, values: Values) -> str:
    colours = shown.colours
    if not {values["one"], values["other"]} <= {*colours}:
        return _UNKNOWN
    return "yes" if colours.index(values["one"]) < colours.index(values["other"]) else "no"


def _second(rng: random.Random, i: int) -> Drawn:
    second, colour = i % _SECONDS, rng.choice(list(COLOURS))
    scenes = ((colour, "circle" if j // _RATE == second else "nothing") for j in range(_RATE * _SECONDS))
    return Drawn(tuple(scenes), str(second))


def _second_seen(shown: Shown, values: Values) -> str:
    if not shown.times or not shown.circles or shown.circles[0] >= len(shown.times):
        return _UNKNOWN
    return str(int(shown.times[shown.circles[0]] + 0.01))


def _ends(rng: random.Random, i: int) -> Drawn:
    colours = rng.sample(list(COLOURS), _N)
    scenes = _plain([colour for colour in colours for _ in range(2 * _RATE)])
    return Drawn(scenes, colours[0 if i % 2 else -1], {"end": "beginning" if i % 2 else "end"})


def _side(rng: random.Random, i: int) -> Drawn:
    scenes = tuple((colour, rng.choice(_SIDES)) for colour in _any(rng, 2))
    scenes = tuple((colour, _SIDES[i % 4] if j == i % 2 else side) for j, (colour, side) in enumerate(scenes))
    return Drawn(scenes, _SIDES[i % 4], {"k": str(i % 2 + 1)})


def _marked(mark: Callable[[str], str]) -> Callable[[random.Random, int], Drawn]:
    """Returns the function that draws words and marks one of them."""

    def draw(rng: random.Random, i: int) -> Drawn:
        words, place = rng.sample(_WORDS, len(_WORDS)), rng.randrange(len(_WORDS))
        said = ", ".join(mark(word) if j == place else word for j, word in enumerate(words))
        return Drawn(_plain(_any(rng, 1)), words[place], {"words": said})

    return draw


def _last_word(rng: random.Random, i: int) -> Drawn:
    last, *others = rng.sample(_WORDS, len(_WORDS))
    return Drawn(_plain(_any(rng, 1)), last, {"words": " ".join([*rng.choices(others, k=_LONG), last])})


def _code_word(rng: random.Random, i: int) -> Drawn:
    word = rng.choice(_WORDS)
    return Drawn(_plain(_any(rng, 1)), word, {"word": word})


def _read(pattern: str, which: int = 0) -> Callable[[Shown, Values], str]:
    """Returns the function that finds a word in the text of a question."""

    def seen(shown: Shown, values: Values) -> str:
        found = [one for one in re.findall(pattern, values["raw"]) if one.casefold() in _WORDS]
        return found[which].casefold() if found else _UNKNOWN

    return seen


KINDS: dict[str, Kind] = {
    "colour of image k": Kind(
        "Which colour is the large area in the middle of image {k}" + _ONE_WORD,
        tuple(COLOURS),
        _image_at(lambda i: i % _N),
        lambda shown, values: shown.colour_at(int(values["k"]) - 1),
    ),
    "how many images": Kind(
        "How many images are there: 2, 3, 4 or 5" + _ONE_NUMBER,
        ("2", "3", "4", "5"),
        _count,
        lambda shown, values: str(len(shown.cards)),
        8,
    ),
    "first image": Kind(
        "Which colour has the first image in its middle" + _ONE_WORD,
        tuple(COLOURS),
        _image_at(lambda i: 0),
        lambda shown, values: shown.colour_at(0),
        8,
        is_paired=True,
    ),
    "last image": Kind(
        "Which colour has the last image in its middle" + _ONE_WORD,
        tuple(COLOURS),
        _image_at(lambda i: -1),
        lambda shown, values: shown.colour_at(-1),
        8,
    ),
    "before": Kind(
        "Does the {one} image come before the {other} image: yes or no? Answer with one word.",
        ("yes", "no"),
        _before,
        _is_before,
        16,
    ),
    "second of the circle": Kind(
        "During which second of the video is a circle shown, where 0 is the first second: 0, 1, 2, 3, 4, 5, "
        "6 or 7" + _ONE_NUMBER,
        tuple(map(str, range(_SECONDS))),
        _second,
        _second_seen,
        8,
        True,
    ),
    "ends of a video": Kind(
        "Which colour is the middle of the video at its {end}" + _ONE_WORD,
        tuple(COLOURS),
        _ends,
        lambda shown, values: shown.colour_at(0 if values["end"] == "beginning" else -1),
        8,
        True,
    ),
    "side of the dot": Kind(
        "At which side of image {k} is a white dot: left, right, top or bottom? Answer with one word.",
        _SIDES,
        _side,
        lambda shown, values: shown.side_at(int(values["k"]) - 1),
        8,
    ),
    "word in angle brackets": Kind(
        "One of these words stands in angle brackets: {words}. Which one? " + _ONE_OF,
        _WORDS,
        _marked("<{}>".format),
        _read(r"<(\w+)>"),
        6,
    ),
    "word after a Chinese sign": Kind(
        "One of these words stands after the sign 色: {words}. Which one? " + _ONE_OF,
        _WORDS,
        _marked("色 {}".format),
        _read("色 ?([a-zA-Z]+)"),
        6,
    ),
    "word in capitals": Kind(
        "One of these words is in capital letters: {words}. Which one? " + _ONE_OF,
        _WORDS,
        _marked(str.upper),
        lambda shown, values: _UNKNOWN if values["raw"].isupper() else _read(r"\b[A-Z]{4,}\b")(shown, values),
        6,
    ),
    "last word": Kind(
        f"Which word is the last one of the list below? {_ONE_OF} The list: {{words}}.",
        _WORDS,
        _last_word,
        lambda shown, values: _read(r"\w+", -1)(shown, {"raw": values["raw"].partition("list:")[2]}),
        6,
    ),
    "word of the system message": Kind(
        "Which code word does the system message give? " + _ONE_OF,
        _WORDS,
        _code_word,
        _read(r"code word is (\w+)"),
        6,
        system="The code word is {word}.",
    ),
}
"""By name; each is asked fewer than 20 times."""


def read_answer(kind: Kind, reply: str) -> str | None:
    """Returns the answer that a reply names; None if it names none or several."""
    words = set(re.findall(r"\w+", reply.casefold()))
    found = [answer for answer in kind.answers if answer in words]
    return found[0] if len(found) == 1 else None


class Score(NamedTuple):
    """The score of the questions of a kind: 0 for guessing, 1 for seeing."""

    right: int
    n: int
    value: float
    low: float  # of its 95 % interval, after Wilson


def score(kind: Kind, replies: Sequence[tuple[str, str]]) -> Score:
    """Returns the score of replies, each with the right answer."""
    marks = [read_answer(kind, reply) == answer for reply, answer in replies]
    low, _ = wilson(ratio(((mark, 1) for mark in marks), range(len(marks))))
    chance = 1 / len(kind.answers)
    value, least = ((one - chance) / (1 - chance) for one in (sum(marks) / len(marks), low))
    return Score(sum(marks), len(marks), value, least)


def answered(text: str, shown: Shown) -> str:
    """Returns a seeing model's answer to a prompt; for any other prompt a description of the pictures."""
    kind, values = _asked(text)
    return kind.seen(shown, values) if kind else f"{len(shown.cards)} images: {' '.join(shown.colours)}"


@functools.lru_cache(maxsize=4096)
def _asked(text: str) -> tuple[Kind | None, Values]:
    """Returns the question that a text asks, recognised even without case, spaces or signs."""
    bare = _bare(text)
    for kind in KINDS.values():
        pieces = re.split(r"\{(\w+)\}", kind.text)
        names = [f"(?P<{piece}>.*?)" if i % 2 else _bare(piece) for i, piece in enumerate(pieces)]
        if names[0] in bare and (found := re.search("".join(names), bare)):
            return kind, {**found.groupdict(), "raw": text}
    return None, {}


def _bare(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "", text.casefold())
