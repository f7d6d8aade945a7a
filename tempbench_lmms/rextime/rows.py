"""Turns official ReXTime records into rows."""

from collections.abc import Mapping
from typing import Any

from tempbench_lmms.data import roots
from tempbench_lmms.data.replies import json_values
from tempbench_lmms.data.tables import Row
from tempbench_lmms.data.video_texts import finite, reply, span_of
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.rextime.card import SOURCES
from tempbench_lmms.rextime.prompts import LETTERS

from .features import BENCHMARK

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
    name = record.get("qid", "?")
    try:
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
    except KeyError as error:
        raise TempbenchError(
            f"question {name}: the field {error} is missing; use the official files"
        ) from None
    except (TypeError, ValueError, IndexError, OverflowError) as error:
        raise TempbenchError(f"question {name}: {error}; use the official files") from None


def load_records(path: Any) -> list[dict[str, Any]]:
    """Returns the records of a JSON list or a JSONL file.

    Raises:
        TempbenchError: The file cannot be read; with the line.
    """
    records = [value for _, value in json_values(path)]
    if not all(isinstance(record, dict) for record in records):
        raise TempbenchError(f"{path}: not every record is an object; use the official files")
    return records
