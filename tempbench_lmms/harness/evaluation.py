"""Runs the harness as its user would, in a process of its own, and reads what it wrote."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tempbench_lmms.errors import TempbenchError


@dataclass(frozen=True)
class Run:
    """A finished run of the harness.

    Attributes:
        results: The newest results file, parsed.
        results_file: Where it lies.
        samples: The sample log of each task; empty without `--log_samples`.
        output: What the harness printed.
    """

    results: dict[str, Any]
    results_file: Path
    samples: dict[str, Path]
    output: str

    def value(self, task: str, metric: str) -> Any:
        """Returns a metric as the harness wrote it: a number, or "-" where it is undefined."""
        return self.results["results"][task][f"{metric},none"]

    def logged(self, task: str) -> list[dict[str, Any]]:
        """Returns the sample log of a task, a dict a document."""
        with self.samples[task].open(encoding="utf-8") as lines:
            return [json.loads(line) for line in lines]


def run(
    model: str,
    tasks: Sequence[str],
    output: Path,
    arguments: Sequence[str] = (),
    model_args: str = "",
    processes: int = 1,
    environment: Mapping[str, str] | None = None,
    timeout: float | None = None,
) -> Run:
    """Runs `lmms-eval` and returns its results.

    The harness exits with status 0 after nearly every failure, so success is told by its results file.

    Args:
        model: As for `--model`.
        tasks: As for `--tasks`.
        output: As for `--output_path`; results are looked for below it.
        arguments: Further arguments of the harness.
        model_args: As for `--model_args`.
        processes: More than one runs under `torchrun` on this machine.
        environment: Added to the environment.
        timeout: Seconds.

    Raises:
        TempbenchError: The run left no results; with the harness's last line that looks like a reason.
    """
    started = set(output.rglob("*_results.json"))
    command = ["-m", "lmms_eval", "--model", model, "--tasks", ",".join(tasks)]
    command += ["--output_path", str(output), "--log_samples", *arguments]
    if model_args:
        command += ["--model_args", model_args]
    done = subprocess.run(
        [*_launcher(processes), *command],
        env=os.environ | dict(environment or {}),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        timeout=timeout,
        check=False,
    )
    new = sorted(set(output.rglob("*_results.json")) - started, key=lambda file: file.stat().st_mtime)
    if not new:
        log = output / "harness.log"
        output.mkdir(parents=True, exist_ok=True)
        log.write_text(done.stdout, encoding="utf-8")
        raise TempbenchError(f"the run of {model} left no results ({_reason(done.stdout)}); see {log}")
    return _read(new[-1], done.stdout)


def _launcher(processes: int) -> list[str]:
    several = ["-m", "torch.distributed.run", "--standalone", f"--nproc_per_node={processes}"]
    return [sys.executable, *(several if processes > 1 else ())]


def _read(results: Path, printed: str) -> Run:
    stamp = results.name.removesuffix("_results.json")
    samples = {
        file.name.removeprefix(f"{stamp}_samples_").removesuffix(".jsonl"): file
        for file in results.parent.glob(f"{stamp}_samples_*.jsonl")
    }
    return Run(json.loads(results.read_text(encoding="utf-8")), results, samples, printed)


def _reason(log: str) -> str:
    lines = [line.strip() for line in log.splitlines() if "Error" in line or "tempbench" in line]
    return lines[-1][:300] if lines else "no reason was printed"
