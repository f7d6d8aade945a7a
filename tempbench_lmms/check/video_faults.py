"""What can go wrong with a video, told from the codes of its frames and the times that the model is told."""

from collections.abc import Mapping, Sequence

from tempbench_lmms.check.inputs import Picture, Video
from tempbench_lmms.check.probes import Film, Probe
from tempbench_lmms.check.verdicts import Fault

_LEAST_SIDE = 100
_SHARE_AT_ENDS = 0.3
_ROUNDED = 0.1  # seconds; stamps have one decimal
_LIKE_OTHER = 0.1


def of_video(
    film: Film, probe: Probe, clip: Video | None, owners: Mapping[int, Probe], others: Sequence[Film]
) -> list[Fault]:
    """Returns the faults of a video.

    Args:
        film: What was given.
        probe: The question.
        clip: What arrived.
        owners: To which question the number of any card belongs.
        others: The videos of other questions of its batch, whose times it may be told.
    """
    what = f"{len(film.cards)} frames in {film.seconds:g} s"
    if clip is None or not clip.frames:
        return [Fault("video", "video dropped", what, "no video")]
    faults, places = _frames(film, probe, clip.frames, owners, what)
    faults += _small(clip.frames)
    if not places:
        return faults
    if len(set(places)) == 1 and len(film.cards) > 2:
        return [*faults, Fault("video", "video as one frame", what, f"frame {places[0] + 1} alone")]
    faults += [*_order(places), *_length(places, film)]
    if film.path is not None and not clip.hides_times:
        faults += _times(places, film, clip.times, others)
    return faults


def _frames(
    film: Film, probe: Probe, frames: Sequence[Picture], owners: Mapping[int, Probe], what: str
) -> tuple[list[Fault], list[int]]:
    """Returns the faults of single frames, and the places of those that are the video's own."""
    by_number = {card.number: place for place, card in enumerate(film.cards)}
    numbers = [card.number for frame in frames for card in frame.cards]
    faults = []
    if any(not frame.cards and frame.is_blank for frame in frames):
        faults.append(Fault("video", "blank frames", what, "frames of one colour"))
    if any(not frame.cards and not frame.is_blank for frame in frames):
        faults.append(Fault("video", "unreadable frames", what, "frames that show something else"))
    if any(len(frame.cards) > 1 for frame in frames):
        faults.append(Fault("video", "frames joined", what, "several frames in one picture"))
    if foreign := {number for number in numbers if number not in by_number}:
        names = {owners[number].name if number in owners else "unknown" for number in foreign}
        faults.append(
            Fault("video", "frames of another question", probe.name, f"frames of {', '.join(sorted(names))}")
        )
    return faults, [by_number[number] for number in numbers if number in by_number]


def _small(frames: Sequence[Picture]) -> list[Fault]:
    height, width = min((frame.size for frame in frames), key=min)
    if min(height, width) >= _LEAST_SIDE:
        return []
    return [Fault("video", "frames shrunk", "224x224 pixels", f"{width}x{height}")]


def _order(places: Sequence[int]) -> list[Fault]:
    own = list(dict.fromkeys(places))
    # A processor fills up its last group of frames with the last frame.
    end = len(places)
    while end > 1 and places[end - 1] == places[end - 2]:
        end -= 1
    filled = list(places[:end])
    shown = f"frames {', '.join(str(place + 1) for place in places[:12])}{' ...' if len(places) > 12 else ''}"
    faults = []
    if own != sorted(own):
        name = "frames reversed" if own == sorted(own, reverse=True) else "frames in another order"
        faults.append(Fault("video order", name, "frames in order", shown))
    if len(set(filled)) < len(filled):
        faults.append(Fault("video order", "frames repeated", "each frame once", shown))
    return faults


def _length(places: Sequence[int], film: Film) -> list[Fault]:
    last = len(film.cards) - 1
    if min(places) <= _SHARE_AT_ENDS * last and max(places) >= (1 - _SHARE_AT_ENDS) * last:
        return []
    arrived = f"frames from {min(places) / film.rate:g} to {max(places) / film.rate:g} s"
    return [Fault("video length", "part of a video", f"a video of {film.seconds:g} s", arrived)]


def _times(
    places: Sequence[int], film: Film, told: Sequence[float] | None, others: Sequence[Film]
) -> list[Fault]:
    true = [place / film.rate for place in places]
    given = f"frames from {min(true):g} to {max(true):g} s"
    if told is None:
        return [Fault("times", "no times", given, "no times")]
    arrived = f"times from {min(told):.3g} to {max(told):.3g} s"
    # Processors tell a frame's own time, or the beginning or middle of the step that it stands for.
    tolerance = film.seconds / len(set(places)) + _ROUNDED
    if abs(min(told) - min(true)) <= tolerance and abs(max(told) - max(true)) <= tolerance:
        return []
    span = max(told) - min(told)
    for other in others:
        length = (len(other.cards) - 1) / other.rate
        if other.path is not None and abs(span - length) <= _LIKE_OTHER * length:
            return [Fault("times", "times of another video", given, arrived)]
    return [Fault("times", "wrong times", given, arrived)]
