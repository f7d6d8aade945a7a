"""A model's input: the parts of its prompt in order, and its generation settings.

The input of every runner is converted to this form (`harness/watching`), so pure functions can compare what
arrived with what was given.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tempbench_lmms.media import codes
from tempbench_lmms.media.codes import Card, Pixels


@dataclass(frozen=True)
class Text:
    """A piece of text as the model receives it; `role` is `user` or `system`."""

    text: str
    role: str = "user"


@dataclass(frozen=True)
class Picture:
    """A picture or frame; two are equal if they show the same at the same size."""

    pixels: Pixels | None = field(compare=False, repr=False)  # None where they cannot be seen
    tokens: int | None = None
    cards: tuple[Card, ...] = ()  # several where pictures were joined, none where it cannot be read
    size: tuple[int, int] = (0, 0)  # height and width in pixels
    is_blank: bool = False
    turned: str = ""  # a key of `codes.TURNS`
    is_fitted: bool = False  # the model's own processor gives every picture this shape

    @property
    def is_hidden(self) -> bool:
        """Whether it exists but cannot be seen."""
        return self.size == (0, 0)


@dataclass(frozen=True)
class Video:
    """The frames of a video, and the time of each in seconds."""

    frames: tuple[Picture, ...] | None  # None where they cannot be seen
    times: tuple[float, ...] | None = None  # None where the model is told none
    tokens: int | None = None
    hides_times: bool = False  # times may be told where they cannot be seen from here


@dataclass(frozen=True)
class Settings:
    """The generation settings; None for what cannot be seen."""

    max_new_tokens: int | None = None
    samples: bool | None = None
    stop: tuple[str, ...] | None = None


# Signs of templates, the numbers that some processors write before frames, and times.
_NO_TEXT = re.compile(
    r"<\|[^|>]*\|>|[<\[]/?[a-z_]+[\]>]|"
    r"\b(?:frame|image|picture)\W?\d+\b:?|<?\d+(?:\.\d+)? ?s(?:ec(?:onds?)?)?>",
    re.IGNORECASE,
)
_STAMP = re.compile(r"<(\d+(?:\.\d+)?) ?s(?:ec(?:onds?)?)?>", re.IGNORECASE)


def settings_of(given: Mapping[str, Any]) -> Settings:
    """Returns the generation settings of a model from any runner's names for them."""
    names = ("max_new_tokens", "max_tokens", "max_completion_tokens")
    most = next((given[key] for key in names if given.get(key)), None)
    temperature, samples = given.get("temperature"), given.get("do_sample")
    if samples is None and temperature is not None:
        samples = float(temperature) > 0
    stop = next((given[key] for key in ("until", "stop", "stop_strings") if given.get(key)), ())
    return Settings(
        int(most) if most is not None else None,
        bool(samples) if samples is not None else None,
        (stop,) if isinstance(stop, str) else tuple(stop),
    )


Part = Text | Picture | Video


@dataclass(frozen=True)
class Inputs:
    """The part of one question that arrived."""

    parts: tuple[Part, ...]
    settings: Settings = Settings()
    error: str = ""  # why the model failed on them
    said: str | None = field(default=None, compare=False)  # by the model, before the runner's reply is made
    templates: int | None = None  # how often the chat template was filled in; None where that is unseen

    @property
    def text(self) -> str:
        """All of its text."""
        return " ".join(part.text for part in self.parts if isinstance(part, Text))


def flat(text: str) -> str:
    """Returns a text with single spaces."""
    return " ".join(text.split())


def bare(text: str) -> str:
    """Returns a text without the additions of templates and processors: signs, frame numbers, times."""
    return flat(_NO_TEXT.sub(" ", text))


def stamps_of(texts: Iterable[str]) -> list[float]:
    """Returns the times written between frames, such as `<1.5 seconds>`."""
    return [float(found) for text in texts for found in _STAMP.findall(text)]


def cards_of(inputs: Inputs) -> list[Card]:
    """Returns all that the pictures and frames of a question show."""
    shown = ([part] if isinstance(part, Picture) else getattr(part, "frames", ()) for part in inputs.parts)
    return [card for some in shown for one in some or () for card in one.cards]


def picture(pixels: Pixels | None, tokens: int | None = None, is_fitted: bool = False) -> Picture:
    """Returns a picture with its code read."""
    if pixels is None:
        return Picture(None, tokens)
    is_blank = codes.is_blank(pixels)
    card, turned = (None, "") if is_blank else codes.read_turned(pixels)
    cards = (card,) if card else () if is_blank else codes.read_strip(pixels)
    return Picture(pixels, tokens, cards, pixels.shape[:2], is_blank, turned, is_fitted)


def of_messages(
    messages: Sequence[Mapping[str, Any]], decoded: Callable[[Any, Any], Video] | None = None
) -> Iterator[Part]:
    """Yields the parts of a conversation in the form of OpenAI, of Hugging Face or of the harness."""
    for message in messages:
        role, content = str(message["role"]), message["content"]
        several: list[Any] = [{"type": "text", "text": content}] if isinstance(content, str) else content
        for part in several:
            kind = part["type"]
            value = next((part[key] for key in (kind, "url", "image", "video", "path") if key in part), None)
            value = value["url"] if isinstance(value, Mapping) else value
            if kind in ("text", "input_text"):
                yield Text(str(part["text"]), role)
            elif kind in ("image", "image_url", "input_image"):
                yield as_picture(value)
            elif kind in ("video", "video_url"):
                yield (decoded or as_video)(value, part.get("times"))


def as_picture(value: Any) -> Picture:
    """Returns a picture of whatever a runner has."""
    return picture(codes.from_any(value))


def as_video(value: Any, times: Sequence[float] | None = None) -> Video:
    """Returns a video of its frames; one in a file is there, and cannot be seen."""
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[1], Mapping):  # with its metadata
        value, about = value
        places, rate = about.get("frames_indices"), about.get("fps")
        times = [place / rate for place in places] if places is not None and rate else times
    if isinstance(value, str) or value is None:
        return Video(None, hides_times=True)  # whoever gets it decodes it
    return Video(tuple(map(as_picture, value)), tuple(map(float, times)) if times is not None else None)
