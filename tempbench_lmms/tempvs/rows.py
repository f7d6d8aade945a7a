"""The columns of a question, and what must hold of them. One schema serves all configurations."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa

from tempbench_lmms.data import checks, manifests, tables
from tempbench_lmms.data.checks import NumberedRow
from tempbench_lmms.data.manifests import Size
from tempbench_lmms.data.roots import MANIFEST
from tempbench_lmms.media import verifying
from tempbench_lmms.tempvs.card import GROUNDING_OF, MAIN_TESTS, SOURCES, TABLE_2
from tempbench_lmms.tempvs.parser import read
from tempbench_lmms.tempvs.prompts import kind_of

BENCHMARK = "tempvs"

SCHEMA = pa.schema(
    [
        ("question_id", pa.string()),  # unique in a configuration
        ("role", pa.string()),  # "main" or "grounding"
        ("tests", pa.list_(pa.string())),  # the main test; or every grounding set that asks this question
        ("source", pa.string()),  # flintstones, pororo, vwp, vist
        ("sequence_id", pa.string()),
        ("images", pa.list_(pa.string())),  # tempbench:// URLs in the order shown
        ("text", pa.string()),  # the statement, the event, or the story
        ("sentences", pa.list_(pa.string())),  # MT2: the sentences in the order shown
        ("options", pa.list_(pa.string())),  # texts of options A, B, ...; empty for a grounding question
        ("answer", pa.string()),  # a letter, or an image's number
        ("target", pa.string()),  # a reply that is right
        ("choices", pa.list_(pa.string())),  # all replies that choose something
        ("instruction", pa.string()),
        ("answer_format", pa.string()),
        ("instruction_cot", pa.string()),
        ("instruction_blind", pa.string()),
        ("character_info", pa.string()),
        ("events", pa.list_(pa.int32())),  # 0-based positions of the events in question, in true order
        ("grounding", pa.list_(pa.string())),  # question_id of the groundings that gate a main question
        ("statement_type", pa.string()),  # MT1: after, before, then, earlier, implictpair, ...
        ("polarity", pa.string()),  # MT1: "gt" (true) or "nc" (false)
        pa.field("distance", pa.int32(), metadata={"optional": "1"}),  # MT1 two events: how far apart
        ("invalid", pa.bool_()),  # names a non-event, which the official scorer leaves out
        # Whether two of the paper's three text models solve it, so that the official scorer leaves it out; no
        # value where the release says nothing of it.
        pa.field("solved_blind", pa.bool_(), metadata={"optional": "1"}),
    ]
)


_N_OPTIONS = {"gt": (0, 0), "mt1": (2, 2), "mt2": (2, 5), "mt3": (2, 5)}


def left_out(manifest: manifests.Manifest) -> Iterator[str]:
    """Yields a line for each file with rows that were left out during preparation."""
    skipped = map(str, manifest.get("skipped", ()))
    for file, n in sorted(Counter(line.partition(",")[0] for line in skipped if "," in line).items()):
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
                there, asked = counts.get(test, {}).get(source, 0), whole if source in wanted else 0
                yield Size(f"{test} of {source}", there, asked, whole, less_by="--sources")


def row_problems(row: tables.Row) -> Iterator[str]:
    """Yields the problems of one row, as "field: what"."""
    known = {"main": {*MAIN_TESTS}, "grounding": {*GROUNDING_OF.values()}}
    role, tests, blind = row["role"], row["tests"], row["solved_blind"]
    yield from checks.text_problems(row, role=known)
    if not tests or not set(tests) <= known.get(role, set()):
        yield f"tests: {tests} are not tests of a {role} question"
        return
    kind, n_images = kind_of(tests[0]), len(row["images"])
    sentences, n_sentences = len(row["sentences"]), n_images if kind == "mt2" else 0
    asked = "sentences" if n_sentences else "text"
    yield from checks.text_problems(row, "sequence_id", "instruction", asked, source=SOURCES)
    yield from checks.present(
        {
            f"tests: {tests}, a main question has one test": role == "main" and len(tests) > 1,
            f"images: {n_images}, a sequence has at least two": n_images < 2,
            f"sentences: {sentences} for {n_images} images of {kind}": sentences != n_sentences,
            f"solved_blind: {blind}, text models are asked statements and orders of sentences": (
                blind is not None and (role != "main" or kind == "mt3")
            ),
        }
    )
    yield from _event_problems(row, kind)
    wrong = list(checks.option_problems(row["options"], *_N_OPTIONS[kind]))
    # Without its options a reply cannot be read.
    yield from wrong or checks.reply_problems(
        row, lambda reply: read(reply, kind, row["options"], n_images).value
    )


def _event_problems(row: tables.Row, kind: str) -> Iterator[str]:
    events, gates, statement = row["events"], row["grounding"], kind == "mt1"
    are_inside = bool(events) and all(0 <= position < len(row["images"]) for position in events)
    between = events[1] - events[0] if statement and len(events) == 2 else None
    polarities = ("gt", "nc") if statement else ("",)
    yield from checks.present(
        {
            f"events: {events} lie outside {len(row['images'])} images": not are_inside,
            f"events: {events} are not in true order": are_inside and events != sorted(set(events)),
            f"polarity: {row['polarity']!r} for {kind}": row["polarity"] not in polarities,
            f"statement_type: {row['statement_type']!r} for {kind}": (
                bool(row["statement_type"]) != statement
            ),
            f"distance: {row['distance']}, the events are {events}": row["distance"] != between,
            "grounding: a grounding question has none itself": row["role"] == "grounding" and gates,
            "grounding: duplicate id": len(set(gates)) < len(gates),
        }
    )


def grounding_problems(rows: Sequence[NumberedRow]) -> Iterator[tuple[int, str]]:
    """Yields the main questions that are gated by something else than grounding questions of their images."""
    by_id = {row["question_id"]: row for _, row in rows}
    for number, row in rows:
        for id_ in row["grounding"]:
            gate = by_id.get(id_, {"role": ""})
            if gate["role"] != "grounding":
                yield number, f"grounding: {id_!r} is not a grounding question of this table"
            elif gate["sequence_id"] != row["sequence_id"] or gate["source"] != row["source"]:
                yield number, f"grounding: {id_!r} is about another sequence"


tables_of, problems = verifying.of(
    *(
        checks.Table(
            BENCHMARK, Path(name, "test.parquet"), SCHEMA, row_problems, ("images",), grounding_problems
        )
        for name in ("all", *MAIN_TESTS)
    ),
    sizes=sizes,
    left_out=left_out,
)
