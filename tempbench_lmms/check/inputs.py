"""What a model gets: the parts of its prompt in order, and how it shall answer.

Every runner is brought into this one form (`harness/watching`), so that what arrives can be compared by pure
functions with what was given.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tempbench_lmms.media import codes
from tempbench_lmms.media.codes import Card, Pixels


@dataclass(frozen=True)
class Text:
    """A piece of text as the model gets it; `role` is `user` or `system`."""

    text: str
    role: str = "user"


@dataclass(frozen=True)
class Picture:
    """A picture, or a frame; two are the same that show the same at the same size.

    Attributes:
        pixels: Shape (height, width, 3), as the model gets them; None where they cannot be seen.
        tokens: Its vision tokens, where they are known.
        cards: What it shows; several where pictures were joined, none where it cannot be read.
        size: Height and width in pixels.
        is_blank: Whether it is one colour.
        turned: How it was turned or inverted, a key of `codes.TURNS`; else empty.
        is_fitted: Whether the model's own processor gives every picture this shape.
    """

    pixels: Pixels | None = field(compare=False, repr=False)
    tokens: int | None = None
    cards: tuple[Card, ...] = ()
    size: tuple[int, int] = (0, 0)
    is_blank: bool = False
    turned: str = ""
    is_fitted: bool = False

    @property
    def is_hidden(self) -> bool:
        """Whether it is there and cannot be seen."""
        return self.size == (0, 0)


@dataclass(frozen=True)
class Video:
    """The frames of a video.

    Attributes:
        frames: As the model gets them; None where they cannot be seen.
        times: The time of each frame that the model is told, in seconds; None where it is told none.
        tokens: Its vision tokens, where they are known.
        hides_times: Whether times may be told where they cannot be seen from here.
    """

    frames: tuple[Picture, ...] | None
    times: tuple[float, ...] | None = None
    tokens: int | None = None
    hides_times: bool = False


@dataclass(frozen=True)
class Settings:
    """How the model shall answer; None where that cannot be seen.

    Attributes:
        max_new_tokens: The most tokens of a reply.
        samples: Whether tokens are drawn by chance.
        stop: What ends a reply.
    """

    max_new_tokens: int | None = None
    samples: bool | None = None
    stop: tuple[str, ...] | None = None


Part = Text | Picture | Video


@dataclass(frozen=True)
class Inputs:
    """What arrived of one question.

    Attributes:
        parts: Of the prompt, in order.
        settings: How to answer.
        hidden: What cannot be seen from here, and why: `text`, `pictures`, `settings`.
        error: Why the model failed on them; else empty.
        said: What the model said, before the runner made a reply of it; None where that cannot be seen.
        templates: How often the chat template was filled in; None where that cannot be seen.
    """

    parts: tuple[Part, ...]
    settings: Settings = Settings()
    hidden: Mapping[str, str] = field(default_factory=dict)
    error: str = ""
    said: str | None = field(default=None, compare=False)
    templates: int | None = None

    @property
    def text(self) -> str:
        """All of its text."""
        return " ".join(part.text for part in self.parts if isinstance(part, Text))


def cards_of(inputs: Inputs) -> list[Card]:
    """Returns all that the pictures and frames of a question show."""
    several = (
        [part] if isinstance(part, Picture) else getattr(part, "frames", None) or () for part in inputs.parts
    )
    return [card for some in several for one in some for card in one.cards]


def picture(pixels: Pixels | None, tokens: int | None = None, is_fitted: bool = False) -> Picture:
    """Returns a picture with its code read."""
    if pixels is None:
        return Picture(None, tokens)
    cards, turned = codes.read_all(pixels), ""
    is_blank = not cards and codes.is_blank(pixels)
    if not cards and not is_blank:
        card, turned = codes.read_turned(pixels)
        cards = (card,) if card else ()
    return Picture(pixels, tokens, cards, pixels.shape[:2], is_blank, turned, is_fitted)
