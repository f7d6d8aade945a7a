"""What the tests share."""

import os
import tempfile

# The Hub's client and `datasets` read these once, when something imports them: no test reaches a network or
# touches the user's caches. Processes that pytest-xdist starts have those of the first one.
os.environ["HF_HUB_OFFLINE"] = "1"
if "PYTEST_XDIST_WORKER" not in os.environ:
    _HOME = tempfile.TemporaryDirectory(prefix="tempbench-tests-", ignore_cleanup_errors=True)
    os.environ["HF_HOME"] = _HOME.name
# On tiny models threads only wait for each other. torch reads this when it is imported.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import contextlib
import copy
import fcntl
import gc
import io
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest import mock

import hypothesis
import pytest

from tempbench_lmms.data import manifests, provenance, redaction
from tempbench_lmms.harness import evaluation

# A busy machine is no failure.
hypothesis.settings.register_profile("any machine", deadline=None)
# `--hypothesis-profile campaign`: more than the test command has time for.
hypothesis.settings.register_profile("campaign", deadline=None, max_examples=4000)
hypothesis.settings.load_profile("any machine")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with real data and the official scorers' outputs, which is no part of the project."""
    folder = Path(os.environ.get("TEMPBENCH_SHARED", Path(__file__).parents[2] / "shared"))
    if not folder.is_dir():
        pytest.skip(f"{folder} is missing; set TEMPBENCH_SHARED to the folder with the reference data")
    return folder


@pytest.fixture(scope="session")
def session_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all test processes."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@pytest.fixture(scope="session", autouse=True)
def _offline(session_folder: Path) -> None:
    """No test touches the user's settings."""
    os.environ.pop("TEMPBENCH_DATA", None)
    # Whether a default encoder could be had here, or not, takes an import of torch to find out.
    os.environ["TEMPBENCH_BERTSCORE_MODEL"] = os.environ["TEMPBENCH_CLIP_MODEL"] = "/nowhere"


_SIZES = manifests.sizes_in


@pytest.fixture(scope="session", autouse=True)
def _stand_ins_are_whole() -> Iterator[None]:
    """Has the tests' own releases, of a few questions, pass for whole ones; see `by_the_numbers`."""
    with mock.patch.object(manifests, "sizes_in", return_value=[]):
        yield


@pytest.fixture
def by_the_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Has the test's data measured by the numbers of the benchmarks' cards, as in use."""
    monkeypatch.setattr(manifests, "sizes_in", _SIZES)


@pytest.fixture(autouse=True)
def _nothing_is_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key that one test gives is a word of another's; a check of its model is none of another's."""
    monkeypatch.setattr(redaction, "_noted", {})
    monkeypatch.setattr(provenance, "_NOTED", {})


@pytest.fixture(scope="session")
def harness() -> ModuleType:
    """The harness's command line in the test's own process, with the index of tasks read once."""
    from lmms_eval import __main__ as command_line
    from lmms_eval.tasks import TaskManager

    read, found = TaskManager._get_task_and_group, {}

    def remembered(self: TaskManager, folder: str) -> Any:
        if folder not in found:
            found[folder] = read(self, folder)
        return copy.deepcopy(found[folder])

    TaskManager._get_task_and_group = remembered
    gc.freeze()  # each evaluation collects garbage twice: not in what imports have made
    return command_line


@pytest.fixture(scope="session")
def run_harness(harness: ModuleType) -> Callable[..., evaluation.Run]:
    """Runs `lmms-eval` in the test's own process, or under `torchrun` where there are several."""

    def run(
        model: str,
        tasks: Sequence[str],
        output: Path,
        arguments: Sequence[str] = (),
        model_args: str = "",
        processes: int = 1,
        environment: Mapping[str, str] | None = None,
    ) -> evaluation.Run:
        started = set(output.rglob("*_results.json"))
        words = ["--model", model, "--tasks", ",".join(tasks), "--output_path", str(output), "--log_samples"]
        words += [*arguments, *(["--model_args", model_args] if model_args else [])]
        given = dict(environment or {})
        if processes == 1:
            return evaluation.finished_run(model, output, started, _evaluated(harness, words, given))
        several = ["-m", "torch.distributed.run", "--standalone", f"--nproc_per_node={processes}"]
        done = subprocess.run(
            [sys.executable, *several, "-m", "lmms_eval", *words],
            env=os.environ | given,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return evaluation.finished_run(model, output, started, done.stdout)

    return run


def _evaluated(harness: ModuleType, words: Sequence[str], environment: Mapping[str, str]) -> str:
    """Returns what the harness prints of an evaluation in this process."""
    out = io.StringIO()
    with (
        mock.patch.dict(os.environ, environment),
        mock.patch.object(sys, "argv", ["lmms-eval", *words]),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(out),
        contextlib.suppress(SystemExit),
    ):
        try:
            harness.cli_evaluate()
        except SystemExit as end:
            print(end.code)
    return out.getvalue()


@pytest.fixture(scope="session")
def tiny_vlm(session_folder: Path) -> Path:
    """A tiny Qwen2.5-VL with random weights."""
    from tempbench_lmms.harness import tiny

    with (session_folder / "tiny.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return tiny.build(session_folder / "tiny")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out what is `exhaustive`; puts the files that run the harness first, as they take longest."""
    if not config.getoption("exhaustive"):
        items[:] = [item for item in items if not item.get_closest_marker("exhaustive")]
    harness = {item.path for item in items if item.get_closest_marker("harness")}
    items.sort(key=lambda item: item.path not in harness)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--exhaustive", action="store_true", help="every case of which a sample is run otherwise"
    )
    parser.addoption("--update-goldens", action="store_true", help="write the golden files anew")


@pytest.fixture
def update_goldens(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--update-goldens"))
