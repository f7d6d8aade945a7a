"""Runs of several tasks, as the harness writes them of one command line."""

import json
from pathlib import Path

from tests.report.conftest import finish
from tests.runs.test_logs import write_run


def write_tasks(folder: Path, respondent: str, tasks: list[str], n: int | None = None) -> Path:
    """Writes one run of several tasks, of `n` questions each, without the harness; returns its results."""
    whole: dict = {}
    for task in tasks:
        part = folder / task
        file = finish(write_run(part, respondent, task, n=n))
        results = json.loads(file.read_text())
        if not whole:
            whole = results
        for table in ("results", "configs", "n-samples"):
            whole[table] |= results[table]
        for log in part.glob("*.jsonl"):
            log.rename(folder / log.name)
        file.unlink()
        part.rmdir()
    out = folder / "20260101_000000_results.json"
    out.write_text(json.dumps(whole))
    return out
