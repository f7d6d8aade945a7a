"""A person's answers on disk: each as it comes, in a file that only grows, so that none is lost.

A line is an answer, with `question_id` and `reply` as `tempbench import replies` reads them. Who answers a
question again adds a line, and the last one counts.
"""

import json
import threading
from collections.abc import Collection
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from tempbench_lmms.data import append_log
from tempbench_lmms.data.replies import json_values
from tempbench_lmms.data.texts import storable
from tempbench_lmms.errors import TempbenchError


class Kept:
    """The answers to one task.

    Attributes:
        file: Where they are kept; made with the first one.
        replies: The last reply to each question that has one.
    """

    def __init__(self, file: Path, asked: Collection[str], stamp: str) -> None:
        """Reads what is kept.

        Args:
            file: One JSON object a line.
            asked: Ids of the task's questions.
            stamp: What stands for data and prompts; the same in all lines.

        Raises:
            TempbenchError: The file is damaged, or its answers are to other questions.
        """
        self.file = file
        self.replies: dict[str, str] = {}
        self._stamp = stamp
        self._lock = threading.Lock()
        if append_log.drop_torn_line(file):
            for where, line in json_values(file):
                self._take(where, line, asked)

    def _take(self, where: str, line: Any, asked: Collection[str]) -> None:
        try:
            id_, reply, stamp = line["question_id"], line["reply"], line["asked"]
        except (KeyError, TypeError):
            raise TempbenchError(f"{self.file}: {where} is no answer; remove it to go on") from None
        if stamp != self._stamp or id_ not in asked or not isinstance(reply, str):
            raise TempbenchError(
                f"{self.file}: {where} answers a question that is asked otherwise now: data or prompts have "
                "changed; put those back, or begin anew with another --output"
            )
        self.replies[id_] = reply

    def add(self, id_: str, reply: str) -> None:
        """Keeps an answer; it is on the disk when this returns.

        Raises:
            OSError: It could not be kept; the file is as it was.
        """
        reply = storable(reply)
        at = f"{datetime.now(timezone.utc):%Y-%m-%dT%H:%M:%SZ}"
        line = {"question_id": id_, "reply": reply, "at": at, "asked": self._stamp}
        with self._lock:
            append_log.append(self.file, json.dumps(line, ensure_ascii=False) + "\n")
            self.replies[id_] = reply
