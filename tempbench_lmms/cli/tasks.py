"""The commands that look: `tasks`, `show` and `read` at tasks, `path` and `doctor` at the installation."""

import importlib.metadata
import importlib.util
import json
import platform
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from tempbench_lmms import benchmarks
from tempbench_lmms.cli.command import AsJson, Force
from tempbench_lmms.data import manifests, outputs, provenance, roots, tables, terminal
from tempbench_lmms.errors import EXTRAS, DataNotPreparedError, TempbenchError
from tempbench_lmms.harness import plugin


def tasks(
    benchmark: Annotated[str | None, typer.Argument(help="Only this benchmark's tasks.")] = None,
    all_: Annotated[bool, typer.Option("--all", help="Also list variants and the _mini tasks.")] = False,
) -> None:
    """List the tasks: what each asks, how many questions it has, and what a question shows."""
    if benchmark is not None:
        benchmarks.card(benchmark)
    from tempbench_lmms.cli import questions

    names = questions.names(benchmark, all_)
    width = max(map(len, names))
    print(f"{'task':{width}}  {'questions':12}  {'shows':15}  asks")
    for name in names:  # one by one, because listing all takes seconds
        number, shows, asks = questions.listed(name)
        print(f"{name:{width}}  {number:12}  {shows:15}  {asks}", flush=True)
    if not all_:
        print("\nA question is one call of the model. --all adds variants, and NAME_mini on the sample.")


def show(
    task: Annotated[str, typer.Argument(help="A task, e.g. tempvs_mt1_two_mini.")],
    doc: Annotated[int, typer.Option(help="Number of the question, starting at 0.")] = 0,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Also write a page with pictures (.html) or the text (.txt)."),
    ] = None,
    count: Annotated[int, typer.Option(min=1, max=100, help="Questions on the page, starting at --doc.")] = 5,
    frames: Annotated[int, typer.Option(min=1, max=64, help="Frames of a video to show on the page.")] = 8,
    force: Force = False,
) -> None:
    """Show one question as a model sees it: pictures, prompt, and the right answer."""
    from tempbench_lmms.cli import questions

    kind = output.suffix.lower() if output else ""
    if output:
        outputs.check_file(output, force)
        if kind not in (".html", ".htm", ".txt"):
            raise TempbenchError(f"unknown format {output}; end the name in .html or .txt")
    text = terminal.shown(questions.as_text(questions.seen(task, doc)))
    print(text)
    if output:
        page = f"{text}\n" if kind == ".txt" else questions.as_html(task, doc, count, frames)
        tables.write_text(page, output)
        print(f"\nwritten to {output}", file=sys.stderr)


def read(
    reply: Annotated[str, typer.Argument(help='The reply; "-" reads it from standard input.')],
    task: Annotated[str, typer.Option(help="A task, e.g. tempvs_mt1_two_mini.")],
    doc: Annotated[
        int | None,
        typer.Option(
            help="Number of the answered question, starting at 0; also shows whether the answer is right."
        ),
    ] = None,
) -> None:
    """Show how a reply is read, and why."""
    from tempbench_lmms.cli import questions

    print(questions.read_reply(task, sys.stdin.read() if reply == "-" else reply, doc))


def path() -> None:
    """Print the folder with the tasks, for the harness's --include_path."""
    from tempbench_lmms.harness.variants import task_dir

    print(task_dir())


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
        manifest = manifests.read(roots.prepared_root(benchmark)) or {}
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
    return {
        "usable": version,
        "entry point": "works" if works else "missing; install tempbench-lmms again",
        "our tasks": len(task_files()),
        "of these hidden by the harness's own tasks": plugin.shadowed_names(),
    }
