"""Every benchmark, as one document in Markdown: `python benchmarks/run.py [--only NAME ...] [--quick]`.

About a quarter of an hour of processor time, and 20 minutes more for false_alarms. Every ratio is of
measurements that took turns in one run.
"""

import argparse
import importlib
import sys
import time
import traceback
from pathlib import Path

import timing

MODULES = (
    "imports",
    "tempvs_scoring",
    "rextime_scoring",
    "scoring",
    "intervals",
    "interval_coverage",
    "parsing",
    "reading",
    "hooks",
    "video_frames",
    "frames_ahead",
    "rextime_frames",
    "media_fuzz",
    "memory",
    "data_build",
    "tempvs_data",
    "picture_reuse",
    "log_lines",
    "mateo_pairs",
    "bertscore",
    "false_alarms",
    "until_decided",
    "lite",
    "check_alarms",
    "interruptions",
    "prepare_interruptions",
    "fault_campaign",
    "engines",
    "engine_caches",
    "model_speed",
    "embedded_pictures",
    "report_page",
)
"""In the order printed. Each has `rows(quick)`, which yields `timing.Row`s."""


def main() -> int:
    """Prints the document; returns 1 where a benchmark could not be run."""
    there = [name for name in MODULES if Path(__file__).with_name(f"{name}.py").is_file()]
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--only", nargs="+", choices=there, metavar="NAME", help=", ".join(there))
    options.add_argument("--quick", action="store_true", help="smaller sizes, fewer repetitions")
    given = options.parse_args()
    failed = []
    for name in given.only or there:
        start = time.perf_counter()
        try:
            module = importlib.import_module(name)
            print(f"## {(module.__doc__ or name).splitlines()[0]}\n")
            for line in timing.table(module.rows(given.quick)):
                print(line, flush=True)
        except Exception:  # the others are still worth their figures
            failed.append(name)
            traceback.print_exc()
            print(f"\n{name} stopped: see the message.")
        print(f"\n`{name}.py`, {time.perf_counter() - start:.0f} s\n", flush=True)
    if failed:
        print(f"not measured: {', '.join(failed)}", file=sys.stderr)
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
