"""Answers the check's questions from the pixels, for `tempbench_reader`."""

import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tempbench_lmms.check.inputs import Inputs, Picture, Video, as_video, of_messages, settings_of
from tempbench_lmms.check.questions import Shown, answered
from tempbench_lmms.media import video

FRAMES = 32


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

    With sampling, each reply is different.
    """
    videos = [part for part in inputs.parts if isinstance(part, Video)]
    shown = [part for part in inputs.parts if isinstance(part, Picture) and not part.is_hidden]
    shown += [frame for part in videos for frame in part.frames or ()]
    said = answered(Shown(shown, videos[0].times if videos else None, inputs.text))
    if inputs.settings.samples:
        said = f"{secrets.token_hex(4)} {said}"
    most = inputs.settings.max_new_tokens
    return " ".join(said.split()[:most]) if most and len(said.split()) > most else said
