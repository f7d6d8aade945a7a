"""How long the worst replies keep the parsers.

Every parser reads every pattern below, repeated up to the given number of characters and to a quarter of it.
For each parser: the pattern that takes it longest, that time, and its growth from the quarter to the whole;
4 is linear, and about 1 says that what depends on the length is little.
"""

import argparse
import functools
import importlib
import inspect
import itertools
import pkgutil
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tempbench_lmms import benchmarks, parsing
from tempbench_lmms.mateo.card import CLASSES
from tempbench_lmms.parsing.expected import Choice, Count, Fields, Item, Order, Relation, TimeSpan, Truth
from tempbench_lmms.parsing.finders import finder_of

# For what the tests say of each benchmark: `tests/NAME/contract.py`.
sys.path.insert(0, str(Path(__file__).parents[1]))

Parser = Callable[[str], Any]

OPTIONS = ("The dog barks", "A man opens the door", "The cat sleeps on the sofa", "Two children eat soup")
EXPECTED = [
    Choice("ABCD", OPTIONS),
    Item(5),
    Order(tuple("12345")),
    Truth("chronological"),
    Count("ABCD", ("2", "3", "4", "5")),
    Relation("cot", CLASSES),
]
# What stands behind the reply in a parser's parameters; each value in turn where there are several. What one
# benchmark alone has is `VALUES` in its `tests/NAME/contract.py`.
VALUES: dict[str, list[Any]] = {
    "options": [OPTIONS],
    "n_images": [5],
    "duration": [60.0],
    "expected": EXPECTED,
    "signs": [("<", "[")],
    "finder": [finder_of(expected) for expected in EXPECTED],
    "both": [Fields(Choice("ABCD", OPTIONS), TimeSpan(60.0))],
    "letters": ["ABCD"],
    "texts": [OPTIONS],
    "video": [TimeSpan(60.0)],
}

CHATTY = (
    "Sure! Looking at the pictures in order, the dog barks first (image 1), and then, from 0:05 to 0:12, a "
    'man opens the door. **Option B** says "A man opens the door", but image 3 contradicts it. So: C.\n\n'
)
_UNITS = (
    "(¦[¦{¦\"¦'¦<¦⟨¦~¦~~a¦*¦**¦_¦`¦|¦$¦#¦.¦...¦..¦-¦\n¦ ¦\t¦\r\n¦\u3000¦\u2028¦ \n¦\\¦\\\n¦\\ ¦\\text{"
    "¦$\\boxed{¦$\\boxed{A}$ ¦1¦1.¦1,¦-1¦1-2 ¦1 2 ¦1/¦00:¦1:00:00,¦5 s ¦9 ¦5 and ¦from 5 to ¦A ¦A. "
    "¦A.\n¦a¦A B ¦B:¦AB¦(A)¦- A\n¦A or ¦not A ¦((a) ¦Option A. ¦<think>¦</think>¦<answer>¦</answer>"
    "¦<think></think>¦<|¦<|a¦<｜a¦</¦Option ¦is ¦the answer is ¦answer is: ¦final order:"
    "¦the final answer is ¦it may be A ¦image ¦Image 1, ¦1. Image 2\n¦first image ¦number ¦one "
    "¦A man or ¦if it is ¦true ¦not true ¦true or ¦this is ¦Q1: Yes. ¦1. Yes\n¦Question 2 ¦Reflection"
    '¦from 5 ¦at ¦about ¦start 5 ¦the end ¦and ¦continues¦the time span is 5 ¦[1,2],¦{"a":¦{"a":['
    '¦["¦"a",¦[]¦{}¦// ¦,]¦1,]¦{"¦[[[5, 12],¦́¦á¦１¦İ¦ı¦🌀¦👩\u200d👩\u200d👧¦第¦一¦秒¦АB¦⟨1⟩¦．¦١¦no '
    '¦{"answer": "\'\n¦(A) (B) (C) (D) '
)
UNITS = (*_UNITS.split("¦"), CHATTY)
# What comes once, what is repeated, and what ends the reply: it begins like an answer and does not end
# like one.
HOSTILE = (
    ("", "1", "x"),
    ("", "1 ", "x"),
    ("5 s ", "continux", " 6"),
    ("5 s ", "and which it ", " 6 s"),
    ("5", "~ ", "6 s x"),
    ("5 ", "at ", ", , x"),
    ("The answer is before", ",", "x"),
    ("Q1", ":", "x"),
    ("Answer", " ", "x"),
    ("\\boxed", "{", "x"),
    ("", "// ", '"'),
    ("[", '"a",', '"b"]'),
    ("[", "1,", "1]"),
    ("[" * 300, "1,", ""),
    ("final", "\\\n", "neither"),
)
# The answer at the very end, and at the very beginning; brackets deeper than any stack.
ENDS = (
    ("", CHATTY, "Answer: B"),
    ("Answer: B\n", CHATTY, ""),
    ("<think>", CHATTY, "</think>\n<answer>B</answer>"),
    ('{"answer": "B", "span": [5, 12], "why": "', CHATTY.replace('"', "").replace("\n", " "), '"}'),
    ("[" * 300_000, "1", "]" * 300_000),
)
PATTERNS: tuple[tuple[str, str, str], ...] = (*(("", unit, "") for unit in UNITS), *HOSTILE, *ENDS)


def reply_of(pattern: tuple[str, str, str], size: int) -> str:
    """Returns a reply of about `size` characters; shorter only where its ends alone are longer."""
    head, unit, tail = pattern
    return head + unit * max((size - len(head) - len(tail)) // len(unit), 1) + tail


def modules() -> Iterator[tuple[str, dict[str, list[Any]]]]:
    """Yields the names of the modules that hold parsers, each with the values of its further parameters."""
    from tests import contract

    for module in pkgutil.iter_modules(parsing.__path__, f"{parsing.__name__}."):
        yield module.name, VALUES
    for benchmark in benchmarks.names():
        for name in ("parser", "official"):
            if importlib.util.find_spec(f"tempbench_lmms.{benchmark}.{name}"):
                yield f"tempbench_lmms.{benchmark}.{name}", VALUES | contract.get(benchmark, "VALUES")


def parsers(first: tuple[str, ...] = ("reply",)) -> dict[str, Parser]:
    """Returns all parsers by name: the public functions of `modules` that begin with a reply.

    Args:
        first: Names of the first parameter; what takes a `text` reads what a parser has clipped.

    Raises:
        LookupError: A parser has a parameter of which `VALUES` knows no value.
    """
    found: dict[str, Parser] = {}
    for module, known in modules():
        for name, function in inspect.getmembers(importlib.import_module(module), inspect.isfunction):
            parameters = inspect.signature(function).parameters
            opening, *further = parameters or [""]
            if function.__module__ != module or name.startswith("_") or opening not in first:
                continue
            if parameters[opening].annotation is not str:
                continue  # what takes a text that is scanned stands behind one that is not
            defaults = {name for name, value in parameters.items() if value.default is not value.empty}
            further = [name for name in further if name in known or name not in defaults]
            if unknown := set(further) - set(known):
                raise LookupError(f"give {', '.join(sorted(unknown))} of {module}.{name} a value in VALUES")
            for values in itertools.product(*(known[name] for name in further)):
                varied = [
                    value if isinstance(value, str) else type(value).__name__
                    for key, value in zip(further, values, strict=True)
                    if len(known[key]) > 1
                ]
                label = "-".join([f"{module.removeprefix('tempbench_lmms.')}.{name}", *varied])
                found[label] = functools.partial(function, **dict(zip(further, values, strict=True)))
    return found


def seconds(parser: Parser, reply: str, repeats: int = 3) -> float:
    """Returns the shortest processor time of a few readings."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        parser(reply)
        times.append(time.process_time() - start)
    return min(times)


def worst(parser: Parser, size: int) -> tuple[float, float, str]:
    """Returns the seconds of the pattern that takes a parser longest, their growth, and the pattern."""
    # All once, and those that seem the slowest again.
    once = [(seconds(parser, reply_of(pattern, size), 1), pattern) for pattern in PATTERNS]
    slow = [pattern for _, pattern in sorted(once, reverse=True)[:5]]
    slowest, pattern = max((seconds(parser, reply_of(pattern, size)), pattern) for pattern in slow)
    growth = slowest / max(seconds(parser, reply_of(pattern, size // 4)), 1e-9)
    shown = repr("".join(part if len(part) < 30 else f"{part[:27]}..." for part in pattern))
    return slowest, growth, shown


def rows(quick: bool) -> Iterator[Any]:
    """Yields one row a module that holds parsers: its slowest reading, for the table of `run.py`."""
    import timing  # beside this file; the tests import this file from elsewhere

    size = 10_000 if quick else 1_000_000
    by_module: dict[str, list[tuple[float, float, str]]] = {}
    for name, parser in parsers().items():
        by_module.setdefault(name.partition("-")[0].rpartition(".")[0], []).append(worst(parser, size))
    for module, found in by_module.items():
        slowest, growth, _ = max(found)
        what = (
            f"`{module}`, {len(found)} parsers, the slowest of {len(PATTERNS)} replies of {size:,} characters"
        )
        yield timing.Row(what, [1e3 * slowest], "ms")
        yield timing.Row(f"`{module}`: that one, over a quarter of it (linear is 4)", [growth], "x")


def main() -> None:
    """Prints the table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--size", type=int, default=1_000_000, help="characters of a reply")
    options.add_argument("--only", default="", help="part of the names of the parsers to measure")
    args = options.parse_args()
    chosen = {name: parser for name, parser in parsers().items() if args.only in name}
    print(f"{len(chosen)} parsers, {len(PATTERNS)} patterns of {args.size:,} characters")
    print(f"{'parser':42}{'slowest, ms':>12}{'growth':>9}  pattern")
    slowest_of_all = 0.0
    for name, parser in chosen.items():
        slowest, growth, shown = worst(parser, args.size)
        print(f"{name:42}{slowest * 1e3:12.1f}{growth:9.1f}  {shown}", flush=True)
        slowest_of_all = max(slowest_of_all, slowest)
    print(f"slowest of all: {slowest_of_all * 1e3:.1f} ms")


if __name__ == "__main__":
    main()
