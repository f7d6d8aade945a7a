"""Turns series of dated pictures into the questions of all nine tests.

Source: paper, section III.B and III.C; what it leaves open is decided as the benchmark's README says.
"""

import itertools
import math
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tempbench_lmms.data.roots import SCHEME
from tempbench_lmms.data.tables import Row
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.timepercept.card import LENGTH, PAIRS, TIU, TOU
from tempbench_lmms.timepercept.rows import BENCHMARK
from tempbench_lmms.timepercept.scoring import interval_class

from .series import Series, Shot

BASE = f"{SCHEME}{BENCHMARK}/"
"""What the URLs of all pictures begin with."""
_PASSES = 40
_TRIES = 400


@dataclass(frozen=True)
class Pair:
    """Two pictures of one place."""

    series: Series
    first: Shot
    second: Shot
    days: int


@dataclass(frozen=True)
class Rules:
    """How questions are drawn."""

    count: int  # questions a test
    seed: int  # of all draws
    # whether a picture can be read; None to draw without looking. A question with one that cannot is
    # drawn again from a seed of its own, so that all others stay the same.
    readable: Callable[[Shot], bool] | None = None

    def unreadable(self, shots: Iterable[Shot]) -> list[Shot]:
        """Returns those of the pictures that cannot be read."""
        return [shot for shot in shots if not self.readable(shot)] if self.readable else []


def url(shot: Shot) -> str:
    """Returns a picture's `tempbench://` URL."""
    return f"{BASE}media/{shot.media}"


def make_row(
    test: str, number: int, split: str, shots: Sequence[Shot], series: Sequence[Series], **values: Any
) -> Row:
    """Returns a row; `values` are `answer`, `choices` and what differs from the defaults."""
    row: Row = {
        "question_id": f"{test}/{split}/{number:04d}",
        "test": test,
        "source": series[0].source,
        "places": list(dict.fromkeys(one.place for one in series)),
        "category": series[0].category,
        "images": [url(shot) for shot in shots],
        "dates": [shot.taken for shot in shots],
        "options": [],
        "kind": "",
        "days": [],
    } | values
    row["target"] = f"Image {row['answer']}" if test == "tal" else row["answer"]
    return row


def build(
    ordered: Sequence[Series],
    dated: Sequence[Series],
    split: str,
    rules: Rules,
    tests: Sequence[str] = TOU + TIU,
) -> dict[str, list[Row]]:
    """Returns the rows of each test.

    Args:
        ordered: The places for the five tests of order.
        dated: The places for the four tests of intervals.
        split: `test` or `train`; it is part of the ids and of the seed.
        rules: How to draw.
        tests: The tests to build.

    A test gets fewer rows than `rules.count` where the places do not yield more different questions.
    """
    rows: dict[str, list[Row]] = {}
    index = _Intervals(dated) if set(tests) & set(TIU) else None
    for test in tests:
        generator = random.Random(f"{rules.seed}/{split}/{test}")
        if test in TOU:
            drawn = _ordering(test, ordered, rules, generator)
        else:
            assert index is not None
            drawn = (
                _estimation(index, rules, generator)
                if test == "ice"
                else _comparison(test, index, rules, generator)
            )
        rows[test] = [
            make_row(test, number, split, shots, series, **values)
            for number, (shots, series, values) in enumerate(drawn)
        ]
    return rows


Drawn = tuple[Sequence[Shot], Sequence[Series], Mapping[str, Any]]


def _ordering(test: str, places: Sequence[Series], rules: Rules, generator: random.Random) -> Iterator[Drawn]:
    """Draws the questions of a test of order: one a place, and further ones where places are few."""
    usable = [series for series in places if len(series.shots) >= LENGTH]
    usable = generator.sample(usable, len(usable))
    seen: set[tuple[str, ...]] = set()
    for _, series in itertools.product(range(_PASSES), usable):
        if len(seen) == rules.count:
            return
        drawn = _readable(test, series, usable, len(seen), rules, generator)
        if drawn is None:
            continue
        key = tuple(shot.media for shot in drawn[0])
        if key not in seen:
            seen.add(key)
            yield drawn


def _readable(
    test: str, series: Series, places: Sequence[Series], number: int, rules: Rules, generator: random.Random
) -> Drawn | None:
    """Draws a question about a place until its pictures can all be read; None where the place yields none."""
    for attempt in range(_TRIES):
        if attempt == 1:
            generator = _again(test, number, rules)
        drawn = _DRAW[test](series, places, number, generator) if len(series.shots) >= LENGTH else None
        if drawn is None or not (damaged := rules.unreadable(drawn[0])):
            return drawn
        series = replace(series, shots=tuple(shot for shot in series.shots if shot not in damaged))
    return None


def _again(test: str, number: int, rules: Rules) -> random.Random:
    """Returns what draws a question again, and leaves the draws of all others as they are."""
    return random.Random(f"{rules.seed}/{test}/{number}/again")


def _five(series: Series, generator: random.Random) -> list[Shot]:
    return sorted(generator.sample(series.shots, LENGTH), key=lambda shot: shot.order)


def _tal(series: Series, places: Sequence[Series], number: int, generator: random.Random) -> Drawn | None:
    """Makes questions with four images in order and one that does not belong, at all positions.

    An image is moved by at least two positions: after a swap of neighbours either could be the anomaly.
    """
    target = number // 2 % LENGTH
    shots = _five(series, generator)
    kind = "time" if number % 2 == 0 else "place"
    if kind == "time":
        moved = generator.choice([i for i in range(LENGTH) if abs(i - target) > 1])
        shots.insert(target, shots.pop(moved))
    else:
        others = [other for other in places if other.place != series.place]
        if not others:
            return None
        shots[target] = generator.choice(generator.choice(others).shots)
    choices = [f"Image {i + 1}" for i in range(LENGTH)]
    return shots, [series], {"answer": str(target + 1), "choices": choices, "kind": kind}


def _shuffled(generator: random.Random) -> list[int]:
    order = list(range(LENGTH))
    while order == sorted(order):
        generator.shuffle(order)
    return order


def _isr(series: Series, places: Sequence[Series], number: int, generator: random.Random) -> Drawn:
    shots = _five(series, generator)
    order = _shuffled(generator)
    # order[k] is the time rank of the image shown as k + 1; the answer lists the labels by time.
    answer = ", ".join(str(order.index(rank) + 1) for rank in range(LENGTH))
    labels = [str(i + 1) for i in range(LENGTH)]
    choices = [", ".join(one) for one in itertools.permutations(labels)]
    return [shots[rank] for rank in order], [series], {"answer": answer, "choices": choices}


def _truth(number: int) -> dict[str, Any]:
    ordered = number % 2 == 0
    kind = "ordered" if ordered else "shuffled"
    return {"answer": str(ordered), "choices": ["True", "False"], "kind": kind}


def _sov(series: Series, places: Sequence[Series], number: int, generator: random.Random) -> Drawn:
    shots = _five(series, generator)
    values = _truth(number)
    if values["kind"] == "shuffled":
        shots = [shots[rank] for rank in _shuffled(generator)]
    return shots, [series], values


def _pov(series: Series, places: Sequence[Series], number: int, generator: random.Random) -> Drawn:
    """Neighbours of a sequence of five: "between adjacent time points"."""
    start = generator.randrange(LENGTH - 1)
    pair = _five(series, generator)[start : start + 2]
    values = _truth(number)
    return pair if values["kind"] == "ordered" else pair[::-1], [series], values


def evenly_spaced(shots: Sequence[Shot], generator: random.Random) -> list[Shot]:
    """Returns five shots from a random span of the series, with times as even as possible."""
    best: list[Shot] = []
    least = math.inf
    for _ in range(30):
        five = sorted(generator.sample(list(shots), LENGTH), key=lambda shot: shot.order)
        steps = [b.order - a.order for a, b in itertools.pairwise(five)]
        unevenness = max(steps) / min(steps)
        if unevenness < least:
            best, least = five, unevenness
    return best


def _tpl(series: Series, places: Sequence[Series], number: int, generator: random.Random) -> Drawn:
    five = evenly_spaced(series.shots, generator)
    letter, query = (("A", five[1]), ("B", five[3]))[number % 2]
    return [five[0], five[2], five[4], query], [series], {"answer": letter, "choices": ["A", "B"]}


_DRAW: dict[str, Callable[[Series, Sequence[Series], int, random.Random], Drawn | None]] = {
    "tal": _tal,
    "isr": _isr,
    "sov": _sov,
    "pov": _pov,
    "tpl": _tpl,
}


class _Intervals:
    """All pairs of pictures by interval class and place."""

    def __init__(self, places: Sequence[Series]) -> None:
        self.classes: dict[str, dict[str, list[Pair]]] = defaultdict(lambda: defaultdict(list))
        for series in places:
            for first, second in itertools.combinations(series.shots, 2):
                if first.day is None or second.day is None:
                    raise TempbenchError(
                        f"{series.place}: the pictures have ranks and no dates, so intervals are unknown; "
                        "build the tests of intervals from dated pictures"
                    )
                days = (second.day - first.day).days
                if days >= 1:
                    self.classes[interval_class(days)][series.place].append(Pair(series, first, second, days))

    def draw(self, name: str, generator: random.Random) -> Pair:
        """Returns a random pair of a random place."""
        places = self.classes[name]
        return generator.choice(places[generator.choice(list(places))])

    def several(self, n: int, generator: random.Random) -> list[Pair]:
        """Returns pairs from the shortest to the longest; none where those drawn cannot be compared."""
        classes = [name for name in "ABCDE" if self.classes.get(name)]
        drawn = [self.draw(generator.choice(classes), generator) for _ in range(n)] if classes else []
        pairs = sorted(drawn, key=lambda pair: pair.days)
        return pairs if _comparable(pairs, n) else []


def _estimation(index: _Intervals, rules: Rules, generator: random.Random) -> Iterator[Drawn]:
    """Draws ICE: each class equally often, one pair a place before a place is asked about again."""
    per_class = {}
    for name in "ABCDE":
        wanted = rules.count // 5 + ("ABCDE".index(name) < rules.count % 5)
        drawn = _one_a_place(index.classes.get(name, {}), generator)
        pairs = (pair for pair in drawn if not rules.unreadable((pair.first, pair.second)))
        per_class[name] = list(itertools.islice(pairs, wanted))
    # Classes by turns, so that `--limit` keeps the balance.
    for row in itertools.zip_longest(*per_class.values()):
        for name, pair in zip(per_class, row, strict=True):
            if pair:
                values = {"answer": name, "choices": list("ABCDE"), "kind": name, "days": [pair.days]}
                yield [pair.first, pair.second], [pair.series], values


def _one_a_place(places: Mapping[str, Sequence[Pair]], generator: random.Random) -> Iterator[Pair]:
    queues = [generator.sample(list(pairs), len(pairs)) for pairs in places.values()]
    generator.shuffle(queues)
    while queues:
        for queue in queues:
            yield queue.pop()
        queues = [queue for queue in queues if queue]


def _comparison(test: str, index: _Intervals, rules: Rules, generator: random.Random) -> Iterator[Drawn]:
    """Draws PIC, IPR or EII: pairs of different places and clearly different intervals.

    Interval classes are drawn first, so that long intervals, of which there are most, do not fill the test.
    """
    n = PAIRS[test]
    seen: set[tuple[str, ...]] = set()
    tries = 0
    while len(seen) < rules.count and tries < _TRIES * rules.count:
        tries += 1
        pairs = index.several(n, generator)
        again = _again(test, len(seen), rules)
        for _ in range(_TRIES):
            if not rules.unreadable(shot for pair in pairs for shot in (pair.first, pair.second)):
                break
            pairs = index.several(n, again)
        else:
            continue
        if not pairs:
            continue
        values, pairs = _ARRANGE[test](pairs, len(seen), generator)
        shots = [shot for pair in pairs for shot in (pair.first, pair.second)]
        key = tuple(sorted(shot.media for shot in shots))
        if key not in seen:
            seen.add(key)
            values["days"] = [pair.days for pair in pairs]
            yield shots, [pair.series for pair in pairs], values


def _comparable(pairs: Sequence[Pair], n: int) -> bool:
    if len(pairs) < n or len({pair.series.place for pair in pairs}) < n:
        return False
    return all(a.days < b.days for a, b in itertools.pairwise(pairs))


def _arrange_pic(
    pairs: Sequence[Pair], number: int, generator: random.Random
) -> tuple[dict[str, Any], list[Pair]]:
    longer_first = number % 2 == 0
    order = list(pairs[::-1] if longer_first else pairs)
    return {"answer": str(longer_first), "choices": ["True", "False"]}, order


def _arrange_ipr(
    pairs: Sequence[Pair], number: int, generator: random.Random
) -> tuple[dict[str, Any], list[Pair]]:
    order = generator.sample(range(3), 3)
    # order[k] is the rank of the pair shown as letter k; the answer lists the letters by rank.
    answer = ", ".join("ABC"[order.index(rank)] for rank in range(3))
    choices = [", ".join(one) for one in itertools.permutations("ABC")]
    return {"answer": answer, "choices": choices}, [pairs[rank] for rank in order]


def _arrange_eii(
    pairs: Sequence[Pair], number: int, generator: random.Random
) -> tuple[dict[str, Any], list[Pair]]:
    shown = generator.sample(list(pairs[:-1]), 3)
    shown.insert(number % 4, pairs[-1])
    return {"answer": "ABCD"[number % 4], "choices": list("ABCD")}, shown


_ARRANGE: dict[str, Callable[[Sequence[Pair], int, random.Random], tuple[dict[str, Any], list[Pair]]]] = {
    "pic": _arrange_pic,
    "ipr": _arrange_ipr,
    "eii": _arrange_eii,
}


def choice_row(
    number: int, shot: Shot, name: str, classes: Sequence[str], generator: random.Random, source: str
) -> Row:
    """Returns a recognition question (`ucm`): the right class among four others.

    Over the numbers 0, 1, ... the right one is at every position equally often.
    Source: section V.4: "for each sample we select 5 categories including the correct category".
    """
    options = generator.sample([other for other in classes if other != name], 4)
    options.insert(number % 5, name)
    series = Series(shot.media, source, name, (shot,))
    values = {"answer": "ABCDE"[number % 5], "choices": list("ABCDE"), "options": options, "dates": []}
    return make_row("ucm", number, "test", [shot], [series], **values)
