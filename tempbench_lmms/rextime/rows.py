"""The columns of a question, what must hold of them, and official records as rows."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from tempbench_lmms.data import checks, manifests, roots, tables
from tempbench_lmms.data.manifests import Size
from tempbench_lmms.data.questions import finite, of_release, reply, span_of
from tempbench_lmms.data.tables import Row
from tempbench_lmms.data.user_files import json_objects
from tempbench_lmms.media import verifying
from tempbench_lmms.rextime import parser
from tempbench_lmms.rextime.card import COUNTS, SOURCES, SPLITS
from tempbench_lmms.rextime.prompts import LETTERS

BENCHMARK = "rextime"

_SPAN = pa.list_(pa.float64())

SCHEMA = pa.schema(
    [
        ("question_id", pa.string()),  # the official qid
        ("video_id", pa.string()),
        ("video", pa.string()),  # tempbench:// URL
        ("source", pa.string()),  # activitynet or qvhighlights
        ("category", pa.string()),  # as released: sequential, cause_effect, means_end; "" where unknown
        ("duration", pa.float64()),  # seconds
        ("question", pa.string()),
        ("options", pa.list_(pa.string())),  # texts of options A to D; empty where not released
        ("answer", pa.string()),  # a letter; "" in the test split
        ("windows", pa.list_(_SPAN)),  # true answer spans in seconds; empty in the test split
        pa.field("question_span", _SPAN, metadata={"optional": "1"}),  # seconds, if known
        ("target", pa.string()),  # a reply that is right; "" in the test split
        ("choices", pa.list_(pa.string())),  # each letter, with the whole video as its span
    ]
)


def sizes(manifest: manifests.Manifest) -> Iterator[Size]:
    """Yields how many of the paper's questions are prepared, for each prepared split."""
    for split in SPLITS if "annotations" in manifest else ():
        asked = COUNTS[split] if split in manifest["annotations"] else 0
        yield Size(split, manifest["rows"].get(split, 0), asked, COUNTS[split], less_by="--splits")


def row_problems(row: tables.Row, has_answers: bool = True) -> Iterator[str]:
    """Yields the problems of one row, as "field: what".

    The official data has two oddities that are allowed: windows of length 0, and windows that end up to a
    second after the video, because they are rounded up.
    """
    yield from checks.text_problems(row, "video_id", "question", source=SOURCES)
    yield from checks.option_problems(row["options"], len(LETTERS), len(LETTERS))
    duration, asked = row["duration"], row["question_span"]
    spans = [("windows", window) for window in row["windows"]]
    spans += [("question_span", asked)] if asked is not None else []
    yield from checks.present(
        {
            f"duration: {duration} seconds": not duration > 0,
            **{
                f"{name}: {span} is not a span within {duration} seconds": not _is_span(span, duration)
                for name, span in spans
            },
        }
    )
    if not has_answers:
        problem = "must be empty, the test split has no public answers"
        yield from checks.present(
            {f"{name}: {problem}": row[name] for name in ("answer", "windows", "target")}
        )
        yield from checks.choice_problems(row, lambda reply: _read(reply, row))
        return
    named = (list(span) in row["windows"] for span in parser.parse(row["target"])[1])
    yield from checks.present(
        {
            "windows: none": not row["windows"],
            f"target: {row['target'][:80]!r} does not name one of the windows": not any(named),
        }
    )
    yield from checks.reply_problems(row, lambda reply: _read(reply, row))


def _is_span(span: Sequence[float], duration: float) -> bool:
    return len(span) == 2 and 0 <= span[0] <= span[1] <= duration + 1


def _read(reply: str, row: tables.Row) -> str | None:
    letter, spans = parser.parse(reply, row["options"])
    return letter if spans else None


tables_of, problems = verifying.of(
    *(
        checks.Table(
            BENCHMARK,
            Path(split, f"{split}.parquet"),
            SCHEMA,
            partial(row_problems, has_answers=split != "test"),
            ("video",),
        )
        for split in SPLITS
    ),
    sizes=sizes,
)


ACTIVITYNET, QVHIGHLIGHTS = SOURCES


def source_of(record: Mapping[str, Any]) -> str:
    """Returns the origin of a record's video.

    The official code tests whether `source` is "qvhighlights_val". The scorer's file has no `source`; there
    an ActivityNet id is "v_" and eleven characters (in all 921 validation items).
    """
    if "source" in record:
        return QVHIGHLIGHTS if str(record["source"]).lower().startswith("qvh") else ACTIVITYNET
    vid = str(record["vid"])
    return ACTIVITYNET if vid.startswith("v_") and len(vid) == 13 else QVHIGHLIGHTS


def row(record: Mapping[str, Any], video: str | None = None, answers: bool = True) -> Row:
    """Returns the row of a record of the release, or of the scorer's ground-truth file.

    Args:
        record: As in `rextime_val.json` (`question`, `options`, `span`, ...) or in the scorer's
            `rextime_val.jsonl` (`query`, `relevant_windows`, no options).
        video: The video's `tempbench://` URL; one for an mp4 file named after the id where omitted.
        answers: Whether the record's answer and span are true; in the released test split they are not.

    Raises:
        TempbenchError: A field is missing or of the wrong kind.
    """
    with of_release(record.get("qid", "?")):
        duration = finite(record["duration"])
        options = [str(option) for option in record.get("options") or []]
        windows = record["relevant_windows"] if "relevant_windows" in record else [record["span"]]
        spans = [span_of(window) for window in windows] if answers else []
        letter = str(record["ans"]) if answers else ""
        source = source_of(record)
        return {
            "question_id": str(record["qid"]),
            "video_id": str(record["vid"]),
            "video": video or f"{roots.SCHEME}{BENCHMARK}/media/{source}/{record['vid']}.mp4",
            "source": source,
            "category": str(record.get("category") or ""),
            "duration": duration,
            "question": str(record["question"] if "question" in record else record["query"]),
            "options": options,
            "answer": letter,
            "windows": spans,
            "question_span": record.get("question_span"),
            "target": reply(letter, spans[0]) if answers else "",
            "choices": [reply(letter, [0, duration]) for letter in LETTERS],
        }


def load_records(path: Path) -> list[Row]:
    """Returns the records of a JSON list or a JSONL file."""
    return [record for _, record in json_objects(path, "use the official files", "qid")]
