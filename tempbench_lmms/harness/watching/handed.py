"""What a wrapper says that it hands over (`given`), and conversations and prompts in the usual forms."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tempbench_lmms.check.inputs import Inputs, Part, Text, as_picture, as_video, of_messages, settings_of

_PLACES = re.compile(
    r"(?:<\|vision_start\|>)?(?:<\|(?:image|video)_pad\|>)+(?:<\|vision_end\|>)?|<(?:image|video|start_of_image|"
    r"IMG_CONTEXT|image_soft_token)>|<\|(?:image|video)(?:_\d+)?\|>|\[IMG\]"
)


def given(
    prompt: str | Sequence[Mapping[str, Any]],
    images: Sequence[Any] = (),
    videos: Sequence[Any] = (),
    times: Sequence[Sequence[float]] | None = None,
    **generation: Any,
) -> None:
    """Tells `tempbench check-model` what a wrapper hands to its processor or engine; does nothing otherwise.

    Args:
        prompt: A question's text, with `<image>` or `<video>` where one stands; or messages, whose parts are
            of the types `text`, `image`, `image_url`, or `video` with `times` where they are told.
        images: Of a prompt that is a text: PIL images, or arrays of shape (height, width, 3).
        videos: Likewise: lists of frames, or arrays of shape (frames, height, width, 3).
        times: Of each video's frames, in seconds; None where the model is told none.
        generation: `max_new_tokens`, `temperature`, `do_sample`, `until`, as the model gets them.
    """
    pass_on(prompt, images, videos, times, generation)


def pass_on(*told: Any) -> None:
    """Does nothing: a check listens to it (`calls`)."""


def inputs_of(prompt: Any, images: Any, videos: Any, times: Any, generation: Mapping[str, Any]) -> Inputs:
    """Returns what a call of `given` tells."""
    parts = of_prompt(prompt, images, videos, times) if isinstance(prompt, str) else of_messages(prompt)
    return Inputs(tuple(parts), settings_of(generation))


def of_prompt(
    text: str, images: Sequence[Any] = (), videos: Sequence[Any] = (), times: Sequence[Any] | None = None
) -> Iterator[Part]:
    """Yields the parts of a prompt with signs where a picture or video stands."""
    pictures: list[Part] = list(map(as_picture, images))
    clips: list[Part] = [as_video(video, times[i] if times else None) for i, video in enumerate(videos)]
    if not _PLACES.search(text):
        yield from (*pictures, *clips)
        pictures, clips = [], []
    start = 0
    for place in _PLACES.finditer(text):
        several = clips if "video" in place.group() or not pictures else pictures
        yield Text(text[start : place.start()])
        yield from several[:1]
        del several[:1]
        start = place.end()
    yield Text(text[start:])
    yield from (*pictures, *clips)
