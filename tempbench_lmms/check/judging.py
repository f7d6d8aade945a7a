"""Compares what was given with what arrived: pure functions, which know no runner."""

import re
from collections.abc import Iterable, Mapping, Sequence

from tempbench_lmms.check.inputs import Inputs, Part, Picture, Text, Video
from tempbench_lmms.check.picture_faults import of_pictures, other_number
from tempbench_lmms.check.probes import Film, Probe
from tempbench_lmms.check.text_faults import interleaving, of_texts, without_signs
from tempbench_lmms.check.verdicts import LINES, Fault, Judgement
from tempbench_lmms.check.video_faults import of_video

_STAMP = re.compile(r"<(\d+(?:\.\d+)?) ?s(?:ec(?:onds?)?)?>", re.IGNORECASE)
_PICTURES = ("number", "order", "apart", "content", "size")
_VIDEOS = ("video", "video length", "video order")
_LINES_OF_PICTURES = {"pictures": (*_PICTURES, "interleaved"), "many pictures": ("many",)}


def judge(
    probe: Probe, arrived: Inputs, owners: Mapping[int, Probe], together: Sequence[Probe] = ()
) -> Judgement:
    """Returns what a look at one question found.

    Args:
        probe: What was given.
        arrived: What arrived.
        owners: To which question the number of any card belongs.
        together: The questions of its batch.
    """
    arrived = _with_clips(arrived) if probe.films else arrived
    found = [_settings(probe, arrived), _texts(probe, arrived)]
    if probe.cards:
        found.append(_pictures(probe, arrived, owners))
    others = [film for one in together if one is not probe for film in one.films]
    found += [_film(film, probe, arrived, owners, others) for film in probe.films]
    return _joined(found)


def _joined(found: Sequence[Judgement]) -> Judgement:
    return Judgement(
        tuple(fault for one in found for fault in one.faults),
        frozenset().union(*(one.seen for one in found)),
        {line: why for one in found for line, why in one.hidden.items()},
        {line: note for one in found for line, note in one.notes.items()},
    )


def _settings(probe: Probe, arrived: Inputs) -> Judgement:
    given, got = probe.settings, arrived.settings
    most, wanted = got.max_new_tokens, given.max_new_tokens
    added = [word for word in got.stop or () if word not in (given.stop or ())]
    # What of each line can be seen, whether it is wrong, and the fault.
    lines = {
        "max_new_tokens": (most, most != wanted, ("max_new_tokens ignored", str(wanted), str(most))),
        "greedy": (got.samples, got.samples, ("sampling", "temperature 0", "tokens drawn by chance")),
        "stop": (got.stop, bool(added), ("stop words added", "none", ", ".join(map(repr, added[:5])))),
    }
    seen = frozenset(line for line, (value, _, _) in lines.items() if value is not None)
    faults = (
        Fault(line, *words) for line, (_, is_wrong, words) in lines.items() if line in seen and is_wrong
    )
    why = arrived.hidden.get("settings", "the runner does not show it")
    return Judgement(tuple(faults), seen, dict.fromkeys(lines.keys() - seen, why))


def _texts(probe: Probe, arrived: Inputs) -> Judgement:
    if why := arrived.hidden.get("text"):
        return Judgement(hidden=dict.fromkeys(("text", "system", "interleaved"), why))
    faults = of_texts(probe.texts, [part for part in arrived.parts if isinstance(part, Text)])
    return Judgement(tuple(faults), frozenset({"text", "system"}))


def _pictures(probe: Probe, arrived: Inputs, owners: Mapping[int, Probe]) -> Judgement:
    if probe.kind == "long text":  # its picture is there so that the prompt is one with a picture
        return Judgement()
    lines = _LINES_OF_PICTURES.get(probe.kind, _PICTURES)
    if why := arrived.hidden.get("pictures"):
        return Judgement(hidden=dict.fromkeys(lines, why))
    shown = [part for part in arrived.parts if isinstance(part, Picture)]
    if any(part.is_hidden for part in shown):
        return _hidden_pictures(probe, shown, lines)
    faults = of_pictures(probe, shown, owners)
    if probe.kind == "many pictures":
        faults = [Fault("many", fault.name, fault.given, fault.arrived) for fault in faults]
    elif "text" not in arrived.hidden and len(shown) == len(probe.cards):
        faults += interleaving(probe.parts, arrived.parts)
    tokens = sum(picture.tokens or 0 for picture in shown)
    sizes = sorted({picture.size for picture in shown})
    note = f"{len(shown)} images of {', '.join(f'{w}x{h}' for h, w in sizes[:3])} pixels"
    note += f", {tokens} tokens" if tokens else ""
    seen = set(lines) - ({"interleaved"} if "text" in arrived.hidden else set())
    return Judgement(
        tuple(faults), frozenset(seen), notes={"many" if probe.kind == "many pictures" else "size": note}
    )


def _hidden_pictures(probe: Probe, shown: Sequence[Part], lines: Sequence[str]) -> Judgement:
    """Judges pictures of which only the number can be seen."""
    why = "the pixels cannot be read back from what this processor makes of them"
    hidden = {line: why for line in lines if line != "number"}
    if "number" not in lines:
        return Judgement(hidden=hidden)
    return Judgement(tuple(other_number(len(probe.cards), len(shown))), frozenset({"number"}), hidden)


def _film(
    film: Film, probe: Probe, arrived: Inputs, owners: Mapping[int, Probe], others: Sequence[Film]
) -> Judgement:
    own = probe.kind if probe.kind in LINES else ""  # all that is found of it stands in one line
    lines = (own,) if own and own != "video" else _VIDEOS
    timed = ("times",) if lines == _VIDEOS else ()
    clips = [part for part in arrived.parts if isinstance(part, Video)]
    if why := arrived.hidden.get("pictures"):
        return Judgement(hidden=dict.fromkeys((*lines, *timed), why))
    clip = clips[0] if clips else None
    if clip is not None and clip.frames is None:
        why = "the frames cannot be read back from what arrives"
        return Judgement(hidden=dict.fromkeys((*lines, *timed), why))
    faults = of_video(film, probe, clip, owners, others)
    if own == "mkv video":  # whatever its times, it is there
        faults = [fault for fault in faults if fault.line != "times"]
    if lines != _VIDEOS:
        faults = [Fault(own, fault.name, fault.given, fault.arrived) for fault in faults]
    seen, hidden = {*lines, *timed}, {}
    if clip is not None and clip.hides_times and timed:
        seen.discard("times")
        hidden["times"] = "whether and how this processor tells the times is not known here"
    notes = {lines[0]: _note(film, clip)} if clip is not None else {}
    return Judgement(tuple(faults), frozenset(seen), hidden, notes)


def _note(film: Film, clip: Video) -> str:
    frames = clip.frames or ()
    size = f" of {frames[0].size[1]}x{frames[0].size[0]} pixels" if frames else ""
    tokens = f", {clip.tokens} tokens" if clip.tokens else ""
    return f"{len(frames)} frames{size} of {len(film.cards)} in {film.seconds:g} s{tokens}"


def stamps_of(texts: Iterable[str]) -> list[float]:
    """Returns the times that are written between frames, as `<1.5 seconds>`."""
    return [float(found) for text in texts for found in _STAMP.findall(text)]


def _with_clips(arrived: Inputs) -> Inputs:
    """Returns inputs in which pictures with no more than times between them are a video."""
    parts: list[Part] = []
    run: list[Picture] = []
    stamps: list[float] = []
    between: list[Text] = []
    for part in (*arrived.parts, None):
        if isinstance(part, Picture):
            stamps += [found for text in between for found in stamps_of([text.text])[-1:]]
            if not run and between and not stamps:
                parts += between
            between = []
            run.append(part)
        elif isinstance(part, Text) and not without_signs(part.text):
            between.append(part)
        else:
            parts += _clip(run, stamps)
            run, stamps = [], []
            parts += between
            between = []
            parts += [part] if part is not None else []
    return Inputs(tuple(parts), arrived.settings, arrived.hidden)


def _clip(run: Sequence[Picture], stamps: Sequence[float]) -> list[Part]:
    if not run:
        return []
    times = tuple(stamps) if len(stamps) == len(run) else None
    return [Video(tuple(run), times, sum(picture.tokens or 0 for picture in run) or None)]


def same_inputs(alone: Inputs, batch: Inputs) -> bool:
    """Returns whether the same arrived twice."""
    return alone.parts == batch.parts and alone.settings == batch.settings
