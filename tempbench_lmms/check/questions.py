"""Small questions that anyone who sees can answer, and how their replies are scored.

The wording is fixed, so that `tempbench_reader` can tell what it is asked.
"""

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from tempbench_lmms.media.codes import COLOURS, Card
from tempbench_lmms.metrics.ratio import ratio
from tempbench_lmms.metrics.share import wilson

_N = 4
_SECONDS = 8
_RATE = 9  # frames a second: more in all than any runner takes by default
_ONE_WORD = " Answer with one word."
_ONE_NUMBER = " Answer with one number."


@dataclass(frozen=True)
class Drawn:
    """One question that was drawn.

    Attributes:
        scenes: Colour and shape of each picture or frame.
        answer: The right answer.
        values: What stands in the question's text.
    """

    scenes: tuple[tuple[str, str], ...]
    answer: str
    values: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Kind:
    """A kind of question.

    Attributes:
        text: Its wording.
        answers: All that may be answered.
        draw: Draws question number i.
        n_calls: How many are asked.
        is_video: Whether the pictures are the frames of a video.
        rate: Of the video, frames a second.
    """

    text: str
    answers: tuple[str, ...]
    draw: Callable[[random.Random, int], Drawn]
    n_calls: int = 12
    is_video: bool = False
    rate: int = _RATE

    @property
    def chance(self) -> float:
        """How often a guess is right."""
        return 1 / len(self.answers)


def _plain(colours: Sequence[str]) -> tuple[tuple[str, str], ...]:
    return tuple((colour, "nothing") for colour in colours)


def _colour(rng: random.Random, i: int) -> Drawn:
    colours = rng.sample(list(COLOURS), _N)
    place = i % _N
    return Drawn(_plain(colours), colours[place], {"k": str(place + 1)})


def _count(rng: random.Random, i: int) -> Drawn:
    n = 2 + i % _N
    return Drawn(_plain([rng.choice(list(COLOURS)) for _ in range(n)]), str(n))


def _circle(rng: random.Random, i: int) -> Drawn:
    place = i % _N
    colours = [rng.choice(list(COLOURS)) for _ in range(_N)]
    scenes = tuple((colour, "circle" if j == place else "square") for j, colour in enumerate(colours))
    return Drawn(scenes, str(place + 1))


def _first(rng: random.Random, i: int) -> Drawn:
    colours = rng.sample(list(COLOURS), _N)
    return Drawn(_plain(colours), colours[0])


def _last(rng: random.Random, i: int) -> Drawn:
    colours = rng.sample(list(COLOURS), _N)
    return Drawn(_plain(colours), colours[-1])


def _before(rng: random.Random, i: int) -> Drawn:
    colours = rng.sample(list(COLOURS), _N)
    one, other = sorted(rng.sample(range(_N), 2), reverse=bool(i % 2))
    answer = "yes" if one < other else "no"
    return Drawn(_plain(colours), answer, {"one": colours[one], "other": colours[other]})


def _second(rng: random.Random, i: int) -> Drawn:
    second = i % _SECONDS
    colour = rng.choice(list(COLOURS))
    scenes = ((colour, "circle" if j // _RATE == second else "nothing") for j in range(_RATE * _SECONDS))
    return Drawn(tuple(scenes), str(second))


def _video_order(rng: random.Random, i: int) -> Drawn:
    colours = rng.sample(list(COLOURS), _N)
    return Drawn(
        tuple((colour, "nothing") for colour in colours for _ in range(2 * _RATE)),
        colours[0 if i % 2 else -1],
        {"end": "beginning" if i % 2 else "end"},
    )


KINDS: dict[str, Kind] = {
    "colour of image k": Kind(
        "Which colour is the large area in the middle of image {k}: " + ", ".join(COLOURS) + "?" + _ONE_WORD,
        tuple(COLOURS),
        _colour,
    ),
    "how many images": Kind(
        "How many images are there: 2, 3, 4 or 5?" + _ONE_NUMBER, ("2", "3", "4", "5"), _count, 8
    ),
    "which image shows the circle": Kind(
        "Which image shows a circle: 1, 2, 3 or 4?" + _ONE_NUMBER, ("1", "2", "3", "4"), _circle
    ),
    "first image": Kind(
        "Which colour has the first image in its middle: " + ", ".join(COLOURS) + "?" + _ONE_WORD,
        tuple(COLOURS),
        _first,
        8,
    ),
    "last image": Kind(
        "Which colour has the last image in its middle: " + ", ".join(COLOURS) + "?" + _ONE_WORD,
        tuple(COLOURS),
        _last,
        8,
    ),
    "before": Kind(
        "Does the {one} image come before the {other} image: yes or no?" + _ONE_WORD,
        ("yes", "no"),
        _before,
        16,
    ),
    "second of the circle": Kind(
        "During which second of the video is a circle shown, where 0 is the first second: 0, 1, 2, 3, 4, 5, "
        "6 or 7?" + _ONE_NUMBER,
        tuple(map(str, range(_SECONDS))),
        _second,
        8,
        True,
    ),
    "ends of a video": Kind(
        "Which colour is the middle of the video at its {end}: " + ", ".join(COLOURS) + "?" + _ONE_WORD,
        tuple(COLOURS),
        _video_order,
        8,
        True,
    ),
}
"""By name; each is asked fewer than 20 times."""


def read_answer(kind: Kind, reply: str) -> str | None:
    """Returns the answer that a reply names; None where it names none, or several."""
    words = set(re.findall(r"\w+", reply.casefold()))
    found = [answer for answer in kind.answers if answer in words]
    return found[0] if len(found) == 1 else None


@dataclass(frozen=True)
class Score:
    """How well the questions of a kind were answered.

    Attributes:
        right: How many were.
        n: How many were asked.
        chance: How often a guess is right.
    """

    right: int
    n: int
    chance: float

    def corrected(self, share: float) -> float:
        """Returns a share of right answers such that a guess gets 0 and one who sees 1."""
        return (share - self.chance) / (1 - self.chance)

    @property
    def value(self) -> float:
        """The chance-corrected share of right answers."""
        return self.corrected(self.right / self.n)

    @property
    def bounds(self) -> tuple[float, float]:
        """Its 95 % interval, after Wilson."""
        marks = [(i < self.right, 1) for i in range(self.n)]
        low, high = wilson(ratio(marks, range(self.n)))
        return self.corrected(low), self.corrected(high)


def score(kind: str, replies: Sequence[tuple[str, str]]) -> Score:
    """Scores the replies to a kind of question.

    Args:
        kind: A key of `KINDS`.
        replies: Reply and right answer of each.
    """
    asked = KINDS[kind]
    right = sum(read_answer(asked, reply) == answer for reply, answer in replies)
    return Score(right, len(replies), asked.chance)


def answered(text: str, cards: Sequence[Card | None], times: Sequence[float] | None) -> str:
    """Returns what one who sees answers to a prompt; what is no question of this module gets a description.

    Args:
        text: The prompt's text.
        cards: What the pictures show, or a video's frames; None for one that cannot be read.
        times: Of a video's frames.
    """
    for name, kind in KINDS.items():
        pattern = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>\\w+)", re.escape(kind.text))
        if found := re.search(pattern, text):
            return _ANSWERS[name](cards, found.groupdict(), times)
    return f"{len(cards)} images: {' '.join(_word(card) for card in cards)}"


def _word(card: Card | None) -> str:
    return card.colour if card else "nothing"


Answer = Callable[[Sequence[Card | None], Mapping[str, str], Sequence[float] | None], str]


def _colour_at(place: Callable[[Mapping[str, str]], int]) -> Answer:
    def answer(cards: Sequence[Card | None], values: Mapping[str, str], times: Sequence[float] | None) -> str:
        number = place(values)
        return _word(cards[number]) if -len(cards) <= number < len(cards) else "unknown"

    return answer


def _circle_at(cards: Sequence[Card | None], values: Mapping[str, str], times: Sequence[float] | None) -> str:
    return next((str(i + 1) for i, card in enumerate(cards) if card and card.shape == "circle"), "unknown")


def _is_before(cards: Sequence[Card | None], values: Mapping[str, str], times: Sequence[float] | None) -> str:
    words = [_word(card) for card in cards]
    if values["one"] not in words or values["other"] not in words:
        return "unknown"
    return "yes" if words.index(values["one"]) < words.index(values["other"]) else "no"


def _second_of(cards: Sequence[Card | None], values: Mapping[str, str], times: Sequence[float] | None) -> str:
    if times is None:
        return "unknown"
    shown = [time for card, time in zip(cards, times, strict=False) if card and card.shape == "circle"]
    return str(int(shown[0] + 0.01)) if shown else "unknown"


_ANSWERS: dict[str, Answer] = {
    "colour of image k": _colour_at(lambda values: int(values["k"]) - 1),
    "how many images": lambda cards, values, times: str(len(cards)),
    "which image shows the circle": _circle_at,
    "first image": _colour_at(lambda values: 0),
    "last image": _colour_at(lambda values: -1),
    "before": _is_before,
    "second of the circle": _second_of,
    "ends of a video": _colour_at(lambda values: 0 if values["end"] == "beginning" else -1),
}
