"""Answers on the disk: each has a checksum, and what is damaged is no answer.

The harness's table has no column to spare, so a reply stands in its own as `{"reply": ..., "sha256": ...}`:
the checksum of key and reply.
"""

import contextlib
import sqlite3
import sys
from pathlib import Path
from typing import Any

from tempbench_lmms.data.checksums import digest
from tempbench_lmms.data.tables import parse_json
from tempbench_lmms.data.terminal import one_line
from tempbench_lmms.errors import TempbenchError


def sealed(key: str, reply: Any) -> dict[str, Any]:
    """Returns a reply with its checksum."""
    return {"reply": reply, "sha256": digest([key, reply])}


def opened(key: str, stored: Any) -> Any:
    """Returns the reply that is stored under a key; None where there is none, or it is damaged."""
    is_whole = isinstance(stored, dict) and stored == sealed(key, stored.get("reply"))
    return stored["reply"] if is_whole else None


def check(file: Path) -> bool:
    """Checks every stored answer of a file, drops those that are damaged, and says so in one line.

    Returns:
        False for the file of a process that ended before it had made its tables, so before any answer.

    Raises:
        TempbenchError: The file is damaged, and only the user can say whether its answers may be lost.
    """
    try:
        with contextlib.closing(sqlite3.connect(file)) as database:
            names = {name for (name,) in database.execute("SELECT name FROM sqlite_master")}
            if not {"responses", "meta"} <= names:
                return False
            _check_rows(file, database)
    except sqlite3.OperationalError:
        raise  # the disk or a lock, not the file
    except sqlite3.DatabaseError as error:
        raise TempbenchError(f"{file} is damaged ({error}); remove it to go on without its answers") from None
    return True


def _check_rows(file: Path, database: sqlite3.Connection) -> None:
    database.text_factory = lambda found: found.decode(errors="replace")  # a damaged text may be none
    damaged: list[tuple[int, str]] = []
    total = 0
    for number, key, text, task, doc in database.execute(
        "SELECT rowid, cache_key, response, task_name, doc_id FROM responses"
    ):
        total += 1
        try:
            found = parse_json(text)
        except (ValueError, TypeError):
            found = None
        if opened(key, found) is None:
            damaged.append((number, f"question {doc} of {task}"))
    if damaged:
        database.execute("REINDEX")  # a damaged key stands otherwise in the index
        database.executemany("DELETE FROM responses WHERE rowid = ?", [(number,) for number, _ in damaged])
        print(
            f"tempbench: {file}: {len(damaged)} of {total} stored answers damaged and dropped, the first to "
            f"{one_line(damaged[0][1])}; they are asked again",
            file=sys.stderr,
            flush=True,
        )
    database.commit()
