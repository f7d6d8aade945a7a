"""The failed requests in a run's logs."""

import json

from tempbench_lmms.runs import failures
from tests.runs.test_logs import TASK


def test_a_log_of_predictions_alone_has_numbers_for_ids(tmp_path):
    rows = [
        {"doc_id": 0, "filtered_resps": "A"},
        {"doc_id": 7, "filtered_resps": "[LMMS_EVAL_REQUEST_FAILED after 3 retries] no server"},
        {"doc_id": 8, "filtered_resps": "[LMMS_EVAL_REQUEST_FAILED]", "record": {"id": "q8"}},
    ]
    log = tmp_path / f"20260101_000000_samples_{TASK}.jsonl"
    log.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    found = failures.of(tmp_path / "20260101_000000_results.json")
    assert [(one.task, one.question) for one in found] == [(TASK, "7"), (TASK, "q8")]
