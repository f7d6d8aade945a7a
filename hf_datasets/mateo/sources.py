"""Reads plans from the official release and from the user's folders, and checks them.

Each problem of a plan is reported in one line, and the valid parts are kept.
"""

import base64
import binascii
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from tempbench_lmms.data import bounds, releases
from tempbench_lmms.data.tables import first_line, read_json
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.mateo.card import REVISION

from .graphs import Edge, cycle
from .rows import Plan, Step

LANGUAGES = {"en": "eng", "it": "it"}
"""The suffixes of the release's columns, by language."""

PLAN_FILE = "plan.json"
MAX_STEPS = 1000
MAX_IMAGE_BYTES = 40_000_000

Problem = str
Store = Callable[[str, int, bytes], str]
"""Stores a picture's bytes under (plan, position) and returns its URL; raises `TempbenchError`."""

_SPLIT_FILE = re.compile(r"(?:^|/)(train|test|validation|val|dev)\b[^/]*\.parquet$", re.IGNORECASE)
_SPLIT_OF = {"val": "validation", "dev": "validation"}
_SHARD = re.compile(r"-(\d{5})-of-(\d{5})\.parquet$", re.IGNORECASE)


@dataclass
class RawStep:
    """A step as in its source."""

    key: str
    text: str
    picture: Callable[[], bytes]


@dataclass
class RawPlan:
    """A plan as in its source."""

    plan_id: str  # unique in its split
    title: str  # "" where there is none
    steps: Sequence[RawStep]  # in the order of the plan
    edges: Sequence[tuple[str, str]]  # (before, after), by the steps' keys
    problems: list[Problem] = field(default_factory=list)  # problems found so far
    # problems of its edges, which make the order of steps unknown
    damage: list[Problem] = field(default_factory=list)
    place: str = ""  # the folder of a user's plan, below the given folder


def checked(raw: RawPlan, store: Store, text_only: bool = False) -> tuple[Plan | None, list[Problem]]:
    """Returns a plan with its pictures stored, and one line for each of its problems.

    A repeated edge is kept once. A step without text or picture stays in the plan, so that paths lead through
    it, but is not asked about; `text_only` asks for no picture. A plan with a cycle has no order and is left
    out whole, and so is one with an edge that is damaged, missing or leads nowhere: its steps would pass for
    independent ones.
    """
    name = f"plan {raw.plan_id}"
    problems = [f"{name}: {problem}" for problem in raw.problems]
    index: dict[str, int] = {}
    for step in raw.steps:
        if step.key in index:
            return None, [*problems, f"{name}: two steps are called {step.key}; plan left out"]
        index[step.key] = len(index)
    if not 2 <= len(index) <= MAX_STEPS:
        return None, [*problems, f"{name}: {len(index)} steps, not 2 to {MAX_STEPS}; plan left out"]
    edges: list[Edge] = []
    damage = list(raw.damage)
    for before, after in raw.edges:
        unknown = [key for key in (before, after) if key not in index]
        if unknown:
            damage.append(f"edge {before} -> {after}: unknown step {unknown[0]}")
        elif before == after:
            damage.append(f"an edge from step {before} to itself")
        elif (edge := (index[before], index[after])) in edges:
            problems.append(f"{name}: edge {before} -> {after} is a duplicate; kept once")
        else:
            edges.append(edge)
    if damage:
        return None, [*problems, *(f"{name}: {problem}; plan left out" for problem in damage)]
    if around := cycle(len(index), edges):
        keys = list(index)
        loop = " -> ".join(keys[i] for i in [*around, around[0]])
        return None, [*problems, f"{name}: the steps {loop} form a cycle; plan left out"]
    steps = []
    for i, step in enumerate(raw.steps):
        url = ""
        if not step.text.strip():
            problems.append(f"{name}: step {step.key}: no text; not asked about")
        try:
            url = "" if text_only else store(raw.plan_id, i, step.picture())
        except TempbenchError as error:
            problems.append(f"{name}: step {step.key}: {error}; not asked about")
        steps.append(Step(step.text.strip(), url))
    return Plan(raw.plan_id, raw.title, steps, edges, text_only), problems


def inside(folder: Path, name: str, trusted: Sequence[Path] = ()) -> Path:
    """Returns the path of a file that a source names."""
    path = folder / name
    try:
        path = releases.file(path.parent, path.name) or path
        if not any(path.resolve().is_relative_to(one.resolve()) for one in trusted or (folder,)):
            raise TempbenchError(f"the picture {name[:80]!r} lies outside {folder}")
        if not path.is_file():
            raise TempbenchError(f"the picture {name[:80]!r} is missing")
    except (OSError, ValueError):
        raise TempbenchError(f"{name[:40]!r}... is neither a picture in base64 nor a path") from None
    return path


def picture_of(value: Any, folder: Path | None, trusted: Sequence[Path] = ()) -> bytes:
    """Returns the bytes of a picture that a release has as base64, as a data URI, as bytes or as a path."""
    if isinstance(value, Mapping):  # the struct in which `datasets` keeps pictures
        value = value.get("bytes") or value.get("path")
    if isinstance(value, bytes):
        return value
    if not isinstance(value, str) or not value.strip():
        raise TempbenchError("no picture")
    if len(value) > MAX_IMAGE_BYTES * 4 // 3:
        raise TempbenchError(f"the picture is larger than {MAX_IMAGE_BYTES} bytes")
    text = value.strip()
    if text[:5].lower() == "data:":
        head, _, text = text.partition(",")
        if not head.lower().endswith(";base64"):
            raise TempbenchError(f"the data URI {head[:40]!r} is not in base64")
    elif folder is not None and len(text) < 1000 and re.search(r"\.\w{3,4}$", text):
        return inside(folder, text, trusted).read_bytes()
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError):
        raise TempbenchError(f"{text[:40]!r}... is neither a picture in base64 nor a path") from None


def release_files(names: Sequence[str]) -> dict[str, list[str]]:
    """Returns the Parquet files of each split, of all files of a release."""
    found: dict[str, list[str]] = {}
    for name in sorted(names):
        if match := _SPLIT_FILE.search(name):
            found.setdefault(_SPLIT_OF.get(match.group(1), match.group(1)), []).append(name)
    for split, files in found.items():
        shards = [match for name in files if (match := _SHARD.search(name))]
        there = {int(match.group(1)) for match in shards}
        of = max((int(match.group(2)) for match in shards), default=0)
        if gone := sorted(set(range(of)) - there):
            raise TempbenchError(
                f"the {split} split has {of} files and number {gone[0]:05} is missing; get the release again"
            )
    return found


def read_release(
    file: Path, language: str, folder: Path | None, trusted: Sequence[Path] = ()
) -> Iterator[RawPlan]:
    """Yields the plans of one Parquet file of the release, a plan at a time."""
    import pyarrow as pa

    try:
        parquet = bounds.open_parquet(file)
        _check_form(file, parquet.schema_arrow, language)
        for batch in bounds.batches(file, parquet, rows=1):
            for row in batch.to_pylist():
                yield _release_plan(
                    row, LANGUAGES[language], partial(picture_of, folder=folder, trusted=trusted)
                )
    except (pa.ArrowException, OSError, ValueError) as error:
        raise TempbenchError(f"{file} cannot be read ({first_line(error)}); get the release again") from None


def _check_form(file: Path, schema: Any, language: str) -> None:
    """Raises an error if a table lacks the release's columns, or both forms of the plan's edges."""
    import pyarrow as pa

    names = {field.name: field.type for field in schema}
    missing = {"id", "steps"} - set(names)
    if missing:
        raise TempbenchError(f"{file}: the column {min(missing)} is missing; give a folder with the release")
    kind = names["steps"]
    step = kind.value_type if pa.types.is_list(kind) or pa.types.is_large_list(kind) else None
    if step is None or not pa.types.is_struct(step):
        raise TempbenchError(f"{file}: the column steps is {kind}, not a list of structs; {_FORM}")
    fields = {field.name for field in step}
    if missing := {"id", "image", f"text_{LANGUAGES[language]}"} - fields:
        raise TempbenchError(f"{file}: steps have no field {min(missing)}; {_FORM}")
    if "out_nodes" not in fields and not pa.types.is_struct(names.get("graph", pa.null())):
        raise TempbenchError(f"{file}: neither a column graph nor out_nodes says who needs whom; {_FORM}")


_FORM = f"give the release as it is at commit {REVISION[:12]}, without --revision"


def _release_plan(row: Mapping[str, Any], language: str, picture: Callable[[Any], bytes]) -> RawPlan:
    problems: list[Problem] = []
    given = [step for step in row["steps"] or [] if isinstance(step, Mapping)]
    for number, step in enumerate(given):
        if step.get("id") is None:
            problems.append(f"step number {number} has no id; its number is used")
    numbered = [(number if step.get("id") is None else step["id"], step) for number, step in enumerate(given)]
    if all(isinstance(key, int) for key, _ in numbered):
        # Ids are positions in the recipe; the file may list the steps in another order.
        numbered.sort(key=lambda pair: pair[0])
        gaps = sorted(set(range(len(numbered))) - {key for key, _ in numbered})
        if gaps:
            missing = ", ".join(map(str, gaps))
            problems.append(f"there are {len(numbered)} steps, but none has the id {missing}")
    steps = [
        RawStep(str(key), str(step.get(f"text_{language}") or ""), partial(picture, step.get("image")))
        for key, step in numbered
    ]
    edges, damage = _edges_of(row.get("graph"), [(str(key), step.get("out_nodes")) for key, step in numbered])
    return RawPlan(str(row["id"]), str(row.get(f"title_{language}") or ""), steps, edges, problems, damage)


def _edges_of(
    graph: Any, listed: Sequence[tuple[str, Sequence[int | None] | None]]
) -> tuple[list[tuple[str, str]], list[Problem]]:
    """Returns a plan's edges and their problems.

    The release has them in two columns and leaves out empty lists; a list missing in one column is taken from
    the other.
    """
    columns = [dict(listed), graph if isinstance(graph, Mapping) else {}]
    if all(successors is None for column in columns for successors in column.values()):
        return [], ["it has no list of edges"]
    edges: list[tuple[str, str]] = []
    differing: list[str] = []
    for key in dict.fromkeys([str(key) for column in columns for key in column]):
        given = [
            [str(after) for after in column[key] if after is not None]
            for column in columns
            if column.get(key) is not None
        ]
        if len(given) == 2 and {*given[0]} != {*given[1]}:
            differing.append(key)
        edges += [(key, after) for after in (given[0] if given else ())]
    if differing:
        return edges, [f"graph and out_nodes disagree about step {', '.join(differing[:3])}"]
    return edges, []


def plan_files(folder: Path) -> list[Path]:
    """Returns the `plan.json` of each user's plan: in the folder, or up to three levels below."""
    if own := releases.file(folder, PLAN_FILE):
        return [own]
    # Of two plans with the same name, the one higher in the tree counts.
    return [
        file
        for depth in range(1, releases.DEEPEST + 1)
        for file in sorted(folder.glob("*/" * depth + "*"))
        if releases.spelled(file) == PLAN_FILE
    ]


def read_folder(folder: Path, trusted: Sequence[Path] = ()) -> Iterator[RawPlan]:
    """Yields the plans of a user's folder; `trusted` as for `inside`."""
    for file in plan_files(folder):
        yield replace(_own_plan(file, trusted), place=file.parent.relative_to(folder).as_posix())


def _own_plan(file: Path, trusted: Sequence[Path]) -> RawPlan:
    folder = file.parent
    plan_id = folder.resolve().name
    if not file.is_file():  # reading a pipe would never end
        return RawPlan(plan_id, "", [], [], [f"{PLAN_FILE} is no file"])
    try:
        content = read_json(file)
    except (OSError, ValueError) as error:
        return RawPlan(plan_id, "", [], [], [f"{PLAN_FILE} is not JSON ({str(error).splitlines()[0]})"])
    listed = content.get("steps") if isinstance(content, dict) else None
    if not isinstance(listed, list):
        return RawPlan(plan_id, "", [], [], [f"{PLAN_FILE} has no list called steps"])
    problems: list[Problem] = []
    steps = []
    for number, step in enumerate(listed):
        if not isinstance(step, dict):
            problems.append(f"step number {number} is not an object; left out")
            continue
        steps.append(
            RawStep(
                str(step.get("id", number)),
                str(step.get("text") or ""),
                partial(_own_picture, folder, step.get("image"), trusted),
            )
        )
    edges = []
    damage = []
    if not isinstance(content.get("edges"), list):
        damage.append(f"{PLAN_FILE} has no list called edges; write [] where no step needs another")
    for edge in content.get("edges") or []:
        if isinstance(edge, list) and len(edge) == 2:
            edges.append((str(edge[0]), str(edge[1])))
        else:
            damage.append(f"the edge {str(edge)[:60]} is not a pair [before, after]")
    return RawPlan(plan_id, str(content.get("title") or ""), steps, edges, problems, damage)


def _own_picture(folder: Path, name: Any, trusted: Sequence[Path]) -> bytes:
    if not isinstance(name, str) or not name:
        raise TempbenchError("no picture")
    return inside(folder, name, trusted).read_bytes()
