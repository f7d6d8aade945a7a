"""What a task needs from a runner, derived from its conversations."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from tempbench_lmms.check.faults import FAILED, GROUPS, PASSED, UNSEEN, State, Verdict
from tempbench_lmms.check.judging import LOOKS

_ALWAYS = (*GROUPS["replies"], "text", "signs", "system", "copied lines", "ends of a text")
_ONE_PICTURE = ("number", "content", "size", *LOOKS)
_PICTURES = ("order", "apart")
_MANY = 6
_VIDEO = ("video", "video length", "video order", *LOOKS, "times")
_SEES_PICTURES = ("colours of images", "sides of dots", "fine lines")
_SEES_VIDEO = ("colours of a video", "second of the circle")
_CHARACTERS_OF_A_LINE = 38


class Shape(NamedTuple):
    """The contents of a task's conversations."""

    pictures: int = 0
    is_interleaved: bool = False
    has_video: bool = False
    has_other_video: bool = False
    characters: int = 0
    frames: int = 0
    has_system: bool = False


@dataclass(frozen=True)
class Need:
    """One need of a task."""

    title: str
    lines: tuple[str, ...]
    state: State | None = None
    amounts: Mapping[str, int] = field(default_factory=dict)
    why: str = ""

    def as_json(self) -> dict[str, Any]:
        """Returns it as JSON values."""
        return {"title": self.title, "lines": list(self.lines), "state": self.state, "why": self.why}


def shape_of(conversations: Iterable[Sequence[Mapping[str, Any]]]) -> Shape:
    """Returns the contents of conversations: the most that any of them has."""
    return Shape(*map(max, zip(Shape(), *map(_shape, conversations), strict=True)))


def _shape(messages: Sequence[Mapping[str, Any]]) -> Shape:
    parts = [part for message in messages for part in message["content"]]
    kinds = [part["type"] for part in parts]
    places = [i for i, kind in enumerate(kinds) if kind == "image"]
    videos = [part["url"] for part in parts if part["type"] == "video"]
    files = [url for url in videos if isinstance(url, str)]
    return Shape(
        pictures=len(places),
        is_interleaved=bool(places) and "text" in kinds[places[0] : places[-1]],
        has_video=bool(files),
        has_other_video=any(not url.lower().endswith(".mp4") for url in files),
        frames=max((len(url) for url in videos if not isinstance(url, str)), default=0),
        characters=sum(len(part["text"]) for part in parts if part["type"] == "text"),
        has_system=any(message["role"] == "system" for message in messages),
    )


def needs_of(shape: Shape) -> list[Need]:
    """Returns the needs of a task with conversations of this shape."""
    needs = [Need("the whole text, and replies as asked for", _ALWAYS)]
    if shape.has_system:
        needs.append(Need("a system message", ("system message", "word of the system message")))
    if shape.pictures == 1:
        needs.append(Need("one image", _ONE_PICTURE))
    if shape.pictures > 1:
        lines = (*_ONE_PICTURE, *_PICTURES, *(("many",) if shape.pictures > _MANY else ()))
        needs.append(Need("several images, apart and in order", lines, amounts={"images": shape.pictures}))
        needs.append(Need("seeing images in order", _SEES_PICTURES))
    if shape.is_interleaved:
        needs.append(Need("text between images", ("interleaved",)))
    if shape.has_video:
        needs.append(Need("a native video", _VIDEO[:-1]))
        needs.append(Need("a video's times", _VIDEO[-1:]))
        needs.append(Need("seeing a video in time", _SEES_VIDEO))
    if shape.has_other_video:
        needs.append(Need("a video that is not an .mp4", ("mkv video",)))
    if shape.frames:
        needs.append(Need("frames as a video", ("frames as a video",), amounts={"frames": shape.frames}))
    return needs


def held(needs: Sequence[Need], verdicts: Sequence[Verdict], tried: Mapping[str, int]) -> list[Need]:
    """Returns needs, each with its state according to the verdicts."""
    by_line = {one.line: one.state for one in verdicts}
    out = []
    for need in needs:
        states = [by_line[line] for line in need.lines if line in by_line]
        state = next((one for one in (FAILED, UNSEEN, PASSED) if one in states), None)
        short = [what for what, n in need.amounts.items() if n > tried[what]]
        why = ""
        if state == PASSED and short:
            # A check with fewer does not cover more: a runner's limit may lie between.
            state = UNSEEN
            why = f"not checked above {tried[short[0]]} {short[0]}: name the task with --tasks"
        out.append(replace(need, state=state, why=why))
    return out


def lines_for(characters: int) -> int:
    """Returns how many lines of the long prompt have as many characters as a text."""
    return max(60, round(characters / _CHARACTERS_OF_A_LINE))
