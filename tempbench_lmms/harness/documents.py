"""What a question of any task shows beside its text, for the key of its answer."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tempbench_lmms.data.checksums import digest, signature


class Documents:
    """The documents of the harness's tasks, with undecoded pictures.

    Args:
        tasks: The harness's tasks by name.
    """

    def __init__(self, tasks: Mapping[str, Any]) -> None:
        self._tasks = tasks
        self._rows: dict[str, Any] = {}

    def shown(self, lm: Any, request: Any) -> list[Any]:
        """Returns a document's number, a checksum of its row, and size and time of each file it names.

        Args:
            lm: The harness's model.
            request: What it is asked.
        """
        name, number = request.task_name, request.doc_id
        if name not in self._rows:
            rows = lm.task_dict[name][request.metadata["split"]]
            # As Arrow a picture is its bytes.
            self._rows[name] = rows.with_format("arrow") if hasattr(rows, "with_format") else rows
        row = self._rows[name][number]
        row = row.to_pylist() if hasattr(row, "to_pylist") else row
        return [number, digest(row), self._files(name, number)]

    def _files(self, name: str, number: int) -> list[Any]:
        task = self._tasks[name]
        try:
            shown = task.doc_to_visual(task.eval_docs_no_media[number])
        except (Exception, SystemExit):  # it wants the row's pictures, or a file is missing
            return []
        paths = [one for one in shown or () if isinstance(one, str) and os.path.isfile(one)]
        return [[path, signature(Path(path))] for path in paths]
