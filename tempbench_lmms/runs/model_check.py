"""`tempbench check-model`: checks a runner of the harness, and stores the verdict in a run's folder."""

import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from tempbench_lmms.any_task import aggregation
from tempbench_lmms.any_task.aggregation import CannotAggregateError
from tempbench_lmms.check import procedure, questions
from tempbench_lmms.check.faults import LINES, SECTIONS
from tempbench_lmms.check.judging import LOOKS
from tempbench_lmms.check.probes import MOST_FRAMES, MOST_PICTURES
from tempbench_lmms.check.verdict import (
    FAILED,
    NOT_JUDGED,
    NOT_NEEDED,
    PASSED,
    UNSEEN,
    Check,
    State,
    Verdict,
)
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

_ONE_PICTURE = ("number", "content", "size", *LOOKS)
_MANY = 6
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
    always = (*SECTIONS["replies"], "text", "signs", "system", "copied lines", "ends of a text")
    several = (*_ONE_PICTURE, "order", "apart", *(("many",) if shape.pictures > _MANY else ()))
    sees = ("colours of images", "sides of dots", "fine lines")
    of_several, of_frames = {"images": shape.pictures}, {"frames": shape.frames}
    rows = (
        (True, Need("the whole text, and replies as asked for", always)),
        (shape.has_system, Need("a system message", ("system message", "word of the system message"))),
        (shape.pictures == 1, Need("one image", _ONE_PICTURE)),
        (shape.pictures > 1, Need("several images, apart and in order", several, amounts=of_several)),
        (shape.pictures > 1, Need("seeing images in order", sees)),
        (shape.is_interleaved, Need("text between images", ("interleaved",))),
        (shape.has_video, Need("a native video", ("video", "video length", "video order", *LOOKS))),
        (shape.has_video, Need("a video's times", ("times",))),
        (shape.has_video, Need("seeing a video in time", ("colours of a video", "second of the circle"))),
        (shape.has_other_video, Need("a video that is not an .mp4", ("mkv video",))),
        (bool(shape.frames), Need("frames as a video", ("frames as a video",), amounts=of_frames)),
    )
    return [need for is_needed, need in rows if is_needed]


def held(needs: Sequence[Need], verdicts: Sequence[Verdict], tried: Mapping[str, int]) -> list[Need]:
    """Returns needs, each with its state according to the verdicts."""
    by_line = {one.line: one.state for one in verdicts}
    out = []
    for need in needs:
        states = [by_line[line] for line in need.lines if line in by_line]
        state = next((one for one in (FAILED, UNSEEN, PASSED) if one in states), None)
        own = replace(need, state=state)
        for what, n in need.amounts.items() if state == PASSED else ():
            if n > tried[what]:  # a runner's limit may lie between
                why = f"not checked above {tried[what]} {what}: name the task with --tasks"
                own = replace(need, state=UNSEEN, why=why)
        out.append(own)
    return out


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


def check(wanted: Wanted, tell: Callable[[str], None] = lambda line: None) -> Check:
    """Loads a model as the harness does, and checks what it gets and sees.

    Raises:
        TempbenchError: A task is unknown, or the model cannot be loaded.
    """
    packages = {**provenance.versions(), "lmms-eval": plugin.harness_version()}
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
        "packages": packages,
    }
    tried = {"images": plan.n_pictures, "frames": plan.n_frames}
    # Without tasks, those of this package that have their own entry, as their bundled samples are.
    mini = (name for name in task_files() if name.endswith(f"_{MINI}") and not base_of(name))
    names = () if needs else (name for name in mini if "group" not in load_task(name))
    needs |= {name.removesuffix(f"_{MINI}"): needs_of(shape_of_task(name)) for name in names}
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


def _plan(wanted: Wanted, shapes: dict[str, Shape], needs: dict[str, list[Need]]) -> procedure.Plan:
    needed = frozenset(line for one in needs.values() for need in one for line in need.lines)
    kinds = [kind for kind in questions.KINDS if not needs or kind in needed] if wanted.with_questions else []
    # The most that any task has.
    most = Shape(*map(max, zip(*shapes.values(), strict=True))) if shapes else Shape(MOST_PICTURES)
    arguments = dict(part.partition("=")[::2] for part in wanted.model_args.split(","))
    return procedure.Plan(
        seed=wanted.seed,
        n_pictures=max(most.pictures, 2),
        n_lines=max(60, round(most.characters / _CHARACTERS_OF_A_LINE)),
        n_frames=most.frames or MOST_FRAMES,
        kinds=tuple(kinds),
        needed=needed if needs else None,
        wanted_system=arguments.get("system_prompt", ""),
    )


def shape_of_task(name: str) -> Shape:
    """Returns the contents of a task's conversations, or of those of its bundled sample."""
    config = load_task(name)
    try:
        docs = docs_of(config)
        places = {round(i * (len(docs) - 1) / (_LOOKED_AT - 1)) for i in range(_LOOKED_AT)} if docs else ()
        return shape_of(config["doc_to_messages"](docs[place], kwargs_of(config)) for place in places)
    except DataNotPreparedError:
        return shape_of_task(f"{name}_{MINI}")


def name_of(model: str, model_args: str) -> str:
    """Returns the name of model and arguments that a stored check uses.

    Raises:
        TempbenchError: They cannot be identified.
    """
    return identity.fingerprint(identity.of_model(model, model_args, []))


def keep(found: Check, wanted: Wanted, folder: Path) -> None:
    """Writes a check into a run's folder, with the model that it belongs to."""
    folder.mkdir(parents=True, exist_ok=True)
    made_for = name_of(wanted.model, wanted.model_args)
    tables.write_json({**found.as_json(), "for": made_for}, folder / CHECK)


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


def as_text(found: Check, everything: bool = False) -> str:
    """Returns a check for a terminal: the verdict, what failed and what to change, and a line for each group.

    Args:
        found: The check.
        everything: Whether to show every line.
    """
    failed = [one for one in found.counted if one.state == FAILED]
    if found.is_stopped:  # each cause is reported once
        end = f"{found.state}: stopped, because the first questions all failed in the same way"
        return "\n".join([*(one.as_text() for one in failed), end])
    lines = [_end(found), *(one.as_text() for one in (found.verdicts if everything else failed))]
    sections = {**SECTIONS, "what is seen": {one.line: "" for one in found.verdicts if one.line not in LINES}}
    for section, own in sections.items():
        states = Counter(
            one.state if one.counts or one.state != FAILED else NOT_NEEDED
            for one in found.verdicts
            if one.line in own
        )
        if states and not everything:
            lines.append(f"{section}: {', '.join(f'{n} {state}' for state, n in states.items())}")
    return "\n".join([*lines, *_of_tasks(found)])


def _of_tasks(found: Check) -> Iterator[str]:
    """Yields a line for tasks that lack the same needs."""
    by_need: dict[str, list[str]] = {}
    for task, needs in found.tasks.items():
        bad = (one for one in needs if one.state != PASSED)
        said = "; ".join(f"{one.title}: {one.why or one.state or 'not checked'}" for one in bad)
        by_need.setdefault(said or "all needs hold", []).append(task)
    for said, tasks in by_need.items():
        more = f" and {len(tasks) - _NAMED} more tasks" if len(tasks) > _NAMED else ""
        yield f"{', '.join(tasks[:_NAMED])}{more}: {said}"


def _end(found: Check) -> str:
    end = str(found.state)
    if found.state == NOT_JUDGED:
        n = f"{len(found.unseen)} of {len(found.counted)} lines"
        end += f": {n} cannot be seen from here: {found.unseen[0].text}"
    return f"{end}; {_number(found.n_calls - found.n_small, found.n_small)} asked"


def _number(coded: int, small: int) -> str:
    more = f" and {small} small ones" if small else ""
    return f"{coded} questions with coded pictures and videos{more}"
