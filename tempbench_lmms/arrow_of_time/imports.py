"""Reads the official result files, with one reply per line (`run_fb_task_mm_pre_process.py`)."""

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from tempbench_lmms.arrow_of_time import rows
from tempbench_lmms.data.tables import Row
from tempbench_lmms.data.user_files import json_objects
from tempbench_lmms.runs.importing import Answer, Reader, Source, reply_of


def arrow_of_time(source: Source) -> Iterator[Answer]:
    """Reads objects with `video_file_name` and `generated`; one that is null is a failed request."""
    advice = "give the official result file"
    for where, one in json_objects(source.path, advice, "video_file_name", "generated"):
        reply = reply_of(one["generated"], "reply", f"{source.path}: {where}")
        yield Answer(PurePosixPath(str(one["video_file_name"])).stem, reply, where)


def questions(data: Path, table: str) -> list[Row]:
    """Returns the questions of a clone of the official repository."""
    found, metadata = rows.files_of(data)
    return rows.read_release(found, rows.clips(metadata))


READERS: dict[str, Reader] = {"arrow_of_time": arrow_of_time}
