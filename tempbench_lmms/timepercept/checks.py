"""What must hold of TimePerceptBench data before a model is loaded."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from tempbench_lmms.data import checks, manifests, tables, terminal
from tempbench_lmms.data.checks import Table
from tempbench_lmms.data.extent import Size
from tempbench_lmms.data.roots import MANIFEST
from tempbench_lmms.media import sandbox
from tempbench_lmms.media.limits import UNSUPPORTED
from tempbench_lmms.timepercept.card import CONTROL_SIZES, CONTROLS, DAMAGED, IMAGES, PAIRS, PER_TEST, TESTS
from tempbench_lmms.timepercept.parser import parse
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


def tables_of(root: Path) -> list[Table]:
    """Returns the tables of a data set, with what must hold of each."""
    from tempbench_lmms.timepercept.features import BENCHMARK, SCHEMA

    files = sorted([*root.glob("*/test.parquet"), *root.glob("train/*/train.parquet")])
    return [Table(BENCHMARK, file, SCHEMA, row_problems, ("images",)) for file in files]


def problems(root: Path) -> Iterator[str]:
    """Yields one line a problem, with table, row and field; and the places and sites that are in both splits.

    A picture of one colour is no problem, as a lake or a cloud may be one; a warning names it.
    """
    places: dict[bool, set[str]] = {False: set(), True: set()}

    def check(row: tables.Row) -> Iterator[str]:
        if row["test"] in TESTS:
            # The names of places are unique in a source.
            places["/train/" in row["question_id"]] |= {f"{row['source']}/{place}" for place in row["places"]}
        return row_problems(row)

    found = [replace(table, check=check) for table in tables_of(root)]
    yield from checks.problems(root, found, sandbox.verify_picture, sizes)
    for place in sorted(places[True] & places[False])[:20]:
        yield f"{root}: {place} is in the test and in the training split; prepare the data again"
    yield from _lost(root)
    for site in _sites(root):
        if (test := places[False] & site) and (train := places[True] & site):
            yield (
                f"{root}: {min(test)} in the test split and {min(train)} in the training split are one site; "
                "prepare the data again"
            )


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


def _lost(root: Path) -> Iterator[str]:
    """Yields the parts that lack what their source should have had."""
    for name, part in ((manifests.of_earlier(root, force=True) or {}).get("parts") or {}).items():
        for reason, what in LOST.items():
            if lost := (part.get("skipped") or {}).get(reason):
                yield (
                    f"{root}: {name}: {lost['count']} {what} left out when the data was prepared, "
                    f"named in {MANIFEST}, first: {terminal.one_line(str(lost['examples'][0]))}; replace or "
                    "remove them and prepare the data again with --force"
                )


def _sites(root: Path) -> Iterator[set[str]]:
    """Yields the sites of several places that the manifest names; that of a bundled sample names none."""
    manifest = manifests.of_earlier(root, force=True) or {}
    for part in (manifest.get("parts") or {}).values():
        yield from map(set, part.get("sites") or ())


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
        row, lambda reply: parse(reply, test, options(row), len(row["images"]))
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
