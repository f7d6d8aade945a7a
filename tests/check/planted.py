"""Faults of runners, planted between what a task gives and what arrives."""

import dataclasses

import numpy as np

from tempbench_lmms.check import probes, procedure, questions, sighted_reader
from tempbench_lmms.check.inputs import Picture, Text, Video, picture
from tempbench_lmms.media import codes, pictures


def _with_pictures(inputs, change):
    """Changes the pictures; those that are left over go to the end, where some are gone their places are."""
    shown = change([part for part in inputs.parts if isinstance(part, Picture)])
    parts, left = [], list(shown)
    for part in inputs.parts:
        if not isinstance(part, Picture):
            parts.append(part)
        elif left:
            parts.append(left.pop(0))
    return dataclasses.replace(inputs, parts=(*parts, *left))


def _with_videos(inputs, change):
    return dataclasses.replace(
        inputs, parts=tuple(change(part) if isinstance(part, Video) else part for part in inputs.parts)
    )


def _with_texts(inputs, change):
    parts = (Text(change(part.text), part.role) if isinstance(part, Text) else part for part in inputs.parts)
    return dataclasses.replace(inputs, parts=tuple(parts))


def on_pictures(change):
    def fault(batch):
        return [_with_pictures(inputs, change) for inputs in batch]

    return fault


def on_videos(change):
    return lambda batch: [_with_videos(inputs, change) for inputs in batch]


def _swap(pictures):
    if len(pictures) < 4:
        return pictures
    return [pictures[0], pictures[3], pictures[2], pictures[1], *pictures[4:]]


def _strip(pictures):
    if len(pictures) < 2:
        return pictures
    side = min(one.size[0] for one in pictures)
    one = [codes.resized(shown.pixels, side, side) for shown in pictures]
    return [picture(np.concatenate(one, axis=1))]


def _half(video):
    n = len(video.frames) // 2
    return Video(video.frames[:n], video.times and video.times[:n])


def _timed(change):
    return lambda video: (
        video if video.times is None else dataclasses.replace(video, times=change(video.times))
    )


def _times_of_another(batch):
    timed = [part for inputs in batch for part in inputs.parts if isinstance(part, Video) and part.times]
    if len(timed) < 2:
        return batch

    def change(video):
        if video.times is None:
            return video
        other = next(one for one in timed if one.times != video.times)
        ends = other.times[0], other.times[-1]
        return dataclasses.replace(video, times=tuple(np.linspace(*ends, len(video.times))))

    return [_with_videos(inputs, change) for inputs in batch]


def _prompt_cut(batch, words=300):
    def cut(inputs):
        left, parts = words, []
        for part in inputs.parts:
            if isinstance(part, Text):
                kept = part.text.split(" ")[:left]
                left -= len(kept)
                part = Text(" ".join(kept), part.role)
            parts.append(part)
        return dataclasses.replace(inputs, parts=tuple(parts))

    return [cut(inputs) for inputs in batch]


def _options_cut(batch):
    def cut(text):
        head, mark, tail = text.partition("(C) ")
        return head + tail[tail.index("The text is") :] if mark else text

    return [_with_texts(inputs, cut) for inputs in batch]


def _settings(**values):
    return lambda batch: [
        dataclasses.replace(one, settings=dataclasses.replace(one.settings, **values)) for one in batch
    ]


def _system(batch):
    said = Text("You are a careful assistant.", "system")
    return [dataclasses.replace(inputs, parts=(said, *inputs.parts)) for inputs in batch]


def _leak(batch):
    """Each question of a batch gets the pictures of the one before it that has as many."""
    out, last = [], {}
    for inputs in batch:
        mine = [part for part in inputs.parts if isinstance(part, Picture)]
        others = last.get(len(mine) > 0, mine)
        last[len(mine) > 0] = mine
        out.append(_with_pictures(inputs, lambda pictures, others=others: others if pictures else pictures))
    return out


def _small(shown):
    return picture(codes.resized(shown.pixels, 28, 28))


KINDS = tuple(questions.KINDS)
FAULTS = {
    "images swapped": on_pictures(_swap),
    "images dropped": on_pictures(lambda pictures: [*pictures[:4], *pictures[5:]]),
    "images doubled": on_pictures(lambda pictures: [*pictures, *pictures[5:6]]),
    "images shrunk": on_pictures(lambda pictures: [_small(one) for one in pictures]),
    "images reversed": on_pictures(lambda pictures: pictures[::-1]),
    "images joined": on_pictures(_strip),
    "blank images": on_pictures(lambda pictures: [picture(np.zeros_like(one.pixels)) for one in pictures]),
    "part of a video": on_videos(_half),
    "wrong times": on_videos(_timed(lambda times: tuple(time / 3 for time in times))),
    "no times": on_videos(lambda video: dataclasses.replace(video, times=None)),
    "times of another video": _times_of_another,
    "video as one frame": on_videos(lambda video: Video(video.frames[:1], video.times and video.times[:1])),
    "prompt cut": _prompt_cut,
    "options cut": _options_cut,
    "system prompt added": _system,
    "max_new_tokens ignored": _settings(max_new_tokens=4096),
    "sampling": _settings(samples=True),
    "batch leaks": _leak,
}
"""By the name under which the check is to find each."""

# What one of two faults leaves nothing of: pictures without content have no order, and so on.
HIDES = {
    "blank images": {"images swapped", "images reversed", "images joined", "batch leaks"},
    "video as one frame": {"part of a video", "wrong times", "times of another video", "no times"},
    "part of a video": {"times of another video"},  # told of a part, they are no longer that video's
    "no times": {"wrong times", "times of another video"},
    "wrong times": {"times of another video"},
    "times of another video": {"wrong times"},
}


def hides(one, other):
    return other in HIDES.get(one, ())


def rendered(probe):
    """Returns what arrives of a probe where nothing goes wrong."""
    generation = {"max_new_tokens": probe.settings.max_new_tokens, "temperature": 0, "until": []}
    return sighted_reader.inputs_of(probes.messages_of(probe), generation)


def asker(inputs, faults, batch_size=8, shows=True):
    """Returns what asks questions through planted faults, as `procedure.checked` takes it."""

    def ask(asked):
        answers = []
        for start in range(0, len(asked), batch_size):
            batch = [inputs[probe.name] for probe in asked[start : start + batch_size]]
            for fault in faults:
                batch = fault(batch)
            for one in batch:
                answers.append(procedure.Answer(sighted_reader.reply(one), one if shows else None))
        return answers

    return ask


def png(card):
    """Returns a card's picture as a PNG file."""
    return pictures.png(codes.as_image(codes.drawn(card)))


def found(check):
    """Returns the names of the faults that a check found."""
    return {name for verdict in check.verdicts for name in verdict.faults}
