"""Checks of TimePerceptBench data before a model is loaded."""

import re
from collections.abc import Iterator
from pathlib import Path

from tempbench_lmms.data import checks, manifests, tables, terminal
from tempbench_lmms.data.checks import Table
from tempbench_lmms.data.extent import Size
from tempbench_lmms.data.roots import MANIFEST
from tempbench_lmms.media import verifying
from tempbench_lmms.media.limits import UNSUPPORTED
from tempbench_lmms.timepercept.card import CONTROL_SIZES, CONTROLS, DAMAGED, IMAGES, PAIRS, PER_TEST, TESTS
from tempbench_lmms.timepercept.features import BENCHMARK, SCHEMA
from tempbench_lmms.timepercept.parser import read
from tempbench_lmms.timepercept.prompts import options
from tempbench_lmms.timepercept.scoring import KINDS, interval_class

# A picture without a date has its month or its rank instead.
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}(-[0-9]{2}([T ].*)?)?|-?[0-9]+")

LOST = (
    *(DAMAGED, UNSUPPORTED, "missing file", "folder of the mapping is missing", "named twice in the mapping"),
    "repeated group_id",
)
"""The reasons for leaving out something of a source for which `verify` fails."""


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
    """Yields the problems of one row, as "field: what"."""
    test = row["test"]
    if wrong := list(checks.known_problems(row, test=(*TESTS, *CONTROLS))):
        yield from wrong
        return
    yield from checks.known_problems(row, kind=KINDS.get(test, ("",)))
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


def _left_out(root: Path) -> Iterator[str]:
    """Yields what of the sources was left out when the data was prepared."""
    for name, part in ((manifests.of_earlier(root, force=True) or {}).get("parts") or {}).items():
        for reason in LOST:
            if lost := (part.get("skipped") or {}).get(reason):
                yield (
                    f"{name}: {lost['count']} left out when the data was prepared ({reason}), named in "
                    f"{MANIFEST}, first: {terminal.one_line(str(lost['examples'][0]))}; replace or remove "
                    "them and prepare the data again with --force"
                )


tables_of = checks.below(
    *(
        Table(BENCHMARK, Path(path), SCHEMA, row_problems, ("images",))
        for path in ("*/test.parquet", "train/*/train.parquet")
    )
)
problems = verifying.problems(tables_of, sizes, _left_out)
