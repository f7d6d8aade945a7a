"""`tempbench doctor`: shows what is installed and found on this machine, also for a bug report."""

import importlib.metadata
import importlib.util
import json
import platform
import shutil
import subprocess
from pathlib import Path
from typing import Any

from tempbench_lmms import benchmarks
from tempbench_lmms.cli.command import AsJson
from tempbench_lmms.data import manifests, provenance
from tempbench_lmms.data.roots import prepared_root
from tempbench_lmms.errors import EXTRAS, DataNotPreparedError, TempbenchError
from tempbench_lmms.harness import plugin
from tempbench_lmms.harness.patches import PATCHES


def doctor(as_json: AsJson = False) -> None:
    """Show installed versions, extras, GPUs, data and tasks, without your names or secrets."""
    versions = {name: provenance.version(name) for name in provenance.PACKAGES}
    lacking = {
        extra: ", ".join(name for name in modules if importlib.util.find_spec(name) is None)
        for extra, modules in EXTRAS.items()
    }
    found = {
        "system": f"{platform.system()} {platform.machine()}",
        "versions": {"python": platform.python_version(), **versions},
        "extras": {extra: f"lacks {names}" if names else "complete" for extra, names in lacking.items()},
        "gpus": _gpus(),
        "data": {name: _data(name) for name in benchmarks.names()},
        "harness": _harness(),
    }
    if as_json:
        print(json.dumps(found, indent=2))
        return
    for name, value in found.items():
        for key, one in (value if isinstance(value, dict) else {"": value}).items():
            said = ", ".join(one) or "none" if isinstance(one, list) else one
            print(f"{name:9}{key and f'{key}: '}{'not installed' if said is None else said}")
            name = ""


def _gpus() -> list[str]:
    if shutil.which("nvidia-smi") is None:
        return []
    command = ["nvidia-smi", "--query-gpu=name,memory.total", "--format=csv,noheader"]
    try:
        return subprocess.run(
            command, capture_output=True, text=True, check=True, timeout=60
        ).stdout.splitlines()
    except (OSError, subprocess.SubprocessError) as error:
        return [f"nvidia-smi failed ({type(error).__name__})"]


def _data(benchmark: str) -> str:
    try:
        manifest = manifests.read(prepared_root(benchmark)) or {}
    except DataNotPreparedError:
        return "not prepared"
    except (TempbenchError, OSError, ValueError):
        return "cannot be read; run `tempbench verify`"
    return f"prepared, {sum(manifest['rows'].values()):,} rows"


def _harness() -> dict[str, Any]:
    from tempbench_lmms.harness.tasks import task_files

    entries = importlib.metadata.entry_points(group="lmms_eval.models")
    try:
        works = any(one.name == "tempbench" and callable(one.load()) for one in entries)
        version = plugin.harness_version()
    except (TempbenchError, ImportError) as error:
        return {"usable": str(error)}
    spec = importlib.util.find_spec("lmms_eval")
    folder = Path((spec and spec.origin) or "").parent
    files = {one.file: folder / one.file for one in PATCHES}
    texts = {name: file.read_text(encoding="utf-8") if file.is_file() else "" for name, file in files.items()}
    needed = [one for one in PATCHES if one.upstream in texts[one.file]]
    return {
        "usable": version,
        "entry point": "works" if works else "missing; install tempbench-lmms again",
        "our tasks": len(task_files()),
        "of these hidden by the harness's own tasks": plugin.shadowed_names(),
        "patched": [f"{one.change.__name__} ({one.module})" for one in needed],
    }
