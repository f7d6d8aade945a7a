"""What replies reveal: whether they are the model's own, and which inputs would explain them."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tempbench_lmms.check import planting, questions, sighted_reader
from tempbench_lmms.check.faults import Fault
from tempbench_lmms.check.inputs import Inputs
from tempbench_lmms.check.probes import Probe, messages_of

_WELL, _BETTER = 0.9, 0.03
_SHOWN = 60


class Reply(NamedTuple):
    """A reply of a runner."""

    probe: Probe
    text: str
    said: str | None = None


def faults_of(replies: Sequence[Reply]) -> Iterator[Fault]:
    """Yields faults in the replies of one call that do not depend on the model's abilities."""
    n = len(replies)
    lost = [one for one in replies if not one.text.strip() and (one.said or "unseen").strip()]
    if len(lost) == n:
        yield Fault("empty replies", f"{n} questions", f"{n} of {n} replies are empty")
        return
    if len(lost) > n / 10 or any(one.said for one in lost):
        yield Fault("some replies empty", f"{n} questions", f"{len(lost)} of {n} replies are empty")
    if echoes := [one for one in replies if one.probe.name in one.text]:
        yield Fault("echo of the question", "a reply", repr(echoes[0].text[:_SHOWN]))
        return
    yield from _changed([one for one in replies if one.text.strip() and one.said is not None])


def _changed(told: Sequence[Reply]) -> Iterator[Fault]:
    """Yields the changes to replies that differ from what the model said."""
    wrong = [one for one in told if not _is_of(one.text, one.said or "")]
    if wrong:
        one = wrong[0]
        others = {_flat(other.said or "") for other in told if other is not one}
        is_other = sum(_flat(one.text) in others for one in wrong) > len(wrong) / 2
        is_cut = sum(_flat(one.said or "").startswith(_flat(one.text)) for one in wrong) > len(wrong) / 2
        is_same = len(wrong) > 3 and len({one.text for one in wrong}) == 1
        name = "reply cut" if is_cut else "one reply for all" if is_same else "reply changed"
        yield Fault(
            "reply of another question" if is_other and not is_same else name,
            repr((one.said or "")[:_SHOWN]),
            repr(one.text[:_SHOWN]),
        )


def _is_of(reply: str, said: str) -> bool:
    """Returns whether a reply is the model's own, apart from its ends and earlier reasoning."""
    short, whole = _flat(reply), _flat(said)
    return short == whole or (whole.endswith(short) and len(short) * 2 > len(whole)) or "</think>" in said


def _flat(text: str) -> str:
    return " ".join(text.split())


def explained(replies: Sequence[Reply]) -> list[Fault]:
    """Returns the fault that would make a seeing model give these replies, if any."""
    kinds = [questions.KINDS[one.probe.kind] for one in replies]
    read = [questions.read_answer(kind, one.text) for kind, one in zip(kinds, replies, strict=True)]
    right = [one.probe.answer for one in replies]
    wrong = [i for i, one in enumerate(read) if one != right[i]]
    if not wrong:
        return []
    example = f"{right[wrong[0]]!r} and {len(right) - 1} others", repr(replies[wrong[0]].text[:_SHOWN])
    stubs = [i for i in wrong if replies[i].text.strip()]
    if stubs and all(right[i].startswith(replies[i].text.strip().casefold()) for i in stubs):
        return [Fault("reply cut", *example)]
    if len({one.text for one in replies}) == 1 and len(replies) > 10:
        return [Fault("one reply for all", *example)]
    best, found = sum(one == two for one, two in zip(read, right, strict=True)) / len(read) + _BETTER, ""
    for name, texts in _faulty([_given(one.probe) for one in replies]):
        expected = [questions.read_answer(kind, text) for kind, text in zip(kinds, texts, strict=True)]
        score = sum(map(_likeness, read, expected, right)) / len(read)
        if score > best and score >= _WELL:
            best, found = score, name
    return [Fault(found, *example)] if found else []


def _faulty(given: Sequence[Inputs]) -> Iterator[tuple[str, list[str]]]:
    """Yields each fault's name, and a seeing model's replies under it."""
    for name, change in planting.OF_INPUTS:
        yield name, [sighted_reader.reply(one) for one in change(given)]
    said = [sighted_reader.reply(one) for one in given]
    for name, alter in planting.OF_REPLIES:
        yield name, list(alter(given, said))


def _likeness(reply: str | None, expected: str | None, right: str) -> float:
    """Returns how well a reply fits a fault; a differently wrong reply counts for it too, but less."""
    if reply == expected:
        return 1
    return 0 if right in (reply, expected) else 0.8 if None not in (reply, expected) else 0.7


def _given(probe: Probe) -> Inputs:
    generation = {"max_new_tokens": probe.settings.max_new_tokens}
    return sighted_reader.inputs_of(messages_of(probe), generation)
