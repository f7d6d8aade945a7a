"""What must hold of TimePerceptBench data before a model is loaded."""

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path

from tempbench_lmms.data import checks, manifests, tables, terminal
from tempbench_lmms.data.checks import Table
from tempbench_lmms.data.extent import Size
from tempbench_lmms.data.roots import MANIFEST
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.media import verifying
from tempbench_lmms.media.limits import UNSUPPORTED
from tempbench_lmms.timepercept.card import CONTROL_SIZES, CONTROLS, DAMAGED, IMAGES, PAIRS, PER_TEST, TESTS
from tempbench_lmms.timepercept.features import BENCHMARK, SCHEMA
from tempbench_lmms.timepercept.parser import read
from tempbench_lmms.timepercept.prompts import options
from tempbench_lmms.timepercept.scoring import KINDS, interval_class

# A picture without a date has its month or its rank instead.
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}(-[0-9]{2}([T ].*)?)?|-?[0-9]+")

LOST = {
    DAMAGED: "damaged pictures were",
    UNSUPPORTED: "pictures in a format that is not read were",
    "missing file": "missing pictures were",
    "folder of the mapping is missing": "places without their folder were",
    "named twice in the mapping": "places that the mapping names twice were",
    "repeated group_id": "series under the id of another one were",
}
"""By the reason for which something of a source was left out, what it was: `verify` fails for it."""


def sizes(manifest: manifests.Manifest) -> Iterator[Size]:
    """Yields how many questions are there, by part, split and test; of `train` no other number is known."""
    for name, part in (manifest.get("parts") or {}).items():
        request, rows = part.get("request") or {}, part.get("rows") or {}
        if name in CONTROL_SIZES:
            yield Size(name, sum(rows.values()), CONTROL_SIZES[name], CONTROL_SIZES[name])
            continue
        if request.get("series"):  # pictures of the user's own: their places may yield fewer than asked for
            continue
        built = [test for test in TESTS if test in rows or f"train/{test}" in rows]
        for test in TESTS:
            asked = int(request.get("test") or 0) if test in built else 0
            yield Size(test, rows.get(test, 0), asked, max(asked, PER_TEST), less_by="--test and --train")
            if wanted := int(request.get("train") or 0) if test in built else 0:
                train = f"train/{test}"
                yield Size(train, rows.get(train, 0), wanted, wanted, less_by="--test and --train")


def row_problems(row: tables.Row) -> Iterator[str]:
    """Yields what is wrong with one row, as "field: what"."""
    test = row["test"]
    if test not in (*TESTS, *CONTROLS):
        yield f"test: {test!r} is not one of {', '.join((*TESTS, *CONTROLS))}"
        return
    yield from checks.text_problems(row, "source", "places")
    if not row["places"]:
        yield "places: none"
    n_options = 5 if test == "ucm" else 0
    wrong = list(checks.option_problems(row["options"], n_options, n_options))
    if len(row["images"]) != IMAGES[test]:
        wrong.append(f"images: {len(row['images'])}, not {IMAGES[test]}")
    # Without its options and images a reply cannot be read.
    yield from wrong or checks.reply_problems(
        row, lambda reply: read(reply, test, options(row), len(row["images"])).value
    )
    if row["kind"] not in KINDS.get(test, ("",)):
        yield f"kind: {row['kind']!r} is not a kind of {test}"
    yield from _time_problems(row, test)


def _time_problems(row: tables.Row, test: str) -> Iterator[str]:
    if len(row["dates"]) != (len(row["images"]) if test in TESTS else 0):
        yield f"dates: {len(row['dates'])} for {len(row['images'])} images of {test}"
    if wrong := [one for one in row["dates"] if not _DATE.fullmatch(one)]:
        yield f"dates: {wrong[0][:80]!r} is neither a date nor a rank"
    days = row["days"]
    if len(days) != PAIRS.get(test, 0) or any(one < 1 for one in days):
        yield f"days: {days} are not {PAIRS.get(test, 0)} intervals"
    elif test == "ice" and interval_class(days[0]) != row["answer"]:
        yield f"days: {days[0]} days are not in class {row['answer']}"


def _of_the_whole(root: Path) -> Iterator[str]:
    """Yields the places and sites that are in both splits, and what of the sources was left out."""
    places: dict[str, set[str]] = {"test": set(), "train": set()}
    for path in [*root.glob("*/test.parquet"), *root.glob("train/*/train.parquet")]:
        with contextlib.suppress(TempbenchError):  # among the other problems
            for row in tables.read_rows(path):
                if row["test"] in TESTS:  # the names of places are unique in a source
                    places[path.stem] |= {f"{row['source']}/{place}" for place in row["places"]}
    for place in sorted(places["test"] & places["train"])[:20]:
        yield f"{root}: {place} is in the test and in the training split; prepare the data again"
    for name, part in ((manifests.of_earlier(root, force=True) or {}).get("parts") or {}).items():
        for reason, what in LOST.items():
            if lost := (part.get("skipped") or {}).get(reason):
                yield (
                    f"{root}: {name}: {lost['count']} {what} left out when the data was prepared, "
                    f"named in {MANIFEST}, first: {terminal.one_line(str(lost['examples'][0]))}; replace or "
                    "remove them and prepare the data again with --force"
                )
        for site in map(set, part.get("sites") or ()):
            if (test := places["test"] & site) and (train := places["train"] & site):
                yield (
                    f"{root}: {min(test)} in the test split and {min(train)} in the training split are one "
                    "site; prepare the data again"
                )


tables_of = checks.below(
    *(
        Table(BENCHMARK, Path(path), SCHEMA, row_problems, ("images",))
        for path in ("*/test.parquet", "train/*/train.parquet")
    )
)
problems = verifying.problems(tables_of, sizes, _of_the_whole)
