"""The tasks in the real harness, on the bundled sample and on data prepared from real pictures."""

import pytest

from tempbench_lmms.timepercept.card import CONTROLS, RANKINGS, TESTS

pytestmark = pytest.mark.harness
CONTROL_TASKS = [f"timepercept_{test}_mini" for test in CONTROLS]


def test_oracle_is_right_throughout(tmp_path, run_harness):
    tasks = ["timepercept_mini", "timepercept_suite_mini", "timepercept_isr_cot_mini", *CONTROL_TASKS]
    run = run_harness("tempbench_oracle", tasks, tmp_path)
    for test in (*TESTS, *CONTROLS):
        task = f"timepercept_{test}_mini"
        assert run.value(task, "parse_rate") == 1
        if test in RANKINGS:
            # No negative pair: the ratio is undefined, the log-odds are not.
            assert run.value(task, "pnr") == "-"
            assert run.value(task, "exact") == run.value(task, "pair_accuracy") == 1
            assert run.value(task, "log_odds") > 4
        else:
            assert run.value(task, "accuracy") == 1
    for metric in ("tou_average", "tiu_average", "category_average", "parse_rate"):
        assert run.value("timepercept_suite_mini", metric) == 1
    assert run.value("timepercept_suite_mini", "n") == 360
    assert run.results["group_subtasks"]["timepercept_mini"] == [
        "timepercept_tou_mini",
        "timepercept_tiu_mini",
    ]
