"""Runs the harness in a separate process, as its user would, and reads its results."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tempbench_lmms.errors import TempbenchError, lacking

_RAISED = re.compile(r"[\w.]+Error: ")
_NO_MODULE = re.compile(r"^ModuleNotFoundError: No module named '([\w.]+)'$")


@dataclass(frozen=True)
class Run:
    """A finished run of the harness."""

    results: dict[str, Any]  # the newest results file, parsed
    results_file: Path  # its path
    samples: dict[str, Path]  # the sample log of each task; empty without `--log_samples`
    output: str  # what the harness printed

    def value(self, task: str, metric: str) -> Any:
        """Returns a metric as the harness wrote it: a number, or "-" if undefined."""
        return self.results["results"][task][f"{metric},none"]

    def logged(self, task: str) -> list[dict[str, Any]]:
        """Returns the sample log of a task, one dict per document."""
        with self.samples[task].open(encoding="utf-8") as lines:
            return [json.loads(line) for line in lines]


def run_in_turn(
    wanted: Mapping[str, Mapping[str, Any]],
    folder: Path,
    environment: Mapping[str, str] | None = None,
    on_line: Callable[[str, str], None] = lambda name, line: None,
    start: Sequence[str] = ("lmms_eval",),
) -> dict[str, Run]:
    """Runs several evaluations in one start of `lmms-eval`, through its `--config`.

    The start takes longer than most evaluations of a sample.

    Args:
        wanted: The harness's arguments of each evaluation, as its `--config` names them.
        folder: The folder for the results, with a subfolder for each evaluation.
        environment: Added to the environment.
        on_line: Called with the name of the current evaluation and each line that the harness prints.
        start: The module to start, with arguments before the harness's.

    Raises:
        TempbenchError: One of them wrote no results; the message has the harness's last line that looks like
            a reason.
    """
    folder.mkdir(parents=True, exist_ok=True)
    started = {name: set((folder / name).rglob("*_results.json")) for name in wanted}
    config = folder / "harness.yaml"
    runs = [{"output_path": str(folder / name), "log_samples": True, **own} for name, own in wanted.items()]
    config.write_text(json.dumps(runs), encoding="utf-8")  # JSON is YAML
    lines: list[str] = []
    left = list(wanted)
    with subprocess.Popen(
        [sys.executable, "-m", *start, "--config", str(config)],
        env=os.environ | {"PYTHONUNBUFFERED": "1"} | dict(environment or {}),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        for line in process.stdout or ():
            lines.append(line)
            while len(left) > 1 and set((folder / left[0]).rglob("*_results.json")) - started[left[0]]:
                left.pop(0)
            on_line(left[0], line.strip())
    log = "".join(lines)
    return {
        name: finished_run(str(given["model"]), folder / name, started[name], log)
        for name, given in wanted.items()
    }


def finished_run(model: str, output: Path, started: set[Path], log: str) -> Run:
    """Returns the run that wrote new results in a folder.

    Args:
        model: As for `--model`.
        output: The folder.
        started: The results files that were there before.
        log: What the harness printed.

    Raises:
        TempbenchError: There are none; the message has the harness's last line that looks like a reason. The
            harness exits with status 0 after nearly every failure.
    """
    new = sorted(set(output.rglob("*_results.json")) - started, key=lambda file: file.stat().st_mtime)
    if not new:
        file = output / "harness.log"
        output.mkdir(parents=True, exist_ok=True)
        file.write_text(log, encoding="utf-8")
        raise TempbenchError(f"the run of {model} wrote no results ({_reason(log)}); see {file}")
    stamp = new[-1].name.removesuffix("_results.json")
    samples = {
        file.name.removeprefix(f"{stamp}_samples_").removesuffix(".jsonl"): file
        for file in new[-1].parent.glob(f"{stamp}_samples_*.jsonl")
    }
    return Run(json.loads(new[-1].read_text(encoding="utf-8")), new[-1], samples, log)


def _reason(log: str) -> str:
    lines = [line.strip() for line in log.splitlines()]
    raised = [line for line in lines if _RAISED.match(line)]
    if raised and (module := _NO_MODULE.search(raised[-1])):
        return str(lacking(ModuleNotFoundError(name=module[1])) or raised[-1])
    raised = raised or [line for line in lines if "Error" in line or "tempbench" in line]
    return raised[-1][:300] if raised else "no reason was printed"
