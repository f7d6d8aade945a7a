"""The file that the ReXTime leaderboard (CodaLab 19587, now closed) took.

One JSON object a line: `qid`, `pred_relevant_windows` (a list of windows, of which the first counts) and
`ans`. A question that is left out makes the whole file fail, so an unread reply is written as [0.0, 0.0] with
the answer "": wrong, and there.
"""

import json
import re
import time
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tempbench_lmms.data import outputs
from tempbench_lmms.record import Record
from tempbench_lmms.rextime.parser import NO_SPAN

CLOSED = (
    "CodaLab has taken no submissions since the end of 2025 (codalab/codalab-competitions, issues 3624 and "
    "3625), and no successor is known: report validation"
)


def of_records(records: Sequence[Record]) -> list[dict[str, Any]]:
    """Returns the lines for the records of a run, sorted by question."""
    return [
        {
            "qid": record["id"],
            "pred_relevant_windows": [list(span) for span in record["spans"]] or [list(NO_SPAN)],
            "ans": record["answer"] or "",
        }
        for record in sorted(records, key=lambda record: str(record["id"]))
    ]


def write_run(lines: Sequence[Mapping[str, Any]], output: str, args: Any) -> tuple[Path, Path]:
    """Writes the submission of a harness run, and the zip for upload, under `<output>/submissions/`."""
    name = f"rextime_test_{_model_name(args)}_{time.strftime('%Y%m%d_%H%M%S')}.jsonl"
    file = Path(output) / "submissions" / name
    archive = file.with_suffix(".zip")
    text = "".join(json.dumps(line) + "\n" for line in lines)
    with outputs.replacing(file) as partial:
        partial.write_text(text, encoding="utf-8")
    with outputs.replacing(archive) as partial, zipfile.ZipFile(partial, "w") as bundle:
        bundle.writestr("submission.jsonl", text, zipfile.ZIP_DEFLATED)
    return file, archive


def _model_name(args: Any) -> str:
    """Returns a name for files: the weights' name where there is one, else the runner's."""
    given = getattr(args, "model_args", "") or ""
    if isinstance(given, dict):
        given = ",".join(f"{key}={value}" for key, value in given.items())
    found = re.search(r"(?:^|,)(?:pretrained|model|model_version|model_name|model_id|path)=([^,]+)", given)
    name = "_".join(found[1].rstrip("/").split("/")[-2:]) if found else getattr(args, "model", "")
    return re.sub(r"[^\w.-]+", "_", str(name or "model"))
