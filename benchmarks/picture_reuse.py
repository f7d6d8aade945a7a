"""Pictures that an engine's cache has already: questions dealt out one by one, and in groups.

A simulation of one cache a process, which keeps the last so many pictures used. "By content": the picture was
encoded for an earlier question. "With all before it": so was everything that stands before it in the prompt,
so that its tokens need not be computed either. A native video counts as 16 pictures. Questions are answered
one after the other; an engine that is asked several at once may encode a picture twice.

The bundled samples are asked as a run of all tasks of a benchmark, one task after the other; TempVS also at
its published size. Dealt out one by one is what the harness does: question r, r + n ... of each task to
process r of n. In groups is what `tempbench run` does (`harness.dealing`). Runners order the questions of a
slice in ways of their own: "in any order" shuffles each slice of 200, as the worst that they can do.

`python benchmarks/picture_reuse.py` prints the whole, and which tasks put their pictures before all texts.
"""

import argparse
import random
from collections import OrderedDict
from collections.abc import Hashable, Iterator, Sequence
from typing import NamedTuple

import tempvs_data
import timing

from hf_datasets.tempvs import rows as building
from tempbench_lmms import benchmarks
from tempbench_lmms.data.checksums import digest, urls_of
from tempbench_lmms.harness import shown
from tempbench_lmms.harness.dealing import Pictured, shares
from tempbench_lmms.harness.tasks import docs_of, load_task
from tempbench_lmms.media.pictures import is_picture

ROOM = 64
"""Pictures that the cache keeps."""
SLICE = 200
OF_A_VIDEO = 16
PROCESSES = (1, 2, 8)

Part = tuple[Hashable, int]
"""A part of a prompt: what it is, and how many pictures; 0 for a text."""


class Question(NamedTuple):
    """A question and the parts of its prompt."""

    about: Pictured
    parts: tuple[Part, ...]


class Served(NamedTuple):
    """Shares of the pictures asked for."""

    by_content: float
    with_all_before: float


class Room:
    """What was used last, up to a number of pictures."""

    def __init__(self, pictures: int) -> None:
        self._kept: OrderedDict[Hashable, int] = OrderedDict()
        self._free = pictures

    def has(self, what: Hashable, size: int) -> bool:
        """Returns whether something is there, and keeps it as what was used last."""
        found = what in self._kept
        if not found:
            self._kept[what] = size
            self._free -= size
        self._kept.move_to_end(what)
        while self._free < 0:
            self._free += self._kept.popitem(last=False)[1]
        return found


def served(processes: Sequence[Sequence[Question]], room: int = ROOM) -> Served:
    """Returns which share of all pictures the processes found in their caches."""
    total, known, before = 0, 0, 0
    for asked in processes:
        encoded, computed = Room(room), Room(room)
        for question in asked:
            prompt: list[Hashable] = []
            for what, size in question.parts:
                prompt.append(what)
                if size:
                    total += size
                    known += size * encoded.has(what, size)
                    before += size * computed.has(hash(tuple(prompt)), size)
    return Served(known / total, before / total)


def one_by_one(questions: Sequence[Question], n: int) -> list[list[Question]]:
    """Returns the questions of each process as the harness deals them out."""
    return [[one for one in questions if one.about.number % n == rank] for rank in range(n)]


def in_groups(questions: Sequence[Question], n: int) -> list[list[Question]]:
    """Returns the questions of each process as `tempbench run` deals them out."""
    left = one_by_one(questions, n)
    dealt = shares([[one.about for one in own] for own in left])
    return [[left[rank][i] for rank, i in dict.fromkeys(share)] for share in dealt]


def in_any_order(processes: Sequence[Sequence[Question]]) -> list[list[Question]]:
    """Returns the same with each slice of a process shuffled."""
    generator = random.Random(0)
    return [
        [
            one
            for start in range(0, len(asked), SLICE)
            for one in generator.sample(asked[start : start + SLICE], len(asked[start : start + SLICE]))
        ]
        for asked in processes
    ]


def leaves(name: str) -> list[str]:
    """Returns the tasks of a group, or of a task itself."""
    config = load_task(name)
    return [one for member in config["task"] for one in leaves(member)] if "group" in config else [name]


def questions_of(task: str) -> Iterator[Question]:
    """Yields the questions of a task of a bundled sample."""
    config = load_task(task)
    for number, doc in enumerate(docs_of(config)):
        urls = [*urls_of(doc)]
        parts = [
            (part, 0)
            if isinstance(part, str)
            else ((part.size, hash(part.tobytes())), 1)
            if is_picture(part)
            else (str(part), OF_A_VIDEO)
            for part in shown.content(config, doc, number)
        ]
        yield Question(Pictured(task, number, digest(sorted(urls)), digest(urls)), tuple(parts))


def of_release(separate: bool) -> list[Question]:
    """Returns the questions of the task `tempvs` on data of the published size.

    Args:
        separate: Whether pictures come one by one, as in `tempvs_separate`, and not as one strip.
    """
    rows = building.build(tempvs_data.sequences_of_release(), lambda event: False)["all"]
    questions = []
    for number, row in enumerate(rows):
        urls = row["images"]
        parts: list[Part] = [(tuple(urls), 1)]
        if separate:
            parts = [part for i, url in enumerate(urls) for part in ((i, 0), (url, 1))]
        about = Pictured("tempvs", number, digest(sorted(urls)), digest(urls))
        questions.append(Question(about, tuple(parts)))
    return questions


def begins_with_pictures(question: Question) -> bool:
    """Returns whether no text stands before the last picture."""
    sizes = [size for _, size in question.parts]
    last = max((i for i, size in enumerate(sizes) if size), default=-1)
    return all(sizes[: last + 1])


def columns(questions: Sequence[Question]) -> Iterator[str]:
    """Yields the shares of a table's line."""
    for n in PROCESSES:
        before, after = served(one_by_one(questions, n)), served(in_groups(questions, n))
        yield f"{before.by_content:.1%} ({before.with_all_before:.1%})"
        yield f"{after.by_content:.1%} ({after.with_all_before:.1%})"


def table() -> Iterator[str]:
    """Yields the lines of the whole: by content, and in brackets with all before it."""
    heads = [f"{n} process{'es' * (n > 1)}, {how}" for n in PROCESSES for how in ("one by one", "in groups")]
    yield f"| questions | number | {' | '.join(heads)} |"
    yield f"|---|---:|{'---:|' * len(heads)}"
    for separate in (False, True):
        asked = of_release(separate)
        name = "TempVS at its published size" + ", `separate`" * separate
        yield f"| {name} | {len(asked):,} | {' | '.join(columns(asked))} |"
    orders = []
    for name in benchmarks.names():
        tasks = {task: [*questions_of(task)] for task in leaves(f"{name}_mini")}
        with_pictures = {task: of for task, of in tasks.items() if any(size for _, size in of[0].parts)}
        asked = [one for questions in with_pictures.values() for one in questions]
        yield f"| `{name}_mini` | {len(asked):,} | {' | '.join(columns(asked))} |"
        orders += [(task, all(map(begins_with_pictures, of))) for task, of in with_pictures.items()]
    yield "\nTasks whose pictures come before all texts: " + ", ".join(task for task, are in orders if are)
    yield "\nTasks with text before pictures: " + ", ".join(task for task, are in orders if not are)


def rows(quick: bool) -> Iterator[timing.Row]:
    """Yields what TempVS finds in the cache at its published size."""
    for separate in (False,) if quick else (False, True):
        asked = of_release(separate)
        name = f"tempvs{'_separate' * separate}, {len(asked):,} questions"
        for n in PROCESSES:
            dealt = {"one by one": one_by_one(asked, n), "in groups": in_groups(asked, n)}
            dealt["in groups, each slice in any order"] = in_any_order(dealt["in groups"])
            for how, processes in dealt.items():
                found = served(processes)
                goal = None if how == "one by one" else 90
                what = f"{name}, {n} process{'es' * (n > 1)}, {how}: pictures known"
                yield timing.Row(f"{what} by content", [100 * found.by_content], "%", at_least=goal)
                yield timing.Row(f"{what} with all before them", [100 * found.with_all_before], "%")


def main() -> None:
    """Prints the whole table, or with --rows what `run.py` prints."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("--rows", action="store_true", help="TempVS at its published size, more closely")
    for line in timing.table(rows(False)) if options.parse_args().rows else table():
        print(line, flush=True)


if __name__ == "__main__":
    main()
