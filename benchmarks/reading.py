"""How replies are read: the shares that are read right, misread and left unread, and the time that it takes.

Without arguments: the labelled replies of `tests/parsing/replies.py`, by what was asked: `locked`, on which
nobody mends, and then `dev`.
With `--invariances`: of the replies of `dev` that are read right, the shares that follow each change of
`tests/parsing/invariances.py`; `--show` lists those that do not.
With `--failures`: the replies of `dev` that are not read right; `--failures KIND` those of one kind.
With `--earns`: the patterns and rules that change fewer than three readings of `dev`, or readings of one
context alone, when they are switched off one at a time. A rule is a condition of an `if`, or a side of an
`or`, in `stance.py` and `decide.py`; one that is off does not hold.
With `--tempcompass DIR`: the replies in a checkout of TempCompass's repository that its judge rated, by model
and kind: the share that is unread, and that is read but rated otherwise; `--show` lists the latter.
"""

import argparse
import ast
import functools
import gc
import importlib
import importlib.util
import itertools
import multiprocessing
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, ClassVar

# For the labelled replies of the tests.
sys.path.insert(0, str(Path(__file__).parents[1]))

SHORT = 40
ENOUGH = 3, 2
"""Readings, and their contexts, that must change without a pattern or a rule."""
RULED = ("tempbench_lmms.parsing.stance", "tempbench_lmms.parsing.decide")
# What the methods of a pattern that is off return.
_OFF: dict[str, Callable[..., Any]] = {
    **{
        name: getattr(re.compile(r"(?!)"), name)
        for name in ("search", "match", "fullmatch", "findall", "split")
    },
    "finditer": lambda *given, **named: [],
    "sub": lambda put, text, count=0: text,
    "subn": lambda put, text, count=0: (text, 0),
}
# Why some stay that hardly count on `dev`, by what their lines hold.
_KEPT = {
    "lexicon:": "the form of the files of words",
    "exact:": "a form read at once, or a bound of depth",
    "clean:": "any reply: tags of answers, white space, a repeated prompt",
    "spans:": "frames with their times, fields with spans; hardly a row has them",
    "": "keeps a misreading away",
}
_OFFICIAL = ("tempvs", "timepercept", "mateo", "coherence", "rextime")


def shares(found: Iterable[tuple[Any, list[str]]], kinds: bool = False) -> Iterator[str]:
    """Yields a table of the shares by what was asked, of labelled replies with their `verdicts`.

    A reply that gives two answers counts as two readings.

    Args:
        found: The replies.
        kinds: Whether the kinds of questions of a benchmark are told apart.
    """
    counts: dict[str, tuple[Counter[str], Counter[str]]] = {}
    for row, verdicts in found:
        asked = row.benchmark if row.benchmark in _OFFICIAL else "others"
        asked += f" {row.kind if row.benchmark in _OFFICIAL else row.benchmark}" * kinds
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
                times.append(timing.seconds(functools.partial(_read_all, some)))
            each = [1e3 * time / max(len(some), 1) for time in times]
            yield timing.Row(f"`{benchmark}`, {what}", each, "ms a reply")


def _read_all(some: list[Any]) -> None:
    for row in some:
        row.readings()


class Switch:
    """What can be switched off, and notes that it counts: that a pattern finds something, or a rule holds."""

    made: ClassVar[list["Switch"]] = []
    counted: ClassVar[set[int]] = set()
    """The places in `made` of those that counted since it was emptied."""

    def __init__(self, where: str) -> None:
        self.where, self.place, self.on = where, len(self.made), True
        self.made.append(self)

    def __call__(self, value: Any, off: Any = False) -> Any:
        """Returns what a pattern found or a rule says, and `off` while it is switched off."""
        if not self.on:
            return off
        if value:
            self.counted.add(self.place)
        return value


class Pattern(Switch):
    """Stands for a compiled pattern."""

    def __init__(self, pattern: re.Pattern[str], where: str) -> None:
        super().__init__(where)
        self._pattern = pattern

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._pattern, name)
        if name in _OFF:
            return lambda *given, **named: self._called(name, found, *given, **named)
        return found

    def _called(self, name: str, find: Callable[..., Any], *given: Any, **named: Any) -> Any:
        found, off = find(*given, **named), _OFF[name](*given, **named)
        if name == "finditer":
            return iter(self(list(found), []))
        return off if found == off else self(found, off)


class _Rules(ast.NodeTransformer):
    """Makes each condition of an `if`, and each side of an `or`, of a module one that can be switched off."""

    def __init__(self, module: str) -> None:
        self.module = module

    def _switched(self, said: ast.expr) -> ast.expr:
        place = Switch(f"{self.module}:{said.lineno} {ast.unparse(said)[:90]}").place
        made = ast.Subscript(ast.Name("_MADE", ast.Load()), ast.Constant(place), ast.Load())
        return ast.copy_location(ast.Call(made, [said], []), said)

    def visit_If(self, node: ast.If) -> ast.AST:
        self.generic_visit(node)
        if not (isinstance(node.test, ast.BoolOp) and isinstance(node.test.op, ast.Or)):
            node.test = self._switched(node.test)
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Or):
            node.values = [self._switched(one) for one in node.values]
        return node


def _is_reader(module: str) -> bool:
    return module.startswith("tempbench_lmms.parsing.")  # a benchmark's own patterns are its paper's scorer's


def switchable() -> None:
    """Imports the reader so that all its patterns, and the rules of `RULED`, are `Switch.made`."""
    real = re.compile

    def compiled(pattern: str, flags: int = 0) -> Any:
        caller = sys._getframe(1)
        name, line = caller.f_globals["__name__"], caller.f_lineno
        made = real(pattern, flags)
        making = caller.f_code.co_name in ("<module>", "<genexpr>") and _is_reader(name)
        return Pattern(made, f"{name}:{line}") if making else made

    changed: Any = re
    changed.compile = compiled
    for name in RULED:
        spec = importlib.util.find_spec(name)
        assert spec
        assert spec.origin
        tree = ast.parse(Path(spec.origin).read_text(encoding="utf-8"))
        tree = ast.fix_missing_locations(_Rules(name).visit(tree))
        module: Any = importlib.util.module_from_spec(spec)
        module._MADE = Switch.made
        sys.modules[name] = module
        exec(compile(tree, spec.origin, "exec"), vars(module))
        package, _, child = name.rpartition(".")
        setattr(sys.modules[package], child, module)
    importlib.import_module("tests.parsing.replies")
    changed.compile = real
    for name, module in sorted(sys.modules.items()):
        for attribute, value in vars(module).items() if _is_reader(name) else ():
            if isinstance(value, Pattern) and value.where.startswith(f"{name}:"):
                value.where += f" {attribute}"


class Earns:
    """The readings of `dev`, and which of them change without a pattern or a rule.

    Each is switched off for those replies only in which it counts; the others cannot change.

    Args:
        nth: Every how manieth reply is read.
    """

    last: "Earns"
    """The one of a child process, which inherits it."""

    def __init__(self, nth: int) -> None:
        switchable()
        self.rows = importlib.import_module("tests.parsing.replies").dev()[::nth]
        self.as_ever: list[tuple[Any, str]] = []
        self.counts: list[list[int]] = [[] for _ in Switch.made]

    def read(self, place: int) -> tuple[Any, str]:
        """Returns what is read of a reply, and its verdict."""
        try:
            readings = self.rows[place].readings()
            read = {name: one.value or one.reason for name, one in readings.items()}
            return read, self.rows[place].verdict(readings)
        except Exception as error:  # what stands behind a rule may take for granted that it holds
            return repr(error), "stopped"

    def note(self, part: range) -> list[tuple[tuple[Any, str], set[int]]]:
        """Returns for some replies what is read, and what counts in them."""
        remembered, noted = caches(per_reply=True), []
        for place in part:
            forget(remembered)
            Switch.counted.clear()
            noted.append((self.read(place), set(Switch.counted)))
        return noted

    def without(self, place: int) -> tuple[int, int, int]:
        """Returns how many readings change without one, get worse, and in how many contexts.

        It stops where they are `ENOUGH`.
        """
        remembered = caches(per_reply=True)
        Switch.made[place].on = False
        forget(remembered)
        n = worse = 0
        contexts = set()
        for one in self.counts[place]:
            values, verdict = self.read(one)
            if values != self.as_ever[one][0]:
                n, worse = n + 1, worse + (verdict != "right" == self.as_ever[one][1])
                row = self.rows[one]
                contexts.add((row.benchmark, row.kind, str(row.context)))
            if n >= ENOUGH[0] and len(contexts) >= ENOUGH[1]:
                break
        Switch.made[place].on = True
        forget(remembered)
        return n, worse, len(contexts)

    def lines(self) -> Iterator[str]:
        """Yields a table of the patterns and rules that do not earn their place, and how many they are."""
        Earns.last = self
        pool = functools.partial(multiprocessing.get_context("fork").Pool, len(os.sched_getaffinity(0)))
        n_rows = len(self.rows)
        parts = [range(start, min(start + 50, n_rows)) for start in range(0, n_rows, 50)]
        with pool() as children:
            for part in children.imap(functools.partial(_of_last, "note"), parts):
                for read, counted in part:
                    for place in counted:
                        self.counts[place].append(len(self.as_ever))
                    self.as_ever.append(read)
        with pool() as children:
            without = functools.partial(_of_last, "without")
            changes = children.map(without, range(len(Switch.made)), 4)
        found = zip(Switch.made, changes, strict=True)
        few = sorted(
            (switch.where, *one) for switch, one in found if one[0] < ENOUGH[0] or one[2] < ENOUGH[1]
        )
        yield "| rule | readings changed | for the worse | contexts | kept for |\n|---|---:|---:|---:|---|"
        for where, *numbers in few:
            reason = next(reason for part, reason in _KEPT.items() if part in where)
            cells = [f"`{where.removeprefix('tempbench_lmms.')}`", *map(str, numbers), reason]
            yield f"| {' | '.join(cells)} |"
        yield f"\n{len(few)} of {len(changes)} ({len(few) / len(changes):.0%}), on {n_rows:,} replies"


def _of_last(name: str, given: Any) -> Any:
    return getattr(Earns.last, name)(given)


def failures(kind: str) -> Iterator[str]:
    """Yields the replies of `dev` that are not read right, of all kinds or of one."""
    from tests.parsing.replies import dev

    for row in dev():
        if kind in ("all", row.kind, row.benchmark) and (verdict := row.verdict()) != "right":
            read = {name: one.value or one.reason for name, one in row.readings().items()}
            yield f"{verdict}: {row.benchmark} {row.kind} {row.context}\n    {row.reply[-400:]!r}"
            yield f"    read {read}, not {row.label}"


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


def tempcompass(checkout: Path, show: bool) -> Iterator[str]:
    """Yields a table of the rated replies of TempCompass's repository.

    Args:
        checkout: The folder with `predictions` and `auto_eval_results`.
        show: Whether to list the replies that are read but rated otherwise.
    """
    from tempbench_lmms.tempcompass_pairs import rows, scoring
    from tempbench_lmms.tempcompass_pairs.card import FILES

    yield "| model | kind | replies | unread | rated otherwise |\n|---|---|---:|---:|---:|"
    total = Counter[str]()
    for model, (kind, name) in itertools.product(
        sorted(path.name for path in (checkout / "auto_eval_results").iterdir()), FILES.items()
    ):
        read, answers = rows.read_questions, checkout / "predictions" / model / name
        given = read(answers, kind, "question", "answer")
        rated = read(checkout / "auto_eval_results" / model / name, kind, "question", "gt-answer")
        found, other = Counter[str](), []
        for key, one in given.items():
            entry = one["entry"]
            reply = entry.get("prediction", entry.get("response"))
            record = scoring.record(
                rows.row(key, one), (reply or "").replace("</s>", "").strip(), reply is None
            )
            is_other = record["parsed"] and record["correct"] != rated[key]["entry"]["rating"]
            found.update({"all": 1, "unread": not record["parsed"], "other": is_other})
            other += [f"    {record['how']}: {entry['question']!r}: {reply[:300]!r}"] if is_other else []
        total += found
        yield f"| {model} | {kind} | {_parts(found)} |"
        yield from other if show else ()
    yield f"| all | | {_parts(total)} |"


def _parts(found: Counter[str]) -> str:
    return " | ".join(
        [f"{found['all']:,}", *(f"{found[one] / found['all']:.2%}" for one in ("unread", "other"))]
    )


def main() -> None:
    """Prints what was asked for."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--earns", action="store_true", help="list the patterns and rules that hardly count")
    options.add_argument("--invariances", action="store_true", help="read changed replies")
    options.add_argument("--failures", nargs="?", const="all", help="list replies that are not read right")
    options.add_argument("--tempcompass", type=Path, metavar="DIR", help="read the replies of its repository")
    options.add_argument("--nth", type=int, default=1, help="read every nth reply of dev")
    options.add_argument("--show", action="store_true", help="list the replies that do not follow")
    args = options.parse_args()
    if args.earns:
        lines = Earns(args.nth).lines()
    elif args.invariances:
        lines = invariances(args.nth, args.show)
    elif args.tempcompass:
        lines = tempcompass(args.tempcompass, args.show)
    elif args.failures:
        lines = failures(args.failures)
    else:
        import timing

        lines = itertools.chain(shares(labelled(), kinds=True), [""], timing.table(rows(quick=False)))
    for line in lines:
        print(line, flush=True)


if __name__ == "__main__":
    main()
