"""`tempbench check-model`: checks a runner of the harness, and stores the verdict in a run's folder."""

import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from tempbench_lmms.any_task import aggregation
from tempbench_lmms.any_task.aggregation import CannotAggregateError
from tempbench_lmms.check import procedure, questions
from tempbench_lmms.check.faults import FAILED, GROUPS, LINES, NOT_NEEDED, PASSED, UNSEEN, State, Verdict
from tempbench_lmms.check.judging import LOOKS
from tempbench_lmms.check.probes import MOST_FRAMES, MOST_PICTURES
from tempbench_lmms.data import checks, provenance, tables
from tempbench_lmms.data.outputs import CHECK
from tempbench_lmms.data.redaction import without_secrets
from tempbench_lmms.data.roots import MINI
from tempbench_lmms.data.tables import parse_json
from tempbench_lmms.errors import DataNotPreparedError, TempbenchError
from tempbench_lmms.harness import catalog, identity, model_session, plugin
from tempbench_lmms.harness.tasks import docs_of, kwargs_of, load_task, task_files
from tempbench_lmms.harness.variants import base_of
from tempbench_lmms.runs.starting import leaves

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
    return Shape(*map(max, zip(Shape(), *map(_contents, conversations), strict=True)))


def _contents(messages: Sequence[Mapping[str, Any]]) -> Shape:
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


_LOOKED_AT = 8
_NAMED = 6


@dataclass(frozen=True)
class Wanted:
    """What to check, as on the command line; without tasks everything counts."""

    model: str
    model_args: str = ""
    tasks: tuple[str, ...] = ()
    batch_size: int = 1
    seed: int = 0
    with_questions: bool = True
    force_simple: bool = False
    further: tuple[str, ...] = ()


def check(wanted: Wanted, tell: Callable[[str], None] = lambda line: None) -> procedure.Check:
    """Loads a model as the harness does, and checks what it gets and sees.

    Raises:
        TempbenchError: A task is unknown, or the model cannot be loaded.
    """
    version = plugin.harness_version()
    shapes = _shapes(wanted, tell)
    needs = {name: needs_of(shape) for name, shape in shapes.items()}
    plan = _plan(wanted, shapes, needs)
    plugin.install()
    tell(f"loading {wanted.model}")
    lm = model_session.runner(
        wanted.model, wanted.model_args, wanted.batch_size, force_simple=wanted.force_simple
    )
    with tempfile.TemporaryDirectory(prefix="tempbench-check-") as folder:
        inside, outside = procedure.drawn(plan, Path(folder))
        tell(f"asking {_number(2 * len(inside) + 1, len(outside))}")
        found = procedure.checked(model_session.Session(lm).ask, plan, inside, outside)
    about = {
        "model": wanted.model,
        "model_args": without_secrets(wanted.model_args),
        "batch_size": wanted.batch_size,
        "force_simple": wanted.force_simple,
        "seed": wanted.seed,
        "tasks": list(wanted.tasks),
        "packages": {**provenance.versions(), "lmms-eval": version},
    }
    tried = {"images": plan.n_pictures, "frames": plan.n_frames}
    needs = needs or {name: needs_of(shape) for name, shape in _all_shapes().items()}
    tasks = {name: held(one, found.verdicts, tried) for name, one in needs.items()}
    return replace(found, tasks=tasks, about=about)


def _shapes(wanted: Wanted, tell: Callable[[str], None]) -> dict[str, Shape]:
    """Returns the shape of each task; nothing if one is unknown, so that everything counts."""
    shapes = {name: shape_of_task(name) for name in leaves(wanted.tasks)}
    for name, task in catalog.behind(wanted.tasks, wanted.further).items():
        try:
            shapes[name] = shape_of(aggregation.here().answer(task.file, "contents", _LOOKED_AT))
        except CannotAggregateError as error:
            tell(f"everything counts, because the questions of {name} cannot be looked at ({error})")
            return {}
    return shapes


def _all_shapes() -> dict[str, Shape]:
    """Returns the shape of every task of this package that has its own entry, from the bundled sample."""
    names = [name for name in task_files() if name.endswith(f"_{MINI}") and "group" not in load_task(name)]
    return {name.removesuffix(f"_{MINI}"): shape_of_task(name) for name in names if not base_of(name)}


def _plan(wanted: Wanted, shapes: dict[str, Shape], needs: dict[str, list[Need]]) -> procedure.Plan:
    needed = frozenset(line for one in needs.values() for need in one for line in need.lines)
    kinds = [kind for kind in questions.KINDS if not needs or kind in needed] if wanted.with_questions else []
    most = max((shape.pictures for shape in shapes.values()), default=MOST_PICTURES)
    frames = max((shape.frames for shape in shapes.values()), default=0)
    longest = max((shape.characters for shape in shapes.values()), default=0)
    arguments = dict(
        part.partition("=")[::2] for part in wanted.model_args.split(",") if part.startswith("system_prompt=")
    )
    return procedure.Plan(
        seed=wanted.seed,
        n_pictures=max(most, 2),
        n_lines=lines_for(longest),
        n_frames=frames or MOST_FRAMES,
        kinds=tuple(kinds),
        needed=needed if needs else None,
        wanted_system=arguments.get("system_prompt", ""),
    )


def shape_of_task(name: str) -> Shape:
    """Returns the contents of a task's conversations, or of those of its bundled sample."""
    config = load_task(name)
    try:
        return _shape(config)
    except DataNotPreparedError:
        return _shape(load_task(name if name.endswith(f"_{MINI}") else f"{name}_{MINI}"))


def _shape(config: dict[str, Any]) -> Shape:
    docs = docs_of(config)
    kwargs = kwargs_of(config)
    places = (
        sorted({round(i * (len(docs) - 1) / (_LOOKED_AT - 1)) for i in range(_LOOKED_AT)}) if docs else []
    )
    return shape_of(config["doc_to_messages"](docs[place], kwargs) for place in places)


def name_of(model: str, model_args: str) -> str:
    """Returns the name of model and arguments that a stored check uses.

    Raises:
        TempbenchError: They cannot be identified.
    """
    return identity.fingerprint(identity.of_model(model, model_args, []))


def keep(found: procedure.Check, wanted: Wanted, folder: Path) -> None:
    """Writes a check into a run's folder, with the model that it belongs to."""
    kept = {**found.as_json(), "for": name_of(wanted.model, wanted.model_args)}
    folder.mkdir(parents=True, exist_ok=True)
    tables.write_json(kept, folder / CHECK)


def kept(folder: Path, model: str, model_args: str) -> dict[str, Any] | None:
    """Returns the short form of the check in a run's folder, for a run card; None if there is none.

    Raises:
        TempbenchError: The check is damaged, or belongs to another model.
    """
    path = folder / CHECK
    if not path.is_file():
        return None
    try:
        found = parse_json(path.read_text(encoding="utf-8"))
        verdicts = [(one["title"], one["state"], one["counts"], one["text"]) for one in found["verdicts"]]
        made_for, state = found["for"], str(found["state"])
    except (ValueError, KeyError, TypeError) as error:
        raise TempbenchError(
            f"{path} is damaged ({checks.in_words(error)}); remove it and add --check"
        ) from None
    if made_for != name_of(model, model_args):
        raise TempbenchError(f"{path} belongs to another model or other arguments; remove it and add --check")
    return {
        "state": state,
        "failed": [f"{title}: {text}" for title, is_, counts, text in verdicts if is_ == "failed" and counts],
        "unseen": [title for title, is_, counts, _ in verdicts if is_.startswith("cannot") and counts],
    }


def as_text(found: procedure.Check, everything: bool = False) -> str:
    """Returns a check for a terminal: the verdict, what failed and what to change, and a line for each group.

    Args:
        found: The check.
        everything: Whether to show every line.
    """
    lines = [_end(found)]
    failed = [one for one in found.counted if one.state == FAILED]
    if found.is_stopped:  # each cause is reported once
        return "\n".join([*(one.as_text() for one in failed), lines[0]])
    lines += [one.as_text() for one in (found.verdicts if everything else failed)]
    groups = {**GROUPS, "what is seen": {one.line: "" for one in found.verdicts if one.line not in LINES}}
    for group, own in groups.items():
        states = Counter(
            one.state if one.counts or one.state != FAILED else NOT_NEEDED
            for one in found.verdicts
            if one.line in own
        )
        if states and not everything:
            lines.append(f"{group}: {', '.join(f'{n} {state}' for state, n in states.items())}")
    by_need: dict[str, list[str]] = {}
    for task, needs in found.tasks.items():
        bad = [
            f"{one.title}: {one.why or one.state or 'not checked'}" for one in needs if one.state != PASSED
        ]
        by_need.setdefault("; ".join(bad) or "all needs hold", []).append(task)
    for said, tasks in by_need.items():
        more = f" and {len(tasks) - _NAMED} more tasks" if len(tasks) > _NAMED else ""
        lines.append(f"{', '.join(tasks[:_NAMED])}{more}: {said}")
    return "\n".join(lines)


def _end(found: procedure.Check) -> str:
    """Returns the verdict of a check, and how to see what could not be judged."""
    asked = f"{_number(found.n_calls - found.n_small, found.n_small)} asked"
    if found.is_stopped:
        return f"{found.state}: stopped, because the first questions all failed in the same way"
    if found.state != procedure.NOT_JUDGED:
        return f"{found.state}; {asked}"
    why = next(one.text for one in found.unseen)
    n = len(found.unseen), len(found.counted)
    return f"not judged: {n[0]} of {n[1]} lines cannot be seen from here: {why}; {asked}"


def _number(coded: int, small: int) -> str:
    more = f" and {small} small ones" if small else ""
    return f"{coded} questions with coded pictures and videos{more}"
