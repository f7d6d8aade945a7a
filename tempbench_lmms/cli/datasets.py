"""Makes, checks and publishes data: `verify`, `push`, and the only access to `hf_datasets`."""

import functools
import importlib
import importlib.util
import sys
from collections.abc import Callable, Mapping
from typing import Annotated, Any

import typer

from tempbench_lmms import benchmarks
from tempbench_lmms.data import locks, manifests, roots
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness import plugin


def verify(
    benchmark: Annotated[str | None, typer.Argument(help="Check this benchmark's prepared data.")] = None,
    mini: Annotated[bool, typer.Option(help="Check the bundled sample instead.")] = False,
) -> None:
    """Check the installation, and a benchmark's data, before a model is loaded."""
    if not benchmark:
        print(f"lmms-eval {plugin.harness_version()}: ok", flush=True)
        from tempbench_lmms.harness.tasks import task_files

        plugin.check_names(task_files())
        print(f"{len(task_files())} task names, none of them the harness's: ok")
        return
    benchmarks.card(benchmark)
    root = roots.mini_root(benchmark) if mini else roots.prepared_root(benchmark)
    print(f"checking every row and every file of {benchmark} in {root}", file=sys.stderr, flush=True)
    problems = 0
    for problem in benchmarks.rows(benchmark).problems(root):
        problems += 1
        print(problem)
    if problems:
        raise TempbenchError(f"{benchmark}: {problems} problems in {root}; see the lines above")
    print(f"{benchmark} in {root}: ok{manifests.part_named(root, benchmarks.sizes(benchmark))}")


def push(
    benchmark: Annotated[str, typer.Argument(help="The benchmark whose prepared data to publish.")],
    repo: Annotated[str, typer.Option(help="The data set on the Hub, ORG/NAME.")],
    private: Annotated[bool, typer.Option("--private", help="Make the repository private.")] = False,
    license: Annotated[str | None, typer.Option(help="Licence of your own data, such as cc-by-4.0.")] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be uploaded, and stop.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Upload without asking.")] = False,
) -> None:
    """Publish prepared data as a Hugging Face data set, if its licences allow it."""
    benchmarks.card(benchmark)

    def agreed() -> bool:
        return yes or (sys.stdin.isatty() and typer.confirm(f"Upload this to {repo}?"))

    shared("publishing.commands").push(benchmark, repo, private, license, dry_run, agreed)


def commands(benchmark: str) -> Mapping[str, Callable[..., Any]]:
    """Returns the commands that make a benchmark's data: `prepare`, and for some `build` and others.

    Raises:
        TempbenchError: The benchmark is unknown, or the installation is incomplete.
    """
    found: Mapping[str, Callable[..., Any]] = module(benchmark, "commands").COMMANDS
    return {**found, "prepare": _alone(benchmark, found["prepare"])}


@functools.cache  # the same command for every call, as its own function would be
def _alone(benchmark: str, prepare: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(prepare)
    def locked(*args: Any, **kwargs: Any) -> Any:
        with locks.preparing(benchmark):
            found = prepare(*args, **kwargs)
            manifest = manifests.read(roots.data_home(benchmark) / benchmark) or {}
        if short := manifests.incomplete(manifests.sizes_in(manifest, benchmarks.sizes(benchmark))):
            print(f"incomplete: {short}")
        return found

    return locked


def module(benchmark: str, name: str) -> Any:
    """Returns a module of a benchmark's folder in `hf_datasets`, or of the user's own benchmark.

    `hf_datasets` lies inside this package in a wheel and beside it in a checkout; its modules import one
    another relatively, so they work under both names.

    Raises:
        TempbenchError: The benchmark or module is unknown, or the installation is incomplete.
    """
    benchmarks.card(benchmark)
    is_ours = (roots.resource_dir("hf_datasets") / benchmark).is_dir()
    found = f"{_folder() if is_ours else 'tempbench_lmms'}.{benchmark}.{name}"
    if importlib.util.find_spec(found) is None:
        raise TempbenchError(
            f"{benchmark} has no {name}.py, which this command needs; write it like those of the other "
            "benchmarks"
        )
    return importlib.import_module(found)


def shared(name: str) -> Any:
    """Returns a module of `hf_datasets` that serves all benchmarks: `own_table`, `publishing.commands`."""
    return importlib.import_module(f"{_folder()}.{name}")


def _folder() -> str:
    is_wheel = roots.resource_dir("hf_datasets").parent.name == "tempbench_lmms"
    return "tempbench_lmms.hf_datasets" if is_wheel else "hf_datasets"
