"""The columns of a question, and what must hold of them. One schema serves all tasks and controls."""

import re
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from tempbench_lmms.data import checks, manifests, tables, terminal
from tempbench_lmms.data.manifests import Size
from tempbench_lmms.data.roots import MANIFEST
from tempbench_lmms.media import verifying
from tempbench_lmms.media.images import UNSUPPORTED
from tempbench_lmms.timepercept.card import CONTROL_SIZES, CONTROLS, DAMAGED, IMAGES, PAIRS, PER_TEST, TESTS
from tempbench_lmms.timepercept.parser import read
from tempbench_lmms.timepercept.prompts import options
from tempbench_lmms.timepercept.scoring import KINDS, interval_class

BENCHMARK = "timepercept"

SCHEMA = pa.schema(
    [
        ("question_id", pa.string()),  # unique over all configurations
        ("test", pa.string()),  # tal, isr, ...: see `timepercept/prompts.py`
        ("source", pa.string()),  # fmow, series, ucm, temporalvqa, or bundled
        ("places", pa.list_(pa.string())),  # ids of the places shown; the first one is the main one
        ("category", pa.string()),  # scene category of the main place, or ""
        ("images", pa.list_(pa.string())),  # tempbench:// URLs in the order shown
        ("dates", pa.list_(pa.string())),  # when each image was taken, never shown; empty in the controls
        ("options", pa.list_(pa.string())),  # texts of options A, B, ... where the question has its own
        ("answer", pa.string()),  # "3", "2, 4, 1, 5, 3", "True", or a letter
        ("target", pa.string()),  # a reply that is right
        ("choices", pa.list_(pa.string())),  # all replies that answer
        ("kind", pa.string()),  # TAL: time or place; ICE: the interval class; SOV, POV: ordered or shuffled
        ("days", pa.list_(pa.int32())),  # intervals of the pairs in the order shown, for ICE to EII
    ]
)


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
    if wrong := list(checks.text_problems(row, test=(*TESTS, *CONTROLS))):
        yield from wrong
        return
    yield from checks.text_problems(row, "source", "places", kind=KINDS.get(test, ("",)))
    n_options, n_images = 5 if test == "ucm" else 0, len(row["images"])
    wrong = list(checks.option_problems(row["options"], n_options, n_options))
    wrong += checks.present({f"images: {n_images}, not {IMAGES[test]}": n_images != IMAGES[test]})
    # Without its options and images a reply cannot be read.
    yield from wrong or checks.reply_problems(
        row, lambda reply: read(reply, test, options(row), n_images).value
    )
    yield from _time_problems(row, test)


def _time_problems(row: tables.Row, test: str) -> Iterator[str]:
    dates, days, n_images, n_days = row["dates"], row["days"], len(row["images"]), PAIRS.get(test, 0)
    are_intervals = len(days) == n_days and all(one >= 1 for one in days)
    yield from checks.present(
        {
            "places: none": not row["places"],
            f"dates: {len(dates)} for {n_images} images of {test}": (
                len(dates) != (n_images if test in TESTS else 0)
            ),
            **{
                f"dates: {one[:80]!r} is neither a date nor a rank": not _DATE.fullmatch(one) for one in dates
            },
            f"days: {days} are not {n_days} intervals": not are_intervals,
            f"days: {days} are not in class {row['answer']}": (
                are_intervals and test == "ice" and interval_class(days[0]) != row["answer"]
            ),
        }
    )


def left_out(manifest: manifests.Manifest) -> Iterator[str]:
    """Yields what of the sources was left out when the data was prepared."""
    for name, part in (manifest.get("parts") or {}).items():
        for reason in LOST:
            if lost := (part.get("skipped") or {}).get(reason):
                yield (
                    f"{name}: {lost['count']} left out when the data was prepared ({reason}), named in "
                    f"{MANIFEST}, first: {terminal.one_line(str(lost['examples'][0]))}; replace or remove "
                    "them and prepare the data again with --force"
                )


tables_of, problems = verifying.of(
    *(
        checks.Table(BENCHMARK, Path(path), SCHEMA, row_problems, ("images",))
        for path in ("*/test.parquet", "train/*/train.parquet")
    ),
    sizes=sizes,
    left_out=left_out,
)
