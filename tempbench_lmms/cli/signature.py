"""The command `tempbench signature`."""

from tempbench_lmms.cli.command import Logs, Partial


def signature(
    runs: Logs,
    partial: Partial = False,
) -> None:
    """Print one line per task that says how its scores were made, for a paper or a bug report."""
    from tempbench_lmms.runs.logs import read_runs, with_repeats_as_one
    from tempbench_lmms.runs.signature import lines, parts_of
    from tempbench_lmms.runs.task_log import edited

    with edited(" ".join(map(str, runs))):
        for log in with_repeats_as_one(read_runs(runs, partial)):
            print(*lines([parts_of(log)]))
