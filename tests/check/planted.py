"""Faults of runners, planted between what a task gives and what arrives."""

from tempbench_lmms.check import faults, planting, procedure, questions, sighted_reader
from tempbench_lmms.check.inputs import Video
from tempbench_lmms.check.probes import messages_of
from tempbench_lmms.media import codes, pictures
from tempbench_lmms.runs import selftest

LINES = faults.LINES
KINDS = tuple(questions.KINDS)
PLANTS = {plant.name: plant for plant in selftest.plants()}


def times_of_another(batch):
    """Each video is told the times of another one of its batch, from the first to the last."""
    timed = [part for inputs in batch for part in inputs.parts if getattr(part, "times", None)]
    if len(timed) < 2:
        return batch

    def change(video):
        if video.times is None:
            return video
        start, *_, end = next(one.times for one in timed if one.times != video.times)
        step = (end - start) / (len(video.times) - 1)
        return planting.replace(video, times=tuple(start + i * step for i in range(len(video.times))))

    return planting.on_parts(Video, change)(batch)


FAULTS = {name: plant.of_inputs for name, plant in PLANTS.items()} | {
    "times of another video": times_of_another
}
"""What changes the questions of a batch, by the name under which the check is to find it."""


def rendered(probe):
    """Returns what arrives of a probe where nothing goes wrong."""
    generation = {"max_new_tokens": probe.settings.max_new_tokens}
    return sighted_reader.inputs_of(messages_of(probe), generation)


def asker(inputs, faults=(), of_replies=(), batch_size=100, shows=True):
    """Returns what asks questions through planted faults, as `procedure.checked` takes it."""

    def ask(asked):
        answers = []
        for start in range(0, len(asked), batch_size):
            batch = [inputs(probe) for probe in asked[start : start + batch_size]]
            for fault in faults:
                batch = fault(batch)
            said = replies = [sighted_reader.reply(one) for one in batch]
            for change in of_replies:
                replies = change(batch, replies)
            for one, text, reply in zip(batch, said, replies, strict=True):
                arrived = planting.replace(one, said=text) if shows else None
                answers.append(procedure.Answer(reply, arrived))
        return answers

    return ask


def png(card):
    """Returns a card's picture as a PNG file."""
    return pictures.png(codes.as_image(codes.drawn(card)))


def found(check):
    """Returns the names of the faults that a check found."""
    return {name for verdict in check.verdicts for name in verdict.faults}
