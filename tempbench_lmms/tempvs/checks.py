"""Checks of TempVS data before a model is loaded."""

import contextlib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from tempbench_lmms.data import checks, manifests, tables
from tempbench_lmms.data.checks import NumberedRow, Table
from tempbench_lmms.data.extent import Size
from tempbench_lmms.data.roots import MANIFEST
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.media import verifying
from tempbench_lmms.tempvs.card import GROUNDING_OF, MAIN_TESTS, SOURCES, TABLE_2
from tempbench_lmms.tempvs.features import BENCHMARK, SCHEMA
from tempbench_lmms.tempvs.parser import read
from tempbench_lmms.tempvs.prompts import kind_of

_N_OPTIONS = {"gt": (0, 0), "mt1": (2, 2), "mt2": (2, 5), "mt3": (2, 5)}


def _left_out(root: Path) -> Iterator[str]:
    """Yields a line for each file with rows that were left out during preparation."""
    with contextlib.suppress(TempbenchError):  # a damaged manifest is among the other problems
        skipped = [str(line) for line in (manifests.read(root) or {}).get("skipped", ())]
        files = Counter(line.partition(",")[0] for line in skipped if "," in line)
        for file, n in sorted(files.items()):
            yield (
                f"{file}: {n} left out when the data was prepared, named in {MANIFEST}; complete the release "
                "and add --force to `prepare`, or leave the source out with --sources"
            )


def sizes(manifest: manifests.Manifest) -> Iterator[Size]:
    """Yields how many of Table 2's questions are prepared, by main test and source.

    The bundled sample has no sources.
    """
    wanted, counts = manifest.get("sources"), manifest.get("questions")
    if isinstance(wanted, list) and isinstance(counts, dict):
        for test, by_source in TABLE_2.items():
            for source, whole in by_source.items():
                there = counts.get(test, {}).get(source, 0)
                asked = whole if source in wanted else 0
                yield Size(f"{test} of {source}", there, asked, whole, less_by="--sources")


def row_problems(row: tables.Row) -> Iterator[str]:
    """Yields the problems of one row, as "field: what"."""
    sets = {*MAIN_TESTS} if row["role"] == "main" else {*GROUNDING_OF.values()}
    if row["role"] not in ("main", "grounding"):
        yield f"role: {row['role']!r} is neither main nor grounding"
        return
    if not row["tests"] or not set(row["tests"]) <= sets:
        yield f"tests: {row['tests']} are not tests of a {row['role']} question"
        return
    if row["role"] == "main" and len(row["tests"]) > 1:
        yield f"tests: {row['tests']}, a main question has one test"
    yield from checks.known_problems(row, source=SOURCES)
    kind, n_images = kind_of(row["tests"][0]), len(row["images"])
    spoken = ("sentences",) if kind == "mt2" else ("text",)
    yield from checks.text_problems(row, "sequence_id", "instruction", *spoken)
    if n_images < 2:
        yield f"images: {n_images}, a sequence has at least two"
    if len(row["sentences"]) != (n_images if kind == "mt2" else 0):
        yield f"sentences: {len(row['sentences'])} for {n_images} images of {kind}"
    yield from _event_problems(row, kind)
    if row["solved_blind"] is not None and (row["role"] != "main" or kind == "mt3"):
        yield f"solved_blind: {row['solved_blind']}, text models are asked statements and orders of sentences"
    wrong = list(checks.option_problems(row["options"], *_N_OPTIONS[kind]))
    # Without its options a reply cannot be read.
    yield from wrong or checks.reply_problems(
        row, lambda reply: read(reply, kind, row["options"], n_images).value
    )


def _event_problems(row: tables.Row, kind: str) -> Iterator[str]:
    events = row["events"]
    if not events or any(not 0 <= position < len(row["images"]) for position in events):
        yield f"events: {events} lie outside {len(row['images'])} images"
    elif events != sorted(set(events)):
        yield f"events: {events} are not in true order"
    statement = kind == "mt1"
    if row["polarity"] not in (("gt", "nc") if statement else ("",)):
        yield f"polarity: {row['polarity']!r} for {kind}"
    if bool(row["statement_type"]) != statement:
        yield f"statement_type: {row['statement_type']!r} for {kind}"
    between = events[1] - events[0] if statement and len(events) == 2 else None
    if row["distance"] != between:
        yield f"distance: {row['distance']}, the events are {events}"
    if row["role"] == "grounding" and row["grounding"]:
        yield "grounding: a grounding question has none itself"
    if len(set(row["grounding"])) < len(row["grounding"]):
        yield "grounding: duplicate id"


def grounding_problems(rows: Sequence[NumberedRow]) -> Iterator[tuple[int, str]]:
    """Yields the main questions that are gated by something else than grounding questions of their images."""
    by_id = {row["question_id"]: row for _, row in rows}
    for number, row in rows:
        for id_ in row["grounding"]:
            gate = by_id.get(id_)
            if gate is None:
                yield number, f"grounding: unknown question {id_!r}"
            elif gate["role"] != "grounding":
                yield number, f"grounding: {id_!r} is not a grounding question"
            elif gate["sequence_id"] != row["sequence_id"] or gate["source"] != row["source"]:
                yield number, f"grounding: {id_!r} is about another sequence"


tables_of = checks.below(
    *(
        Table(BENCHMARK, Path(name, "test.parquet"), SCHEMA, row_problems, ("images",), grounding_problems)
        for name in ("all", *MAIN_TESTS)
    )
)
problems = verifying.problems(tables_of, sizes, _left_out)
