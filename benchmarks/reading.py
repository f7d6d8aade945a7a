"""How replies are read: the shares that are read right, misread and left unread, and the time that it takes.

Without arguments: the labelled replies of `tests/parsing/replies.py`, by what was asked: `locked`, on which
nobody mends, and then `dev`.
With `--invariances`: of the replies of `dev` that are read right, the shares that follow each change of
`tests/parsing/invariances.py`; `--show` lists those that do not.
With `--earns`: the patterns and rules that change fewer than three readings of `dev`, or readings of one
context alone, when they are switched off one at a time. A pattern is what a module of the reader compiles
while it is imported. A rule is an entry of a module's `RULES`, a list or a dict that the module goes through
at each reading: the entry is taken out.
"""

import argparse
import functools
import gc
import importlib
import itertools
import multiprocessing
import os
import pkgutil
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, ClassVar

# For the labelled replies of the tests.
sys.path.insert(0, str(Path(__file__).parents[1]))

SHORT = 40
_FINDING = ("search", "match", "fullmatch", "finditer", "findall", "split")
# The methods of a pattern that is off. What is put for a match may name groups that "(?!)" does not have.
_OFF: dict[str, Callable[..., Any]] = {
    **{name: getattr(re.compile(r"(?!)"), name) for name in _FINDING},
    "sub": lambda put, text, count=0: text,
    "subn": lambda put, text, count=0: (text, 0),
}
_OFFICIAL = ("tempvs", "timepercept", "mateo", "coherence", "rextime")


def shares(found: Iterable[tuple[Any, list[str]]]) -> Iterator[str]:
    """Yields a table of the shares by what was asked, of labelled replies with their `verdicts`.

    A reply that gives two answers counts as two readings.
    """
    counts: dict[str, tuple[Counter[str], Counter[str]]] = {}
    for row, verdicts in found:
        asked = f"{row.benchmark} {row.kind}" if row.benchmark in _OFFICIAL else f"any {row.benchmark}"
        for name in ("all", asked):
            counts.setdefault(name, (Counter(), Counter()))[not row.locked].update(verdicts)
    yield "| asked |" + "".join(f" {rows} | right | misread | unread |" for rows in ("locked", "dev"))
    yield "|---|" + "---:|" * 8
    for name in sorted(counts, key=lambda name: (name != "all", name)):
        yield f"| {name} | {' | '.join(map(_cells, counts[name]))} |"


def _cells(found: Counter[str]) -> str:
    n = found.total()
    said = (f"{100 * found[verdict] / n:.1f} %" if n else "-" for verdict in ("right", "misread", "unread"))
    return f"{n:,} | {' | '.join(said)}"


def caches(per_reply: bool = False) -> list[Any]:
    """Returns the package's caches; `per_reply` leaves out those without a bound, which hold constants."""
    wrappers = [one for one in gc.get_objects() if isinstance(one, functools._lru_cache_wrapper)]
    of_package = [one for one in wrappers if str(one.__module__).startswith("tempbench_lmms.")]
    return [one for one in of_package if not per_reply or one.cache_parameters()["maxsize"] is not None]


def forget(remembered: Iterable[Any]) -> None:
    """Empties caches."""
    for cache in remembered:
        cache.cache_clear()


def labelled(nth: int = 1) -> list[tuple[Any, list[str]]]:
    """Returns every nth labelled reply of the tests, and the verdicts on what is read of it."""
    from tests.parsing.replies import load

    return [(row, row.verdicts()) for row in list(load())[::nth]]


def rows(quick: bool) -> Iterator[Any]:
    """Yields the shares of all labelled replies, and each benchmark's mean time for one."""
    import timing  # beside this file; the tests import this file from elsewhere

    found = labelled(10 if quick else 1)
    for name, locked in (("locked", True), ("dev", False)):
        said = Counter(verdict for row, verdicts in found if row.locked == locked for verdict in verdicts)
        yield timing.Row(f"{name}: misread", [100 * said["misread"] / said.total()], "%", at_most=0.5)
        wrong = 100 * (said["misread"] + said["unread"]) / said.total()
        yield timing.Row(f"{name}: misread or unread", [wrong], "%", at_most=3.5)
    for benchmark in dict.fromkeys(row.benchmark for row, _ in found):
        for what, longest in ((f"at most {SHORT} characters", SHORT), ("all replies", sys.maxsize)):
            some = [row for row, _ in found if row.benchmark == benchmark and len(row.reply) <= longest]
            times = []
            for _ in range(3):
                forget(caches(per_reply=True))
                times.append(timing.seconds(lambda some=some: [row.readings() for row in some]))
            each = [1e3 * time / max(len(some), 1) for time in times]
            yield timing.Row(f"`{benchmark}`, {what}", each, "ms a reply")


class Switch:
    """Stands for a compiled pattern that can be switched off, or note that it finds something.

    Args:
        pattern: The pattern.
        flags: Those of `re.compile`.
        where: The module that compiles it, and the line.
    """

    made: ClassVar[list["Switch"]] = []
    found: ClassVar[set[int]] = set()
    """The places in `made` of those that found something and note it."""

    def __init__(self, pattern: str, flags: int, where: str) -> None:
        self.pattern, self.where, self.place = pattern, where, len(self.made)
        self._compiled = functools.cache(lambda: re.compile(pattern, flags))
        self.made.append(self)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._compiled(), name)

    def turn(self, how: str) -> None:
        """Turns the pattern `on` or `off`, or has it `note` what it finds."""
        for name, off in _OFF.items():
            on = getattr(self._compiled(), name)
            self.__dict__[name] = {"off": off, "on": on, "note": functools.partial(self._note, on, off)}[how]

    def _note(self, on: Callable[..., Any], off: Callable[..., Any], *given: Any, **named: Any) -> Any:
        found, nothing = on(*given, **named), off(*given, **named)
        if on.__name__ == "finditer":
            found, nothing = list(found), []
        if found != nothing:
            self.found.add(self.place)
        return iter(found) if on.__name__ == "finditer" else found


class Rule:
    """An entry of a table that can be taken out."""

    def __init__(self, where: str, table: Any, place: int) -> None:
        self.where, self._table, self._place, self._kept = where, table, place, table.copy()

    def turn(self, how: str) -> None:
        """Puts the entry back `on`, in its place, or takes it `off`."""
        is_dict = isinstance(self._table, dict)
        entries = list(self._kept.items() if is_dict else self._kept)
        self._table.clear()
        kept = [one for place, one in enumerate(entries) if how == "on" or place != self._place]
        (self._table.update if is_dict else self._table.extend)(kept)


def _is_reader(module: str) -> bool:
    return module.startswith("tempbench_lmms.") and (".parsing." in module or module.endswith(".parser"))


def switchable() -> list[Rule]:
    """Imports the reader so that its patterns are `Switch.made`, and returns its rules."""
    patterns: Any = importlib.import_module("tempbench_lmms.parsing.patterns")
    imported: list[tuple[str, dict[str, Any]]] = []

    def switched(otherwise: Callable[..., Any]) -> Callable[..., Any]:
        def switch(pattern: str, flags: int = 0) -> Any:
            caller = sys._getframe(1)
            name = caller.f_globals["__name__"]
            if imported or not _is_reader(name):
                return otherwise(pattern, flags)
            return Switch(pattern, flags, f"{name}:{caller.f_lineno}")

        return switch

    real, lazy = re.compile, patterns.lazy
    re.compile, patterns.lazy = switched(real), switched(lazy)
    package = importlib.import_module("tempbench_lmms.parsing")
    for one in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        importlib.import_module(one.name)
    importlib.import_module("tests.parsing.replies")
    re.compile, patterns.lazy = real, lazy
    imported = [(name, vars(module)) for name, module in sorted(sys.modules.items()) if _is_reader(name)]
    rules = []
    for name, names in imported:
        for attribute, value in names.items():
            if isinstance(value, Switch) and value.where.startswith(f"{name}:"):
                value.where += f" {attribute}"
        if isinstance(table := names.get("RULES"), list | dict):
            called = [getattr(rule, "__name__", str(rule))[:60] for rule in table]
            rules += [Rule(f"{name} RULES {rule}", table, place) for place, rule in enumerate(called)]
    return rules


class Earns:
    """The readings of `dev`, and which of them change without a pattern or a rule.

    A pattern is switched off for those replies only in which it finds something; the others cannot change.

    Args:
        nth: Every how manieth reply is read.
    """

    last: "Earns"
    """The one of a child process, which inherits it."""

    def __init__(self, nth: int) -> None:
        rules = switchable()
        self.rows = importlib.import_module("tests.parsing.replies").dev()[::nth]
        self.switches = [*Switch.made, *rules]
        self.as_ever: list[tuple[Any, str]] = []
        self.finds: list[Any] = [*([] for _ in Switch.made), *(range(len(self.rows)) for _ in rules)]

    def read(self, place: int) -> tuple[Any, str]:
        """Returns what is read of a reply, and its verdict."""
        try:
            readings = self.rows[place].readings()
        except Exception as error:  # what stands behind a pattern may take for granted that it matches
            return repr(error), "stopped"
        return {name: one.value for name, one in readings.items()}, self.rows[place].verdict(readings)

    def note(self, part: range) -> list[tuple[tuple[Any, str], set[int]]]:
        """Returns for some replies what is read, and which patterns find something."""
        for pattern in Switch.made:
            pattern.turn("note")
        remembered, noted = caches(per_reply=True), []
        for place in part:
            forget(remembered)
            Switch.found.clear()
            noted.append((self.read(place), set(Switch.found)))
        return noted

    def without(self, place: int) -> tuple[int, int, int]:
        """Returns how many readings change without a pattern or rule, get worse, and in how many contexts."""
        remembered = caches()
        self.switches[place].turn("off")
        forget(remembered)
        now = {one: self.read(one) for one in self.finds[place]}
        self.switches[place].turn("on")
        forget(remembered)
        changed = [one for one, (values, _) in now.items() if values != self.as_ever[one][0]]
        worse = sum(now[one][1] != "right" == self.as_ever[one][1] for one in changed)
        rows = [self.rows[one] for one in changed]
        return len(rows), worse, len({(row.benchmark, row.kind, str(row.context)) for row in rows})

    def lines(self) -> Iterator[str]:
        """Yields a table of the patterns and rules that do not earn their place, and how many they are."""
        Earns.last = self
        for switch in self.switches:
            switch.turn("on")
        pool = functools.partial(multiprocessing.get_context("fork").Pool, len(os.sched_getaffinity(0)))
        n_rows = len(self.rows)
        parts = [range(start, min(start + 50, n_rows)) for start in range(0, n_rows, 50)]
        with pool() as children:
            for part in children.imap(functools.partial(_of_last, "note"), parts):
                for read, found in part:
                    for pattern in found:
                        self.finds[pattern].append(len(self.as_ever))
                    self.as_ever.append(read)
        names = [switch.where for switch in self.switches]
        with pool() as children:
            changes = children.map(functools.partial(_of_last, "without"), range(len(names)), 4)
        few = [(name, *one) for name, one in zip(names, changes, strict=True) if one[0] < 3 or one[2] < 2]
        yield "| pattern or rule | readings changed | for the worse | contexts |\n|---|---:|---:|---:|"
        for name, *numbers in sorted(few):
            yield f"| `{name.removeprefix('tempbench_lmms.')}` | {' | '.join(map(str, numbers))} |"
        yield f"\n{len(few)} of {len(names)} ({len(few) / len(names):.0%}), on {n_rows:,} replies"


def _of_last(name: str, given: Any) -> Any:
    return getattr(Earns.last, name)(given)


def invariances(nth: int, show: bool) -> Iterator[str]:
    """Yields a table of the changes of replies, and the shares that follow them."""
    from tests.parsing.invariances import CHANGES, read_changed
    from tests.parsing.replies import dev

    rows, total = [row for row in dev()[::nth] if row.verdict() == "right"], Counter[str]()
    yield "| change | replies | follow | misread | unread |\n|---|---:|---:|---:|---:|"
    for name in CHANGES:
        changed = list(read_changed(name, rows))
        found = Counter(verdict for verdict, _ in changed)
        total += found
        yield f"| {name} | {_cells(found)} |"
        for verdict, row in changed if show else ():
            if verdict != "right":
                yield f"    {verdict}: {row.benchmark} {row.kind} {row.reply[-300:]!r}, not {row.label}"
    yield f"| all | {_cells(total)} |"


def main() -> None:
    """Prints what was asked for."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--earns", action="store_true", help="list the patterns and rules that hardly count")
    options.add_argument("--invariances", action="store_true", help="read changed replies")
    options.add_argument("--nth", type=int, default=1, help="read every nth reply of dev")
    options.add_argument("--show", action="store_true", help="list the replies that do not follow")
    args = options.parse_args()
    if args.earns or args.invariances:
        lines = Earns(args.nth).lines() if args.earns else invariances(args.nth, args.show)
    else:
        import timing

        lines = itertools.chain(shares(labelled()), [""], timing.table(rows(quick=False)))
    for line in lines:
        print(line, flush=True)


if __name__ == "__main__":
    main()
