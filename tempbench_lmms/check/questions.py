"""Small questions that anyone who sees can answer: each asks for a report of what arrived.

The wording is fixed, so that `tempbench_reader` can recognise the question.
"""

import functools
import itertools
import random
import re
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from tempbench_lmms.check.inputs import Inputs, Picture, Video, as_video, of_messages, settings_of
from tempbench_lmms.media import codes, video
from tempbench_lmms.media.codes import COLOURS, Pixels
from tempbench_lmms.metrics.ratio import ratio, wilson

NEW_TOKENS = 96
FRAMES = 32  # of a video that `tempbench_reader` takes
_SECONDS = 8
_RATE = 9  # frames a second: more in all than any runner takes by default
_IN_ORDER = "Write one word for each, in order, separated by commas."
_WORDS = ("hammer", "violin", "teapot", "ladder", "candle", "pencil")
_LONG = 400
_SIDES = ("left", "right", "top", "bottom")
_COLOURS = "|".join((*COLOURS, "gr[ae]y", "black", "white"))

Words = tuple[str, ...]


class Drawn(NamedTuple):
    """A drawn question."""

    scenes: tuple[tuple[str, str], ...]  # colour and shape of each picture or frame
    answer: Words
    text: str = ""  # what stands between START and STOP, or the code word


class Shown(NamedTuple):
    """What a seeing model is shown."""

    pictures: Sequence[Picture]
    times: Sequence[float] | None
    text: str

    @property
    def colours(self) -> list[str]:
        """The colour of each picture, and of each card of those that were joined."""
        return [
            colour
            for one in self.pictures
            if one.pixels is not None
            for colour in [card.colour for card in one.cards] or [codes.colour_on(one.pixels)]
        ]

    @property
    def pixels(self) -> list[Pixels]:
        """The pixels of each picture that can be seen."""
        return [one.pixels for one in self.pictures if one.pixels is not None]

    @property
    def told(self) -> str:
        """What stands between START and STOP, as far as it is there."""
        after = re.split("start", self.text, flags=re.IGNORECASE)[-1]
        return re.split("stop", after, maxsplit=1, flags=re.IGNORECASE)[0].strip()


@dataclass(frozen=True)
class Kind:
    """A kind of question."""

    text: str
    items: str  # a pattern of what a reply lists; empty if it is lines of text
    n_choices: int  # of how many items a guess is one; 0 if there is nothing to guess
    draw: Callable[[random.Random, int], Drawn]  # draws one by its number
    seen: Callable[[Shown], Sequence[str]]  # what one who sees writes
    n_calls: int = 4  # fewer than 20
    is_video: bool = False
    rate: int = _RATE
    system: str = ""
    is_paired: bool = False  # whether two after each other have the same text


def _plain(colours: Sequence[str], answer: Words = (), text: str = "") -> Drawn:
    """Returns a question of pictures or frames without shapes; the answer is their colours unless given."""
    return Drawn(tuple((colour, "nothing") for colour in colours), answer or tuple(colours), text)


def _colours(rng: random.Random, i: int) -> Drawn:
    n = (6, 4, 5, 8)[i // 2 % 4]
    colours = rng.sample(list(COLOURS), min(n, 6))
    colours += rng.sample(colours[:4], n - len(colours))
    return _plain(colours)


def _shapes(shapes: Sequence[str]) -> Callable[[random.Random, int], Drawn]:

    def draw(rng: random.Random, i: int) -> Drawn:
        scenes = tuple((rng.choice(list(COLOURS)), shape) for shape in rng.sample(shapes, len(shapes)))
        return Drawn(scenes, tuple(shape.replace("nothing", "none") for _, shape in scenes))

    return draw


def _film(rng: random.Random, i: int) -> Drawn:
    colours = rng.sample(list(COLOURS), len(COLOURS))
    return _plain([colour for colour in colours for _ in range(12)], tuple(colours))


def _second(rng: random.Random, i: int) -> Drawn:
    second, colour = i % _SECONDS, rng.choice(list(COLOURS))
    scenes = ((colour, "circle" if j // _RATE == second else "nothing") for j in range(_RATE * _SECONDS))
    return Drawn(tuple(scenes), (str(second),))


def _second_seen(shown: Shown) -> Iterator[str]:
    circles = [i for i, one in enumerate(shown.pixels) if codes.shape_on(one) in ("circle", "square")]
    if shown.times and circles and circles[0] < len(shown.times):
        yield str(int(shown.times[circles[0]] + 0.01))


def _copied(rng: random.Random, i: int) -> Drawn:
    one, two, three, four = rng.sample(_WORDS, 4)
    number = rng.randrange(1000, 9999)
    lines = (
        f"(A) The {one}, in May: MAY {number / 10}%",
        f"(B) <{two}> or not; <the {three}>?",
        f"(C) caf\u00e9 or na\u00efve: \u989c\u8272 \u548c {four}",
        f"(D) the {two} of {number}!",
    )
    return _plain([rng.choice(list(COLOURS))], lines, "\n" + "\n".join(lines) + "\n")


def _ends(rng: random.Random, i: int) -> Drawn:
    first, last, *others = rng.sample(_WORDS, len(_WORDS))
    text = " ".join([first, *rng.choices(others, k=_LONG), last])
    return _plain([rng.choice(list(COLOURS))], (first, last), text)


def _ends_seen(shown: Shown) -> Words:
    words = [word for word in re.findall(r"\w+", shown.told.casefold()) if word in _WORDS]
    return (words[0], words[-1]) if words else ()


def _code_word(rng: random.Random, i: int) -> Drawn:
    word = _WORDS[(i + rng.randrange(2)) % len(_WORDS)]
    return _plain([rng.choice(list(COLOURS))], (word,), word)


_WHICH = f": {', '.join(COLOURS)}? {_IN_ORDER}"
_OF_ENDS = "Which word is the first of this list, and which one the last? Write these two words alone."
KINDS: dict[str, Kind] = {
    "colours of images": Kind(
        f"Which colour is the large area in the middle of each image{_WHICH}",
        _COLOURS,
        len(COLOURS),
        _colours,
        lambda shown: shown.colours,
        8,
        is_paired=True,
    ),
    "sides of dots": Kind(
        f"At which side of each image is a white dot: left, right, top or bottom? {_IN_ORDER}",
        "|".join(_SIDES),
        len(_SIDES),
        _shapes(_SIDES),
        lambda shown: [codes.dot_on(one) for one in shown.pixels],
    ),
    "fine lines": Kind(
        f"Fine black lines may run over each image. Are they vertical, horizontal, or none? {_IN_ORDER}",
        "vertical|horizontal|none",
        3,
        _shapes(("vertical", "horizontal", "nothing")),
        lambda shown: [codes.lines_of(one) for one in shown.pixels],
    ),
    "colours of a video": Kind(
        f"Which colours does the middle of this video have, one after the other{_WHICH}",
        _COLOURS,
        len(COLOURS),
        _film,
        lambda shown: [colour for colour, _ in itertools.groupby(shown.colours)],
        is_video=True,
    ),
    "second of the circle": Kind(
        "During which second of the video is a circle shown? The first second is 0. Answer with a number.",
        r"\d+",
        _SECONDS,
        _second,
        lambda shown: list(_second_seen(shown)),
        8,
        is_video=True,
    ),
    "copied lines": Kind(
        "Copy what stands between START and STOP, line by line and exactly as it is:\nSTART{}STOP",
        "",
        0,
        _copied,
        lambda shown: shown.told.splitlines(),
    ),
    "ends of a text": Kind(
        f"{_OF_ENDS}\nSTART {{}} STOP\n{_OF_ENDS}",
        "|".join(_WORDS),
        len(_WORDS),
        _ends,
        _ends_seen,
    ),
    "word of the system message": Kind(
        "Which code word does the system message give? Answer with that word alone.",
        "|".join(_WORDS),
        len(_WORDS),
        _code_word,
        lambda shown: [
            word
            for word in re.findall(r"code ?word ?(?:is ?)?([a-z]+)", shown.text.casefold())
            if word in _WORDS
        ][:1],
        system="The code word is {}.",
    ),
}


def read_answer(kind: Kind, reply: str) -> list[str]:
    """Returns what a reply reports: the items of its list, or its lines."""
    if not kind.items:
        return [flat for line in reply.splitlines() if (flat := " ".join(line.split()))]
    found = re.findall(rf"\b(?:{kind.items})\b", reply.casefold())
    return [item for item, _ in itertools.groupby(found)] if kind.is_video else found


class Score(NamedTuple):
    """The score of the questions of a kind: 0 for guessing, 1 for seeing."""

    right: int
    n: int
    value: float
    low: float  # of its 95 % interval, after Wilson


def score(kind: Kind, replies: Sequence[tuple[str, Words]]) -> Score:
    """Returns the score of the places of replies, each reply with the right answer."""
    marks = [
        read_answer(kind, reply)[i : i + 1] == [word]
        for reply, answer in replies
        for i, word in enumerate(answer)
    ]
    low, _ = wilson(ratio(((mark, 1) for mark in marks), range(len(marks))))
    chance = 1 / kind.n_choices if kind.n_choices else 0
    value, least = ((one - chance) / (1 - chance) for one in (sum(marks) / len(marks), low))
    return Score(sum(marks), len(marks), value, least)


# ---- who sees


def inputs_of(
    messages: Sequence[Mapping[str, Any]], generation: Mapping[str, Any], n_frames: int = FRAMES
) -> Inputs:
    """Returns a model's input from a conversation if nothing goes wrong.

    Raises:
        MediaError: A video is damaged or missing.
    """

    def decoded(url: Any, times: Any) -> Video:
        if isinstance(url, (list, tuple)):
            return as_video(url)
        path = Path(str(url))
        frames = video.sample_frames(path, min(n_frames, video.probe(path).n_frames))
        return as_video(frames.images, frames.times)

    return Inputs(tuple(of_messages(messages, decoded)), settings_of({"temperature": 0, **generation}))


def reply(inputs: Inputs) -> str:
    """Returns the reply of a model that reads the pictures' codes and knows the check's questions.

    Any other prompt gets a description of the pictures. With sampling, each reply is different.
    """
    videos = [part for part in inputs.parts if isinstance(part, Video)]
    pictures = [part for part in inputs.parts if isinstance(part, Picture) and not part.is_hidden]
    pictures += [frame for part in videos for frame in part.frames or ()]
    shown = Shown(pictures, videos[0].times if videos else None, inputs.text)
    said = f"{len(shown.colours)} images: {' '.join(shown.colours)}"
    if kind := _asked(shown.text):
        said = (", " if kind.items else "\n").join(kind.seen(shown)) or "unknown"
    if inputs.settings.samples:
        said = f"{secrets.token_hex(4)} {said}"
    most = inputs.settings.max_new_tokens or len(said)
    return " ".join(said.split()[:most]) if len(said.split()) > most else said


def _asked(text: str) -> Kind | None:
    """Returns what a text asks. Who reads it knows that also where words, case, spaces or signs were lost."""
    known = {name: _pieces(kind.text.partition("START{")[0]) for name, kind in KINDS.items()}
    share, name = max((len(own & _pieces(text)) / len(own), name) for name, own in known.items())
    return KINDS[name] if share > 0.4 else None


@functools.lru_cache(maxsize=4096)
def _pieces(text: str) -> frozenset[str]:
    bare = re.sub(r"[^a-z]+", "", text.casefold())
    return frozenset(bare[i : i + 5] for i in range(len(bare) - 4))
